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
CauseProblem<W>::CauseProblem(const SearchContext<W>& search_context, const ColumnForm& column_form,
                              std::vector<double> least_steps)
    : context(search_context),
      form(column_form),
      records(context.view, context.child, context.order, form),
      steps(std::move(least_steps)),
      shares(records.column_count(), 0) {
    for (std::size_t c = 0; c < shares.size(); ++c) {
        const int v = records.variable_of(static_cast<int>(c));
        const double parameters =
            static_cast<double>(records.levels.size()) * records.parameters_of(v);
        // A variable of one state has no parameters: its only cause is a second leak.
        if (parameters > 0) shares[c] = steps[index(v)] / parameters;
    }
    for (const LevelRecords<W>& level : records.levels) {
        std::vector<double> present(level.absent.size(), 0);
        for (std::size_t r = 0; r < level.present.rows.size(); ++r) {
            level.present.rows[r].for_each(
                [&](int c) { present[index(c)] += level.present.counts[r]; });
        }
        Level own{.strongest = {}, .sloped = level.absent};
        for (std::size_t c = 0; c < present.size(); ++c) {
            own.strongest.push_back(present[c] > 0 ? std::log1p(present[c] / level.absent[c]) : 0);
            // A cause that is in no row of the level has no strength, and no effect on a fit.
            if (own.strongest[c] > 0) own.sloped[c] += shares[c] / own.strongest[c];
        }
        levels.push_back(std::move(own));
    }
}

// The columns that are paid have no slope.
template <int W>
void CauseFits<W>::choose_slopes(std::size_t level, const VariableSet<W>& paid_columns) {
    absent_ = problem_.levels[level].sloped;
    const std::vector<double>& plain = problem_.records.levels[level].absent;
    paid_columns.for_each([&](int c) { absent_[index(c)] = plain[index(c)]; });
}

// No level has a negative -ln L. So a fit is rejected as soon as the levels so far cost too much,
// and it can be accepted only in the last one.
template <int W>
Interval CauseFits<W>::fit_anew(const RowsByLevel<W>& rows, const VariableSet<W>& set,
                                const VariableSet<W>& paid, const FitGoal& goal,
                                const NearByLevel& near, const Interval& known) {
    const ColumnRecords<W>& records = problem_.records;
    const VariableSet<W> columns = records.columns_of(set), paid_columns = records.columns_of(paid);
    const std::size_t size = fitters_.size();
    const bool early = problem_.context.on(kEarlyStopRule);
    Interval sum{0, 0};
    bool cancelled = false;
    for (std::size_t level = 0; level < size; ++level) {
        choose_slopes(level, paid_columns);
        FitLimits limits{.gap = goal.gap / static_cast<double>(size), .cancel = &cancel_};
        if (early) limits.reject_above = goal.reject_above - sum.lower;
        if (early && level + 1 == size) limits.accept_at = goal.accept_at - sum.upper;
        const FitOutcome out = fitters_[level].fit(
            rows[level], columns, absent_, records.levels[level].absent_total, problem_.form.leak,
            limits, near.empty() || near[level].empty() ? nullptr : &near[level]);
        ++counters_.fits;
        counters_.newton_steps += out.steps;
        cancelled = cancelled || out.end == FitEnd::kCancelled;
        sum.lower += out.lower;
        sum.upper += out.upper;
        if (level + 1 < size && early && sum.lower > goal.reject_above) sum.upper = kInfinity;
        if (sum.upper == kInfinity) break;
    }
    const Interval shown{std::max(sum.lower, known.lower), std::min(sum.upper, known.upper)};
    if (!cancelled) memory_.intervals.note(set, paid, shown);
    return shown;
}

template <int W>
bool CauseFits<W>::is_usual(const VariableSet<W>& set) const {
    if (!problem_.form.any_state) return true;
    bool usual = true;
    problem_.records.unusual_columns_of(set).for_each([&](int c) {
        for (const NoisyOrFitter<W>& fitter : fitters_) usual = usual && fitter.lambda_of(c) == 0;
    });
    return usual;
}

template <int W>
void CauseFits<W>::remember(NearByLevel& near) const {
    near.resize(fitters_.size());
    for (std::size_t level = 0; level < near.size(); ++level) fitters_[level].remember(near[level]);
}

