// -ln L of full tables along the path of a search. No relation over the same parents has less.
#pragma once

#include <cstddef>
#include <memory>

#include "scoring/search_context.hpp"

namespace noisyor {

// The path starts at the set of required parents, at depth 0, and adds a candidate at each depth.
// Sets are counted when first asked for.
template <int W>
class TableLosses {
  public:
    virtual ~TableLosses() = default;
    // The candidate that the set at `depth` adds; each is numbered below the one before.
    virtual void enter(std::size_t depth, int variable) = 0;
    // Of the set at `depth` and a candidate numbered below its own; above `limit`, any number above
    // it.
    virtual double with(std::size_t depth, int variable, double limit) = 0;
};

template <int W>
std::unique_ptr<TableLosses<W>> table_losses(const SearchContext<W>& context);

// Whether sets of at most `room` candidates are few enough to look at the table of each. A look
// takes about a thousandth of the time of a bound over many candidates.
bool are_few_sets(int candidates, int room);

}  // namespace noisyor
