// The relations of a child, made from what the caller says about them.
#pragma once

#include "scoring/relation_search.hpp"
#include "scoring/search_context.hpp"

namespace noisyor {

template <int W>
ChildRelations<W> make_relations(const SearchContext<W>& context);

}  // namespace noisyor
