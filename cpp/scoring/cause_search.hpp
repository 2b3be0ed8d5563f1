// Independent causes, of any form: noisy-ORs and their kin, and the rules that prune them.
#pragma once

#include <memory>
#include <vector>

#include "scoring/cause_fits.hpp"
#include "scoring/relation_search.hpp"
#include "scoring/table_losses.hpp"

namespace noisyor {

template <int W>
class CauseRelation final : public ChildRelation<W> {
  public:
    // `memory`: bytes for what fits have shown, of which the quick looks have a part.
    CauseRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number,
                  const ColumnForm& form, std::size_t memory)
        : ChildRelation<W>(context, spec, number),
          problem_(context, form, this->least_steps()),
          memory_(memory - memory / 8),
          scouting_(memory / 8) {}

    const CauseProblem<W>& problem() const { return problem_; }

    std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const override;
    std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                            const std::atomic<bool>& cancel) const override;
    std::unique_ptr<FinalFitter<W>> final_fitter() const override;
    std::size_t memory_bytes() const override { return memory_.bytes() + scouting_.bytes(); }

  private:
    const CauseProblem<W> problem_;
    // What a scout finds must not depend on what searches have shown.
    mutable FitMemory<W> memory_, scouting_;
};

template <int W>
class CausesKind final : public RelationKind<W> {
  public:
    explicit CausesKind(const ColumnForm& form) : form_(form) {}

    std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                 const RelationSpec& spec, std::size_t number,
                                                 std::size_t memory) const override {
        return std::make_unique<CauseRelation<W>>(context, spec, number, form_, memory);
    }
    bool remembers_fits() const override { return true; }
    std::size_t record_bits(const std::vector<int>& states) const override {
        return columns_in_all(states, form_);
    }
    std::unique_ptr<FamilyLoss> family_loss() const override {
        return loss_of_causes(form_.leak, form_.minimum, form_.any_state);
    }
    // A leak can take the place of any cause.
    UsefulCandidates useful_candidates() const override {
        return {.irreplaceable = !form_.leak,
                .raising = form_.leak && !form_.any_state,
                .lowering = form_.any_state};
    }
    CandidateLosses losses(const RecordsView& view, int child, const std::vector<int>& order,
                           const SearchSettings& settings, bool refits,
                           const std::atomic<bool>& cancel) const override {
        return losses_without<W>(ColumnRecords<W>(view, child, order, form_), settings, refits,
                                 cancel);
    }

  private:
    const ColumnForm form_;
};

// What is known of a set on the way. Bounds are on costs.
template <int W>
struct CauseLevel {
    bool has_few_below = false;         // so that each set below is bounded by its full table
    bool has_slopes = false;            // whether the sloped problem over P + candidates was solved
    double paid = 0;                    // by the candidates in its optimum, for their strength
    std::vector<double> with;           // no family below the set that has candidate j costs less
    std::vector<double> prefix_bounds;  // nor one that adds only candidates up to j
    NearByLevel near;                   // lambdas of a fit over P + candidates or so
};

// The rows that sets at and below a depth are fitted to, made when first needed: where the memory
// answers, they are not.
template <int W>
struct LevelRows {
    bool ready = false;
    RowsByLevel<W> rows;               // over P + tail, without those explained for certain
    std::vector<Record<W>> uncovered;  // rows of any level without a cause in P
};

template <int W>
class CauseSearch final : public RelationSearch<W> {
  public:
    CauseSearch(const CauseRelation<W>& relation, FitMemory<W>& memory,
                const SearchThread<W>& thread);

    std::optional<Interval> begin(const SetNode<W>& root) override;
    double bound_with(std::size_t depth, int variable) const override;
    std::optional<Interval> evaluate(const SetNode<W>& above, const SetNode<W>& node, Tail<W>& tail,
                                     std::size_t depth) override;
    bool found_narrower() const override { return usual_; }
    std::optional<Interval> follow(const SetNode<W>& above, const SetNode<W>& node,
                                   std::size_t depth, const std::optional<Interval>& wider,
                                   bool same) override;
    bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) override;
    void leave_single(int variable) override;
    void return_to_single(int variable) override;

  private:
    // Whether so few sets are below a node that looking at the table of each takes less time than a
    // bound on all of them.
    bool has_few_below(const SetNode<W>& node, const Tail<W>& tail) const;
    // Whether the full table over the node's parents costs more than the family may.
    bool exceeds_by_table(const SetNode<W>& node, std::size_t depth);
    // Takes away the candidates that are too costly by their tables; the node has room for one.
    void drop_by_tables(const SetNode<W>& node, Tail<W>& tail, std::size_t depth);
    // Whether the candidates pay at least as much for their strength as one more parent must.
    bool pays_a_step(const SetNode<W>& node, double paid) const {
        return paid >= relation_.penalty_below(node) - relation_.penalty_base(node);
    }
    // The rows of a depth, whose set is `node`.
    const RowsByLevel<W>& rows_of(const SetNode<W>& node, std::size_t depth);
    // The family at the node itself, at `depth`, fitted to the rows of `above`, at `rows_depth`.
    Interval fit_family(const SetNode<W>& node, std::size_t depth, const SetNode<W>& above,
                        std::size_t rows_depth, double reject_above);
    // The same at the set above; nothing if it is too costly.
    std::optional<Interval> fit_within_limit(const SetNode<W>& above, const SetNode<W>& node,
                                             std::size_t depth);
    // Whether the rules leave anything at or below the node.
    bool survives_slope_bound(const SetNode<W>& node, Tail<W>& tail, std::size_t depth,
                              const SetNode<W>& above, std::size_t rows_depth);
    // Whether they leave anything below it: by the plain problem over P and the candidates up to
    // `last`; by that and the sloped one; by both over all candidates.
    bool survives_likelihood_bound(const SetNode<W>& node, const Tail<W>& tail, std::size_t depth,
                                   int last);
    bool survives_prefix_bounds(const SetNode<W>& node, const Tail<W>& tail, std::size_t depth,
                                int last);
    bool survives_bounds(const SetNode<W>& node, Tail<W>& tail, std::size_t depth);
    int first_that_covers(const SetNode<W>& node, const Tail<W>& tail, std::size_t depth) const;
    bool drop_candidates(const SetNode<W>& node, Tail<W>& tail, std::size_t depth);
    int find_first(const SetNode<W>& node, const Tail<W>& tail, std::size_t depth);
    void note_prefix_bound(std::size_t depth, int last, double bound);
    void cut(Rule rule, int size, int tail, int times = 1) {
        thread_.counters.cut(relation_.number(), rule, size, tail, times);
    }

    const CauseRelation<W>& relation_;
    const ColumnRecords<W>& records_;
    const SearchContext<W>& context_;
    const SearchThread<W> thread_;
    CauseFits<W> fits_;
    std::vector<CauseLevel<W>> levels_, singles_;
    std::vector<LevelRows<W>> rows_;
    std::vector<std::uint32_t> slots_;
    PricesWithEach prices_with_;
    std::vector<int> members_;
    const std::unique_ptr<TableLosses<W>> tables_;
    std::vector<double> losses_;  // of the tables with each candidate
    Profile profile_;
    bool usual_ = false;  // whether only the usual states act in the family evaluated last
};

}  // namespace noisyor
