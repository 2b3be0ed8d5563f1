// A range of the numeric order in which sets are visited: one part of a divided search.
#pragma once

#include "variable_set.hpp"

namespace noisyor {

// The sets of candidates from `first` up to, but not including, `end`, in the search's numbering.
// The subtree of a set P with lowest variable j is a range too: from P to P with all below j.
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
