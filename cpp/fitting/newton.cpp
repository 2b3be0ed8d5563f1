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
// With a leak no row is without a cause, so that a start closer to a nearby fit is often better.
constexpr double kCloser = 0.998;
constexpr std::size_t kNoPlace = ~std::size_t{0};

}  // namespace

// Only over the variables that are positive or want to be: the others stay at zero in this step.
void NoisyOrSolver::build_hessian() {
    movable_.clear();
    for (std::size_t j = 0; j < problem.variables; ++j) {
        if (lambda_[j] > 0 || gradient_[j] < 0) movable_.push_back(j);
    }
    if (problem.partitions.empty()) {
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

// The same from the products of fewer columns: the first of a partition is the leak's less the
// others. With two columns a parent, that is a quarter of the products. What cancels here is only
// in the direction of a step, never in a bound.
void NoisyOrSolver::derive_hessian() {
    const NoisyOrProblem& p = problem;
    const std::size_t leak = p.variables - 1;
    partition_of_.assign(p.variables, nullptr);
    for (const auto& one : p.partitions) partition_of_[one.first] = &one;
    place_.assign(p.variables, kNoPlace);
    basis_.clear();
    const auto need = [&](std::size_t column) {
        if (place_[column] != kNoPlace) return;
        place_[column] = basis_.size();
        basis_.push_back(column);
    };
    for (const std::size_t j : movable_) {
        if (partition_of_[j] == nullptr) {
            need(j);
        } else {
            need(leak);
            for (std::size_t other = j + 1; other < partition_of_[j]->end; ++other) need(other);
        }
    }
    const std::size_t b = basis_.size(), k = movable_.size();
    multiply_columns(basis_, products_);
    // The entry of a column, basic or not, in a row of products with the basic ones.
    const auto entry = [&](std::size_t column, const double* row) {
        if (partition_of_[column] == nullptr) return row[place_[column]];
        double value = row[place_[leak]];
        for (std::size_t other = column + 1; other < partition_of_[column]->end; ++other) {
            value -= row[place_[other]];
        }
        return value;
    };
    row_.resize(b);
    for (std::size_t r = 0; r < k; ++r) {
        // The products are symmetric: row c has the product of column c with any other.
        for (std::size_t c = 0; c < b; ++c) row_[c] = entry(movable_[r], &products_[c * b]);
        for (std::size_t c = 0; c <= r; ++c) {
            hessian_[r * k + c] = hessian_[c * k + r] = entry(movable_[c], row_.data());
        }
    }
}

// Moves strength between the columns of a partition and the leak, which changes no s, to where it
// costs least. So one column of each partition, or the leak, is 0.
//
// What all columns of a partition have in common acts in every row, as the leak does. It costs less
// as the leak, unless the parent has a state in records without the effect alone, and so no column:
// then the others' part costs less than the leak's. Returns by how much f has fallen.
double NoisyOrSolver::rest_columns() {
    const NoisyOrProblem& p = problem;
    const std::size_t leak = p.variables - 1;
    double saved = 0;
    const NoisyOrProblem::Partition* cheaper = nullptr;
    for (const auto& one : p.partitions) {
        double price = 0, common = kInfinity;
        for (std::size_t j = one.first; j < one.end; ++j) {
            price += p.absent[j];
            common = std::min(common, lambda_[j]);
        }
        if (price < p.absent[leak]) {
            cheaper = &one;
            continue;
        }
        for (std::size_t j = one.first; j < one.end; ++j) lambda_[j] -= common;
        lambda_[leak] += common;
        saved += common * (price - p.absent[leak]);
    }
    if (cheaper == nullptr) return saved;
    saved += lambda_[leak] * p.absent[leak];
    for (std::size_t j = cheaper->first; j < cheaper->end; ++j) {
        lambda_[j] += lambda_[leak];
        saved -= lambda_[leak] * p.absent[j];
    }
    lambda_[leak] = 0;
    return saved;
}

// Fixes one column of each partition, or the leak, if all of them are movable: together they say
// the same twice, and the quadratic model would have no single minimum.
void NoisyOrSolver::fix_redundant() {
    place_.assign(problem.variables, kNoPlace);
    for (std::size_t r = 0; r < movable_.size(); ++r) place_[movable_[r]] = r;
    redundant_.clear();
    const std::size_t leak = place_[problem.variables - 1];
    if (leak == kNoPlace) return;
    for (const auto& one : problem.partitions) {
        const auto movable = [&](std::size_t place) { return place != kNoPlace; };
        const auto first = place_.begin() + static_cast<std::ptrdiff_t>(one.first);
        const auto end = place_.begin() + static_cast<std::ptrdiff_t>(one.end);
        if (std::all_of(first, end, movable)) redundant_.push_back(&one);
    }
    for (const auto* one : redundant_) {
        std::size_t idle = kNoPlace;
        for (std::size_t j = one->first; j < one->end; ++j) {
            const bool less = idle == kNoPlace || gradient_[j] > gradient_[movable_[idle]];
            if (lambda_[j] == 0 && less) idle = place_[j];
        }
        fixed_[idle == kNoPlace ? leak : idle] = 1;
    }
}

// Takes back from the changes of sides what would free all columns of a partition and the leak.
void NoisyOrSolver::keep_redundant_fixed() {
    const std::size_t leak = place_[problem.variables - 1];
    const auto changes = [&](std::size_t r) {
        return std::find(wrong_.begin(), wrong_.end(), r) != wrong_.end();
    };
    for (const auto* one : redundant_) {
        std::size_t freed = kNoPlace;
        bool all_free = (fixed_[leak] != 0) == changes(leak);
        for (std::size_t j = one->first; j < one->end && all_free; ++j) {
            const std::size_t r = place_[j];
            all_free = (fixed_[r] != 0) == changes(r);
            if (fixed_[r] != 0) freed = r;
        }
        if (all_free) std::erase(wrong_, freed == kNoPlace ? leak : freed);
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
    std::fill(fixed_.begin(), fixed_.end(), 0);
    if (!problem.partitions.empty()) fix_redundant();
    for (std::size_t r = 0; r < k; ++r) {
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
        if (!problem.partitions.empty()) keep_redundant_fixed();
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

// Makes room for the problem, goes to where the fit begins, and returns f there.
double NoisyOrSolver::start(const double* near, bool at_near) {
    const NoisyOrProblem& p = problem;
    const std::size_t k = p.variables;
    prepare();
    for (auto* v : {&direction_, &lambda_old_, &solution_, &target_, &model_, &inverse_})
        v->resize(k);
    for (auto* v : {&s_old_, &ds_}) v->resize(p.blocks);
    hessian_.resize(k * k);
    if (!p.partitions.empty()) products_.resize(k * k);
    factor_.resize(k * k);
    fixed_.resize(k);
    set_default_start();
    lambda_old_ = lambda_;
    if (near != nullptr && at_near) return start_between(near, 1);
    const double careful = start_between(near, kNearness);
    if (near == nullptr || !p.has_leak) return careful;
    s_old_.swap(s_);
    target_ = lambda_;
    const double close = start_between(near, kCloser);
    if (close <= careful) return close;
    s_old_.swap(s_);
    lambda_ = target_;
    return evaluate();
}

// Goes part of the way from the default start, which is in lambda_old_, and returns f there.
double NoisyOrSolver::start_between(const double* near, double nearness) {
    for (std::size_t j = 0; j < problem.variables && near != nullptr; ++j) {
        lambda_[j] = lambda_old_[j] + nearness * (near[j] - lambda_old_[j]);
    }
    rest_columns();
    measure_rows();
    return evaluate();
}

FitOutcome NoisyOrSolver::minimise(const FitLimits& limits, const double* near) {
    cancel_ = limits.cancel;
    FitOutcome out{FitEnd::kStalled, start(near, limits.at_near), -kInfinity, 0};
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
        out.upper = std::min(out.upper, moved - rest_columns());
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
    double value = start(near);
    measure_largest();
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
        value = std::min(value, moved - rest_columns());
    }
    return best;
}

}  // namespace noisyor
