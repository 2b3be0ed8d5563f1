#include "scoring/cause_fits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr double kNoRow = 1e-300;    // the count of a row that only fills the lanes
constexpr double kOnlyCause = 1e12;  // nats: the finite loss of a cause that nothing replaces
constexpr double kRoughGap = 1e-4;   // of fits that only decide an order

float round_down(double value) {
    return std::nextafter(static_cast<float>(value), -std::numeric_limits<float>::infinity());
}

}  // namespace

template <int W>
CauseProblem<W>::CauseProblem(const SearchContext<W>& search_context, bool has_leak,
                              double least_step)
    : context(search_context), leak(has_leak), step(least_step), sloped(context.records.absent) {
    const ChildRecords<W>& records = context.records;
    std::vector<double> present(records.absent.size(), 0);
    for (std::size_t r = 0; r < records.present.rows.size(); ++r) {
        records.present.rows[r].for_each(
            [&](int t) { present[index(t)] += records.present.counts[r]; });
    }
    for (std::size_t t = 0; t < present.size(); ++t) {
        strongest.push_back(present[t] > 0 ? std::log1p(present[t] / records.absent[t]) : 0);
        // A parent that is never present with the child has no strength, and no effect on a fit.
        if (strongest[t] > 0) sloped[t] += step / strongest[t];
    }
}

// The parents that are paid have no slope.
template <int W>
void CauseFits<W>::choose_slopes(const VariableSet<W>& paid) {
    absent_ = problem_.sloped;
    paid.for_each([&](int v) { absent_[index(v)] = problem_.context.records.absent[index(v)]; });
}

template <int W>
Interval CauseFits<W>::fit_anew(const PresentRows<W>& rows, const VariableSet<W>& set,
                                const VariableSet<W>& paid, const FitGoal& goal,
                                const std::vector<double>& near, const Interval& known) {
    choose_slopes(paid);
    FitLimits limits{.gap = goal.gap, .cancel = &cancel_};
    if (problem_.context.on(kEarlyStopRule)) {
        limits.reject_above = goal.reject_above;
        limits.accept_at = goal.accept_at;
    }
    const FitOutcome out = fitter_.fit(rows, set, absent_, problem_.context.records.absent_total,
                                       problem_.leak, limits, near.empty() ? nullptr : &near);
    ++counters_.fits;
    counters_.newton_steps += out.steps;
    const Interval shown{std::max(out.lower, known.lower), std::min(out.upper, known.upper)};
    if (out.end != FitEnd::kCancelled) memory_.intervals.note(set, paid, shown);
    return shown;
}

template <int W>
Interval CauseFits<W>::remembered(const VariableSet<W>& set, const VariableSet<W>& paid) const {
    Interval known;
    memory_.intervals.look(set, paid, [&](const Interval& one) { known = one; });
    return known;
}

template <int W>
bool CauseFits<W>::remembered(const VariableSet<W>& set, const VariableSet<W>& paid,
                              Profile& into) {
    const bool found =
        memory_.profiles.look(set, paid, [&](const Profile& profile) { into = profile; });
    counters_.remembered += found;
    return found;
}

template <int W>
double CauseFits<W>::steps_paid(const VariableSet<W>& tail) const {
    double paid = 0;
    tail.for_each([&](int v) {
        const double lambda = fitter_.lambda_of(v);
        if (lambda < kInfinity && lambda > 0) paid += lambda / problem_.strongest[index(v)];
    });
    return paid;
}

// Rows that some parent explains for certain cost nothing: their u is 0.
template <int W>
void CauseFits<W>::measure_rows(const PresentRows<W>& rows, const VariableSet<W>& set) {
    const bool leak = problem_.leak;
    VariableSet<W> certain;
    lambda_.assign(problem_.context.order.size(), 0);
    set.for_each([&](int v) {
        lambda_[index(v)] = fitter_.lambda_of(v);
        if (lambda_[index(v)] == kInfinity) certain.insert(v);
    });
    const double leak_lambda = leak ? fitter_.lambda_of_leak() : 0;
    rows_.clear();
    for (auto* lanes : {&s_, &count_}) lanes->clear();
    for (std::size_t r = 0; r < rows.rows.size() && leak_lambda < kInfinity; ++r) {
        const Record<W> row = rows.rows[r].restricted_to(set);
        if (row.meets(certain)) continue;
        const std::size_t lane = rows_.size() % kLanes;
        if (lane == 0) {
            s_.push_back(splat(1));
            count_.push_back(splat(kNoRow));
        }
        double s = leak_lambda;
        row.for_each([&](int v) { s += lambda_[index(v)]; });
        s_.back()[lane] = s;
        count_.back()[lane] = rows.counts[r];
        rows_.push_back(row);
    }
    u_.resize(s_.size());
    phi_.resize(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) {
        Lanes present;
        const Lanes absent = exp_neg(s_[i], present);
        u_[i] = count_[i] * absent / present;
        phi_[i] = u_[i] * s_[i] - log_complement(present, absent) * count_[i];
    }
}

// Scales u, row by row, until no parent is used more than its a, and returns the dual value. phi is
// concave with phi(0) = 0, so phi(t u) >= t phi(u) for t <= 1.
template <int W>
double CauseFits<W>::scale_to_feasible(const VariableSet<W>& set) {
    const bool leak = problem_.leak;
    const auto measure_use = [&] {
        used_.assign(problem_.context.order.size(), 0);
        leak_used_ = 0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const double u = u_[r / kLanes][r % kLanes];
            rows_[r].for_each([&](int v) { used_[index(v)] += u; });
            leak_used_ += u;
        }
    };
    measure_use();
    std::vector<double>& factor = lambda_;  // no longer needed
    VariableSet<W> scarce;
    set.for_each([&](int v) {
        const std::size_t j = index(v);
        factor[j] = used_[j] > absent_[j] ? absent_[j] / used_[j] : 1;
        if (factor[j] < 1) scarce.insert(v);
    });
    const double total = problem_.context.records.absent_total;
    const double leak_factor = leak && leak_used_ > total ? total / leak_used_ : 1;
    double value = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        double t = leak_factor;
        rows_[r].restricted_to(scarce).for_each([&](int v) { t = std::min(t, factor[index(v)]); });
        u_[r / kLanes][r % kLanes] *= t;
        value += t * phi_[r / kLanes][r % kLanes];
    }
    measure_use();
    return value;
}

