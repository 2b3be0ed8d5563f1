// The likelihood of one noisy-OR as a convex function, with a proof of how low it can be.
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

namespace noisyor {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class FitEnd : std::uint8_t {
    kConverged,   // the gap is closed
    kRejected,    // the optimum is proven to lie above `reject_above`
    kAccepted,    // the optimum is proven to lie at or below `accept_at`
    kInfeasible,  // a record has the child present and no cause: the likelihood is zero
    kStalled,     // no further progress in double precision; the bounds are valid all the same
    kCancelled,   // cancelled by the caller; the bounds are valid all the same
};

// The optimum of f lies in [lower, upper], and `upper` is attained.
struct FitOutcome {
    FitEnd end = FitEnd::kInfeasible;
    double upper = kInfinity;
    double lower = kInfinity;
    int steps = 0;
};

// The convex problem in dense form: one column of 0s and 1s per parent, rows in lanes of four.
struct NoisyOrProblem {
    std::size_t variables = 0;
    std::size_t blocks = 0;      // of kLanes rows; the last is padded with rows that weigh nothing
    std::vector<Lanes> columns;  // variables x blocks
    std::vector<Lanes> counts;   // c
    // What causes with a fixed q add to s: 0 if there are none. It is 1 for padding, so that its s
    // is not 0. The dual bound holds only if it is 0 in all rows.
    std::vector<Lanes> base;
    std::vector<double> absent;  // a
    bool has_leak = false;       // whether the last column is that of a leak, 1 in every row
    // Neighbouring columns of which each row has exactly one, as of a parent any state of which may
    // act. Where there are any, there is a leak.
    struct Partition {
        std::size_t first = 0, end = 0;
    };
    std::vector<Partition> partitions;
    const Lanes* column(std::size_t variable) const { return columns.data() + variable * blocks; }
    // All zero, but for the padding of the last block.
    void make_room(std::size_t causes, std::size_t rows);
};

// How far to go from the usual start to a nearby fit: not all the way, since a row may have lost
// all its causes there.
inline constexpr double kNearness = 0.9;

// f and its dual bound at a point lambda; holds the working memory, so one serves many fits.
class NoisyOrObjective {
  public:
    NoisyOrProblem problem;

    void prepare();  // allocates memory for the problem
    // Lambda by an even split of the credit for each row among its causes.
    void set_default_start();
    void measure_rows();      // s from lambda
    double evaluate();        // f at s, and from it u, the curvature and phi
    void measure_gradient();  // the gradient from u
    double dual_bound();      // a proven lower bound of f from u and the gradient

    std::vector<double>& lambda() { return lambda_; }
    const std::vector<double>& lambda() const { return lambda_; }

  protected:
    std::vector<double> lambda_, gradient_;
    std::vector<Lanes> s_, u_, curvature_, phi_, scaled_;
};

}  // namespace noisyor
