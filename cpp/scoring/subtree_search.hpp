// The search for one child's families, on one thread.
//
// Candidates are numbered by their use, the most useful last. Sets are visited in numeric order,
// each from the set without its lowest member, so every subset comes before its supersets, and what
// may still be added to a set, its tail, is among the variables below its lowest: the weak ones.
// Each set is looked at for all relations that may have good families at or below it, one after the
// other, so that what one of them costs counts for the next.
//
// A pass may be about a range of this order. Sets before it are then evaluated where the way to
// those within leads through them. What they cost counts for m(P), as that of any family may, but
// they are left for others to find.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "scoring/pass.hpp"
#include "scoring/relation_search.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W>
class SubtreeSearch {
  public:
    SubtreeSearch(const SearchContext<W>& context, const ChildRelations<W>& relations,
                  Pass<W>& pass, const std::atomic<bool>& cancel);

    // The sets of no and of one candidate. Must come first, on every thread that searches; returns
    // whether it came to its end before it was cancelled.
    bool search_root();
    // All sets of the range whose two highest candidates are these, unless it is cancelled.
    void search_below(int high, int low);
    // Where it was cancelled on the way: the first set that it has not looked at. In numeric order
    // all before it are done.
    std::optional<VariableSet<W>> stopped_at;

    // Takes note of a family that another thread has found.
    void learn(const Candidate<W>& other) {
        if (other.counts) survivors_.add(other.parents - context_.required, other.upper);
    }

    std::vector<Candidate<W>> found;
    SearchCounters counters;

  private:
    // A relation that is looked for, and its search.
    struct Sought {
        const ChildRelation<W>* relation;
        std::unique_ptr<RelationSearch<W>> search;
    };
    // A set that has been evaluated, and what may be below it, by relation sought.
    struct Level {
        SetNode<W> node;
        std::vector<Tail<W>> tails;
    };

    void evaluate_root();
    // Evaluates the set at `depth` with one more candidate, for the relations that may add it.
    void evaluate(std::size_t depth, int variable);
    // Decides what is worth a visit below the set at `depth`, and makes ready for it.
    void open(std::size_t depth);
    void descend(std::size_t depth);
    void keep(SetNode<W>& node, const ChildRelation<W>& relation, const Interval& shown);

    const SearchContext<W>& context_;
    Pass<W>& pass_;
    const std::atomic<bool>& cancel_;
    Survivors<W> survivors_;
    std::vector<Sought> sought_;
    std::vector<Level> levels_;
    std::vector<Level> singles_;  // the sets of one candidate
    int open_single_ = -1;        // the one whose level is open
};

}  // namespace noisyor
