// What the lattice kernels precompute about families and cuts: per child the families in two
// orders.
//
// S saturates a cut for v if it has a variable of v's class, or reaches `need` classes. Write
// q(v, P | S) = rc(v, P) + the weights of the cuts that (v, P) counts in and that S saturates for
// v. The ticks of a network are the duals' lower bound plus the sum of q over its families, each
// with the set S placed before its child in any topological order: exactly the first members of the
// first `need` classes find a cut unsaturated, each of them counts, and rc has already taken off
// the weight for all that count. So q is a length on the arcs S -> S + v of the lattice of subsets.
// It is not negative and does not fall as S grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/families.hpp"

namespace noisyor {

// A set of cuts as bits, cut c in word c / kWordBits.
using CutBits = std::vector<Word>;

// A cut for the children of one class, or for all those that are classes of their own.
template <int W>
struct LatticeCut {
    std::size_t cluster = 0;
    VariableSet<W> children;
    VariableSet<W> own;  // their class; empty for those of their own
    Ticks weight = 0;
};

template <int W>
struct LatticeChild {
    using Set = VariableSet<W>;

    // A family with P within S counts in every cut of its child that S leaves unsaturated: its
    // length is `base` plus the weights of the saturated cuts of the child. So the first family
    // within S, ascending by base, is the shortest, whatever the cuts.
    struct ByTicks {
        std::vector<Set> parents;  // padded to whole blocks by sets that are never within S
        std::vector<Ticks> base;
        std::vector<std::size_t> family;
    };
    // For bounds, which also weigh families with parents outside S.
    struct ByReducedCost {
        std::vector<Set> parents;
        std::vector<Ticks> rc;
        std::vector<Word> counted;  // cut_words a family: the cuts it counts in
    };
    ByTicks by_ticks;
    ByReducedCost by_rc;
    CutBits cuts;  // those the child is a member of
    Set parents;   // of any family
};

template <int W>
struct LatticeProblem {
    using Set = VariableSet<W>;

    int variables = 0;
    Set all;
    std::size_t families = 0;
    std::vector<LatticeChild<W>> children;
    std::vector<Cut<W>> clusters;
    std::vector<LatticeCut<W>> cuts;  // descending by weight, so that sums soon exceed a limit
    std::size_t cut_words = 0;

    // Takes the clusters with weights. Leaves out the families whose rc alone is above the limit: q
    // is at least rc, and no length is negative.
    static LatticeProblem prepare(const FamilyTable<W>& table, std::vector<Cut<W>> clusters,
                                  const Ticks* pi, const Ticks* rc, Ticks limit);

    // The cuts that the subset saturates for their children.
    void saturated(const Set& subset, CutBits& out) const;

    // The weights of the cuts in both sets, or some number above the limit if they exceed it.
    Ticks weight_of(const Word* some, const Word* others, Ticks limit) const {
        Ticks sum = 0;
        for (std::size_t i = 0; i < cut_words; ++i) {
            for (Word w = some[i] & others[i]; w != 0; w &= w - 1) {
                sum += cuts[i * kWordBits + static_cast<std::size_t>(std::countr_zero(w))].weight;
                if (sum > limit) return sum;
            }
        }
        return sum;
    }
};

// How many families are tested at once for a parent set within a subset.
inline constexpr std::size_t kFamilyBlock = 16;

extern template struct LatticeProblem<1>;
extern template struct LatticeProblem<2>;
extern template struct LatticeProblem<4>;
extern template struct LatticeProblem<16>;

}  // namespace noisyor
