// The two fitters that came before: gradient descent on q, and expectation-maximisation.
//
// Both see the same dense problem as Newton's method (see objective.hpp), in the probabilities
// p_j = 1 - q_j that a present cause acts. Row r has the child present with probability
//
//     w_r = 1 - product of (1 - p_j) over the parents of row r,
//
// built up as w <- w + x_rj p_j (1 - w), which cancels nothing however small p is. With
// u_r = c_r (1 - w_r)/w_r and G_j = sum_r u_r x_rj, the derivative of f by q_j is (G_j - a_j)/q_j.
//
// At the optimum G_j >= a_j wherever p_j > 0, while s_r >= lambda_j in every row of j makes
// G_j <= C_j/(exp(lambda_j) - 1), C_j being the records of those rows. Hence q_j >= a_j/(a_j +
// C_j): a box that q may be clamped to without losing the optimum, and in which f has no pole at q
// = 0.
#pragma once

#include <cstddef>
#include <vector>

#include "fitting/objective.hpp"

namespace noisyor {

// When a classical fit ends, and what it must have proven to count as converged.
struct ClassicalLimits {
    double threshold = 0;  // of the method's own stopping test
    int max_iterations = 0;
    double gap = 0;  // proven by the dual at the final point, or relative_gap * |f|
    double relative_gap = 0;
    double records = 1;  // N, the unit of the gradient
};

class ClassicalFitter {
  public:
    explicit ClassicalFitter(const ClassicalLimits& limits) : limits_(limits) {}
    virtual ~ClassicalFitter() = default;

    // Minimises f from its default start, or near `near` (lambda per variable; NaN: not known).
    // The lambda of `f` is then the fit; the bounds of its value are proven as for Newton's method.
    FitOutcome minimise(NoisyOrObjective& f, const double* near);

  protected:
    // Improves p_ until the stopping test holds; returns whether it did, and counts iterations.
    virtual bool iterate(const NoisyOrProblem& problem, int& iterations) = 0;

    void combine_causes(const NoisyOrProblem& problem, const std::vector<double>& p);  // w_
    void explain_rows(const NoisyOrProblem& problem);  // explained_, the G_j, from w_

    ClassicalLimits limits_;
    std::vector<double> p_, present_, most_, explained_;  // present_: C_j; most_: the box of p_j
    std::vector<Lanes> w_, u_;

  private:
    void set_start(NoisyOrObjective& f, const double* near);
};

// Algorithm 1 of Sharma, Liao, Cussens and van Beek (2020). What the paper leaves open:
//
// - The gradient is that of the divergence per record, so a threshold means the same for any N.
// - The line search tries step, step/2, step/4, ... and takes the first that lowers f by a fixed
//   fraction of what the gradient promises (Armijo). It begins at twice the step taken last; the
//   first one moves no q by more than 1/4.
// - q stays in [a_j/(a_j + C_j), 1] by clamping; a step that leaves a row no cause (w = 0) is
//   refused like one that does not descend.
// - The difference of two gradients (lines 7 to 13) is measured by its largest component. A line
//   search that finds nothing lower leaves q and the gradient unchanged: the difference is 0.
class GradientDescent final : public ClassicalFitter {
  public:
    using ClassicalFitter::ClassicalFitter;

  private:
    bool iterate(const NoisyOrProblem& problem, int& iterations) override;
    double value_at(const NoisyOrProblem& problem, const std::vector<double>& p);
    bool search_line(const NoisyOrProblem& problem);
    void measure_slope(const NoisyOrProblem& problem);

    double value_ = 0, step_ = 0;
    std::vector<double> slope_, old_slope_, trial_, best_;  // slope_: by p, per record
};

// Expectation-maximisation for the noisy-OR (Vomlel, 2006), over the hidden state of each present
// cause. Given the child, cause j of row r stays inhibited with probability
// (q_j - prod q)/(1 - prod q), or 1 where the child is absent; the new q_j is the mean over the
// records with j present. Written out for p that is p_j (C_j + G_j)/(C_j + a_j). It ends when no
// q_j changes by the threshold. p_j = 0 is approached but never reached.
class ExpectationMaximisation final : public ClassicalFitter {
  public:
    using ClassicalFitter::ClassicalFitter;

  private:
    bool iterate(const NoisyOrProblem& problem, int& iterations) override;
};

}  // namespace noisyor
