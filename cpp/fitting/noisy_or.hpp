// The maximum-likelihood fit of one noisy-OR, with a proof of how good it is.
//
// With lambda_j = -ln q_j >= 0 the negative log-likelihood of a child given its parents is
//
//     f(lambda) = a . lambda - sum_r c_r ln(1 - exp(-s_r)),      s_r = sum of lambda_j over row r
//
// where row r is a distinct configuration of the parents among the records that have the child
// present, c_r its number of records, and a_j the number of records with parent j present and the
// child absent. f is convex, so Newton's method with a proper treatment of lambda >= 0 finds the
// global minimum, and Lagrangian duality proves it: for any u >= 0 with sum_r u_r x_rj <= a_j,
//
//     min f >= sum_r phi_r(u_r),     phi_r(u) = u ln(1 + c_r/u) + c_r ln(1 + u/c_r).
//
// A leak is one more column that is 1 in every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/lanes.hpp"
#include "variable_set.hpp"

namespace noisyor {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class FitEnd : std::uint8_t {
    kConverged,   // the gap is closed
    kRejected,    // the optimum is proven to lie above `reject_above`
    kAccepted,    // the optimum is proven to lie at or below `accept_at`
    kInfeasible,  // a record has the child present and no cause: the likelihood is zero
    kStalled,     // no further progress in double precision; the bounds are valid all the same
};

// When a fit may stop. The gap is at most max(gap, relative_gap * |f|).
struct FitLimits {
    double gap = 1e-8;
    double relative_gap = 1e-13;
    double reject_above = kInfinity;
    double accept_at = -kInfinity;
    int max_steps = 200;
};

// The optimum of f lies in [lower, upper], and `upper` is attained.
struct FitOutcome {
    FitEnd end = FitEnd::kInfeasible;
    double upper = kInfinity;
    double lower = kInfinity;
    int steps = 0;
};

// Distinct configurations, among the records with the child present, and their numbers.
template <int W>
struct PresentRows {
    std::vector<VariableSet<W>> rows;
    std::vector<double> counts;

    void clear() {
        rows.clear();
        counts.clear();
    }
    void add(const VariableSet<W>& row, double count) {
        rows.push_back(row);
        counts.push_back(count);
    }
    // Merges equal rows; `slots` is memory to work in.
    void merge_equal(std::vector<std::uint32_t>& slots);
};

// The convex problem in dense form: one column of 0s and 1s per parent, rows in lanes of four.
struct NoisyOrProblem {
    std::size_t variables = 0;
    std::size_t blocks = 0;      // of kLanes rows; the last is padded with rows that weigh nothing
    std::vector<Lanes> columns;  // variables x blocks
    std::vector<Lanes> counts;   // c
    std::vector<Lanes> base;     // 0 for a row, 1 for padding, so that its s is not 0
    std::vector<double> absent;  // a
    const Lanes* column(std::size_t variable) const { return &columns[variable * blocks]; }
};

// Minimises f; holds the working memory, so one solver serves many fits of one thread.
class NoisyOrSolver {
  public:
    NoisyOrProblem problem;

    // Starts near `near` where given (a value per variable), else from an even split of the credit
    // for each row among its causes.
    FitOutcome minimise(const FitLimits& limits, const double* near = nullptr);

    const std::vector<double>& lambda() const { return lambda_; }

  private:
    void set_default_start();
    double evaluate();        // f at s_, and from it u_, curvature_ and phi_
    void measure_gradient();  // gradient_ from u_
    double dual_bound();      // a proven lower bound from u_
    void build_hessian();
    bool find_direction();  // a descent direction to a point with lambda >= 0
    void solve_free();
    double move(double value);

    std::vector<double> lambda_, gradient_, direction_, trial_, target_, model_;
    std::vector<double> hessian_, factor_, inverse_, solution_;
    std::vector<std::uint8_t> fixed_;
    std::vector<std::size_t> movable_, free_, wrong_;
    std::vector<Lanes> s_, s_old_, ds_, u_, curvature_, phi_, scaled_;
};

// Restricts rows to a set of parents and fits. Parents with a_j = 0 get q = 0, since they explain
// their records at no cost; parents with no record left to explain get q = 1.
template <int W>
class NoisyOrFitter {
  public:
    // `absent[v]`: records with v present and the child absent; `absent_total`: child absent.
    // `near`: lambda per variable, the leak's last, of a fit that this one may resemble.
    FitOutcome fit(const PresentRows<W>& data, const VariableSet<W>& parents,
                   const std::vector<double>& absent, double absent_total, bool leak,
                   const FitLimits& limits, const std::vector<double>* near = nullptr);

    // After a fit: lambda of the variable (infinite where q = 0), and of the leak.
    double lambda_of(int variable) const;
    double lambda_of_leak() const { return leak_lambda_; }
    // Notes the finite lambdas where `near` wants them.
    void remember(std::vector<double>& near) const;

  private:
    enum class Load : std::uint8_t { kInfeasible, kNothingLeft, kReady };
    Load load(const PresentRows<W>& data, const VariableSet<W>& parents,
              const std::vector<double>& absent, double absent_total, bool leak);

    NoisyOrSolver solver_;
    PresentRows<W> rows_;
    std::vector<std::uint32_t> slots_;
    std::vector<int> position_;  // of each variable among the problem's columns, or -1
    std::vector<int> columns_;   // the variable of each column but the leak's, which is the last
    std::vector<double> near_;
    VariableSet<W> certain_;  // parents with a_j = 0
    double leak_lambda_ = 0;
};

}  // namespace noisyor
