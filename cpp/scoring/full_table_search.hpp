// Full tables: a distribution of the child for each configuration of its parents.
#pragma once

#include <memory>

#include "scoring/relation_search.hpp"

namespace noisyor {

template <int W>
class FullTableRelation final : public ChildRelation<W> {
  public:
    using ChildRelation<W>::ChildRelation;

    std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const override;
    std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                            const std::atomic<bool>& cancel) const override;
    std::unique_ptr<FinalFitter<W>> final_fitter() const override;
};

template <int W>
class FullTableKind final : public RelationKind<W> {
  public:
    std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                 const RelationSpec& spec, std::size_t number,
                                                 std::size_t) const override {
        return std::make_unique<FullTableRelation<W>>(context, spec, number);
    }
};

}  // namespace noisyor
