#include "scoring/subtree_search.hpp"

#include <algorithm>
#include <cmath>

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

template <int W, class Counts>
SubtreeSearch<W, Counts>::SubtreeSearch(const SearchContext<W>& context, Pass<W>& pass,
                                        const FitMemories<W>& memory,
                                        const std::atomic<bool>& cancel)
    : context_(context),
      pass_(pass),
      cancel_(cancel),
      counts_(context.records, static_cast<int>(context.order.size()), context.terms),
      survivors_(std::max(1, context.candidates)),
      rules_(context, pass, survivors_, memory, cancel),
      levels_(index(context.candidates) + 2) {
    for (const KnownFamily<W>& known : pass.known) survivors_.add(known.free_parents, known.cost);
    for (std::size_t depth = 1; depth < levels_.size(); ++depth) {
        levels_[depth].rows.above = &levels_[depth - 1].rows;
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::keep(Level& level, int relation, const Interval& shown) {
    SetNode<W>& node = level.node;
    const double pays = penalty(relation, node.size), cost = shown.upper + pays;
    const bool counts = pass_.counts(cost, node.prices.own, context_.settings.tolerance);
    if (counts) {
        survivors_.add(node.parents - context_.required, cost);
        node.best = std::min(node.best, cost);
    }
    if (!pass_.range.has(node.parents - context_.required)) return;
    if (cost <= node.best + pass_.slack) {
        pass_.ceiling.add(node.parents, relation, cost, node.prices.own, pass_.slack);
    }
    found.push_back(
        {node.parents, cost, shown.lower + pays, static_cast<std::uint8_t>(relation), counts});
}

// The set of required parents alone; with none of them, the child on its own, always a full table.
template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_root(Level& root) {
    SetNode<W>& node = root.node;
    node.parents = context_.required;
    node.size = context_.required.size();
    node.tail = context_.candidates;
    node.best = survivors_.root();
    const auto tail = VariableSet<W>::below(node.tail);
    node.prices = pass_.prices.at_root(node.parents, node.parents | tail);
    if (pass_.wanted[kCpt]) {
        counts_.make_root(root.counts);
        typename Counts::Node next;
        context_.required.for_each([&](int v) {
            counts_.descend(root.counts, v, static_cast<int>(context_.order.size()), next);
            std::swap(root.counts, next);
        });
    }
    for (const VariableSet<W>& row : context_.records.present.rows) {
        if (!row.meets(node.parents)) root.rows.uncovered.push_back(row);
    }
    for (int relation = 0; relation < kRelations; ++relation) {
        root.alive[relation] = pass_.wanted[relation];
        root.tails[relation].candidates = tail;
        if (!root.alive[relation] || (is_noisy_or(relation) && node.size == 0)) continue;
        ++counters().evaluated[relation];
        Interval shown;
        if (relation == kCpt) {
            shown.lower = shown.upper = counts_.cost(root.counts);
        } else {
            shown =
                rules_.fit_family(relation, node, root.tails[relation], node, root.rows, kInfinity);
        }
        if (shown.lower + penalty(relation, node.size) > rules_.own_limit(node)) continue;
        if (shown.upper < kInfinity) keep(root, relation, shown);
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_cpt(const Level& from, int variable, Level& to) {
    ++counters().evaluated[kCpt];
    const double limit = rules_.own_limit(to.node) - penalty(kCpt, to.node.size);
    const double cost = counts_.cost_with(from.counts, variable, limit);
    if (cost <= limit) keep(to, kCpt, {cost, cost});
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_noisy_or(int relation, Level& from, Level& to) {
    const SetNode<W>& node = to.node;
    NoisyOrTail<W>& tail = to.tails[relation];
    tail.near = from.tails[relation].near;
    tail.has_slopes = false;
    // One bound for the set and all that is below it spares most of the other fits.
    const int size = tail.candidates.size();
    if (size > 1 && node.size < context_.settings.max_parents && context_.on(kLikelihoodRule) &&
        context_.on(kSlopeRule) &&
        !rules_.slopes_leave_it(relation, node, tail, from.node, from.rows)) {
        counters().cut(relation, kLikelihoodRule, node.size - 1, size + 1);
        counters().cut(relation, kLikelihoodRule, node.size - 1, size, -1);
        to.alive[relation] = false;
        return;
    }
    ++counters().evaluated[relation];
    const double limit = rules_.own_limit(node) - penalty(relation, node.size);
    if (limit < 0) return;
    const Interval shown = rules_.fit_family(relation, node, tail, from.node, from.rows, limit);
    if (shown.lower <= limit && shown.upper < kInfinity) keep(to, relation, shown);
}

template <int W, class Counts>
bool SubtreeSearch<W, Counts>::may_add(const Evaluated& level, int relation, int variable) const {
    return level.alive[relation] && variable >= level.tails[relation].first &&
           level.tails[relation].candidates.contains(variable);
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate(Level& from, int variable, Level& to) {
    SetNode<W>& node = to.node;
    node.parents = from.node.parents;
    node.parents.insert(variable);
    node.size = from.node.size + 1;
    node.tail = variable;
    node.best = survivors_.cheapest(node.parents - context_.required, variable, from.node.best);
    to.rows.ready = false;
    to.cpt_bound = from.cpt_bound;
    const auto below = VariableSet<W>::below(variable);
    double least = kInfinity;
    for (int relation = 0; relation < kRelations; ++relation) {
        to.alive[relation] = may_add(from, relation, variable);
        if (!to.alive[relation]) continue;
        const NoisyOrTail<W>& above = from.tails[relation];
        NoisyOrTail<W>& tail = to.tails[relation];
        tail.candidates = above.candidates & below;
        tail.bound = 0;
        if (is_noisy_or(relation)) {
            tail.bound =
                std::max(above.prefix_bounds[index(variable)], above.with[index(variable)]);
        }
        least = std::min(least, tail.bound);
    }
    // Branches whose price no family of the subtree can meet are no longer looked at.
    const double floor = least - kSearchTolerances * context_.settings.tolerance;
    pass_.prices.narrow(from.node.prices, node.parents, node.parents | below, floor, node.prices);
    for (int relation = 0; relation < kRelations; ++relation) {
        if (!to.alive[relation]) continue;
        if (relation == kCpt) {
            evaluate_cpt(from, variable, to);
        } else {
            evaluate_noisy_or(relation, from, to);
        }
    }
}

template <int W, class Counts>
bool SubtreeSearch<W, Counts>::open_cpt(Level& level, const Level* from, int variable) {
    const SetNode<W>& node = level.node;
    const double room = rules_.limit_below(node) - penalty(kCpt, node.size + 1);
    if (level.cpt_bound > room && context_.on(kLikelihoodRule)) {
        counters().cut(kCpt, kLikelihoodRule, node.size, node.tail);
        return false;
    }
    if (from != nullptr) counts_.descend(from->counts, variable, node.tail, level.counts);
    if constexpr (Counts::kHasBound) {
        if (!context_.on(kLikelihoodRule)) return true;
        ++counters().bounds[kCpt];
        level.cpt_bound = counts_.bound(level.counts);
        if (level.cpt_bound > room) {
            counters().cut(kCpt, kLikelihoodRule, node.size, node.tail);
            return false;
        }
    }
    return true;
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::open(Level& level, Level* from, int variable) {
    const SetNode<W>& node = level.node;
    if (from != nullptr && level.alive[kNoisyOr]) {
        level.rows.uncovered.clear();
        for (const VariableSet<W>& row : from->rows.uncovered) {
            if (!row.contains(variable)) level.rows.uncovered.push_back(row);
        }
    }
    for (int relation = 0; relation < kRelations; ++relation) {
        if (!level.alive[relation]) continue;
        level.alive[relation] = false;
        NoisyOrTail<W>& tail = level.tails[relation];
        const int size = tail.candidates.size();
        if (size == 0 || node.size >= context_.settings.max_parents) continue;
        const double limit = rules_.limit_below(node);
        if (penalty(relation, node.size + 1) > limit && context_.on(kPenaltyRule)) {
            counters().cut(relation, kPenaltyRule, node.size, size);
        } else if (tail.bound > limit && context_.on(kLikelihoodRule)) {
            counters().cut(relation, kLikelihoodRule, node.size, size);
        } else if (relation == kCpt) {
            level.alive[relation] = open_cpt(level, from, variable);
        } else {
            level.alive[relation] = rules_.open(relation, node, tail, level.rows);
        }
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::descend(std::size_t depth) {
    Level& level = levels_[depth];
    VariableSet<W> worth;
    for (int relation = 0; relation < kRelations; ++relation) {
        if (!level.alive[relation]) continue;
        const NoisyOrTail<W>& tail = level.tails[relation];
        worth = worth | (tail.candidates - VariableSet<W>::below(tail.first));
    }
    const VariableSet<W> free = level.node.parents - context_.required;
    worth.for_each([&](int variable) {
        VariableSet<W> set = free;
        set.insert(variable);
        if (stopped_at || !pass_.range.meets_subtree(set, variable)) return;
        if (cancel_) {
            stopped_at = set;
            return;
        }
        evaluate(level, variable, levels_[depth + 1]);
        open(levels_[depth + 1], &level, variable);
        descend(depth + 1);
    });
}

template <int W, class Counts>
bool SubtreeSearch<W, Counts>::search_root() {
    Level& root = levels_[0];
    evaluate_root(root);
    open(root, nullptr, -1);
    singles_.resize(index(root.node.tail));
    for (int variable = 0; variable < root.node.tail && !cancel_; ++variable) {
        evaluate(root, variable, levels_[1]);
        singles_[index(variable)] = levels_[1];
    }
    return !cancel_;
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::search_below(int high, int low) {
    Level& single = levels_[1];
    if (open_single_ != high) {
        open_single_ = high;
        static_cast<Evaluated&>(single) = singles_[index(high)];
        single.rows.ready = false;
        open(single, &levels_[0], high);
    }
    bool worth = false;
    for (int relation = 0; relation < kRelations; ++relation) {
        worth = worth || may_add(single, relation, low);
    }
    if (!worth) return;
    evaluate(single, low, levels_[2]);
    open(levels_[2], &single, low);
    descend(2);
}

template class SubtreeSearch<1, BitColumns<1>>;
template class SubtreeSearch<2, BitColumns<2>>;
template class SubtreeSearch<4, BitColumns<4>>;
template class SubtreeSearch<1, Configurations<1>>;
template class SubtreeSearch<2, Configurations<2>>;
template class SubtreeSearch<4, Configurations<4>>;

}  // namespace noisyor
