#include "scoring/evaluated_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

template <int W, bool kBinary>
class EvaluatedSearch final : public RelationSearch<W> {
  public:
    EvaluatedSearch(const EvaluatedRelation<W>& relation, const SearchThread<W>& thread)
        : relation_(relation),
          context_(relation.context()),
          thread_(thread),
          counts_(context_.table, context_.terms),
          levels_(static_cast<std::size_t>(context_.candidates) + 2) {}

    std::optional<Interval> begin(const SetNode<W>& root) override {
        counts_.make_root(levels_[0].counts);
        typename Configurations<W, kBinary>::Node next;
        context_.required.for_each([&](int v) {
            counts_.descend(levels_[0].counts, v, static_cast<int>(context_.order.size()), next);
            std::swap(levels_[0].counts, next);
        });
        if (root.size == 0) return std::nullopt;  // the child on its own is always a full table
        return evaluate_family(root);
    }

    double bound_with(std::size_t depth, int) const override { return levels_[depth].bound; }

    std::optional<Interval> evaluate(const SetNode<W>&, const SetNode<W>& node, Tail<W>&,
                                     std::size_t) override {
        return evaluate_family(node);
    }

    bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) override {
        Level& level = levels_[depth];
        level.bound = relation_.least_penalty();
        if (!context_.on(kLikelihoodRule)) return true;
        if (depth > 0) {
            counts_.descend(levels_[depth - 1].counts, node.tail, node.tail, level.counts);
        }
        ++thread_.counters.bounds[relation_.number()];
        level.bound = counts_.bound(level.counts) + relation_.penalty_below(node);
        if (level.bound <= thread_.pass.limit_below(node)) return true;
        thread_.counters.cut(relation_.number(), kLikelihoodRule, node.size,
                             tail.candidates.size());
        return false;
    }

    void leave_single(int) override {}
    void return_to_single(int) override {}

  private:
    std::optional<Interval> evaluate_family(const SetNode<W>& node) {
        ++thread_.counters.evaluated[relation_.number()];
        const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
        if (limit < 0) return std::nullopt;
        const Evaluation shown = relation_.evaluate(node.parents);
        if (shown.lower > limit || shown.upper == kInfinity) return std::nullopt;
        return Interval{shown.lower, shown.upper};
    }

    struct Level {
        double bound = 0;  // no family below the set costs less
        typename Configurations<W, kBinary>::Node counts;
    };

    const EvaluatedRelation<W>& relation_;
    const SearchContext<W>& context_;
    const SearchThread<W> thread_;
    Configurations<W, kBinary> counts_;
    std::vector<Level> levels_;
};

template <int W>
class EvaluatedScout final : public RelationScout<W> {
  public:
    explicit EvaluatedScout(const EvaluatedRelation<W>& relation) : relation_(relation) {}
    // All of them, as nothing is known of the relation; the most useful first.
    std::vector<int> promising() override {
        std::vector<int> candidates(static_cast<std::size_t>(relation_.context().candidates));
        std::iota(candidates.rbegin(), candidates.rend(), 0);
        return candidates;
    }
    Interval evaluate(const VariableSet<W>& parents) override {
        const Evaluation shown = relation_.evaluate(parents);
        return {shown.lower, shown.upper};
    }

  private:
    const EvaluatedRelation<W>& relation_;
};

template <int W>
class LastEvaluation final : public FinalFitter<W> {
  public:
    explicit LastEvaluation(const EvaluatedRelation<W>& relation) : relation_(relation) {}
    FinalFit fit(const Candidate<W>& family, const FinalFit*, const std::atomic<bool>&) override {
        const SearchSettings& settings = relation_.context().settings;
        Evaluation shown = relation_.evaluate(family.parents);
        const double penalty = relation_.penalty(family.parents);
        const double gap = std::max(settings.gap, settings.relative_gap * std::abs(shown.upper));
        return {.cost = shown.upper + penalty,
                .lower = shown.lower + penalty,
                .parameters = std::move(shown.parameters),
                .fitted = true,
                .converged = shown.upper - shown.lower <= gap};
    }

  private:
    const EvaluatedRelation<W>& relation_;
};

}  // namespace

template <int W>
Evaluation EvaluatedRelation<W>::evaluate(const VariableSet<W>& parents) const {
    return function_(this->context().callers_variables(parents));
}

template <int W>
std::unique_ptr<RelationSearch<W>> EvaluatedRelation<W>::search(
    const SearchThread<W>& thread) const {
    if (this->context().table.is_binary) {
        return std::make_unique<EvaluatedSearch<W, true>>(*this, thread);
    }
    return std::make_unique<EvaluatedSearch<W, false>>(*this, thread);
}

template <int W>
std::unique_ptr<RelationScout<W>> EvaluatedRelation<W>::scout(SearchCounters&,
                                                              const std::atomic<bool>&) const {
    return std::make_unique<EvaluatedScout<W>>(*this);
}

template <int W>
std::unique_ptr<FinalFitter<W>> EvaluatedRelation<W>::final_fitter() const {
    return std::make_unique<LastEvaluation<W>>(*this);
}

template class EvaluatedRelation<1>;
template class EvaluatedRelation<2>;
template class EvaluatedRelation<4>;
template class EvaluatedRelation<16>;
template class EvaluatedRelation<64>;

}  // namespace noisyor
