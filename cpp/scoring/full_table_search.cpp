#include "scoring/full_table_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

// What searches of full tables share. `Counts` is one of the ways to count of table_counts.hpp.
// With `kByPairs`, a set below which only one more parent is worth adding is not counted itself:
// the tables are counted from the set above it, two variables at a time.
template <int W, class Counts, bool kByPairs>
class CountedSearch : public RelationSearch<W> {
  public:
    CountedSearch(const ChildRelation<W>& relation, const SearchThread<W>& thread)
        : relation_(relation),
          context_(relation.context()),
          thread_(thread),
          counts_(context_.table, context_.terms),
          levels_(static_cast<std::size_t>(context_.candidates) + 2) {}

    std::optional<Interval> begin(const SetNode<W>& root) final {
        typename Counts::Node &counts = levels_[0].counts, next;
        counts_.make_root(counts);
        context_.required.for_each([&](int v) {
            counts_.descend(counts, v, static_cast<int>(context_.order.size()), next);
            std::swap(counts, next);
        });
        levels_[0].is_counted = true;
        levels_[0].below.assign(index(context_.candidates), 0.0);  // also if it is never opened
        ++thread_.counters.evaluated[relation_.number()];
        const double cost = cost_of(root, counts);
        return Interval{cost, cost};
    }

    double bound_with(std::size_t, int) const final { return relation_.least_penalty(); }

    std::optional<Interval> evaluate(const SetNode<W>&, const SetNode<W>& node, Tail<W>&,
                                     std::size_t depth) final {
        ++thread_.counters.evaluated[relation_.number()];
        levels_[depth].bound = levels_[depth - 1].below[index(node.tail)];
        levels_[depth].variable = node.tail;
        levels_[depth].is_counted = false;
        const double limit = thread_.pass.own_limit(node) - relation_.penalty(node);
        const double cost = cost_at(depth, node, limit);
        if (cost > limit) return std::nullopt;
        return Interval{cost, cost};
    }

    bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) final {
        Level& level = levels_[depth];
        const double limit = thread_.pass.limit_below(node);
        const double room = limit - relation_.penalty_below(node);
        const auto cut = [&](Rule rule, int candidates) {
            thread_.counters.cut(relation_.number(), rule, node.size, candidates);
        };
        if (level.bound > room && context_.on(kLikelihoodRule)) {
            cut(kLikelihoodRule, tail.candidates.size());
            return false;
        }
        level.below.assign(index(node.tail), level.bound);
        // The bounds take as long as tens of tables, and counts as long as several.
        const bool adds_one = node.size + 1 >= context_.settings.max_parents ||
                              level.bound + relation_.penalty_below(node, 2) > limit;
        if (!adds_one || !kByPairs) counted(depth);
        if (adds_one || !has_bound() || !context_.on(kLikelihoodRule)) return true;
        ++thread_.counters.bounds[relation_.number()];
        bound(node, level.counts, level.below);
        if (level.below.back() > room) {
            cut(kLikelihoodRule, tail.candidates.size());
            return false;
        }
        if (!context_.on(kPrefixRule)) return true;
        while (level.below[index(tail.first)] > room) ++tail.first;
        const int dead = (tail.candidates & VariableSet<W>::below(tail.first)).size();
        if (dead > 0) cut(kPrefixRule, dead);
        return true;
    }

    // The bound is that of the root, and the counts are made when a set is opened.
    void leave_single(int) final {}
    void return_to_single(int variable) final {
        levels_[1].bound = levels_[0].below[index(variable)];
        levels_[1].variable = variable;
        levels_[1].is_counted = false;
    }

  protected:
    // The cost of the table at a set that was counted, without its penalty.
    virtual double cost_of(const SetNode<W>& node, const typename Counts::Node& counted) = 0;
    // That of the node, which adds its tail to the set that was counted; above `limit`, any number
    // above it.
    virtual double cost_with(const typename Counts::Node& counted, const SetNode<W>& node,
                             double limit) = 0;
    virtual bool has_bound() const = 0;
    // bounds[v] := what no table costs less than that adds v, and others below v, to the node. They
    // do not grow with v.
    virtual void bound(const SetNode<W>& node, const typename Counts::Node& counted,
                       std::vector<double>& bounds) = 0;

    const ChildRelation<W>& relation_;
    const SearchContext<W>& context_;
    const SearchThread<W> thread_;
    Counts counts_;

  private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }
    struct Level {
        double bound = 0;           // no table at the set or below it costs less,
        std::vector<double> below;  // nor any that adds v, and others below v
        int variable = 0;           // that the set adds to the one above
        bool is_counted = false;
        typename Counts::Node counts;
    };
    double cost_at(std::size_t depth, const SetNode<W>& node, double limit) {
        if constexpr (kByPairs) {
            const Level& above = levels_[depth - 1];
            if (!above.is_counted) {
                return counts_.cost_with(counted(depth - 2), above.variable, node.tail, limit);
            }
        }
        return cost_with(counted(depth - 1), node, limit);
    }
    // The counts of the set at a depth, made when they are first needed.
    const typename Counts::Node& counted(std::size_t depth) {
        Level& level = levels_[depth];
        if (!level.is_counted) {
            counts_.descend(counted(depth - 1), level.variable, level.variable, level.counts);
            level.is_counted = true;
        }
        return level.counts;
    }
    std::vector<Level> levels_;
};

