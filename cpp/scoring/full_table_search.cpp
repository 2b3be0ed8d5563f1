#include "scoring/full_table_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

// The same for marginal likelihoods. Every cell counts, also one in which the child never varies.
template <int W, class Counts>
class DirichletTableSearch final : public RelationSearch<W> {
  public:
    DirichletTableSearch(const ChildRelation<W>& relation, const DirichletPrior& prior,
                         const SearchThread<W>& thread)
        : relation_(relation),
          context_(relation.context()),
          prior_(prior),
          thread_(thread),
          counts_(context_.table, context_.terms),
          levels_(static_cast<std::size_t>(context_.candidates) + 2) {}

    std::optional<Interval> begin(const SetNode<W>& root) override {
        Level& level = levels_[0];
        counts_.make_root(level.counts);
        typename Counts::Node next;
        context_.required.for_each([&](int v) {
            counts_.descend(level.counts, v, static_cast<int>(context_.order.size()), next);
            std::swap(level.counts, next);
        });
        ++thread_.counters.evaluated[relation_.number()];
        const double cost = cost_of(root.states.configurations, kInfinity,
                                    [&](auto&& f) { counts_.each_cell(level.counts, f); });
        return Interval{cost, cost};
    }

    double bound_with(std::size_t, int) const override { return relation_.least_penalty(); }

    std::optional<Interval> evaluate(const SetNode<W>&, const SetNode<W>& node, Tail<W>&,
                                     std::size_t depth) override {
        ++thread_.counters.evaluated[relation_.number()];
        levels_[depth].bound = levels_[depth - 1].bound;
        const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
        const double cost = cost_of(node.states.configurations, limit, [&](auto&& f) {
            counts_.each_cell_with(levels_[depth - 1].counts, node.tail, f);
        });
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
        if (!context_.on(kLikelihoodRule)) return true;
        ++thread_.counters.bounds[relation_.number()];
        level.bound = bound(node, level.counts);
        return survives();
    }

    void leave_single(int) override {}
    void return_to_single(int) override { levels_[1].bound = levels_[0].bound; }

  private:
    struct Level {
        double bound = 0;  // no table at the set or below it costs less
        typename Counts::Node counts;
    };

    // `visit` calls a function with the counts of each cell. Stops early, with something above
    // `limit`, once that is certain: no cell costs less than nothing.
    template <class Visit>
    double cost_of(double configurations, double limit, Visit&& visit) const {
        std::size_t observed = 0;
        if (prior_.divided_by == DividedBy::kObserved) {
            visit([&](const std::int64_t* counts) {
                observed += states_seen(counts) > 0;
                return true;
            });
        }
        const DirichletCells cells(prior_, child_states(), configurations, observed);
        double cost = 0;
        visit([&](const std::int64_t* counts) {
            cost += cells.cost(counts);
            return cost <= limit;
        });
        return cost;
    }

    // The first records of all states in the cells of P, and the others as well as P + tail allows
    // (PruningRule.LIKELIHOOD has the proof).
    double bound(const SetNode<W>& node, const typename Counts::Node& counted) const {
        std::vector<int> together;  // by cell: the most states seen in one cell of P + tail
        std::int64_t first = 0;
        counts_.each_cell(counted, [&](const std::int64_t* counts) {
            first += states_seen(counts);
            together.push_back(1);
            return true;
        });
        const double alone = std::log(child_states());
        double cost = static_cast<double>(first) * alone;
        if constexpr (Counts::kHasBound) {
            std::vector<std::int64_t> others(static_cast<std::size_t>(child_states()));
            counts_.each_last_cell(counted, [&](std::size_t cell, const std::int64_t* counts) {
                together[cell] = std::max(together[cell], states_seen(counts));
                for (std::size_t s = 0; s < others.size(); ++s) {
                    others[s] = std::max<std::int64_t>(0, counts[s] - 1);
                }
                cost += context_.terms.cell(others.data(), child_states());
            });
            const DirichletCells cells(prior_, child_states(), node.states.configurations,
                                       together.size());
            std::vector<std::int64_t> one_each(others.size(), 0);
            std::vector<double> dearer(others.size() + 1, 0);  // by the states seen together
            for (std::size_t seen = 1; seen < dearer.size(); ++seen) {
                one_each[seen - 1] = 1;
                dearer[seen] = cells.cost(one_each.data()) - static_cast<double>(seen) * alone;
            }
            for (const int seen : together) cost += dearer[static_cast<std::size_t>(seen)];
        }
        return cost;
    }

    int child_states() const { return context_.table.child_states; }
    int states_seen(const std::int64_t* counts) const {
        int seen = 0;
        for (int s = 0; s < child_states(); ++s) seen += counts[s] > 0;
        return seen;
    }

    const ChildRelation<W>& relation_;
    const SearchContext<W>& context_;
    const DirichletPrior prior_;
    const SearchThread<W> thread_;
    mutable Counts counts_;  // with memory to work in
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
        const bool bits = this->context().settings.counts == CountsBy::kBitColumns;
        if (prior_ && bits) {
            return std::make_unique<DirichletTableSearch<W, BitColumns<W, kBinary, true>>>(
                *this, *prior_, thread);
        }
        if (prior_) {
            return std::make_unique<DirichletTableSearch<W, Configurations<W, kBinary, true>>>(
                *this, *prior_, thread);
        }
        if (bits) {
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

double DirichletLoss::least(const FamilyCounts& counts, double) {
    double configurations = 1;
    for (const int states : counts.parent_states) configurations *= states;
    const DirichletCells cells(prior_, counts.child_states, configurations, counts.cells);
    double cost = 0;
    for (std::size_t cell = 0; cell < counts.cells; ++cell) {
        cost += cells.cost(&counts.counts[cell * static_cast<std::size_t>(counts.child_states)]);
    }
    return cost;
}

template class FullTableRelation<1>;
template class FullTableRelation<2>;
template class FullTableRelation<4>;
template class FullTableRelation<16>;
template class FullTableRelation<64>;

}  // namespace noisyor
