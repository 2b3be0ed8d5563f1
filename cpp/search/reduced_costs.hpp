// What weights on cuts leave of each family's cost; search/bounds/duals.py defines pi and rc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/families.hpp"

namespace noisyor {

// Whether a set has fewer than Need members. One word is cleared bit by bit: unlike a population
// count, compilers turn that into vector code.
template <int Need, int W>
inline bool is_smaller_than(const VariableSet<W>& set) {
    if constexpr (Need == 1) {
        return set.empty();
    } else if constexpr (W == 1) {
        Word left = set.words[0];
        for (int i = 1; i < Need; ++i) left &= left - 1;
        return left == 0;
    } else {
        return set.size() < Need;
    }
}

template <int Need, int W>
void subtract_reward_of(const Cut<W>& cut, const Word* parents, std::size_t size, Ticks* net) {
    for (std::size_t f = 0; f < size; ++f) {
        const auto inside = VariableSet<W>::load(parents + f * W) & cut.members;
        net[f] -= is_smaller_than<Need>(inside) ? cut.weight : 0;
    }
}

template <int W>
void subtract_reward(const Cut<W>& cut, int child, const Word* parents, std::size_t size,
                     Ticks* net) {
    switch (cut.is_plain() ? cut.need : 0) {
        case 1:
            return subtract_reward_of<1>(cut, parents, size, net);
        case 2:
            return subtract_reward_of<2>(cut, parents, size, net);
        case 3:
            return subtract_reward_of<3>(cut, parents, size, net);
        case 4:
            return subtract_reward_of<4>(cut, parents, size, net);
        default:
            const VariableSet<W> own = cut.class_of(child);
            for (std::size_t f = 0; f < size; ++f) {
                const auto set = VariableSet<W>::load(parents + f * W);
                net[f] -= cut.counts(own, set) ? cut.weight : 0;
            }
    }
}

struct ReducedCosts {
    std::vector<Ticks> pi;
    std::vector<Ticks> rc;
};

template <int W>
ReducedCosts reduced_costs(const std::int64_t* first, std::size_t variables, const Word* parents,
                           const Ticks* ticks, const std::vector<Cut<W>>& cuts) {
    constexpr std::size_t kBlock = 1024;  // families whose parents and costs stay in the cache
    ReducedCosts out;
    out.pi.resize(variables);
    out.rc.assign(ticks, ticks + first[variables]);
    std::vector<Cut<W>> own;
    for (std::size_t v = 0; v < variables; ++v) {
        own.clear();
        for (const Cut<W>& cut : cuts) {
            if (cut.members.contains(static_cast<int>(v))) own.push_back(cut);
        }
        const auto begin = static_cast<std::size_t>(first[v]);
        const auto end = static_cast<std::size_t>(first[v + 1]);
        for (std::size_t from = begin; from < end; from += kBlock) {
            const std::size_t size = std::min(kBlock, end - from);
            for (const Cut<W>& cut : own) {
                subtract_reward(cut, static_cast<int>(v), parents + from * W, size, &out.rc[from]);
            }
        }
        const auto net = out.rc.begin();
        out.pi[v] = *std::min_element(net + begin, net + end);
        for (std::size_t f = begin; f < end; ++f) out.rc[f] -= out.pi[v];
    }
    return out;
}

}  // namespace noisyor
