// The shortest path search where nearly all subsets are reached and there are no cuts: distances in
// arrays over all subsets, instead of hash tables of those that are reached.
//
// This is the dynamic program over subsets (Silander and Myllymaki 2006). Subsets are gone through
// in the order of their numbers, in which tables of first families are read one entry after the
// other. A subset is left out if its distance exceeds the limit; all arcs are followed. So the
// result is that of the search in layers without its rules.
#pragma once

#include "search/lattice_search.hpp"

namespace noisyor {

// The memory for distances from the empty set and to the full one.
inline std::size_t dense_bytes(int variables) { return 2 * sizeof(Ticks) << variables; }

// Fills the result. First families are tabulated, and there are no cuts.
template <int W>
void search_all_subsets(LatticeSearch<W>& search);

extern template void search_all_subsets(LatticeSearch<1>&);
extern template void search_all_subsets(LatticeSearch<2>&);
extern template void search_all_subsets(LatticeSearch<4>&);
extern template void search_all_subsets(LatticeSearch<16>&);

}  // namespace noisyor
