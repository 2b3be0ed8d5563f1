#include "fitting/objective.hpp"

#include <algorithm>
#include <cmath>

#include "fitting/products.hpp"

namespace noisyor {
namespace {

// Padding rows weigh this much: too little to count, enough to keep 0/0 away.
constexpr double kNoWeight = 1e-300;

}  // namespace

void NoisyOrProblem::make_room(std::size_t causes, std::size_t rows) {
    variables = causes;
    blocks = (rows + kLanes - 1) / kLanes;
    counts.assign(blocks, splat(kNoWeight));
    base.assign(blocks, splat(1));
    for (std::size_t r = 0; r < rows; ++r) base[r / kLanes][r % kLanes] = 0;
    absent.assign(causes, 0);
    has_leak = false;
    partitions.clear();
    columns.assign(causes * blocks, splat(0));
}

void NoisyOrObjective::prepare() {
    const std::size_t k = problem.variables;
    lambda_.resize(k);
    gradient_.resize(k);
    for (auto* v : {&s_, &u_, &curvature_, &phi_, &scaled_}) v->resize(problem.blocks);
}

void NoisyOrObjective::set_default_start() {
    const NoisyOrProblem& p = problem;
    scaled_.assign(p.blocks, splat(0));
    for (std::size_t j = 0; j < p.variables; ++j) {
        const Lanes* x = p.column(j);
        for (std::size_t i = 0; i < p.blocks; ++i) scaled_[i] += x[i];
    }
    for (std::size_t i = 0; i < p.blocks; ++i) {
        scaled_[i] = p.counts[i] / greater(scaled_[i], splat(1));
    }
    dots(
        scaled_.data(), p.blocks, p.variables, [&](std::size_t j) { return p.column(j); },
        [&](std::size_t j, double credit) {
            lambda_[j] = log_positive(splat(1 + credit / p.absent[j]))[0];
        });
}

void NoisyOrObjective::measure_rows() {
    const NoisyOrProblem& p = problem;
    std::copy(p.base.begin(), p.base.end(), s_.begin());
    for (std::size_t j = 0; j < p.variables; ++j) {
        const Lanes* x = p.column(j);
        const Lanes l = splat(lambda_[j]);
        for (std::size_t i = 0; i < p.blocks; ++i) s_[i] += l * x[i];
    }
}

// Both 1 - exp(-s) and exp(-s) keep their relative precision, and so does the logarithm, where the
// child is all but certain: else a row of c records could be wrong by c * 1e-16.
double NoisyOrObjective::evaluate() {
    const NoisyOrProblem& p = problem;
    Lanes rows_value = splat(0);
    for (std::size_t i = 0; i < p.blocks; ++i) {
        Lanes present;
        const Lanes absent = exp_neg(s_[i], present);
        const Lanes minus_log = -log_complement(present, absent) * p.counts[i];
        const Lanes u = p.counts[i] * absent / present;
        u_[i] = u;
        curvature_[i] = u / present;
        phi_[i] = u * s_[i] + minus_log;  // phi(u) at u = c/(exp(s) - 1), where 1 + c/u = exp(s)
        rows_value += minus_log;
    }
    double value = sum(rows_value);
    for (std::size_t j = 0; j < p.variables; ++j) value += p.absent[j] * lambda_[j];
    return value;
}

void NoisyOrObjective::measure_gradient() {
    const NoisyOrProblem& p = problem;
    dots(
        u_.data(), p.blocks, p.variables, [&](std::size_t j) { return p.column(j); },
        [&](std::size_t j, double used) { gradient_[j] = p.absent[j] - used; });
}

// Row r is scaled by t_r = min over its parents of a_j / G_j, G_j = sum_r u_r x_rj. The result is
// feasible, since sum_r t_r u_r x_rj <= (a_j / G_j) G_j. phi is concave and increasing with
// phi' = ln(1 + c/u) = s and phi'' = -c/(u (u + c)), which shrinks as u grows. So Taylor's formula
// with the remainder at the smaller end, and for t < 1 the chord from phi(0) = 0, are lower bounds
// of phi(t u) that need no further logarithm.
double NoisyOrObjective::dual_bound() {
    const NoisyOrProblem& p = problem;
    std::vector<Lanes>& factor = scaled_;
    factor.assign(p.blocks, splat(kInfinity));
    for (std::size_t j = 0; j < p.variables; ++j) {
        const double used = p.absent[j] - gradient_[j];
        const Lanes ratio = splat(used > 0 ? p.absent[j] / used : kInfinity);
        const Lanes* x = p.column(j);
        for (std::size_t i = 0; i < p.blocks; ++i) {
            factor[i] = (x[i] > 0.0) & (ratio < factor[i]) ? ratio : factor[i];
        }
    }
    Lanes total = splat(0);
    for (std::size_t i = 0; i < p.blocks; ++i) {
        const Lanes u = u_[i], c = p.counts[i], s = s_[i];
        // Beyond the peak of the parabola a larger factor would lower the bound: stop there.
        const Lanes t = lesser(factor[i], 1.0 + s * (u + c) / c);
        const Lanes step = t - 1.0;
        const Lanes from = lesser(t, splat(1));
        const Lanes remainder = 0.5 * step * step * u * (c / (from * (from * u + c)));
        const Lanes taylor = phi_[i] + step * u * s - remainder;
        const Lanes chord = from * phi_[i];
        total += greater(taylor, chord);
    }
    return sum(total);
}

}  // namespace noisyor
