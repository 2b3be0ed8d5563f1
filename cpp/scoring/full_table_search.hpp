// Full tables: a distribution of the child for each configuration of its parents. They are compared
// by their largest likelihood, or by their marginal likelihood under a Dirichlet prior.
#pragma once

#include <memory>
#include <optional>

#include "scoring/dirichlet.hpp"
#include "scoring/relation_search.hpp"

namespace noisyor {

template <int W>
class FullTableRelation final : public ChildRelation<W> {
  public:
    FullTableRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number,
                      const std::optional<DirichletPrior>& prior)
        : ChildRelation<W>(context, spec, number), prior_(prior) {}

    std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const override;
    std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                            const std::atomic<bool>& cancel) const override;
    std::unique_ptr<FinalFitter<W>> final_fitter() const override;

  private:
    const std::optional<DirichletPrior> prior_;
};

// The cost of single tables under a Dirichlet prior.
class DirichletLoss final : public FamilyLoss {
  public:
    explicit DirichletLoss(const DirichletPrior& prior) : prior_(prior) {}
    double least(const FamilyCounts& counts, double reject_above) override;

  private:
    const DirichletPrior prior_;
};

template <int W>
class FullTableKind final : public RelationKind<W> {
  public:
    explicit FullTableKind(const std::optional<DirichletPrior>& prior) : prior_(prior) {}

    std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                 const RelationSpec& spec, std::size_t number,
                                                 std::size_t) const override {
        return std::make_unique<FullTableRelation<W>>(context, spec, number, prior_);
    }

    std::unique_ptr<FamilyLoss> family_loss() const override {
        if (!prior_) return nullptr;
        return std::make_unique<DirichletLoss>(*prior_);
    }

  private:
    const std::optional<DirichletPrior> prior_;
};

}  // namespace noisyor
