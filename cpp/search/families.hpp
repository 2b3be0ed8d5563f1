// The families and cuts that all search kernels work on. Costs are whole numbers of ticks, so that
// every sum is exact; search/families.py says how they are made, search/bounds/duals.py what cuts
// prove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "classed_cluster.hpp"
#include "variable_set.hpp"

namespace noisyor {

using Ticks = std::int64_t;

template <int W>
struct Cut : ClassedCluster<W> {
    Ticks weight = 0;
};

// Clusters as Python has them: with the first class of each, and all classes.
struct ClusterArrays {
    std::size_t size = 0;
    const Word* members = nullptr;
    const std::int32_t* needs = nullptr;
    const std::int64_t* first_class = nullptr;
    const Word* classes = nullptr;
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
std::vector<ClassedCluster<W>> load_clusters(const ClusterArrays& given) {
    std::vector<ClassedCluster<W>> clusters;
    clusters.reserve(given.size);
    for (std::size_t c = 0; c < given.size; ++c) {
        clusters.push_back({VariableSet<W>::load(given.members + c * W), given.needs[c], {}});
        for (auto one = given.first_class[c]; one < given.first_class[c + 1]; ++one) {
            clusters.back().classes.push_back(VariableSet<W>::load(given.classes + one * W));
        }
    }
    return clusters;
}

template <int W>
std::vector<Cut<W>> load_cuts(const ClusterArrays& given, const Ticks* weights) {
    std::vector<Cut<W>> cuts;
    cuts.reserve(given.size);
    for (auto& cluster : load_clusters<W>(given)) cuts.push_back({std::move(cluster), *weights++});
    return cuts;
}

}  // namespace noisyor
