// A cluster whose variables are divided into classes; search/bounds/cut_system.py proves its cut.
#pragma once

#include <algorithm>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

// In an acyclic network, at least `need` members have no parent in their own class and parents in
// fewer than `need` classes. Classes of one variable are not listed.
template <int W>
struct ClassedCluster {
    VariableSet<W> members;
    int need = 1;
    std::vector<VariableSet<W>> classes;

    // Whether each member is a class of its own.
    bool is_plain() const { return classes.empty(); }
    // The class of a member.
    VariableSet<W> class_of(int member) const {
        for (const VariableSet<W>& one : classes) {
            if (one.contains(member)) return one;
        }
        return VariableSet<W>::single(member);
    }
    // How many classes have some of these variables.
    int reached_by(const VariableSet<W>& variables) const {
        const VariableSet<W> inside = variables & members;
        int reached = inside.size();
        for (const VariableSet<W>& one : classes) reached -= std::max(0, (inside & one).size() - 1);
        return reached;
    }
    // Whether the family of a member, whose class is `own`, is one of those that count.
    bool counts(const VariableSet<W>& own, const VariableSet<W>& parents) const {
        return !own.meets(parents) && reached_by(parents) < need;
    }
};

}  // namespace noisyor
