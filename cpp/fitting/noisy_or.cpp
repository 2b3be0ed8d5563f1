#include "fitting/noisy_or.hpp"

#include <algorithm>
#include <cmath>

namespace noisyor {
namespace {

// Padding rows weigh this much: too little to count, enough to keep 0/0 away.
constexpr double kNoWeight = 1e-300;
// A Newton step may take a row at most this far towards s = 0, where f is infinite.
constexpr double kTowardsBoundary = 0.95;
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxBacktracks = 40;
// Pivots below this fraction of the diagonal belong to parents that others duplicate.
constexpr double kSmallestPivot = 1e-11;
// How far to go from the usual start to a nearby fit: not all the way, since a row may have lost
// all its causes there.
constexpr double kNearness = 0.9;
constexpr double kTiny = 1e-290;  // keeps a division finite
// Rounds of block pivoting without progress before single pivots take over.
constexpr int kBlockPivots = 3;
// Multipliers that are negative by less than this fraction of a_j are rounding.
constexpr double kMultiplierTolerance = 1e-14;

double dot(const Lanes* a, const Lanes* b, std::size_t blocks) {
    Lanes total = splat(0);
    for (std::size_t i = 0; i < blocks; ++i) total += a[i] * b[i];
    return sum(total);
}

// The products of one vector with several columns. Four at a time: each sum is a chain of additions
// that must wait for one another, but the chains run side by side.
template <class Column, class Store>
void dots(const Lanes* vector, std::size_t blocks, std::size_t columns, Column column,
          Store store) {
    std::size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        const Lanes *x0 = column(j), *x1 = column(j + 1), *x2 = column(j + 2), *x3 = column(j + 3);
        Lanes t0 = splat(0), t1 = splat(0), t2 = splat(0), t3 = splat(0);
        for (std::size_t i = 0; i < blocks; ++i) {
            const Lanes v = vector[i];
            t0 += v * x0[i];
            t1 += v * x1[i];
            t2 += v * x2[i];
            t3 += v * x3[i];
        }
        store(j, sum(t0));
        store(j + 1, sum(t1));
        store(j + 2, sum(t2));
        store(j + 3, sum(t3));
    }
    for (; j < columns; ++j) store(j, dot(vector, column(j), blocks));
}

}  // namespace

