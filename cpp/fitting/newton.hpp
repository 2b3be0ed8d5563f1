// Newton's method for the noisy-OR's convex problem: ends with a proof, in about ten steps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/objective.hpp"

namespace noisyor {

// When a fit may stop. The gap is at most max(gap, relative_gap * |f|).
struct FitLimits {
    double gap = 1e-8;
    double relative_gap = 1e-13;
    double reject_above = kInfinity;
    double accept_at = -kInfinity;
    int max_steps = 200;
    const std::atomic<bool>* cancel = nullptr;  // checked throughout a fit
    bool at_near = false;  // whether to begin exactly at a nearby fit, in which every row has an s
};

// Where f is least, up to a proven gap: no lambda >= 0 gives less than f there, less the gap.
struct TangentFit {
    std::vector<double> lambda;
    double gap = kInfinity;
    int steps = 0;
};

class NoisyOrSolver : public NoisyOrObjective {
  public:
    // Starts near `near` where given (a value per variable), else from the default start.
    FitOutcome minimise(const FitLimits& limits, const double* near = nullptr);
    // The same, ended and proven by the tangent, in which nothing large cancels, so that f may be
    // huge, and rows may have any base. Returns the best point on the way.
    TangentFit minimise_by_tangent(double gap, int max_steps, const double* near = nullptr);

  private:
    double start(const double* near, bool at_near = false);
    double start_between(const double* near, double nearness);
    void measure_largest();
    double tangent_gap() const;
    // Both end early, with nothing to be used, once the fit is cancelled.
    void build_hessian();
    void multiply_columns(const std::vector<std::size_t>& columns, std::vector<double>& products);
    void derive_hessian();
    double rest_columns();
    void fix_redundant();
    void keep_redundant_fixed();
    bool find_direction();  // a descent direction to a point with lambda >= 0
    bool cancelled() const { return cancel_ != nullptr && *cancel_; }
    void solve_free();
    double move(double value);

    const std::atomic<bool>* cancel_ = nullptr;
    std::vector<double> largest_;  // what no optimal lambda exceeds
    std::vector<double> direction_, lambda_old_, target_, model_;
    std::vector<double> hessian_, factor_, inverse_, solution_;
    std::vector<std::uint8_t> fixed_;
    std::vector<std::size_t> movable_, free_, wrong_;
    // The columns that follow from no others, their products with each other and with one more.
    std::vector<std::size_t> basis_;
    std::vector<double> products_, row_;
    std::vector<std::size_t> place_;  // of each column, among those or among the movable ones
    std::vector<const NoisyOrProblem::Partition*> partition_of_;  // by its first column
    std::vector<const NoisyOrProblem::Partition*>
        redundant_;  // with all columns and the leak movable
    std::vector<Lanes> s_old_, ds_;
};

}  // namespace noisyor
