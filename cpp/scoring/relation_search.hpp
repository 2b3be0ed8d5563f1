// What a child's search asks of a relation. It knows no relation by name: the implementations
// decide how one is evaluated and bounded.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "scoring/counters.hpp"
#include "scoring/pass.hpp"
#include "scoring/penalty.hpp"
#include "scoring/relation_spec.hpp"
#include "scoring/search_context.hpp"
#include "scoring/set_node.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// What the searches of all relations on one thread share.
template <int W>
struct SearchThread {
    const Pass<W>& pass;
    const Survivors<W>& survivors;
    SearchCounters& counters;
    const std::atomic<bool>& cancel;
};

// The search for the families of one relation, on one thread. It follows the search of the child,
// which visits sets depth first, and keeps what it knows of the sets on the current path by depth.
template <int W>
class RelationSearch {
  public:
    virtual ~RelationSearch() = default;

    // Begins at the set without candidates, at depth 0. Returns bounds on -ln L of its family,
    // however costly; nothing if the relation has no family there.
    virtual std::optional<Interval> begin(const SetNode<W>& root) = 0;
    // A lower bound on the cost of families with the set at `depth`, the variable and any others
    // below it. The set has been opened.
    virtual double bound_with(std::size_t depth, int variable) const = 0;
    // Visits `node` at `depth`: the set `above`, which has been opened, and the candidate
    // node.tail. Returns bounds on -ln L of its family; nothing if it is too costly. Marks `tail`
    // if nothing below is worth a visit.
    virtual std::optional<Interval> evaluate(const SetNode<W>& above, const SetNode<W>& node,
                                             Tail<W>& tail, std::size_t depth) = 0;
    // Whether the family that was evaluated last is one of the narrower relation, too.
    virtual bool found_narrower() const { return false; }
    // Instead of `evaluate`, after the search of a wider relation has evaluated the node: that
    // returned `wider`, for a family of both relations if `same`. Such a search has no tails of its
    // own: whatever is too costly for the wider relation is too costly for this one.
    virtual std::optional<Interval> follow(const SetNode<W>&, const SetNode<W>&, std::size_t,
                                           const std::optional<Interval>& /*wider*/,
                                           bool /*same*/) {
        return std::nullopt;
    }
    // Returns whether anything below the set last evaluated at `depth` is worth a visit, and notes
    // in `tail` what. Its penalty and its bound have been checked.
    virtual bool open(const SetNode<W>& node, Tail<W>& tail, std::size_t depth) = 0;

    // The sets of one candidate, at depth 1, are all evaluated before the first of them is opened.
    virtual void leave_single(int variable) = 0;
    virtual void return_to_single(int variable) = 0;
};

// A relation as the quick heuristic uses it; its answers depend only on the data.
template <int W>
class RelationScout {
  public:
    virtual ~RelationScout() = default;
    // Candidates that may make a good set together, the best first.
    virtual std::vector<int> promising() = 0;
    virtual Interval evaluate(const VariableSet<W>& parents) = 0;  // bounds on -ln L
};

// The result for a family after its final fit.
struct FinalFit {
    double cost = 0, lower = 0;
    std::vector<double> parameters;
    bool fitted = false;  // rather than counted
    bool converged = true;
    bool left_to_another = false;  // whether it is a family of another relation as well
};

template <int W>
class FinalFitter {
  public:
    virtual ~FinalFitter() = default;
    // Starts from a point that depends only on the data; `narrower` is the fit of the same parents
    // by the narrower relation, if there is one. Meaningless once it was cancelled.
    virtual FinalFit fit(const Candidate<W>& family, const FinalFit* narrower,
                         const std::atomic<bool>& cancel) = 0;
};

// One relation of a child, shared by all threads and passes.
template <int W>
class ChildRelation {
  public:
    // `number` is its place among the relations in use.
    ChildRelation(const SearchContext<W>& context, const RelationSpec& spec, std::size_t number)
        : context_(context),
          code_(spec.code),
          least_parents_(spec.least_parents),
          number_(number),
          penalty_(spec.penalty, context) {
        const std::vector<RelationSpec>& specs = context.settings.relations;
        for (std::size_t other = 0; other < specs.size(); ++other) {
            if (spec.narrower && specs[other].code == *spec.narrower) narrower_ = other;
        }
    }
    virtual ~ChildRelation() = default;
    ChildRelation(const ChildRelation&) = delete;
    ChildRelation& operator=(const ChildRelation&) = delete;

    const SearchContext<W>& context() const { return context_; }
    int code() const { return code_; }
    int least_parents() const { return least_parents_; }
    std::size_t number() const { return number_; }
    std::optional<std::size_t> narrower() const { return narrower_; }  // its number

    // What a family costs besides its fit.
    double penalty(const SetNode<W>& node) const { return penalty_.of(node); }
    double penalty(const VariableSet<W>& parents) const { return penalty_.of(parents); }
    // What any family that adds `added` or more candidates to a node costs so, at least; there are
    // candidates to add.
    double penalty_below(const SetNode<W>& node, int added = 1) const {
        return penalty_.below(node, added);
    }
    // The candidates that a family below the node can have, if it costs at most `limit`.
    VariableSet<W> affordable(const SetNode<W>& node, const VariableSet<W>& candidates,
                              double limit) const {
        return penalty_.affordable(node, candidates, limit);
    }
    // What each variable adds as one more parent, at least, to the base of a node (penalty.hpp).
    std::vector<double> least_steps() const { return penalty_.least_steps(); }
    double penalty_base(const SetNode<W>& node) const { return penalty_.base(node); }
    // What any family of the child costs at least.
    double least_penalty() const { return penalty_.least(); }

    virtual std::unique_ptr<RelationSearch<W>> search(const SearchThread<W>& thread) const = 0;
    // None where the quick heuristic is of no use.
    virtual std::unique_ptr<RelationScout<W>> scout(SearchCounters& counters,
                                                    const std::atomic<bool>& cancel) const = 0;
    virtual std::unique_ptr<FinalFitter<W>> final_fitter() const = 0;
    virtual std::size_t memory_bytes() const { return 0; }

  private:
    const SearchContext<W>& context_;
    const int code_, least_parents_;
    const std::size_t number_;
    std::optional<std::size_t> narrower_;
    const Penalty<W> penalty_;
};

template <int W>
using ChildRelations = std::vector<std::unique_ptr<const ChildRelation<W>>>;

}  // namespace noisyor
