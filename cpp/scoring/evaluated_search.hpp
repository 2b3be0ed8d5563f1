// A relation of which only a cost function is known. It is searched by the rules that hold for any:
// the penalty, the price, m(P) + slack, and that no relation over P has a lower -ln L than the full
// table over P and all that may be added, since its distributions are among those of that table.
#pragma once

#include <functional>
#include <memory>

#include "scoring/relation_search.hpp"

namespace noisyor {

template <int W>
class EvaluatedRelation final : public ChildRelation<W> {
  public:
    using Function = std::function<Evaluation(const std::vector<int>&)>;
    EvaluatedRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number,
                      Function function)
        : ChildRelation<W>(context, spec, number), function_(std::move(function)) {}

    // Of parents in the search's numbering.
    Evaluation evaluate(const VariableSet<W>& parents) const;

    std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const override;
    std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                            const std::atomic<bool>& cancel) const override;
    std::unique_ptr<FinalFitter<W>> final_fitter() const override;

  private:
    const Function function_;
};

}  // namespace noisyor
