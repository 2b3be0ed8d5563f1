// Scans of long lists of parent sets, in blocks so that compilers vectorise them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "variable_set.hpp"

namespace noisyor {

// The first of the sets from `begin` to `end` that agrees with `wanted` on the variables in `mask`;
// `end` if there is none.
template <int W>
std::size_t find_first(const VariableSet<W>* sets, std::size_t begin, std::size_t end,
                       const VariableSet<W>& mask, const VariableSet<W>& wanted) {
    constexpr std::size_t kBlock = 16;
    const auto agrees = [&](const VariableSet<W>& set) {
        Word differing = 0;
        for (int i = 0; i < W; ++i) differing |= (set.words[i] & mask.words[i]) ^ wanted.words[i];
        return differing == 0;
    };
    std::size_t at = begin;
    for (; at + kBlock <= end; at += kBlock) {
        Word any = 0;
        for (std::size_t i = 0; i < kBlock; ++i) any |= agrees(sets[at + i]) ? 1 : 0;
        if (any != 0) break;
    }
    while (at < end && !agrees(sets[at])) ++at;
    return at;
}

// The first of the sets that lies within `within`.
template <int W>
std::size_t find_subset(const VariableSet<W>* sets, std::size_t begin, std::size_t end,
                        const VariableSet<W>& within) {
    VariableSet<W> outside;
    for (int i = 0; i < W; ++i) outside.words[i] = ~within.words[i];
    return find_first(sets, begin, end, outside, VariableSet<W>{});
}

}  // namespace noisyor
