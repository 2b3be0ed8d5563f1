// A stretch of the numeric order in which sets are visited: the part of a search that one does.
#pragma once

#include "variable_set.hpp"

namespace noisyor {

// Sets of candidates from `first` up to, but without, `end`, in the search's numbering. What is at
// and below a set P with lowest member j is such a stretch too: from P to P with all below j.
template <int W>
struct SetRange {
    VariableSet<W> first, end;

    bool empty() const { return !(first < end); }
    bool has(const VariableSet<W>& set) const { return !(set < first) && set < end; }
    // Whether it has some set at or below this one.
    bool meets_subtree(const VariableSet<W>& set, int lowest) const {
        return !empty() && set < end && !((set | VariableSet<W>::below(lowest)) < first);
    }
};

}  // namespace noisyor
