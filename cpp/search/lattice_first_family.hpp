// The cheapest family of a child whose parents are all placed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_problem.hpp"

namespace noisyor {

template <int W>
class FirstFamily {
  public:
    using Set = VariableSet<W>;
    using Rank = std::uint32_t;

    // Up to this many variables a table of all subsets may be made.
    static constexpr int kMaxTabulated = 25;

    explicit FirstFamily(const LatticeProblem<W>& problem) : problem_(problem) {}

    // From here on `find` looks up a table; results are the same. It pays if most subsets are met.
    // If cancelled, tables may be missing, and nothing may be looked up.
    void tabulate(std::size_t workers, const std::atomic<bool>& cancel);
    static std::size_t table_bytes(int variables) {
        return sizeof(Rank) * static_cast<std::size_t>(variables) << (variables - 1);
    }
    std::size_t table_bytes() const {
        std::size_t sum = 0;
        for (const auto& table : tables_) sum += table.size() * sizeof(Rank);
        return sum;
    }

    // The rank, in by_ticks, of the child's first family with parents within the subset and base at
    // most `most`; the number of its families if there is none.
    std::size_t find(int child, const Set& subset, Ticks most) const;

    // The same from the table, whatever its base, of a subset of the first 64 variables.
    std::size_t tabulated(int child, Word subset) const {
        return tables_[static_cast<std::size_t>(child)][place_without(subset, child)];
    }

  private:
    // The subset's place among the subsets of all variables but one that it does not hold.
    static std::size_t place_without(Word subset, int variable) {
        const Word low = (Word{1} << variable) - 1;
        return (subset & low) | ((subset >> 1) & ~low);
    }
    void fill_table(int child);

    const LatticeProblem<W>& problem_;
    std::vector<std::vector<Rank>> tables_;  // per child over the subsets of the others
};

extern template class FirstFamily<1>;
extern template class FirstFamily<2>;
extern template class FirstFamily<4>;
extern template class FirstFamily<16>;

}  // namespace noisyor
