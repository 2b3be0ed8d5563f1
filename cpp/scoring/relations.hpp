// The relations of a child, made from what the caller says about them: the one place that knows
// which kinds there are.
#pragma once

#include <vector>

#include "scoring/relation_search.hpp"
#include "scoring/relation_spec.hpp"
#include "scoring/search_context.hpp"

namespace noisyor {

template <int W>
ChildRelations<W> make_relations(const SearchContext<W>& context);

// Which candidates the relations in use find useful.
struct UsefulCandidates {
    bool irreplaceable = false;  // those that a noisy-OR of all candidates would miss
    bool raising = false;        // those that make the child more likely, not less
};
UsefulCandidates useful_candidates(const std::vector<RelationSpec>& relations);

}  // namespace noisyor
