#include "scoring/cause_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace noisyor {
namespace {

// How well the sloped problem of a subtree is solved: its bounds on single candidates are worth a
// step or so, and a subtree that is nearly cut will be cut further down.
constexpr double kSlopedGap = 0.05;
// Dropping candidates makes the bounds of the others stronger, which may drop more of them.
constexpr int kDropRounds = 3;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

template <int W>
CauseSearch<W>::CauseSearch(const CauseRelation<W>& relation, FitMemory<W>& memory,
                            const SearchThread<W>& thread)
    : relation_(relation),
      records_(relation.problem().records),
      context_(relation.context()),
      thread_(thread),
      fits_(relation.problem(), memory, thread.counters, thread.cancel),
      levels_(index(context_.candidates) + 2),
      singles_(index(context_.candidates)),
      rows_(levels_.size()),
      prices_with_(context_.order.size()),
      tables_(table_losses(context_)),
      losses_(context_.order.size()) {}

template <int W>
const RowsByLevel<W>& CauseSearch<W>::rows_of(const SetNode<W>& node, std::size_t depth) {
    LevelRows<W>& own = rows_[depth];
    if (own.ready) return own.rows;
    own.ready = true;
    own.rows.resize(records_.levels.size());
    std::size_t from = depth;
    while (from > 0 && !rows_[from - 1].ready) --from;
    const VariableSet<W> parents = records_.columns_of(node.parents);
    const VariableSet<W> universe = parents | records_.columns_below(node.tail);
    for (std::size_t level = 0; level < own.rows.size(); ++level) {
        const PresentRows<W>& all =
            from == 0 ? records_.levels[level].present : rows_[from - 1].rows[level];
        const VariableSet<W> certain = parents & records_.levels[level].certain;
        PresentRows<W>& rows = own.rows[level];
        rows.clear();
        for (std::size_t r = 0; r < all.rows.size(); ++r) {
            const Record<W> row = all.rows[r].restricted_to(universe);
            if (!row.meets(certain)) rows.add(row, all.counts[r]);
        }
        rows.merge_equal(slots_);
    }
    return own.rows;
}

template <int W>
Interval CauseSearch<W>::fit_family(const SetNode<W>& node, std::size_t depth,
                                    const SetNode<W>& above, std::size_t rows_depth,
                                    double reject_above) {
    return fits_.fit([&]() -> auto& { return rows_of(above, rows_depth); }, node.parents,
                     node.parents, {.reject_above = reject_above}, levels_[depth].near);
}

// Without parents the child is always a full table.
template <int W>
std::optional<Interval> CauseSearch<W>::begin(const SetNode<W>& root) {
    rows_[0].uncovered.clear();
    const VariableSet<W> causes = records_.columns_of(root.parents);
    for (const LevelRecords<W>& level : records_.levels) {
        for (const Record<W>& row : level.present.rows) {
            if (!row.meets(causes)) rows_[0].uncovered.push_back(row);
        }
    }
    if (root.size == 0) return std::nullopt;
    ++thread_.counters.evaluated[relation_.number()];
    const Interval shown = fit_family(root, 0, root, 0, kInfinity);
    if (shown.upper == kInfinity) return std::nullopt;
    return shown;
}

template <int W>
double CauseSearch<W>::bound_with(std::size_t depth, int variable) const {
    const CauseLevel<W>& level = levels_[depth];
    return std::max(level.prefix_bounds[index(variable)], level.with[index(variable)]);
}

template <int W>
std::optional<Interval> CauseSearch<W>::evaluate(const SetNode<W>& above, const SetNode<W>& node,
                                                 Tail<W>& tail, std::size_t depth) {
    CauseLevel<W>& level = levels_[depth];
    level.near = levels_[depth - 1].near;
    level.has_slopes = false;
    rows_[depth].ready = false;
    tables_->enter(depth, node.tail);
    // One bound for the set and all that is below it spares most of the other fits.
    const int size = tail.candidates.size();
    const bool bounded = context_.on(kLikelihoodRule) && context_.on(kSlopeRule);
    if (size > 1 && node.size < context_.settings.max_parents && bounded &&
        !has_few_below(node, tail) && !survives_slope_bound(node, tail, depth, above, depth - 1)) {
        cut(kLikelihoodRule, node.size - 1, size + 1);
        cut(kLikelihoodRule, node.size - 1, size, -1);
        tail.alive = false;
        return std::nullopt;
    }
    ++thread_.counters.evaluated[relation_.number()];
    usual_ = false;
    if (levels_[depth - 1].has_few_below && exceeds_by_table(node, depth)) return std::nullopt;
    const std::optional<Interval> shown = fit_within_limit(above, node, depth);
    usual_ = shown && fits_.fitted && fits_.is_usual(node.parents);
    return shown;
}

template <int W>
std::optional<Interval> CauseSearch<W>::fit_within_limit(const SetNode<W>& above,
                                                         const SetNode<W>& node,
                                                         std::size_t depth) {
    const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
    if (limit < 0) return std::nullopt;
    const Interval shown = fit_family(node, depth, above, depth - 1, limit);
    if (shown.lower > limit || shown.upper == kInfinity) return std::nullopt;
    return shown;
}

template <int W>
bool CauseSearch<W>::has_few_below(const SetNode<W>& node, const Tail<W>& tail) const {
    return context_.on(kTableRule) && context_.on(kCandidateRule) &&
           are_few_sets(tail.candidates.size(), context_.settings.max_parents - node.size);
}

template <int W>
bool CauseSearch<W>::exceeds_by_table(const SetNode<W>& node, std::size_t depth) {
    const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
    return limit >= 0 && tables_->with(depth - 1, node.tail, limit) > limit;
}

// At most one candidate is added, so a set below has one table. It is compared first with what any
// family below may cost, which rules out most of them.
template <int W>
void CauseSearch<W>::drop_by_tables(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) {
    const double least = relation_.penalty_below(node);
    const double room = thread_.pass.limit_below(node) - least;
    VariableSet<W> left;
    tail.candidates.for_each([&](int v) {
        losses_[index(v)] = tables_->with(depth, v, room);
        if (losses_[index(v)] <= room) left.insert(v);
    });
    cut(kCandidateRule, node.size, tail.candidates.size());
    cut(kCandidateRule, node.size, left.size(), -1);
    tail.candidates = left;
    if (left.empty()) return;
    left.for_each([&](int v) { levels_[depth].with[index(v)] = losses_[index(v)] + least; });
    drop_candidates(node, tail, depth);
}

// A family of both is an optimum of both: no other of this relation costs less than the wider
// one's.
template <int W>
std::optional<Interval> CauseSearch<W>::follow(const SetNode<W>& above, const SetNode<W>& node,
                                               std::size_t depth,
                                               const std::optional<Interval>& wider, bool same) {
    rows_[depth].ready = false;
    levels_[depth].near = levels_[depth - 1].near;
    if (!wider) return std::nullopt;
    if (same) {
        fits_.note(node.parents, *wider);
        return wider;
    }
    const std::optional<Interval> shown = fit_within_limit(above, node, depth);
    if (shown && fits_.fitted) fits_.remember(levels_[depth].near);
    return shown;
}

// The optimum of the sloped problem also says what each candidate's presence costs.
template <int W>
bool CauseSearch<W>::survives_slope_bound(const SetNode<W>& node, Tail<W>& tail, std::size_t depth,
                                          const SetNode<W>& above, std::size_t rows_depth) {
    ++thread_.counters.bounds[relation_.number()];
    CauseLevel<W>& level = levels_[depth];
    const double pays = relation_.penalty_base(node);
    const double room = thread_.pass.limit_below(node) - pays;
    const VariableSet<W> set = node.parents | tail.candidates;
    Interval shown = fits_.remembered(set, node.parents);
    const bool is_remembered = shown.lower <= room && fits_.remembered(set, node.parents, profile_);
    if (!is_remembered) {
        shown = fits_.fit([&]() -> auto& { return rows_of(above, rows_depth); }, set, node.parents,
                          {.reject_above = room, .gap = kSlopedGap, .anew = true}, level.near);
        if (shown.lower > room || shown.lower == kInfinity) return false;
        fits_.remember(level.near);
        profile_ = fits_.profile(rows_of(above, rows_depth), set, node.parents);
    }
    level.has_slopes = true;
    level.paid = profile_.paid;
    tail.bound = std::max(tail.bound, shown.lower + pays);
    level.with.assign(context_.order.size(), tail.bound);
    std::size_t next = 0;
    tail.candidates.for_each(
        [&](int v) { level.with[index(v)] = std::max(profile_.with[next++] + pays, tail.bound); });
    return true;
}

template <int W>
void CauseSearch<W>::note_prefix_bound(std::size_t depth, int last, double bound) {
    std::vector<double>& bounds = levels_[depth].prefix_bounds;
    for (int j = last; j >= 0 && bounds[index(j)] < bound; --j) bounds[index(j)] = bound;
}

template <int W>
bool CauseSearch<W>::survives_likelihood_bound(const SetNode<W>& node, const Tail<W>& tail,
                                               std::size_t depth, int last) {
    ++thread_.counters.bounds[relation_.number()];
    const double pays = relation_.penalty_below(node);
    const double room = thread_.pass.limit_below(node) - pays;
    const auto set = node.parents | (tail.candidates & VariableSet<W>::below(last + 1));
    const Interval shown =
        fits_.fit([&]() -> auto& { return rows_of(node, depth); }, set, set,
                  {.reject_above = room, .accept_at = room}, levels_[depth].near);
    note_prefix_bound(depth, last, shown.lower + pays);
    return shown.lower <= room;
}

// The plain problem counts one step in full: where the sloped one is paid less, it may be better.
template <int W>
bool CauseSearch<W>::survives_prefix_bounds(const SetNode<W>& node, const Tail<W>& tail,
                                            std::size_t depth, int last) {
    const auto prefix = tail.candidates & VariableSet<W>::below(last + 1);
    if (context_.on(kSlopeRule) && prefix.size() > 1) {
        ++thread_.counters.bounds[relation_.number()];
        const double pays = relation_.penalty_base(node);
        const double room = thread_.pass.limit_below(node) - pays;
        const Interval shown =
            fits_.fit([&]() -> auto& { return rows_of(node, depth); }, node.parents | prefix,
                      node.parents, {.reject_above = room, .accept_at = room}, levels_[depth].near);
        note_prefix_bound(depth, last, shown.lower + pays);
        if (shown.lower > room) return false;
        if (fits_.fitted && pays_a_step(node, fits_.paid_by(prefix))) return true;
    }
    return survives_likelihood_bound(node, tail, depth, last);
}

template <int W>
bool CauseSearch<W>::survives_bounds(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) {
    CauseLevel<W>& level = levels_[depth];
    const bool sloped = context_.on(kSlopeRule) && tail.candidates.size() > 1;
    if (sloped && !level.has_slopes && !survives_slope_bound(node, tail, depth, node, depth)) {
        return false;
    }
    if (level.has_slopes && pays_a_step(node, level.paid)) return true;
    if (!survives_likelihood_bound(node, tail, depth, node.tail - 1)) return false;
    const double bound = level.prefix_bounds[index(node.tail - 1)];
    for (double& one : level.with) one = std::max(one, bound);
    return true;
}

// The first candidate such that each row has a cause in P or among the candidates up to it; the
// node's tail where there is none. A leak is a cause of every row.
template <int W>
int CauseSearch<W>::first_that_covers(const SetNode<W>& node, const Tail<W>& tail,
                                      std::size_t depth) const {
    if (relation_.problem().form.leak || !context_.on(kCoverageRule)) return 0;
    const VariableSet<W> candidates = records_.columns_of(tail.candidates);
    int first = 0;
    for (const Record<W>& row : rows_[depth].uncovered) {
        const VariableSet<W> causes = row.ones() & candidates;
        if (causes.empty()) return node.tail;
        first = std::max(first, records_.variable_of(causes.lowest()));
    }
    return first;
}

// Takes away the candidates that no family below the node can afford; returns whether there were
// any.
template <int W>
bool CauseSearch<W>::drop_candidates(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) {
    const Pass<W>& pass = thread_.pass;
    pass.prices.with_each(node.prices, node.parents, tail.candidates, prices_with_);
    const VariableSet<W> free = node.parents - context_.required;
    VariableSet<W> left = tail.candidates;
    tail.candidates.for_each([&](int v) {
        VariableSet<W> extended = free;
        extended.insert(v);
        const double best = thread_.survivors.cheapest(extended, v, node.best);
        if (levels_[depth].with[index(v)] > pass.limit(best, prices_with_.of(v))) left.erase(v);
    });
    const int before = tail.candidates.size(), after = left.size();
    if (before == after) return false;
    cut(kCandidateRule, node.size, before);
    cut(kCandidateRule, node.size, after, -1);
    tail.candidates = left;
    return true;
}

// The first candidate that is worth adding last, by bisection among those from tail.first on, the
// last of which is.
template <int W>
int CauseSearch<W>::find_first(const SetNode<W>& node, const Tail<W>& tail, std::size_t depth) {
    members_.clear();
    (tail.candidates - VariableSet<W>::below(tail.first)).for_each([&](int v) {
        members_.push_back(v);
    });
    int low = -1, high = static_cast<int>(members_.size()) - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (survives_prefix_bounds(node, tail, depth, members_[index(middle)])) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return members_[index(high)];
}

template <int W>
bool CauseSearch<W>::open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) {
    CauseLevel<W>& level = levels_[depth];
    if (depth > 0 && !relation_.problem().form.leak) {
        rows_[depth].uncovered.clear();
        const VariableSet<W>& added = records_.columns_of(node.tail);
        for (const Record<W>& row : rows_[depth - 1].uncovered) {
            if (!row.meets(added)) rows_[depth].uncovered.push_back(row);
        }
    }
    level.prefix_bounds.assign(index(node.tail), tail.bound);
    if (!level.has_slopes) level.with.assign(context_.order.size(), tail.bound);
    const auto cut_all = [&](Rule reason) {
        cut(reason, node.size, tail.candidates.size());
        return false;
    };
    const bool bounded = context_.on(kLikelihoodRule);
    level.has_few_below = has_few_below(node, tail);
    if (level.has_few_below && node.size + 1 == context_.settings.max_parents) {
        drop_by_tables(node, tail, depth);
        if (tail.candidates.empty()) return false;
    }
    tail.first = first_that_covers(node, tail, depth);
    if (tail.first == node.tail) return cut_all(kCoverageRule);
    if (level.has_few_below) {
        const int dead = (tail.candidates & VariableSet<W>::below(tail.first)).size();
        if (dead > 0) cut(kCoverageRule, node.size, dead);
        return true;
    }
    if (bounded && !survives_bounds(node, tail, depth)) return cut_all(kLikelihoodRule);
    for (int round = 0; round < kDropRounds && context_.on(kCandidateRule); ++round) {
        if (!drop_candidates(node, tail, depth)) break;
        if (tail.candidates.empty()) return false;
        tail.first = first_that_covers(node, tail, depth);
        if (tail.first == node.tail) return cut_all(kCoverageRule);
        level.has_slopes = false;
        if (bounded && !survives_bounds(node, tail, depth)) return cut_all(kLikelihoodRule);
    }
    Rule reason = kCoverageRule;
    if (context_.on(kPrefixRule)) {
        const int first = find_first(node, tail, depth);
        if (first > tail.first) reason = kPrefixRule;
        tail.first = first;
    }
    const int dead = (tail.candidates & VariableSet<W>::below(tail.first)).size();
    if (dead > 0) cut(reason, node.size, dead);
    return true;
}