// With u feasible, a family that has j pays its step in full, and its lambda_j, which is at most
// strongest_j, costs a_j - (u's use of j) each, a being the plain one.
template <int W>
Profile CauseFits<W>::profile(const PresentRows<W>& rows, const VariableSet<W>& set,
                              const VariableSet<W>& paid) {
    const VariableSet<W> tail = set - paid;
    Profile profile{static_cast<float>(steps_paid(tail)), {}};
    measure_rows(rows, set);
    const double value = scale_to_feasible(set);
    profile.with.reserve(index(tail.size()));
    tail.for_each([&](int v) {
        const std::size_t j = index(v);
        const double overdrawn = used_[j] - problem_.context.records.absent[j];
        const double saved = overdrawn > 0 ? overdrawn * problem_.strongest[j] : 0;
        profile.with.push_back(round_down(value + std::max(0.0, problem_.step - saved)));
    });
    if (!cancel_) memory_.profiles.note(set, paid, profile);
    return profile;
}

namespace {

// What a noisy-OR of all candidates would lose without each one (see CandidateLosses).
template <int W>
class LossWithout {
  public:
    LossWithout(const ChildRecords<W>& records, const SearchSettings& settings,
                const std::atomic<bool>& cancel)
        : records_(records), settings_(settings), cancel_(cancel) {
        for (const int v : settings.candidates) everyone_.insert(v);
        for (const int v : settings.required) everyone_.insert(v);
    }

    // With a fit for each candidate, so that the others make up for it as well as they can.
    std::vector<double> by_refits() {
        const double all = cost_of(everyone_);
        if (!competes(all)) return {};
        std::vector<double> loss(records_.absent.size(), 0);
        for (const int v : settings_.candidates) {
            if (cancel_) return {};
            VariableSet<W> others = everyone_;
            others.erase(v);
            loss[index(v)] = std::min(cost_of(others) - all, kOnlyCause);
        }
        return loss;
    }

    // With a single fit: the others keep their strengths.
    std::vector<double> at_one_fit() {
        if (!competes(cost_of(everyone_)) || cancel_) return {};
        std::vector<double> lambda(records_.absent.size(), 0), loss(records_.absent.size(), 0);
        VariableSet<W> certain;
        everyone_.for_each([&](int v) {
            lambda[index(v)] = fitter_.lambda_of(v);
            if (lambda[index(v)] == kInfinity) certain.insert(v);
            if (lambda[index(v)] < kInfinity) {
                loss[index(v)] = -records_.absent[index(v)] * lambda[index(v)];
            }
        });
        for (std::size_t r = 0; r < records_.present.rows.size(); ++r) {
            const VariableSet<W> row = records_.present.rows[r].ones() & everyone_;
            const VariableSet<W> sure = row & certain;
            if (sure.size() > 1) continue;  // another explains it as well
            double others = 0;
            (row - certain).for_each([&](int v) { others += lambda[index(v)]; });
            const double count = records_.present.counts[r];
            const auto minus_log = [](double s) { return -std::log(-std::expm1(-s)); };
            const double now = sure.empty() ? minus_log(others) : 0;
            (sure.empty() ? row : sure).for_each([&](int v) {
                const double own = sure.empty() ? lambda[index(v)] : 0;
                if (sure.empty() && own == 0) return;
                const double left = std::max(0.0, others - own);
                loss[index(v)] += left > 0 ? count * (minus_log(left) - now) : kOnlyCause;
            });
        }
        for (double& one : loss) one = std::clamp(one, 0.0, kOnlyCause);
        return loss;
    }

    std::int64_t fits = 0;

  private:
    double cost_of(const VariableSet<W>& parents) {
        ++fits;
        return fitter_
            .fit(records_.present, parents, records_.absent, records_.absent_total, false,
                 {.gap = kRoughGap, .cancel = &cancel_})
            .upper;
    }
    // Whether it fits better than the child on its own, which has no more parameters.
    bool competes(double cost) const {
        return cost <= EntropyTerms(0).cell(static_cast<std::int64_t>(records_.absent_total),
                                            static_cast<std::int64_t>(records_.present_total));
    }

    const ChildRecords<W>& records_;
    const SearchSettings& settings_;
    const std::atomic<bool>& cancel_;
    VariableSet<W> everyone_;
    NoisyOrFitter<W> fitter_;
};

}  // namespace

template <int W>
CandidateLosses losses_without(const ChildRecords<W>& records, const SearchSettings& settings,
                               bool refits, const std::atomic<bool>& cancel) {
    LossWithout<W> loss(records, settings, cancel);
    std::vector<double> losses = refits ? loss.by_refits() : loss.at_one_fit();
    return {std::move(losses), loss.fits};
}

template CandidateLosses losses_without(const ChildRecords<1>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ChildRecords<2>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ChildRecords<4>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ChildRecords<16>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template struct CauseProblem<1>;
template struct CauseProblem<2>;
template struct CauseProblem<4>;
template struct CauseProblem<16>;
template class CauseFits<1>;
template class CauseFits<2>;
template class CauseFits<4>;
template class CauseFits<16>;

}  // namespace noisyor
