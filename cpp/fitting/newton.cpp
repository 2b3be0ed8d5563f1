#include "fitting/newton.hpp"

#include <algorithm>
#include <cmath>

#include "fitting/products.hpp"

namespace noisyor {
namespace {

// A Newton step may take a row at most this far towards s = 0, where f is infinite.
constexpr double kTowardsBoundary = 0.95;
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxBacktracks = 40;
// Pivots below this fraction of the diagonal belong to parents that others duplicate.
constexpr double kSmallestPivot = 1e-11;
constexpr double kTiny = 1e-290;  // keeps a division finite
// Rounds of block pivoting without progress before single pivots take over.
constexpr int kBlockPivots = 3;
// Steps without a smaller gap of the tangent: doubles end here.
constexpr int kPatience = 12;
// Multipliers that are negative by less than this fraction of a_j are rounding.
constexpr double kMultiplierTolerance = 1e-14;

}  // namespace

// Only over the variables that are positive or want to be: the others stay at zero in this step.
void NoisyOrSolver::build_hessian() {
    movable_.clear();
    for (std::size_t j = 0; j < problem.variables; ++j) {
        if (lambda_[j] > 0 || gradient_[j] < 0) movable_.push_back(j);
    }
    if (problem.derived.empty()) {
        multiply_columns(movable_, hessian_);
    } else {
        derive_hessian();
    }
}

// products := the products of each two of the columns, weighted by the curvature.
void NoisyOrSolver::multiply_columns(const std::vector<std::size_t>& columns,
                                     std::vector<double>& products) {
    const NoisyOrProblem& p = problem;
    const std::size_t k = columns.size();
    for (std::size_t r = 0; r < k && !cancelled(); ++r) {
        const Lanes* x = p.column(columns[r]);
        for (std::size_t i = 0; i < p.blocks; ++i) scaled_[i] = curvature_[i] * x[i];
        dots(
            scaled_.data(), p.blocks, r + 1, [&](std::size_t c) { return p.column(columns[c]); },
            [&](std::size_t c, double value) {
                products[r * k + c] = products[c * k + r] = value;
            });
    }
}

// The same from the products of the columns that do not follow from others. With two columns a
// parent, one the complement of the other, that is a quarter of the products. What cancels here is
// only in the direction of a step, never in a bound.
void NoisyOrSolver::derive_hessian() {
    const NoisyOrProblem& p = problem;
    constexpr std::size_t kNotBasic = ~std::size_t{0};
    rule_.assign(p.variables, nullptr);
    for (const auto& one : p.derived) rule_[one.column] = &one;
    place_.assign(p.variables, kNotBasic);
    basis_.clear();
    const auto need = [&](std::size_t column) {
        if (place_[column] != kNotBasic) return;
        place_[column] = basis_.size();
        basis_.push_back(column);
    };
    for (const std::size_t j : movable_) {
        if (rule_[j] == nullptr) {
            need(j);
        } else {
            need(p.variables - 1);
            for (const std::size_t other : rule_[j]->others) need(other);
        }
    }
    const std::size_t b = basis_.size(), k = movable_.size();
    multiply_columns(basis_, products_);
    // A derived column as a combination of basic ones, applied to a row of products.
    const auto combine = [&](const NoisyOrProblem::Derived& one, const double* row) {
        double value = row[place_[p.variables - 1]];
        for (const std::size_t other : one.others) value -= row[place_[other]];
        return value;
    };
    rows_.resize(k * b);  // the products of each movable column with the basic ones
    for (std::size_t r = 0; r < k; ++r) {
        const auto* own = rule_[movable_[r]];
        for (std::size_t c = 0; c < b; ++c) {
            rows_[r * b + c] = own == nullptr ? products_[place_[movable_[r]] * b + c]
                                              : combine(*own, &products_[c * b]);
        }
    }
    for (std::size_t r = 0; r < k; ++r) {
        for (std::size_t c = 0; c <= r; ++c) {
            const auto* own = rule_[movable_[c]];
            const double* row = &rows_[r * b];
            hessian_[r * k + c] = hessian_[c * k + r] =
                own == nullptr ? row[place_[movable_[c]]] : combine(*own, row);
        }
    }
}

// target_ := the minimiser of Newton's quadratic model over the free variables, the others being 0,
// by Cholesky. A pivot that vanishes belongs to parents that occur in the same rows; raised to a
// small positive value it makes the step long in their common direction, and the bound at zero then
// stops one of them.
void NoisyOrSolver::solve_free() {
    const std::size_t k = movable_.size();
    free_.clear();
    for (std::size_t r = 0; r < k; ++r) {
        target_[r] = 0;
        if (fixed_[r] == 0) free_.push_back(r);
    }
    const std::size_t size = free_.size();
    for (std::size_t r = 0; r < size; ++r) {
        const double* h = &hessian_[free_[r] * k];
        double* row = &factor_[r * k];
        double right = model_[free_[r]];
        for (std::size_t c = 0; c < r; ++c) {
            const double* other = &factor_[c * k];
            double value = h[free_[c]];
            for (std::size_t z = 0; z < c; ++z) value -= row[z] * other[z];
            row[c] = value * inverse_[c];
            right -= row[c] * solution_[c];
        }
        double pivot = h[free_[r]];
        for (std::size_t z = 0; z < r; ++z) pivot -= row[z] * row[z];
        inverse_[r] = 1 / std::sqrt(std::max(pivot, kSmallestPivot * h[free_[r]] + kTiny));
        solution_[r] = right * inverse_[r];
    }
    for (std::size_t r = size; r-- > 0;) {
        const double value = solution_[r] * inverse_[r];
        target_[free_[r]] = value;
        const double* row = &factor_[r * k];
        for (std::size_t z = 0; z < r; ++z) solution_[z] -= row[z] * value;
    }
}

// direction_ := the step to the minimiser of Newton's model over lambda >= 0.
//
// Block principal pivoting (Judice and Pires, 1994): all variables that violate their condition, a
// negative value where free or a negative multiplier where fixed, change sides together; when that
// does not reduce their number, one at a time (Murty's rule), which ends since the model is
// strictly convex. The bound on the rounds only guards against rounding: any feasible descent
// direction will do.
bool NoisyOrSolver::find_direction() {
    const std::size_t k = movable_.size();
    for (std::size_t r = 0; r < k; ++r) {
        fixed_[r] = 0;
        double value = -gradient_[movable_[r]];
        for (std::size_t c = 0; c < k; ++c) value += hessian_[r * k + c] * lambda_[movable_[c]];
        model_[r] = value;
    }
    std::size_t fewest = k + 1;
    int patience = kBlockPivots;
    for (std::size_t round = 0; round < 20 + 4 * k; ++round) {
        if (cancelled()) return false;
        solve_free();
        wrong_.clear();
        for (std::size_t r = 0; r < k; ++r) {
            double condition = target_[r];
            if (fixed_[r] != 0) {
                condition = kMultiplierTolerance * problem.absent[movable_[r]] - model_[r];
                for (const std::size_t c : free_) condition += hessian_[r * k + c] * target_[c];
            }
            if (condition < 0) wrong_.push_back(r);
        }
        if (wrong_.empty()) break;
        if (wrong_.size() < fewest) {
            fewest = wrong_.size();
            patience = kBlockPivots;
        } else if (--patience < 0) {
            wrong_ = {wrong_.back()};
        }
        for (const std::size_t r : wrong_) fixed_[r] ^= 1;
    }
    std::fill(direction_.begin(), direction_.end(), 0.0);
    double slope = 0;
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t j = movable_[r];
        direction_[j] = std::max(target_[r], 0.0) - lambda_[j];
        slope += gradient_[j] * direction_[j];
    }
    if (slope < 0) return true;
    slope = 0;
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t j = movable_[r];
        direction_[j] = std::max(-gradient_[j] / (hessian_[r * k + r] + kTiny), -lambda_[j]);
        slope += gradient_[j] * direction_[j];
    }
    return slope < 0;
}

