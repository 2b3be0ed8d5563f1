// Independent causes, with or without a leak: noisy-ORs, and the rules that prune them.
#pragma once

#include <memory>
#include <vector>

#include "scoring/cause_fits.hpp"
#include "scoring/relation_search.hpp"

namespace noisyor {

template <int W>
class CauseRelation final : public ChildRelation<W> {
  public:
    // `memory`: bytes for what fits have shown, of which the quick looks have a part.
    CauseRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number,
                  bool leak, std::size_t memory)
        : ChildRelation<W>(context, spec, number),
          problem_(context, leak, this->least_step()),
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
    explicit CausesKind(bool leak) : leak_(leak) {}

    std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                 const RelationSpec& spec, std::size_t number,
                                                 std::size_t memory) const override {
        return std::make_unique<CauseRelation<W>>(context, spec, number, leak_, memory);
    }
    bool remembers_fits() const override { return true; }
    // A leak can take the place of any cause.
    UsefulCandidates useful_candidates() const override {
        return {.irreplaceable = !leak_, .raising = leak_};
    }
    CandidateLosses losses(const ChildRecords<W>& records, const SearchSettings& settings,
                           bool refits, const std::atomic<bool>& cancel) const override {
        return losses_without<W>(records, settings, refits, cancel);
    }

  private:
    const bool leak_;
};

// What is known of a set on the way. Bounds are on costs.
template <int W>
struct CauseLevel {
    bool has_slopes = false;            // whether the sloped problem over P + candidates was solved
    double steps_paid = 0;              // by the candidates in its optimum
    std::vector<double> with;           // no family below the set that has candidate j costs less
    std::vector<double> prefix_bounds;  // nor one that adds only candidates up to j
    std::vector<double> near;           // lambdas of a fit over P + candidates or so
};

// The rows that sets at and below a level are fitted to, made when first needed: where the memory
// answers, they are not.
template <int W>
struct LevelRows {
    bool ready = false;
    PresentRows<W> rows;               // over P + tail, without those explained for certain
    std::vector<Record<W>> uncovered;  // rows without any of P
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
    bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) override;
    void leave_single(int variable) override;
    void return_to_single(int variable) override;

  private:
    // The rows of a depth, whose set is `node`.
    const PresentRows<W>& rows_of(const SetNode<W>& node, std::size_t depth);
    // The family at the node itself, at `depth`, fitted to the rows of `above`, at `rows_depth`.
    Interval fit_family(const SetNode<W>& node, std::size_t depth, const SetNode<W>& above,
                        std::size_t rows_depth, double reject_above);
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
    const SearchContext<W>& context_;
    const SearchThread<W> thread_;
    CauseFits<W> fits_;
    std::vector<CauseLevel<W>> levels_, singles_;
    std::vector<LevelRows<W>> rows_;
    std::vector<std::uint32_t> slots_;
    std::vector<double> prices_with_;
    std::vector<int> members_;
    Profile profile_;
};

}  // namespace noisyor