template <int W>
void CauseSearch<W>::leave_single(int variable) {
    singles_[index(variable)] = levels_[1];
}

template <int W>
void CauseSearch<W>::return_to_single(int variable) {
    levels_[1] = singles_[index(variable)];
    rows_[1].ready = false;
    tables_->enter(1, variable);
}

namespace {

template <int W>
class CauseScout final : public RelationScout<W> {
  public:
    CauseScout(const CauseRelation<W>& relation, FitMemory<W>& memory, SearchCounters& counters,
               const std::atomic<bool>& cancel)
        : context_(relation.context()), fits_(relation.problem(), memory, counters, cancel) {
        for (const auto& level : relation.problem().records.levels) rows_.push_back(level.present);
    }

    // Those that the sloped problem over all candidates gives some strength.
    std::vector<int> promising() override {
        const auto candidates = VariableSet<W>::below(context_.candidates);
        const Interval shown =
            fits_.fit([&]() -> auto& { return rows_; }, context_.required | candidates,
                      context_.required, {.anew = true}, {});
        std::vector<int> strong;
        if (shown.upper == kInfinity) return strong;
        std::vector<std::pair<double, int>> order;
        candidates.for_each([&](int v) {
            const double strength = fits_.strength_of(v);
            if (strength > 0) order.emplace_back(-strength, v);
        });
        std::sort(order.begin(), order.end());
        for (const auto& [strength, v] : order) strong.push_back(v);
        return strong;
    }

