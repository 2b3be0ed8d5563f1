// What a child's families cost under one relation besides their fit, and lower bounds on that.
#pragma once

#include <algorithm>
#include <vector>

#include "scoring/relation_spec.hpp"
#include "scoring/search_context.hpp"
#include "scoring/set_node.hpp"
#include "variable_set.hpp"

namespace noisyor {

// In the search's numbering. What the parameters cost grows, or stays, as parents are added. What
// the number of parents and the parents themselves cost may fall (core/pruning_rules.py has the
// proofs of the bounds).
template <int W>
class Penalty {
  public:
    // The context must outlive the penalty.
    Penalty(const PenaltySpec& spec, const SearchContext<W>& context);

    double of(const SetNode<W>& node) const {
        const double parameters =
            spec_.function ? of_function(node.parents) : spec_.of_states(node.states);
        return parameters + spec_.of_size(node.size) + weight_of(node.parents);
    }
    double of(const VariableSet<W>& parents) const;
    // What any family costs at least that adds `added` or more candidates to a node; there are
    // candidates to add. The parameters grow with the states of those that are added, so the one
    // with the fewest is the cheapest. Of a function nothing is known but that it grows.
    double below(const SetNode<W>& node, int added = 1) const {
        const double parameters = spec_.function ? of_function(node.parents)
                                                 : with(node, fewest_[index(node.tail)], added);
        return parameters + least_size_below(node, added) + weight_of(node.parents) +
               least_added_[index(node.tail)];
    }
    // The candidates, all numbered below the node's tail, that some family below the node can have
    // whose penalty is at most `limit`. Of a function this is not asked.
    VariableSet<W> affordable(const SetNode<W>& node, const VariableSet<W>& candidates,
                              double limit) const;
    // What each variable adds as one more parent, at least, and never less than nothing. With
    // `base(node)` these bound the penalty of a node and of all below it: it is at least the base
    // and the steps of the candidates added.
    std::vector<double> least_steps() const;
    double base(const SetNode<W>& node) const;
    // What any family of the child costs at least.
    double least() const { return least_; }

  private:
    double of_function(const VariableSet<W>& parents) const;
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }
    // The parameters with more parents, each of so many states.
    double with(const SetNode<W>& node, int states, int added = 1) const {
        ParentStates all = node.states;
        for (int i = 0; i < added; ++i) all.add(states);
        return spec_.of_states(all);
    }
    double weight_of(const VariableSet<W>& parents) const {
        double sum = 0;
        if (!weights_.empty()) {
            parents.for_each([&](int v) { sum += weights_[static_cast<std::size_t>(v)]; });
        }
        return sum;
    }
    // The most candidates that a family below the node can add.
    int room(const SetNode<W>& node) const {
        return std::min(node.tail, context_.settings.max_parents - node.size);
    }
    // A concave function is least at an end of its range.
    double least_size_below(const SetNode<W>& node, int added = 1) const {
        if (spec_.by_size.empty()) return 0;
        const int most = room(node);
        return std::min(spec_.of_size(node.size + std::min(added, most)),
                        spec_.of_size(node.size + most));
    }
    double step_of(int variable) const;

    const PenaltySpec spec_;
    const SearchContext<W>& context_;
    // At t: the states of any candidate numbered below t; the least that at least one of them adds
    // by its weight; the sum of the negative ones of their weights, and of their steps.
    std::vector<int> fewest_, most_;
    std::vector<double> least_added_, saved_by_weights_, saved_by_steps_;
    std::vector<double> weights_;  // in the search's numbering; empty: none
    double size_step_ = 0;         // what one more parent adds at least, by the number of parents
    double least_ = 0;
};

}  // namespace noisyor
