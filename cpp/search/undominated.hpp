// Families that no family over fewer of the same parents undercuts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/families.hpp"
#include "search/parent_scan.hpp"

namespace noisyor {

// Marks, per child, the families that have no cheaper or equal one over a subset of their parents
// (of equals, the first stays). Where a family fits so does its subset, which counts in every cut
// that the family counts in: neither the best network of an order nor pi needs the others. Where
// most families are marked, only the cheapest are tried as subsets, lest long tables take
// quadratic time: some others may stay marked, which does no harm.
template <int W>
std::vector<std::uint8_t> undominated(const FamilyTable<W>& table) {
    std::vector<std::uint8_t> marks(table.parents.size(), 0);
    constexpr std::size_t kTried = 2048;
    std::vector<VariableSet<W>> tried;
    for (int v = 0; v < table.variables(); ++v) {
        tried.clear();
        for (std::size_t f = table.first[v]; f < table.first[v + 1]; ++f) {
            const auto& parents = table.parents[f];
            const std::size_t hit = find_subset(tried.data(), 0, tried.size(), parents);
            if (hit < tried.size()) {
                std::swap(tried[hit], tried[hit / 2]);  // those that hit often come to the front
                continue;
            }
            const std::size_t seen = f - table.first[v];
            if (tried.size() < kTried || tried.size() < seen / 8) tried.push_back(parents);
            marks[f] = 1;
        }
    }
    return marks;
}

}  // namespace noisyor