    Interval evaluate(const VariableSet<W>& parents) override {
        return fits_.fit([&]() -> auto& { return rows_; }, parents, parents, {}, {});
    }

  private:
    const SearchContext<W>& context_;
    CauseFits<W> fits_;
    RowsByLevel<W> rows_;
};

template <int W>
class CauseFinalFitter final : public FinalFitter<W> {
  public:
    explicit CauseFinalFitter(const CauseRelation<W>& relation)
        : relation_(relation), fitters_(relation.problem().levels.size()) {
        if (!relation.problem().form.any_state) return;
        for (auto& fitter : fitters_) fitter.states_of(relation.problem().records.variable_of());
    }

    // A family of the narrower relation is one of this, and where it is the best of this, too, the
    // fit ends where it begins.
    FinalFit fit(const Candidate<W>& family, const FinalFit* narrower,
                 const std::atomic<bool>& cancel) override {
        const SearchContext<W>& context = relation_.context();
        const CauseProblem<W>& problem = relation_.problem();
        const VariableSet<W> columns = problem.records.columns_of(family.parents);
        const double penalty = relation_.penalty(family.parents);
        order_members(family.parents);
        const bool near = narrower != nullptr && !narrower->parameters.empty();
        if (near) start_at(narrower->parameters);
        FinalFit fit{.cost = penalty, .lower = penalty, .parameters = {}, .fitted = true};
        for (std::size_t level = 0; level < fitters_.size(); ++level) {
            const LevelRecords<W>& own = problem.records.levels[level];
            const FitOutcome out = fitters_[level].fit(
                own.present, columns, own.absent, own.absent_total, problem.form.leak,
                {.gap = context.settings.gap / static_cast<double>(fitters_.size()),
                 .relative_gap = context.settings.relative_gap,
                 .cancel = &cancel,
                 .at_near = true},
                near ? &near_[level] : nullptr);
            fit.cost += out.upper;
            fit.lower += out.lower;
            fit.converged = fit.converged && out.end == FitEnd::kConverged;
        }
        read_strengths();
        fit.left_to_another =
            narrower != nullptr && narrower->cost <= fit.cost + context.settings.tolerance;
        for (const double lambda : lambda_) fit.parameters.push_back(std::exp(-lambda));
        return fit;
    }

