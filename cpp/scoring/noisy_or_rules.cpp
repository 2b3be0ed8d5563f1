#include "scoring/noisy_or_rules.hpp"

#include <algorithm>

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
NoisyOrRules<W>::NoisyOrRules(const SearchContext<W>& context, const Pass<W>& pass,
                              const Survivors<W>& survivors, const FitMemories<W>& memory,
                              const std::atomic<bool>& cancel)
    : context_(context),
      pass_(pass),
      survivors_(survivors),
      fits_(context, memory, cancel),
      prices_with_(context.order.size()) {}

template <int W>
double NoisyOrRules<W>::own_limit(const SetNode<W>& node) const {
    return pass_.threshold(node.best, node.prices.own) +
           kSearchTolerances * context_.settings.tolerance;
}

template <int W>
double NoisyOrRules<W>::limit_below(const SetNode<W>& node) const {
    return pass_.threshold(node.best, node.prices.highest) +
           kSearchTolerances * context_.settings.tolerance;
}

template <int W>
const PresentRows<W>& NoisyOrRules<W>::rows_of(const SetNode<W>& node, NodeRows<W>& rows) {
    if (rows.ready) return rows.rows;
    rows.ready = true;
    const NodeRows<W>* from = rows.above;
    while (from != nullptr && !from->ready) from = from->above;
    const PresentRows<W>& all = from == nullptr ? context_.records.present : from->rows;
    const auto universe = node.parents | VariableSet<W>::below(node.tail);
    VariableSet<W> certain;
    node.parents.for_each([&](int v) {
        if (context_.records.absent[index(v)] == 0) certain.insert(v);
    });
    rows.rows.clear();
    for (std::size_t r = 0; r < all.rows.size(); ++r) {
        const VariableSet<W> row = all.rows[r] & universe;
        if (!row.meets(certain)) rows.rows.add(row, all.counts[r]);
    }
    rows.rows.merge_equal(slots_);
    return rows.rows;
}

template <int W>
Interval NoisyOrRules<W>::fit_family(int relation, const SetNode<W>& node,
                                     const NoisyOrTail<W>& tail, const SetNode<W>& above,
                                     NodeRows<W>& rows, double reject_above) {
    return fits_.fit(
        relation, [&]() -> auto& { return rows_of(above, rows); }, node.parents, node.parents,
        {.reject_above = reject_above}, tail.near);
}

// The optimum of the sloped problem also says what each candidate's presence costs.
template <int W>
bool NoisyOrRules<W>::slopes_leave_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                                      const SetNode<W>& above, NodeRows<W>& rows) {
    ++counters().bounds[relation];
    const double pays = penalty(relation, node.size), room = limit_below(node) - pays;
    const VariableSet<W> set = node.parents | tail.candidates;
    Interval shown = fits_.remembered(relation, set, node.parents);
    const bool is_remembered =
        shown.lower <= room && fits_.remembered(relation, set, node.parents, profile_);
    if (!is_remembered) {
        shown = fits_.fit(
            relation, [&]() -> auto& { return rows_of(above, rows); }, set, node.parents,
            {.reject_above = room, .gap = kSlopedGap, .anew = true}, tail.near);
        if (shown.lower > room || shown.lower == kInfinity) return false;
        fits_.remember(tail.near);
        profile_ = fits_.profile(relation, rows_of(above, rows), set, node.parents);
    }
    tail.has_slopes = true;
    tail.steps_paid = profile_.steps_paid;
    tail.bound = std::max(tail.bound, shown.lower + pays);
    tail.with.assign(context_.order.size(), tail.bound);
    std::size_t next = 0;
    tail.candidates.for_each(
        [&](int v) { tail.with[index(v)] = std::max(profile_.with[next++] + pays, tail.bound); });
    return true;
}

// The plain problem over P and the candidates up to `last`: whether families below the node are
// left by it.
template <int W>
bool NoisyOrRules<W>::likelihood_leaves_it(int relation, const SetNode<W>& node,
                                           NoisyOrTail<W>& tail, NodeRows<W>& rows, int last) {
    ++counters().bounds[relation];
    const double pays = penalty(relation, node.size + 1), room = limit_below(node) - pays;
    const auto set = node.parents | (tail.candidates & VariableSet<W>::below(last + 1));
    const Interval shown = fits_.fit(
        relation, [&]() -> auto& { return rows_of(node, rows); }, set, set,
        {.reject_above = room, .accept_at = room}, tail.near);
    for (int j = last; j >= 0 && tail.prefix_bounds[index(j)] < shown.lower + pays; --j) {
        tail.prefix_bounds[index(j)] = shown.lower + pays;
    }
    return shown.lower <= room;
}