// Moves along direction_ by backtracking; returns the new value, or infinity where none is lower.
double NoisyOrSolver::move(double value) {
    const NoisyOrProblem& p = problem;
    double slope = 0;
    for (std::size_t j = 0; j < p.variables; ++j) slope += gradient_[j] * direction_[j];
    ds_.assign(p.blocks, splat(0));
    for (std::size_t j = 0; j < p.variables; ++j) {
        if (direction_[j] == 0) continue;
        const Lanes* x = p.column(j);
        const Lanes d = splat(direction_[j]);
        for (std::size_t i = 0; i < p.blocks; ++i) ds_[i] += d * x[i];
    }
    Lanes room = splat(kInfinity);
    for (std::size_t i = 0; i < p.blocks; ++i) {
        room = lesser(room, ds_[i] < 0.0 ? kTowardsBoundary * s_[i] / -ds_[i] : splat(kInfinity));
    }
    double step = std::min(1.0, smallest(room));
    s_old_.swap(s_);
    lambda_old_ = lambda_;
    const double rounding = 1e-15 * std::abs(value);
    for (int attempt = 0; attempt < kMaxBacktracks; ++attempt, step *= 0.4) {
        for (std::size_t j = 0; j < p.variables; ++j) {
            lambda_[j] = std::max(0.0, lambda_old_[j] + step * direction_[j]);
        }
        for (std::size_t i = 0; i < p.blocks; ++i) s_[i] = s_old_[i] + step * ds_[i];
        const double moved = evaluate();
        if (moved <= value + kSufficientDecrease * step * slope + rounding) return moved;
    }
    lambda_.swap(lambda_old_);
    s_.swap(s_old_);
    return kInfinity;
}

