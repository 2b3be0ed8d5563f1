// The families and cuts that all search kernels work on. Costs are whole numbers of ticks, so that
// every sum is exact; search/families.py says how they are made, search/bounds/duals.py what cuts
// prove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

using Ticks = std::int64_t;

// At least `need` members of a cut have fewer than `need` parents in it, in any acyclic network.
template <int W>
struct Cut {
    VariableSet<W> members;
    int need = 1;
    Ticks weight = 0;

    // Whether the family of a member of the cut is one of those that count.
    bool counts(const VariableSet<W>& parents) const { return (members & parents).size() < need; }
};

// The families of child v are those from first[v] to first[v + 1], ascending by ticks.
template <int W>
struct FamilyTable {
    std::vector<std::size_t> first;
    std::vector<VariableSet<W>> parents;
    std::vector<Ticks> ticks;

    int variables() const { return static_cast<int>(first.size()) - 1; }

    static FamilyTable load(const std::int64_t* first, std::size_t variables, const Word* parents,
                            const Ticks* ticks) {
        FamilyTable table;
        table.first.assign(first, first + variables + 1);
        const std::size_t size = table.first.back();
        table.parents.reserve(size);
        for (std::size_t f = 0; f < size; ++f) {
            table.parents.push_back(VariableSet<W>::load(parents + f * W));
        }
        table.ticks.assign(ticks, ticks + size);
        return table;
    }
};

template <int W>
std::vector<Cut<W>> load_cuts(std::size_t size, const Word* members, const std::int32_t* needs,
                              const Ticks* weights) {
    std::vector<Cut<W>> cuts;
    cuts.reserve(size);
    for (std::size_t c = 0; c < size; ++c) {
        cuts.push_back({VariableSet<W>::load(members + c * W), needs[c], weights[c]});
    }
    return cuts;
}

}  // namespace noisyor