// The same by the sloped problem, and by the plain one where that may be the better of the two: it
// counts one step in full.
template <int W>
bool NoisyOrRules<W>::prefix_leaves_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                                       NodeRows<W>& rows, int last) {
    const auto prefix = tail.candidates & VariableSet<W>::below(last + 1);
    if (context_.on(kSlopeRule) && prefix.size() > 1) {
        ++counters().bounds[relation];
        const double pays = penalty(relation, node.size), room = limit_below(node) - pays;
        const Interval shown = fits_.fit(
            relation, [&]() -> auto& { return rows_of(node, rows); }, node.parents | prefix,
            node.parents, {.reject_above = room, .accept_at = room}, tail.near);
        for (int j = last; j >= 0 && tail.prefix_bounds[index(j)] < shown.lower + pays; --j) {
            tail.prefix_bounds[index(j)] = shown.lower + pays;
        }
        if (shown.lower > room) return false;
        if (fits_.fitted && fits_.steps_paid(prefix) >= 1) return true;
    }
    return likelihood_leaves_it(relation, node, tail, rows, last);
}

// The first candidate such that each row has a cause in P or among the candidates up to it; the
// node's tail where there is none.
template <int W>
int NoisyOrRules<W>::first_that_covers(int relation, const SetNode<W>& node,
                                       const NoisyOrTail<W>& tail, const NodeRows<W>& rows) const {
    if (relation != kNoisyOr || !context_.on(kCoverageRule)) return 0;
    int first = 0;
    for (const VariableSet<W>& row : rows.uncovered) {
        const VariableSet<W> causes = row & tail.candidates;
        if (causes.empty()) return node.tail;
        first = std::max(first, causes.lowest());
    }
    return first;
}

// Both problems over all candidates, the plain one where it may be the better of the two.
template <int W>
bool NoisyOrRules<W>::bounds_leave_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                                      NodeRows<W>& rows) {
    const bool sloped = context_.on(kSlopeRule) && tail.candidates.size() > 1;
    if (sloped && !tail.has_slopes && !slopes_leave_it(relation, node, tail, node, rows)) {
        return false;
    }
    if (tail.has_slopes && tail.steps_paid >= 1) return true;
    if (!likelihood_leaves_it(relation, node, tail, rows, node.tail - 1)) return false;
    const double bound = tail.prefix_bounds[index(node.tail - 1)];
    for (double& one : tail.with) one = std::max(one, bound);
    return true;
}

// Takes away the candidates that no family below the node can afford; returns whether there were
// any.
template <int W>
bool NoisyOrRules<W>::drop_candidates(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail) {
    pass_.prices.with_each(node.prices, node.parents, tail.candidates, prices_with_);
    const VariableSet<W> free = node.parents - context_.required;
    VariableSet<W> left = tail.candidates;
    tail.candidates.for_each([&](int v) {
        VariableSet<W> extended = free;
        extended.insert(v);
        const double best = survivors_.cheapest(extended, v, node.best);
        const double limit = pass_.threshold(best, prices_with_[index(v)]) +
                             kSearchTolerances * context_.settings.tolerance;
        if (tail.with[index(v)] > limit) left.erase(v);
    });
    const int before = tail.candidates.size(), after = left.size();
    if (before == after) return false;
    counters().cut(relation, kCandidateRule, node.size, before);
    counters().cut(relation, kCandidateRule, node.size, after, -1);
    tail.candidates = left;
    return true;
}

// The first candidate that is worth adding last, by bisection among those numbered from `from` on,
// the last of which is.
template <int W>
int NoisyOrRules<W>::find_first(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                                NodeRows<W>& rows, int from) {
    members_.clear();
    (tail.candidates - VariableSet<W>::below(from)).for_each([&](int v) { members_.push_back(v); });
    int low = -1, high = static_cast<int>(members_.size()) - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (prefix_leaves_it(relation, node, tail, rows, members_[index(middle)])) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return members_[index(high)];
}

template <int W>
bool NoisyOrRules<W>::open(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                           NodeRows<W>& rows) {
    tail.prefix_bounds.assign(index(node.tail), tail.bound);
    if (!tail.has_slopes) tail.with.assign(context_.order.size(), tail.bound);
    const auto cut_all = [&](Rule reason) {
        counters().cut(relation, reason, node.size, tail.candidates.size());
        return false;
    };
    const bool bounded = context_.on(kLikelihoodRule);
    tail.first = first_that_covers(relation, node, tail, rows);
    if (tail.first == node.tail) return cut_all(kCoverageRule);
    if (bounded && !bounds_leave_it(relation, node, tail, rows)) return cut_all(kLikelihoodRule);
    for (int round = 0; round < kDropRounds && context_.on(kCandidateRule); ++round) {
        if (!drop_candidates(relation, node, tail)) break;
        if (tail.candidates.empty()) return false;
        tail.first = first_that_covers(relation, node, tail, rows);
        if (tail.first == node.tail) return cut_all(kCoverageRule);
        tail.has_slopes = false;
        if (bounded && !bounds_leave_it(relation, node, tail, rows)) {
            return cut_all(kLikelihoodRule);
        }
    }
    Rule reason = kCoverageRule;
    if (context_.on(kPrefixRule)) {
        const int first = find_first(relation, node, tail, rows, tail.first);
        if (first > tail.first) reason = kPrefixRule;
        tail.first = first;
    }
    const int dead = (tail.candidates & VariableSet<W>::below(tail.first)).size();
    if (dead > 0) counters().cut(relation, reason, node.size, dead);
    return true;
}

template class NoisyOrRules<1>;
template class NoisyOrRules<2>;
template class NoisyOrRules<4>;

}  // namespace noisyor