template <int W>
double CauseFits<W>::strength_of(int variable) const {
    double strength = 0;
    for (const NoisyOrFitter<W>& fitter : fitters_) {
        double largest = 0;
        problem_.records.columns_of(variable).for_each(
            [&](int c) { largest = std::max(largest, fitter.lambda_of(c)); });
        strength += largest;
    }
    return strength;
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
double CauseFits<W>::paid_by(const VariableSet<W>& tail) const {
    double paid = 0;
    const VariableSet<W> columns = problem_.records.columns_of(tail);
    for (std::size_t level = 0; level < fitters_.size(); ++level) {
        columns.for_each([&](int c) {
            const double lambda = fitters_[level].lambda_of(c);
            if (lambda < kInfinity && lambda > 0) {
                paid +=
                    lambda / problem_.levels[level].strongest[index(c)] * problem_.shares[index(c)];
            }
        });
    }
    return paid;
}

// Rows that some cause explains for certain cost nothing: their u is 0.
template <int W>
void CauseFits<W>::measure_rows(std::size_t level, const PresentRows<W>& rows,
                                const VariableSet<W>& columns) {
    const NoisyOrFitter<W>& fitter = fitters_[level];
    VariableSet<W> certain;
    lambda_.assign(problem_.records.column_count(), 0);
    columns.for_each([&](int c) {
        lambda_[index(c)] = fitter.lambda_of(c);
        if (lambda_[index(c)] == kInfinity) certain.insert(c);
    });
    const double leak_lambda = problem_.form.leak ? fitter.lambda_of_leak() : 0;
    rows_.clear();
    for (auto* lanes : {&s_, &count_}) lanes->clear();
    for (std::size_t r = 0; r < rows.rows.size() && leak_lambda < kInfinity; ++r) {
        const Record<W> row = rows.rows[r].restricted_to(columns);
        if (row.meets(certain)) continue;
        const std::size_t lane = rows_.size() % kLanes;
        if (lane == 0) {
            s_.push_back(splat(1));
            count_.push_back(splat(kNoRow));
        }
        double s = leak_lambda;
        row.for_each([&](int c) { s += lambda_[index(c)]; });
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

// Scales u, row by row, until no cause is used more than its a, and returns the dual value. phi is
// concave with phi(0) = 0, so phi(t u) >= t phi(u) for t <= 1.
template <int W>
double CauseFits<W>::scale_to_feasible(std::size_t level, const VariableSet<W>& columns) {
    const auto measure_use = [&] {
        used_.assign(problem_.records.column_count(), 0);
        leak_used_ = 0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const double u = u_[r / kLanes][r % kLanes];
            rows_[r].for_each([&](int c) { used_[index(c)] += u; });
            leak_used_ += u;
        }
    };
    measure_use();
    std::vector<double>& factor = lambda_;  // no longer needed
    VariableSet<W> scarce;
    columns.for_each([&](int c) {
        const std::size_t j = index(c);
        factor[j] = used_[j] > absent_[j] ? absent_[j] / used_[j] : 1;
        if (factor[j] < 1) scarce.insert(c);
    });
    const double total = problem_.records.levels[level].absent_total;
    const double leak_factor = problem_.form.leak && leak_used_ > total ? total / leak_used_ : 1;
    double value = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        double t = leak_factor;
        rows_[r].restricted_to(scarce).for_each([&](int c) { t = std::min(t, factor[index(c)]); });
        u_[r / kLanes][r % kLanes] *= t;
        value += t * phi_[r / kLanes][r % kLanes];
    }
    measure_use();
    return value;
}

// How much less than nothing the strengths of a variable cost in the Lagrangian of a level. Where
// any state may act, one of them has no strength: the least that could be left out.
template <int W>
double CauseFits<W>::saved_by(std::size_t level, int variable) const {
    double saved = 0, least = kInfinity;
    problem_.records.columns_of(variable).for_each([&](int c) {
        const std::size_t j = index(c);
        const double overdrawn = used_[j] - problem_.records.levels[level].absent[j];
        const double own = overdrawn > 0 ? overdrawn * problem_.levels[level].strongest[j] : 0;
        saved += own;
        least = std::min(least, own);
    });
    return problem_.form.any_state ? saved - least : saved;
}

// With u feasible, a family that has j pays its step in full, and the lambda of each of its
// columns, which is at most strongest, costs a - (u's use of the column) each, a being the plain
// one.
template <int W>
Profile CauseFits<W>::profile(const RowsByLevel<W>& rows, const VariableSet<W>& set,
                              const VariableSet<W>& paid) {
    const VariableSet<W> tail = set - paid;
    const VariableSet<W> columns = problem_.records.columns_of(set);
    const VariableSet<W> paid_columns = problem_.records.columns_of(paid);
    Profile profile{static_cast<float>(paid_by(tail)), {}};
    saved_.assign(problem_.context.order.size(), 0);
    double value = 0;
    for (std::size_t level = 0; level < fitters_.size(); ++level) {
        choose_slopes(level, paid_columns);
        measure_rows(level, rows[level], columns);
        value += scale_to_feasible(level, columns);
        tail.for_each([&](int v) { saved_[index(v)] += saved_by(level, v); });
    }
    profile.with.reserve(index(tail.size()));
    tail.for_each([&](int v) {
        const double left = problem_.steps[index(v)] - saved_[index(v)];
        profile.with.push_back(round_down(value + std::max(0.0, left)));
    });
    if (!cancel_) memory_.profiles.note(set, paid, profile);
    return profile;
}

namespace {

// What the causes of all candidates would lose without each one (see CandidateLosses).
template <int W>
class LossWithout {
  public:
    LossWithout(const ColumnRecords<W>& records, const SearchSettings& settings,
                const std::atomic<bool>& cancel)
        : records_(records), settings_(settings), cancel_(cancel), fitters_(records.levels.size()) {
        for (const int v : settings.candidates) everyone_.insert(v);
        for (const int v : settings.required) everyone_.insert(v);
    }

    // With a fit for each candidate, so that the others make up for it as well as they can.
    std::vector<double> by_refits() {
        const double all = cost_of(everyone_);
        if (!competes(all)) return {};
        std::vector<double> loss(variables(), 0);
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
        std::vector<double> loss(variables(), 0);
        for (std::size_t level = 0; level < fitters_.size(); ++level) add_losses(level, loss);
        for (double& one : loss) one = std::clamp(one, 0.0, kOnlyCause);
        return loss;
    }

    std::int64_t fits = 0;

  private:
    std::size_t variables() const { return static_cast<std::size_t>(records_.variable_count()); }

    double cost_of(const VariableSet<W>& parents) {
        const VariableSet<W> columns = records_.columns_of(parents);
        double cost = 0;
        for (std::size_t level = 0; level < fitters_.size(); ++level) {
            const LevelRecords<W>& own = records_.levels[level];
            ++fits;
            cost += fitters_[level]
                        .fit(own.present, columns, own.absent, own.absent_total, false,
                             {.gap = kRoughGap, .cancel = &cancel_})
                        .upper;
        }
        return cost;
    }

    // Whether it fits better than the child on its own, which has no more parameters.
    bool competes(double cost) const {
        double alone = 0;
        for (const LevelRecords<W>& level : records_.levels) {
            const std::int64_t counts[] = {static_cast<std::int64_t>(level.absent_total),
                                           static_cast<std::int64_t>(level.present_total)};
            alone += EntropyTerms(0).cell(counts, 2);
        }
        return cost <= alone;
    }

    // The columns of a variable exclude each other: at most one of them is in a row.
    void add_losses(std::size_t level, std::vector<double>& loss) const {
        const LevelRecords<W>& own = records_.levels[level];
        const NoisyOrFitter<W>& fitter = fitters_[level];
        const VariableSet<W> columns = records_.columns_of(everyone_);
        std::vector<double> lambda(records_.column_count(), 0);
        VariableSet<W> certain;
        columns.for_each([&](int c) {
            lambda[index(c)] = fitter.lambda_of(c);
            if (lambda[index(c)] == kInfinity) {
                certain.insert(c);
            } else {
                loss_of(loss, c) -= own.absent[index(c)] * lambda[index(c)];
            }
        });
        for (std::size_t r = 0; r < own.present.rows.size(); ++r) {
            const VariableSet<W> row = own.present.rows[r].ones() & columns;
            const VariableSet<W> sure = row & certain;
            if (sure.size() > 1) continue;  // another explains it as well
            double others = 0;
            (row - certain).for_each([&](int c) { others += lambda[index(c)]; });
            const double count = own.present.counts[r];
            const auto minus_log = [](double s) { return -std::log(-std::expm1(-s)); };
            const double now = sure.empty() ? minus_log(others) : 0;
            (sure.empty() ? row : sure).for_each([&](int c) {
                const double strength = sure.empty() ? lambda[index(c)] : 0;
                if (sure.empty() && strength == 0) return;
                const double left = std::max(0.0, others - strength);
                loss_of(loss, c) += left > 0 ? count * (minus_log(left) - now) : kOnlyCause;
            });
        }
    }

    double& loss_of(std::vector<double>& loss, int column) const {
        return loss[index(records_.variable_of(column))];
    }

    const ColumnRecords<W>& records_;
    const SearchSettings& settings_;
    const std::atomic<bool>& cancel_;
    VariableSet<W> everyone_;
    std::vector<NoisyOrFitter<W>> fitters_;  // by level
};

}  // namespace

template <int W>
CandidateLosses losses_without(const ColumnRecords<W>& records, const SearchSettings& settings,
                               bool refits, const std::atomic<bool>& cancel) {
    LossWithout<W> loss(records, settings, cancel);
    std::vector<double> losses = refits ? loss.by_refits() : loss.at_one_fit();
    return {std::move(losses), loss.fits};
}

template CandidateLosses losses_without(const ColumnRecords<1>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ColumnRecords<2>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ColumnRecords<4>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ColumnRecords<16>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template CandidateLosses losses_without(const ColumnRecords<64>&, const SearchSettings&, bool,
                                        const std::atomic<bool>&);
template struct CauseProblem<1>;
template struct CauseProblem<2>;
template struct CauseProblem<4>;
template struct CauseProblem<16>;
template struct CauseProblem<64>;
template class CauseFits<1>;
template class CauseFits<2>;
template class CauseFits<4>;
template class CauseFits<16>;
template class CauseFits<64>;

}  // namespace noisyor
