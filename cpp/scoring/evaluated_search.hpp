// A relation of which only a cost function is known. It is searched by the rules that hold for any:
// the penalty, the price, m(P) + slack, and that no relation over P has a lower -ln L than the full
// table over P and all that may be added, since its distributions are among those of that table.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "scoring/relation_search.hpp"

namespace noisyor {

// Bounds on the least -ln L of a family, the upper one attained by the parameters.
struct Evaluation {
    double lower = 0, upper = 0;
    std::vector<double> parameters;
};

// Takes the parents, ascending, at least one. Several threads may call it at once.
using EvaluationFunction = std::function<Evaluation(const std::vector<int>&)>;

template <int W>
class EvaluatedRelation final : public ChildRelation<W> {
  public:
    EvaluatedRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number,
                      EvaluationFunction function)
        : ChildRelation<W>(context, spec, number), function_(std::move(function)) {}

    // Of parents in the search's numbering.
    Evaluation evaluate(const VariableSet<W>& parents) const;

    std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const override;
    std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                            const std::atomic<bool>& cancel) const override;
    std::unique_ptr<FinalFitter<W>> final_fitter() const override;

  private:
    const EvaluationFunction function_;
};

class EvaluatedLoss final : public FamilyLoss {
  public:
    explicit EvaluatedLoss(EvaluationFunction function) : function_(std::move(function)) {}
    double least(const FamilyCounts& counts, double) override {
        return function_(counts.parents).upper;
    }

  private:
    const EvaluationFunction function_;
};

template <int W>
class EvaluatedKind final : public RelationKind<W> {
  public:
    explicit EvaluatedKind(EvaluationFunction function) : function_(std::move(function)) {}

    std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                 const RelationSpec& spec, std::size_t number,
                                                 std::size_t) const override {
        return std::make_unique<EvaluatedRelation<W>>(context, spec, number, function_);
    }

    std::unique_ptr<FamilyLoss> family_loss() const override {
        return std::make_unique<EvaluatedLoss>(function_);
    }

  private:
    const EvaluationFunction function_;
};

}  // namespace noisyor
