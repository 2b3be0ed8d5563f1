// What the parameters of a child's families cost under one relation.
#pragma once

#include <vector>

#include "scoring/relation_spec.hpp"
#include "scoring/search_context.hpp"
#include "scoring/set_node.hpp"
#include "variable_set.hpp"

namespace noisyor {

// In the search's numbering. Penalties grow, or stay, as parents are added.
template <int W>
class Penalty {
  public:
    // The context must outlive the penalty.
    Penalty(const PenaltySpec& spec, const SearchContext<W>& context);

    double of(const SetNode<W>& node) const {
        return spec_.function ? of(node.parents) : of_states(node.states);
    }
    double of(const VariableSet<W>& parents) const;
    // What any family below a node costs at least; there are candidates to add. The parameters grow
    // with the states of the candidate that is added, so the one with the fewest is the cheapest.
    // Of a function nothing is known but that it grows.
    double below(const SetNode<W>& node) const {
        if (spec_.function) return of(node.parents);
        return with(node, fewest_[static_cast<std::size_t>(node.tail)]);
    }
    // The candidates, all numbered below the node's tail, of which each alone, added to the node,
    // costs at most `limit`. Of a function this is not asked.
    VariableSet<W> affordable(const SetNode<W>& node, const VariableSet<W>& candidates,
                              double limit) const;
    // What each variable adds as one more parent, at least: as much as it adds as the first one.
    std::vector<double> least_steps() const;

  private:
    double of_states(const ParentStates& states) const {
        return spec_.price * (spec_.constant + spec_.per_state * states.beyond_first +
                              spec_.per_configuration * states.configurations);
    }

    // With one more parent of so many states.
    double with(const SetNode<W>& node, int states) const {
        ParentStates all = node.states;
        all.add(states);
        return of_states(all);
    }

    const PenaltySpec spec_;
    const SearchContext<W>& context_;
    std::vector<int> fewest_, most_;  // at t: the states of any candidate numbered below t
};

}  // namespace noisyor
