#include "search/lattice_first_family.hpp"

#include <algorithm>

#include "search/share_turns.hpp"

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// The subset's place among the subsets of all variables but one that it does not hold.
template <int W>
std::size_t place_without(const VariableSet<W>& subset, int variable) {
    const Word low = (Word{1} << variable) - 1;
    return (subset.words[0] & low) | ((subset.words[0] >> 1) & ~low);
}

}  // namespace

template <int W>
std::size_t FirstFamily<W>::find(int child, const Set& subset, Ticks most) const {
    const auto& families = problem_.children[index(child)].by_ticks;
    const std::size_t size = families.base.size();
    if (!tables_.empty()) {
        const Rank rank = tables_[index(child)][place_without(subset, child)];
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
void FirstFamily<W>::tabulate(std::size_t workers) {
    tables_.resize(index(problem_.variables));
    share_turns(workers, tables_.size(),
                [&](std::size_t, std::size_t child) { fill_table(static_cast<int>(child)); });
}

template <int W>
void FirstFamily<W>::fill_table(int child) {
    const auto& families = problem_.children[index(child)].by_ticks;
    const auto none = static_cast<Rank>(families.base.size());
    std::vector<Rank>& table = tables_[index(child)];
    table.assign(std::size_t{1} << (problem_.variables - 1), none);
    for (std::size_t rank = none; rank-- > 0;) {
        table[place_without(families.parents[rank], child)] = static_cast<Rank>(rank);
    }
    // One variable at a time, a set takes over the first family of the same set without it.
    for (std::size_t bit = 1; bit < table.size(); bit *= 2) {
        for (std::size_t start = 0; start < table.size(); start += 2 * bit) {
            for (std::size_t i = start; i < start + bit; ++i) {
                table[i + bit] = std::min(table[i + bit], table[i]);
            }
        }
    }
}

template class FirstFamily<1>;
template class FirstFamily<2>;
template class FirstFamily<4>;
template class FirstFamily<16>;

}  // namespace noisyor
