#include "scoring/subtree_search.hpp"

#include <algorithm>

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

template <int W>
SubtreeSearch<W>::SubtreeSearch(const SearchContext<W>& context, const ChildRelations<W>& relations,
                                Pass<W>& pass, const std::atomic<bool>& cancel)
    : counters(relations.size(), context.order.size()),
      context_(context),
      pass_(pass),
      cancel_(cancel),
      survivors_(std::max(1, context.candidates)),
      levels_(index(context.candidates) + 2),
      singles_(index(context.candidates)) {
    for (const KnownFamily<W>& known : pass.known) survivors_.add(known.free_parents, known.cost);
    const auto narrower = [&](const ChildRelation<W>& wider) -> const ChildRelation<W>* {
        const bool any = context.on(kWiderRule) && wider.narrower().has_value() &&
                         pass.wanted[*wider.narrower()];
        return any ? relations[*wider.narrower()].get() : nullptr;
    };
    const SearchThread<W> thread{pass_, survivors_, counters, cancel_};
    for (const auto& relation : relations) {
        const bool follows = std::any_of(relations.begin(), relations.end(), [&](const auto& one) {
            return pass.wanted[one->number()] && narrower(*one) == relation.get();
        });
        // A relation that needs more parents than are allowed has no family, and its bounds over
        // all candidates of a wide table take long.
        const bool possible = relation->least_parents() <= context.settings.max_parents;
        if (!pass.wanted[relation->number()] || follows || !possible) continue;
        sought_.push_back({relation.get(), relation->search(thread), narrower(*relation)});
        Sought& one = sought_.back();
        if (one.narrower != nullptr) one.follower = one.narrower->search(thread);
    }
    for (Level& level : levels_) level.tails.resize(sought_.size());
}

template <int W>
void SubtreeSearch<W>::keep(SetNode<W>& node, const ChildRelation<W>& relation,
                            const Interval& shown) {
    if (node.size < relation.least_parents()) return;
    const double pays = relation.penalty(node), cost = shown.upper + pays;
    const bool counts = pass_.counts(cost, node.prices.own);
    if (counts) {
        survivors_.add(node.parents - context_.required, cost);
        node.best = std::min(node.best, cost);
    }
    if (!pass_.range.has(node.parents - context_.required)) return;
    if (cost <= node.best + pass_.slack) {
        pass_.ceiling.add(node.parents, relation.number(), cost, node.prices.own, pass_.slack);
    }
    found.push_back({node.parents, cost, shown.lower + pays, relation.number(), counts});
}

// The set of required parents alone.
template <int W>
void SubtreeSearch<W>::evaluate_root() {
    SetNode<W>& node = levels_[0].node;
    node.parents = context_.required;
    node.size = context_.required.size();
    node.states = context_.table.states_of(context_.required);
    node.tail = context_.candidates;
    node.best = survivors_.root();
    const auto candidates = VariableSet<W>::below(node.tail);
    node.prices = pass_.prices.at_root(node.parents, node.parents | candidates);
    for (std::size_t r = 0; r < sought_.size(); ++r) {
        levels_[0].tails[r] = {.alive = true, .candidates = candidates};
        levels_[0].tails[r].bound = sought_[r].relation->least_penalty();
        begin(*sought_[r].relation, *sought_[r].search);
        if (sought_[r].follower) begin(*sought_[r].narrower, *sought_[r].follower);
    }
}

template <int W>
void SubtreeSearch<W>::begin(const ChildRelation<W>& relation, RelationSearch<W>& search) {
    SetNode<W>& node = levels_[0].node;
    const std::optional<Interval> shown = search.begin(node);
    if (!shown) return;
    const double lower = shown->lower + relation.penalty(node);
    if (lower <= pass_.own_limit(node)) keep(node, relation, *shown);
}

template <int W>
void SubtreeSearch<W>::count_followers() {
    for (const Sought& one : sought_) {
        if (one.narrower != nullptr) counters.copy(one.relation->number(), one.narrower->number());
    }
}