  private:
    // The parents in the caller's order, which is that of the parameters.
    void order_members(const VariableSet<W>& parents) {
        members_.clear();
        parents.for_each(
            [&](int t) { members_.emplace_back(relation_.context().order[index(t)], t); });
        std::sort(members_.begin(), members_.end());
    }

    // Begins with the strengths of a fit in which only the usual states act.
    void start_at(const std::vector<double>& q) {
        const ColumnRecords<W>& records = relation_.problem().records;
        const std::size_t size = fitters_.size();
        near_.resize(size);
        for (std::size_t level = 0; level < size; ++level) {
            std::vector<double>& near = near_[level];
            near.assign(records.column_count() + 1, 0);
            std::size_t place = level;
            const auto lambda = [&] { return -std::log(q[std::exchange(place, place + size)]); };
            for (const auto& [v, t] : members_) {
                const auto usual =
                    records.columns_of(t) - records.unusual_columns_of(VariableSet<W>::single(t));
                usual.for_each([&](int c) { near[index(c)] = lambda(); });
            }
            near.back() = lambda();
        }
    }

    // lambda by cause, in the caller's numbering of the parents and the leak last, then by level.
    void read_strengths() {
        const ColumnRecords<W>& records = relation_.problem().records;
        lambda_.clear();
        const auto append = [&](auto&& of) {
            for (const NoisyOrFitter<W>& fitter : fitters_) lambda_.push_back(of(fitter));
        };
        for (const auto& [v, t] : members_) {
            records.columns_of(t).for_each(
                [&](int c) { append([&](const auto& fitter) { return fitter.lambda_of(c); }); });
        }
        if (!relation_.problem().form.leak) return;
        append([&](const auto& fitter) { return fitter.lambda_of_leak(); });
        if (relation_.problem().form.any_state) rest_weakest_states();
    }

