// The search for one child's families, on one thread.
//
// Candidates are numbered by their use, the most useful last. Sets are visited in numeric order,
// each from the set without its lowest variable, so every subset comes before its supersets. What
// may still be added to a set, its tail, is among the variables below its lowest: the weak ones.
// Each set is evaluated for all relations that may have good families at or below it, one after the
// other, so that the cost of one counts for the next.
//
// A pass may cover a range of this order. Sets before the range are then evaluated only where the
// path to sets within it leads through them. Their costs count for m(P), as those of any family
// may, but they are not reported: another pass finds them.
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

    // Evaluates the sets of at most one candidate. Every searching thread must call it first.
    // Returns whether it finished before it was cancelled.
    bool search_root();
    // All sets of the range whose two highest candidates are these, unless it is cancelled.
    void search_below(int high, int low);
    // If it was cancelled: the first set not visited. All sets before it in numeric order are done.
    std::optional<VariableSet<W>> stopped_at;

    // Takes note of a family that another thread has found.
    void learn(const Candidate<W>& other) {
        if (other.counts) survivors_.add(other.parents - context_.required, other.upper);
    }

    std::vector<Candidate<W>> found;
    SearchCounters counters;
    // Counts what was cut and evaluated for relations that follow others, too.
    void count_followers();

  private:
    // A relation whose families are wanted, and its search.
    // That of a narrower relation, if it is wanted, too, follows.
    struct Sought {
        const ChildRelation<W>* relation;
        std::unique_ptr<RelationSearch<W>> search;
        const ChildRelation<W>* narrower = nullptr;
        std::unique_ptr<RelationSearch<W>> follower = nullptr;
    };
    // A set that has been evaluated, and what may be below it, by relation sought.
    struct Level {
        SetNode<W> node;
        std::vector<Tail<W>> tails;
    };

    void evaluate_root();
    void begin(const ChildRelation<W>& relation, RelationSearch<W>& search);
    // Evaluates the set at `depth` with one more candidate, for the relations that may add it.
    void evaluate(std::size_t depth, int variable);
    // Decides what is worth a visit below the set at `depth`, and prepares for it.
    void open(std::size_t depth);
    // Takes away the candidates whose penalty alone is too high.
    void drop_unaffordable(const ChildRelation<W>& relation, const SetNode<W>& node, Tail<W>& tail,
                           double limit);
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