// Makes room for the problem and goes to where the fit begins.
void NoisyOrSolver::start(const double* near) {
    const NoisyOrProblem& p = problem;
    const std::size_t k = p.variables;
    prepare();
    for (auto* v : {&direction_, &lambda_old_, &solution_, &target_, &model_, &inverse_})
        v->resize(k);
    for (auto* v : {&s_old_, &ds_}) v->resize(p.blocks);
    hessian_.resize(k * k);
    if (!p.derived.empty()) products_.resize(k * k);
    factor_.resize(k * k);
    fixed_.resize(k);
    set_default_start();
    if (near != nullptr) {
        for (std::size_t j = 0; j < k; ++j) lambda_[j] += kNearness * (near[j] - lambda_[j]);
    }
    measure_rows();
}

FitOutcome NoisyOrSolver::minimise(const FitLimits& limits, const double* near) {
    cancel_ = limits.cancel;
    start(near);
    FitOutcome out{FitEnd::kStalled, evaluate(), -kInfinity, 0};
    for (;; ++out.steps) {
        if (out.upper <= limits.accept_at) {
            out.end = FitEnd::kAccepted;
            break;
        }
        measure_gradient();
        const double dual = dual_bound();
        out.lower = std::max(out.lower, dual);
        if (out.lower > limits.reject_above) {
            out.end = FitEnd::kRejected;
            break;
        }
        // By the bound of this very point, so that its q's alone are enough to check it.
        if (out.upper - dual <= std::max(limits.gap, limits.relative_gap * std::abs(out.upper))) {
            out.end = FitEnd::kConverged;
            break;
        }
        if (out.steps == limits.max_steps) break;
        build_hessian();
        const bool descends = find_direction();
        if (cancelled()) {
            out.end = FitEnd::kCancelled;
            break;
        }
        if (!descends) break;
        const double moved = move(out.upper);
        if (moved == kInfinity) break;
        out.upper = std::min(out.upper, moved);
    }
    out.lower = std::min(out.lower, out.upper);  // a dual value may exceed the optimum by rounding
    return out;
}

// Where lambda_j > 0 is optimal the derivative vanishes: a_j is the sum of c_r/(exp(s_r) - 1) over
// the rows of j, each of which has s_r >= lambda_j. So a_j <= C_j/(exp(lambda_j) - 1), C_j being
// the records of those rows.
void NoisyOrSolver::measure_largest() {
    const NoisyOrProblem& p = problem;
    largest_.resize(p.variables);
    dots(
        p.counts.data(), p.blocks, p.variables, [&](std::size_t j) { return p.column(j); },
        [&](std::size_t j, double records) { largest_[j] = std::log1p(records / p.absent[j]); });
}

// A convex f lies above its tangent: f* >= f + g . (lambda* - lambda). The optimum lies in the box
// [0, largest], so f - f* is at most the largest value of g . (lambda - z) over z in the box.
double NoisyOrSolver::tangent_gap() const {
    double gap = 0;
    for (std::size_t j = 0; j < problem.variables; ++j) {
        const double g = gradient_[j];
        gap += g > 0 ? g * lambda_[j] : g * (lambda_[j] - largest_[j]);
    }
    return std::max(gap, 0.0);
}

TangentFit NoisyOrSolver::minimise_by_tangent(double gap, int max_steps, const double* near) {
    cancel_ = nullptr;
    start(near);
    measure_largest();
    double value = evaluate();
    TangentFit best;
    for (int steps = 0, best_step = 0;; ++steps) {
        measure_gradient();
        const double here = tangent_gap();
        if (here < best.gap) {
            best = {lambda_, here, steps};
            best_step = steps;
        }
        if (here <= gap || steps >= max_steps || steps > best_step + kPatience) break;
        build_hessian();
        if (!find_direction()) break;
        const double moved = move(value);
        if (moved == kInfinity) break;
        value = std::min(value, moved);
    }
    return best;
}

}  // namespace noisyor
