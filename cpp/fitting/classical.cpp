#include "fitting/classical.hpp"

#include <algorithm>
#include <cmath>

#include "fitting/products.hpp"

namespace noisyor {
namespace {

constexpr double kFirstMove = 0.25;
constexpr double kShrink = 0.5;
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxBacktracks = 60;

}  // namespace

void ClassicalFitter::combine_causes(const NoisyOrProblem& problem, const std::vector<double>& p) {
    std::copy(problem.base.begin(), problem.base.end(), w_.begin());
    for (std::size_t j = 0; j < problem.variables; ++j) {
        const Lanes* x = problem.column(j);
        const Lanes act = splat(p[j]);
        for (std::size_t i = 0; i < problem.blocks; ++i) w_[i] += x[i] * act * (1.0 - w_[i]);
    }
}

void ClassicalFitter::explain_rows(const NoisyOrProblem& problem) {
    for (std::size_t i = 0; i < problem.blocks; ++i) {
        u_[i] = problem.counts[i] * (1.0 - w_[i]) / w_[i];
    }
    dots(
        u_.data(), problem.blocks, problem.variables,
        [&](std::size_t j) { return problem.column(j); },
        [&](std::size_t j, double explained) { explained_[j] = explained; });
}

void ClassicalFitter::set_start(NoisyOrObjective& f, const double* near) {
    const NoisyOrProblem& problem = f.problem;
    f.prepare();
    f.set_default_start();
    for (auto* v : {&p_, &present_, &most_, &explained_}) v->resize(problem.variables);
    w_.resize(problem.blocks);
    u_.resize(problem.blocks);
    dots(
        problem.counts.data(), problem.blocks, problem.variables,
        [&](std::size_t j) { return problem.column(j); },
        [&](std::size_t j, double records) { present_[j] = records; });
    for (std::size_t j = 0; j < problem.variables; ++j) {
        double lambda = f.lambda()[j];
        if (near != nullptr && !std::isnan(near[j])) lambda += kNearness * (near[j] - lambda);
        most_[j] = present_[j] / (problem.absent[j] + present_[j]);
        p_[j] = std::min(one_minus_exp_neg(splat(lambda))[0], most_[j]);
    }
}

FitOutcome ClassicalFitter::minimise(NoisyOrObjective& f, const double* near) {
    set_start(f, near);
    FitOutcome out;
    const bool stopped = iterate(f.problem, out.steps);
    for (std::size_t j = 0; j < f.problem.variables; ++j) {
        // 1 - p would lose the digits of a small p.
        const Lanes p = splat(p_[j]);
        const Lanes log_q = p_[j] < 0.25 ? log_one_plus(-p) : log_positive(1.0 - p);
        f.lambda()[j] = std::max(0.0, -log_q[0]);
    }
    f.measure_rows();
    out.upper = f.evaluate();
    f.measure_gradient();
    out.lower = std::min(f.dual_bound(), out.upper);
    const double gap = std::max(limits_.gap, limits_.relative_gap * std::abs(out.upper));
    out.end = stopped && out.upper - out.lower <= gap ? FitEnd::kConverged : FitEnd::kStalled;
    return out;
}

double GradientDescent::value_at(const NoisyOrProblem& problem, const std::vector<double>& p) {
    combine_causes(problem, p);
    Lanes rows = splat(0), least = splat(1);
    for (std::size_t i = 0; i < problem.blocks; ++i) {
        least = lesser(least, w_[i]);
        rows -= problem.counts[i] * log_positive(w_[i]);
    }
    if (!(smallest(least) > 0)) return kInfinity;
    double value = sum(rows);
    std::size_t j = 0;
    for (; j + kLanes <= problem.variables; j += kLanes) {
        const Lanes q = 1.0 - Lanes{p[j], p[j + 1], p[j + 2], p[j + 3]};
        const double* a = &problem.absent[j];
        value -= sum(Lanes{a[0], a[1], a[2], a[3]} * log_positive(q));
    }
    for (; j < problem.variables; ++j) {
        value -= problem.absent[j] * log_positive(splat(1 - p[j]))[0];
    }
    return value / limits_.records;
}

void GradientDescent::measure_slope(const NoisyOrProblem& problem) {
    explain_rows(problem);
    for (std::size_t j = 0; j < problem.variables; ++j) {
        slope_[j] = (problem.absent[j] - explained_[j]) / ((1 - p_[j]) * limits_.records);
    }
}

bool GradientDescent::search_line(const NoisyOrProblem& problem) {
    for (int attempt = 0; attempt < kMaxBacktracks; ++attempt, step_ *= kShrink) {
        double promised = 0;
        for (std::size_t j = 0; j < problem.variables; ++j) {
            trial_[j] = std::clamp(p_[j] - step_ * slope_[j], 0.0, most_[j]);
            promised += slope_[j] * (p_[j] - trial_[j]);
        }
        if (!(promised > 0)) return false;
        const double value = value_at(problem, trial_);
        if (value <= value_ - kSufficientDecrease * promised) {
            p_.swap(trial_);
            value_ = value;
            step_ /= kShrink;
            return true;
        }
    }
    return false;
}

bool GradientDescent::iterate(const NoisyOrProblem& problem, int& iterations) {
    for (auto* v : {&slope_, &old_slope_, &trial_}) v->resize(problem.variables);
    best_ = p_;
    value_ = value_at(problem, p_);
    measure_slope(problem);
    double steepest = 0;
    for (const double slope : slope_) steepest = std::max(steepest, std::abs(slope));
    step_ = steepest > 0 ? kFirstMove / steepest : 1;
    double least_change = kInfinity;
    bool stopped = false;
    while (!stopped && iterations < limits_.max_iterations) {
        ++iterations;
        old_slope_ = slope_;
        double change = 0;
        if (search_line(problem)) {
            measure_slope(problem);
            for (std::size_t j = 0; j < problem.variables; ++j) {
                change = std::max(change, std::abs(slope_[j] - old_slope_[j]));
            }
        }
        if (change < least_change) {
            best_ = p_;
            least_change = change;
        }
        stopped = change < limits_.threshold;
    }
    p_ = best_;
    return stopped;
}

bool ExpectationMaximisation::iterate(const NoisyOrProblem& problem, int& iterations) {
    while (iterations < limits_.max_iterations) {
        ++iterations;
        combine_causes(problem, p_);
        explain_rows(problem);
        double change = 0;
        for (std::size_t j = 0; j < problem.variables; ++j) {
            const double next = std::min(most_[j], p_[j] * ((present_[j] + explained_[j]) /
                                                            (present_[j] + problem.absent[j])));
            change = std::max(change, std::abs(next - p_[j]));
            p_[j] = next;
        }
        if (change < limits_.threshold) return true;
    }
    return false;
}

}  // namespace noisyor