    // Whatever its state in a record, a parent acts at least as in the weakest of those that the
    // level's records have: that much is moved to the leak, and one state of each parent is idle in
    // each level. No probability of a record changes.
    void rest_weakest_states() {
        const std::size_t size = fitters_.size(), leak = lambda_.size() - size;
        std::size_t first = 0;
        for (const auto& [v, t] : members_) {
            const VariableSet<W>& columns = relation_.problem().records.columns_of(t);
            for (std::size_t level = 0; level < size; ++level) {
                double weakest = kInfinity;
                bool any_seen = false;
                std::size_t place = first + level;
                columns.for_each([&](int c) {
                    if (is_seen(level, c)) {
                        weakest = std::min(weakest, lambda_[place]);
                        any_seen = true;
                    }
                    place += size;
                });
                if (!any_seen) continue;
                lambda_[leak + level] += weakest;
                place = first + level;
                columns.for_each([&](int c) {
                    if (is_seen(level, c)) {
                        lambda_[place] = weakest == kInfinity ? 0 : lambda_[place] - weakest;
                    }
                    place += size;
                });
            }
            first += size * index(columns.size());
        }
    }

    // Whether a record of the level has the column.
    bool is_seen(std::size_t level, int column) const {
        const CauseProblem<W>& problem = relation_.problem();
        return problem.records.levels[level].absent[index(column)] > 0 ||
               problem.levels[level].strongest[index(column)] > 0;
    }

