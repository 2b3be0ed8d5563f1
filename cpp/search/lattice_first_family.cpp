#include "search/lattice_first_family.hpp"

#include <algorithm>

#include "search/share_turns.hpp"

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// Entries of a table that are done together, so that they stay in a fast cache.
constexpr std::size_t kNearEntries = 1024;
constexpr int kBitsAPass = 6;

template <class Rank>
void take_lesser(Rank* to, const Rank* from, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] = std::min(to[i], from[i]);
}

// One bit at a time, an entry takes over that of the place without the bit if it is less: for the
// bits below `end`, in each block of that many entries.
template <class Rank>
void take_over_near(std::vector<Rank>& table, std::size_t end) {
    for (std::size_t block = 0; block < table.size(); block += end) {
        for (std::size_t bit = 1; bit < end; bit *= 2) {
            for (std::size_t at = block; at < block + end; at += 2 * bit) {
                take_lesser(table.data() + at + bit, table.data() + at, bit);
            }
        }
    }
}

// The same for the bits from `first`, at least kNearEntries, to below `end`.
template <class Rank>
void take_over_far(std::vector<Rank>& table, std::size_t first, std::size_t end) {
    for (std::size_t block = 0; block < table.size(); block += end) {
        for (std::size_t column = block; column < block + first; column += kNearEntries) {
            for (std::size_t bit = first; bit < end; bit *= 2) {
                for (std::size_t row = 0; row < end; row += first) {
                    if ((row & bit) != 0) continue;
                    Rank* from = table.data() + column + row;
                    take_lesser(from + bit, from, kNearEntries);
                }
            }
        }
    }
}

}  // namespace

template <int W>
std::size_t FirstFamily<W>::find(int child, const Set& subset, Ticks most) const {
    const auto& families = problem_.children[index(child)].by_ticks;
    const std::size_t size = families.base.size();
    if (!tables_.empty()) {
        const std::size_t rank = tabulated(child, subset.words[0]);
        return rank < size && families.base[rank] <= most ? rank : size;
    }
    const Set outside = problem_.all - subset;
    for (std::size_t block = 0; block < size; block += kFamilyBlock) {
        if (families.base[block] > most) return size;
        const Set* parents = families.parents.data() + block;
        bool any = false;
        for (std::size_t i = 0; i < kFamilyBlock; ++i) any |= !parents[i].meets(outside);
        if (!any) continue;
        std::size_t rank = block;
        while (families.parents[rank].meets(outside)) ++rank;
        return families.base[rank] <= most ? rank : size;
    }
    return size;
}

template <int W>
void FirstFamily<W>::tabulate(std::size_t workers, const std::atomic<bool>& cancel) {
    tables_.resize(index(problem_.variables));
    share_turns(workers, tables_.size(), [&](std::size_t, std::size_t child) {
        if (!cancel.load(std::memory_order_relaxed)) fill_table(static_cast<int>(child));
    });
}

template <int W>
void FirstFamily<W>::fill_table(int child) {
    const auto& families = problem_.children[index(child)].by_ticks;
    const auto none = static_cast<Rank>(families.base.size());
    std::vector<Rank>& table = tables_[index(child)];
    table.assign(std::size_t{1} << (problem_.variables - 1), none);
    for (std::size_t rank = none; rank-- > 0;) {
        table[place_without(families.parents[rank].words[0], child)] = static_cast<Rank>(rank);
    }
    // One variable at a time, a set takes over the first family of the same set without it.
    std::size_t done = std::min(table.size(), kNearEntries);
    take_over_near(table, done);
    while (done < table.size()) {
        const std::size_t end = std::min(table.size(), done << kBitsAPass);
        take_over_far(table, done, end);
        done = end;
    }
}

template class FirstFamily<1>;
template class FirstFamily<2>;
template class FirstFamily<4>;
template class FirstFamily<16>;

}  // namespace noisyor