void NoisyOrSolver::set_default_start() {
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

double NoisyOrSolver::evaluate() {
    const NoisyOrProblem& p = problem;
    Lanes rows_value = splat(0);
    for (std::size_t i = 0; i < p.blocks; ++i) {
        const Lanes present = one_minus_exp_neg(s_[i]);
        const Lanes minus_log = -log_positive(present) * p.counts[i];
        const Lanes u = p.counts[i] * (1.0 - present) / present;
        u_[i] = u;
        curvature_[i] = u / present;
        phi_[i] = u * s_[i] + minus_log;  // phi(u) at u = c/(exp(s) - 1), where 1 + c/u = exp(s)
        rows_value += minus_log;
    }
    double value = sum(rows_value);
    for (std::size_t j = 0; j < p.variables; ++j) value += p.absent[j] * lambda_[j];
    return value;
}

void NoisyOrSolver::measure_gradient() {
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
double NoisyOrSolver::dual_bound() {
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

// Only over the variables that are positive or want to be: the others stay at zero in this step.
void NoisyOrSolver::build_hessian() {
    const NoisyOrProblem& p = problem;
    movable_.clear();
    for (std::size_t j = 0; j < p.variables; ++j) {
        if (lambda_[j] > 0 || gradient_[j] < 0) movable_.push_back(j);
    }
    const std::size_t k = movable_.size();
    for (std::size_t r = 0; r < k; ++r) {
        const Lanes* x = p.column(movable_[r]);
        for (std::size_t i = 0; i < p.blocks; ++i) scaled_[i] = curvature_[i] * x[i];
        dots(
            scaled_.data(), p.blocks, r + 1, [&](std::size_t c) { return p.column(movable_[c]); },
            [&](std::size_t c, double value) {
                hessian_[r * k + c] = hessian_[c * k + r] = value;
            });
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
    trial_ = lambda_;
    const double rounding = 1e-15 * std::abs(value);
    for (int attempt = 0; attempt < kMaxBacktracks; ++attempt, step *= 0.4) {
        for (std::size_t j = 0; j < p.variables; ++j) {
            lambda_[j] = step == 1.0 && direction_[j] == -trial_[j]
                             ? 0.0
                             : std::max(0.0, trial_[j] + step * direction_[j]);
        }
        for (std::size_t i = 0; i < p.blocks; ++i) s_[i] = s_old_[i] + step * ds_[i];
        const double moved = evaluate();
        if (moved <= value + kSufficientDecrease * step * slope + rounding) return moved;
    }
    lambda_.swap(trial_);
    s_.swap(s_old_);
    return kInfinity;
}

FitOutcome NoisyOrSolver::minimise(const FitLimits& limits, const double* near) {
    const NoisyOrProblem& p = problem;
    const std::size_t k = p.variables;
    for (auto* v :
         {&lambda_, &gradient_, &direction_, &trial_, &solution_, &target_, &model_, &inverse_}) {
        v->resize(k);
    }
    for (auto* v : {&s_, &s_old_, &ds_, &u_, &curvature_, &phi_, &scaled_}) v->resize(p.blocks);
    hessian_.resize(k * k);
    factor_.resize(k * k);
    fixed_.resize(k);
    set_default_start();
    if (near != nullptr) {
        for (std::size_t j = 0; j < k; ++j) lambda_[j] += kNearness * (near[j] - lambda_[j]);
    }
    std::copy(p.base.begin(), p.base.end(), s_.begin());
    for (std::size_t j = 0; j < k; ++j) {
        const Lanes* x = p.column(j);
        const Lanes l = splat(lambda_[j]);
        for (std::size_t i = 0; i < p.blocks; ++i) s_[i] += l * x[i];
    }
    FitOutcome out{FitEnd::kStalled, evaluate(), -kInfinity, 0};
    for (;; ++out.steps) {
        if (out.upper <= limits.accept_at) {
            out.end = FitEnd::kAccepted;
            break;
        }
        measure_gradient();
        out.lower = std::max(out.lower, std::min(dual_bound(), out.upper));
        if (out.lower > limits.reject_above) {
            out.end = FitEnd::kRejected;
            break;
        }
        if (out.upper - out.lower <=
            std::max(limits.gap, limits.relative_gap * std::abs(out.upper))) {
            out.end = FitEnd::kConverged;
            break;
        }
        if (out.steps == limits.max_steps) break;
        build_hessian();
        if (!find_direction()) break;
        const double moved = move(out.upper);
        if (moved == kInfinity) break;
        out.upper = std::min(out.upper, moved);
    }
    return out;
}

template <int W>
void PresentRows<W>::merge_equal(std::vector<std::uint32_t>& slots) {
    const std::size_t capacity = std::bit_ceil(2 * rows.size() + 1);
    slots.assign(capacity, 0);
    std::size_t distinct = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::size_t slot = rows[r].hash() & (capacity - 1);
        while (slots[slot] != 0 && !(rows[slots[slot] - 1] == rows[r])) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (slots[slot] != 0) {
            counts[slots[slot] - 1] += counts[r];
        } else {
            rows[distinct] = rows[r];
            counts[distinct] = counts[r];
            slots[slot] = static_cast<std::uint32_t>(++distinct);
        }
    }
    rows.resize(distinct);
    counts.resize(distinct);
}

template <int W>
auto NoisyOrFitter<W>::load(const PresentRows<W>& data, const VariableSet<W>& parents,
                            const std::vector<double>& absent, double absent_total, bool leak)
    -> Load {
    certain_ = VariableSet<W>{};
    parents.for_each([&](int v) {
        if (absent[v] == 0) certain_.insert(v);
    });
    const bool certain_leak = leak && absent_total == 0;
    position_.assign(absent.size(), -1);
    columns_.clear();
    rows_.clear();
    leak_lambda_ = certain_leak ? kInfinity : 0;
    VariableSet<W> useful, occurring;
    for (std::size_t r = 0; r < data.rows.size(); ++r) {
        const VariableSet<W> row = data.rows[r] & parents;
        if (row.empty() && !leak) return Load::kInfeasible;
        occurring = occurring | row;
        if (certain_leak || row.meets(certain_)) continue;
        useful = useful | row;
        rows_.add(row, data.counts[r]);
    }
    certain_ = certain_ & occurring;  // a parent that never occurs has no say: q = 1
    if (rows_.rows.empty()) return Load::kNothingLeft;
    rows_.merge_equal(slots_);

    useful.for_each([&](int v) {
        position_[v] = static_cast<int>(columns_.size());
        columns_.push_back(v);
    });
    NoisyOrProblem& p = solver_.problem;
    const std::size_t size = rows_.rows.size();
    p.variables = columns_.size() + (leak ? 1 : 0);
    p.blocks = (size + kLanes - 1) / kLanes;
    p.counts.assign(p.blocks, splat(kNoWeight));
    p.base.assign(p.blocks, splat(1));
    p.absent.clear();
    for (int v : columns_) p.absent.push_back(absent[v]);
    if (leak) p.absent.push_back(absent_total);
    p.columns.resize(p.variables * p.blocks);
    double* x = reinterpret_cast<double*>(p.columns.data());
    const std::size_t stride = p.blocks * kLanes;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const int word = columns_[j] / kWordBits, bit = columns_[j] % kWordBits;
        double* column = x + j * stride;
        for (std::size_t r = 0; r < size; ++r) {
            column[r] = static_cast<double>((rows_.rows[r].words[word] >> bit) & 1);
        }
        for (std::size_t r = size; r < stride; ++r) column[r] = 0;
    }
    if (leak) {
        double* column = x + columns_.size() * stride;
        for (std::size_t r = 0; r < stride; ++r) column[r] = r < size ? 1 : 0;
    }
    for (std::size_t r = 0; r < size; ++r) {
        p.counts[r / kLanes][r % kLanes] = rows_.counts[r];
        p.base[r / kLanes][r % kLanes] = 0;
    }
    return Load::kReady;
}

template <int W>
FitOutcome NoisyOrFitter<W>::fit(const PresentRows<W>& data, const VariableSet<W>& parents,
                                 const std::vector<double>& absent, double absent_total, bool leak,
                                 const FitLimits& limits, const std::vector<double>* near) {
    switch (load(data, parents, absent, absent_total, leak)) {
        case Load::kInfeasible:
            return {};
        case Load::kNothingLeft:
            return {FitEnd::kConverged, 0, 0, 0};
        case Load::kReady:
            break;
    }
    if (near != nullptr) {
        near_.clear();
        for (const int v : columns_) near_.push_back((*near)[v]);
        if (leak) near_.push_back(near->back());
    }
    const FitOutcome out = solver_.minimise(limits, near != nullptr ? near_.data() : nullptr);
    if (leak) leak_lambda_ = solver_.lambda().back();
    return out;
}

template <int W>
double NoisyOrFitter<W>::lambda_of(int variable) const {
    if (certain_.contains(variable)) return kInfinity;
    return position_[variable] < 0 ? 0 : solver_.lambda()[position_[variable]];
}

template <int W>
void NoisyOrFitter<W>::remember(std::vector<double>& near) const {
    near.assign(position_.size() + 1, 0);
    for (std::size_t j = 0; j < columns_.size(); ++j) near[columns_[j]] = solver_.lambda()[j];
    if (columns_.size() < solver_.problem.variables) near.back() = solver_.lambda().back();
}

template struct PresentRows<1>;
template struct PresentRows<2>;
template struct PresentRows<4>;
template class NoisyOrFitter<1>;
template class NoisyOrFitter<2>;
template class NoisyOrFitter<4>;

}  // namespace noisyor
