// The two passes of the shortest path search, over layers that they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/lattice.hpp"
#include "search/lattice_first_family.hpp"
#include "search/lattice_layers.hpp"

namespace noisyor {

// What both passes work on.
template <int W>
struct LatticeSearch {
    const LatticeProblem<W>& problem;
    LatticeRules rules;
    LatticeLimits limits;
    std::size_t workers;
    const std::atomic<bool>& cancel;
    FirstFamily<W> first_family;
    std::vector<Layer<W>> layers;  // by size of the subsets
    LatticeResult result;
};

// Where a layer holds a subset.
template <int W>
struct LayerPlace {
    VariableSet<W> subset;
    std::uint32_t shard;
    std::uint32_t row;
};

// The places of all subsets, ascending: neighbours have much in common, which caches like.
template <int W>
std::vector<LayerPlace<W>> places_in(const Layer<W>& layer) {
    std::vector<LayerPlace<W>> out;
    out.reserve(layer.size());
    for (std::size_t s = 0; s < kShards; ++s) {
        const auto& subsets = layer.shards[s].subsets;
        for (std::size_t row = 0; row < subsets.size(); ++row) {
            out.push_back(
                {subsets[row], static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(row)});
        }
    }
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.subset < b.subset; });
    return out;
}

// Fills the layers, and the result's status, subsets and shortest.
template <int W>
void find_distances(LatticeSearch<W>& search);

// Fills the rest of the result, unless cancelled.
template <int W>
void find_networks(LatticeSearch<W>& search);

extern template void find_distances(LatticeSearch<1>&);
extern template void find_distances(LatticeSearch<2>&);
extern template void find_distances(LatticeSearch<4>&);
extern template void find_distances(LatticeSearch<16>&);
extern template void find_networks(LatticeSearch<1>&);
extern template void find_networks(LatticeSearch<2>&);
extern template void find_networks(LatticeSearch<4>&);
extern template void find_networks(LatticeSearch<16>&);

}  // namespace noisyor