    const CauseRelation<W>& relation_;
    std::vector<NoisyOrFitter<W>> fitters_;  // by level
    NearByLevel near_;
    std::vector<std::pair<int, int>> members_;  // the caller's number of each parent, and ours
    std::vector<double> lambda_;
};

}  // namespace

template <int W>
std::unique_ptr<RelationSearch<W>> CauseRelation<W>::search(const SearchThread<W>& thread) const {
    return std::make_unique<CauseSearch<W>>(*this, memory_, thread);
}

template <int W>
std::unique_ptr<RelationScout<W>> CauseRelation<W>::scout(SearchCounters& counters,
                                                          const std::atomic<bool>& cancel) const {
    return std::make_unique<CauseScout<W>>(*this, scouting_, counters, cancel);
}

template <int W>
std::unique_ptr<FinalFitter<W>> CauseRelation<W>::final_fitter() const {
    return std::make_unique<CauseFinalFitter<W>>(*this);
}

template class CauseRelation<1>;
template class CauseRelation<2>;
template class CauseRelation<4>;
template class CauseRelation<16>;
template class CauseRelation<64>;
template class CauseSearch<1>;
template class CauseSearch<2>;
template class CauseSearch<4>;
template class CauseSearch<16>;
template class CauseSearch<64>;

}  // namespace noisyor
