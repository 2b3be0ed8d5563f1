// The sets that a search visits, and which families of a relation may be worth a visit below them.
#pragma once

#include <cstddef>

#include "scoring/parent_states.hpp"
#include "scoring/prices.hpp"
#include "variable_set.hpp"

namespace noisyor {

// The optimum of a fit lies between these; both are infinite where no fit is possible.
struct Interval {
    double lower = -kInfinity;
    double upper = kInfinity;
    static std::size_t heap_bytes() { return 0; }
};

// A set P of parents. Below it are the sets that add some of the candidates numbered below `tail`.
template <int W>
struct SetNode {
    VariableSet<W> parents;
    int size = 0;             // number of parents
    ParentStates states;      // of the parents
    int tail = 0;             // all of P's candidates are numbered from here on
    double best = kInfinity;  // m(P)
    LivePrices prices;
};

// Which of one relation's families below a set may be worth a visit.
template <int W>
struct Tail {
    bool alive = false;         // whether any is
    VariableSet<W> candidates;  // that may be added
    int first = 0;              // of them, those below this need not be added last
    double bound = 0;           // no family at or below the set costs less

    bool may_add(int variable) const {
        return alive && variable >= first && candidates.contains(variable);
    }
    // The candidates that are worth adding next.
    VariableSet<W> worth_adding() const {
        return alive ? candidates - VariableSet<W>::below(first) : VariableSet<W>{};
    }
};

}  // namespace noisyor