template <int W>
void SubtreeSearch<W>::evaluate(std::size_t depth, int variable) {
    const Level& from = levels_[depth];
    Level& to = levels_[depth + 1];
    SetNode<W>& node = to.node;
    node.parents = from.node.parents;
    node.parents.insert(variable);
    node.size = from.node.size + 1;
    node.states = from.node.states;
    node.states.add(context_.table.states[index(variable)]);
    node.tail = variable;
    node.best = survivors_.cheapest(node.parents - context_.required, variable, from.node.best);
    const auto below = VariableSet<W>::below(variable);
    double least = kInfinity;
    for (std::size_t r = 0; r < sought_.size(); ++r) {
        Tail<W>& tail = to.tails[r];
        tail.alive = from.tails[r].may_add(variable);
        if (!tail.alive) continue;
        tail.candidates = from.tails[r].candidates & below;
        tail.first = 0;
        tail.bound = sought_[r].search->bound_with(depth, variable);
        least = std::min(least, tail.bound);
    }
    // Branches whose price no family of the subtree can meet are dropped.
    const double floor = least - kSearchTolerances * pass_.tolerance;
    pass_.prices.narrow(from.node.prices, node.parents, node.parents | below, floor, node.prices);
    for (std::size_t r = 0; r < sought_.size(); ++r) {
        if (!to.tails[r].alive) continue;
        const Sought& one = sought_[r];
        const std::optional<Interval> shown =
            one.search->evaluate(from.node, node, to.tails[r], depth + 1);
        if (shown) keep(node, *one.relation, *shown);
        if (!one.follower) continue;
        const bool same = shown && one.search->found_narrower();
        const std::optional<Interval> narrower =
            one.follower->follow(from.node, node, depth + 1, shown, same);
        if (narrower) keep(node, *one.narrower, *narrower);
    }
}

template <int W>
void SubtreeSearch<W>::open(std::size_t depth) {
    const SetNode<W>& node = levels_[depth].node;
    for (std::size_t r = 0; r < sought_.size(); ++r) {
        Tail<W>& tail = levels_[depth].tails[r];
        if (!tail.alive) continue;
        tail.alive = false;
        const int size = tail.candidates.size();
        if (size == 0 || node.size >= context_.settings.max_parents) continue;
        const ChildRelation<W>& relation = *sought_[r].relation;
        const double limit = pass_.limit_below(node);
        if (relation.penalty_below(node) > limit && context_.on(kPenaltyRule)) {
            counters.cut(relation.number(), kPenaltyRule, node.size, size);
        } else if (tail.bound > limit && context_.on(kLikelihoodRule)) {
            counters.cut(relation.number(), kLikelihoodRule, node.size, size);
        } else {
            drop_unaffordable(relation, node, tail, limit);
            tail.alive = !tail.candidates.empty() && sought_[r].search->open(node, tail, depth);
        }
    }
}

template <int W>
void SubtreeSearch<W>::drop_unaffordable(const ChildRelation<W>& relation, const SetNode<W>& node,
                                         Tail<W>& tail, double limit) {
    if (!context_.on(kPenaltyRule)) return;
    const VariableSet<W> left = relation.affordable(node, tail.candidates, limit);
    const int before = tail.candidates.size(), after = left.size();
    if (before == after) return;
    counters.cut(relation.number(), kPenaltyRule, node.size, before);
    counters.cut(relation.number(), kPenaltyRule, node.size, after, -1);
    tail.candidates = left;
}

template <int W>
void SubtreeSearch<W>::descend(std::size_t depth) {
    const Level& level = levels_[depth];
    VariableSet<W> worth;
    for (const Tail<W>& tail : level.tails) worth = worth | tail.worth_adding();
    const VariableSet<W> free = level.node.parents - context_.required;
    worth.for_each([&](int variable) {
        VariableSet<W> set = free;
        set.insert(variable);
        if (stopped_at || !pass_.range.meets_subtree(set, variable)) return;
        if (cancel_) {
            stopped_at = set;
            return;
        }
        evaluate(depth, variable);
        open(depth + 1);
        descend(depth + 1);
    });
}

template <int W>
bool SubtreeSearch<W>::search_root() {
    evaluate_root();
    open(0);
    for (int variable = 0; variable < context_.candidates && !cancel_; ++variable) {
        evaluate(0, variable);
        singles_[index(variable)] = levels_[1];
        for (const Sought& one : sought_) {
            one.search->leave_single(variable);
            if (one.follower) one.follower->leave_single(variable);
        }
    }
    return !cancel_;
}

template <int W>
void SubtreeSearch<W>::search_below(int high, int low) {
    if (open_single_ != high) {
        open_single_ = high;
        levels_[1] = singles_[index(high)];
        for (const Sought& one : sought_) {
            one.search->return_to_single(high);
            if (one.follower) one.follower->return_to_single(high);
        }
        open(1);
    }
    const std::vector<Tail<W>>& tails = levels_[1].tails;
    const auto may_add = [&](const Tail<W>& tail) { return tail.may_add(low); };
    if (std::none_of(tails.begin(), tails.end(), may_add)) return;
    evaluate(1, low);
    open(2);
    descend(2);
}

template class SubtreeSearch<1>;
template class SubtreeSearch<2>;
template class SubtreeSearch<4>;
template class SubtreeSearch<16>;
template class SubtreeSearch<64>;

}  // namespace noisyor