// By the largest likelihood: the cost is -ln L.
template <int W, class Counts>
class FullTableSearch final : public CountedSearch<W, Counts, Counts::kCountsPairs> {
  public:
    using CountedSearch<W, Counts, Counts::kCountsPairs>::CountedSearch;

  protected:
    double cost_of(const SetNode<W>&, const typename Counts::Node& counted) override {
        return this->counts_.cost(counted);
    }
    double cost_with(const typename Counts::Node& counted, const SetNode<W>& node,
                     double limit) override {
        return this->counts_.cost_with(counted, node.tail, limit);
    }
    bool has_bound() const override { return Counts::kHasBound; }
    void bound(const SetNode<W>&, const typename Counts::Node& counted,
               std::vector<double>& bounds) override {
        if constexpr (Counts::kHasBound) this->counts_.prefix_bounds(counted, bounds);
    }
};

// By the marginal likelihood. Every cell counts, also one in which the child never varies.
template <int W, class Counts>
class DirichletTableSearch final : public CountedSearch<W, Counts, false> {
  public:
    DirichletTableSearch(const ChildRelation<W>& relation, const DirichletPrior& prior,
                         const SearchThread<W>& thread)
        : CountedSearch<W, Counts, false>(relation, thread), prior_(prior) {}

  protected:
    double cost_of(const SetNode<W>& node, const typename Counts::Node& counted) override {
        return cost_of_cells(node.states.configurations, kInfinity,
                             [&](auto&& f) { this->counts_.each_cell(counted, f); });
    }
    double cost_with(const typename Counts::Node& counted, const SetNode<W>& node,
                     double limit) override {
        return cost_of_cells(node.states.configurations, limit, [&](auto&& f) {
            this->counts_.each_cell_with(counted, node.tail, f);
        });
    }
    bool has_bound() const override { return true; }

    // The first records of all states in the cells of P, and the others as well as P + tail allows
    // (PruningRule.LIKELIHOOD has the proof).
    void bound(const SetNode<W>& node, const typename Counts::Node& counted,
               std::vector<double>& bounds) override {
        std::vector<int> together;  // by cell: the most states seen in one cell of P + tail
        std::int64_t first = 0;
        this->counts_.each_cell(counted, [&](const std::int64_t* counts) {
            first += states_seen(counts);
            together.push_back(1);
            return true;
        });
        const double alone = std::log(child_states());
        double cost = static_cast<double>(first) * alone;
        if constexpr (Counts::kHasBound) {
            std::vector<std::int64_t> others(static_cast<std::size_t>(child_states()));
            this->counts_.each_last_cell(
                counted, [&](std::size_t cell, const std::int64_t* counts) {
                    together[cell] = std::max(together[cell], states_seen(counts));
                    for (std::size_t s = 0; s < others.size(); ++s) {
                        others[s] = std::max<std::int64_t>(0, counts[s] - 1);
                    }
                    cost += this->context_.terms.cell(others.data(), child_states());
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
        std::fill(bounds.begin(), bounds.end(), cost);
    }

  private:
    // `visit` calls a function with the counts of each cell. Stops early, with something above
    // `limit`, once that is certain: no cell costs less than nothing.
    template <class Visit>
    double cost_of_cells(double configurations, double limit, Visit&& visit) const {
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

    int child_states() const { return this->context_.table.child_states; }
    int states_seen(const std::int64_t* counts) const {
        int seen = 0;
        for (int s = 0; s < child_states(); ++s) seen += counts[s] > 0;
        return seen;
    }

    const DirichletPrior prior_;
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
