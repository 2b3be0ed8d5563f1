#include "scoring/full_table_search.hpp"

#include <utility>

#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

// `Counts` is one of the two ways to count of table_counts.hpp.
template <int W, class Counts>
class FullTableSearch final : public RelationSearch<W> {
  public:
    FullTableSearch(const ChildRelation<W>& relation, const SearchThread<W>& thread)
        : relation_(relation),
          context_(relation.context()),
          thread_(thread),
          counts_(context_.table, context_.terms),
          levels_(static_cast<std::size_t>(context_.candidates) + 2) {}

    std::optional<Interval> begin(const SetNode<W>&) override {
        Level& root = levels_[0];
        counts_.make_root(root.counts);
        typename Counts::Node next;
        context_.required.for_each([&](int v) {
            counts_.descend(root.counts, v, static_cast<int>(context_.order.size()), next);
            std::swap(root.counts, next);
        });
        ++thread_.counters.evaluated[relation_.number()];
        const double cost = counts_.cost(root.counts);
        return Interval{cost, cost};
    }

    // The bound of a level is on -ln L, and waits until its sets are opened.
    double bound_with(std::size_t, int) const override { return relation_.least_penalty(); }

    std::optional<Interval> evaluate(const SetNode<W>&, const SetNode<W>& node, Tail<W>&,
                                     std::size_t depth) override {
        ++thread_.counters.evaluated[relation_.number()];
        levels_[depth].bound = levels_[depth - 1].bound;
        const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
        const double cost = counts_.cost_with(levels_[depth - 1].counts, node.tail, limit);
        if (cost > limit) return std::nullopt;
        return Interval{cost, cost};
    }

    bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) override {
        Level& level = levels_[depth];
        const double room = thread_.pass.limit_below(node) - relation_.penalty_below(node);
        const auto survives = [&] {
            if (level.bound <= room || !context_.on(kLikelihoodRule)) return true;
            thread_.counters.cut(relation_.number(), kLikelihoodRule, node.size,
                                 tail.candidates.size());
            return false;
        };
        if (!survives()) return false;
        if (depth > 0) {
            counts_.descend(levels_[depth - 1].counts, node.tail, node.tail, level.counts);
        }
        if constexpr (Counts::kHasBound) {
            if (!context_.on(kLikelihoodRule)) return true;
            ++thread_.counters.bounds[relation_.number()];
            level.bound = counts_.bound(level.counts);
            return survives();
        }
        return true;
    }

    // The bound is that of the root, and the counts are made when a set is opened.
    void leave_single(int) override {}
    void return_to_single(int) override { levels_[1].bound = levels_[0].bound; }

  private:
    struct Level {
        double bound = 0;  // no full table below the set has a lower -ln L
        typename Counts::Node counts;
    };

    const ChildRelation<W>& relation_;
    const SearchContext<W>& context_;
    const SearchThread<W> thread_;
    Counts counts_;
    std::vector<Level> levels_;
};

// The counts give a table's exact cost.
template <int W>
class NothingToFit final : public FinalFitter<W> {
  public:
    FinalFit fit(const Candidate<W>& family, const FinalFit*, const std::atomic<bool>&) override {
        return {.cost = family.upper, .lower = family.lower, .parameters = {}};
    }
};

}  // namespace

template <int W>
std::unique_ptr<RelationSearch<W>> FullTableRelation<W>::search(
    const SearchThread<W>& thread) const {
    const auto make = [&]<bool kBinary>() -> std::unique_ptr<RelationSearch<W>> {
        if (this->context().settings.counts == CountsBy::kBitColumns) {
            return std::make_unique<FullTableSearch<W, BitColumns<W, kBinary>>>(*this, thread);
        }
        return std::make_unique<FullTableSearch<W, Configurations<W, kBinary>>>(*this, thread);
    };
    return this->context().table.is_binary ? make.template operator()<true>()
                                           : make.template operator()<false>();
}

template <int W>
std::unique_ptr<RelationScout<W>> FullTableRelation<W>::scout(SearchCounters&,
                                                              const std::atomic<bool>&) const {
    return nullptr;
}

template <int W>
std::unique_ptr<FinalFitter<W>> FullTableRelation<W>::final_fitter() const {
    return std::make_unique<NothingToFit<W>>();
}

template class FullTableRelation<1>;
template class FullTableRelation<2>;
template class FullTableRelation<4>;
template class FullTableRelation<16>;
template class FullTableRelation<64>;

}  // namespace noisyor
