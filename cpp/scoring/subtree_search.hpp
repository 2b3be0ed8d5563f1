// The search for one child's families, on one thread.
//
// Candidates are numbered by their use, the most useful last. Sets are visited in numeric order,
// each from the set without its lowest member, so every subset comes before its supersets, and what
// may still be added to a set, its tail, is among the variables below its lowest: the weak ones.
//
// A pass may be about a range of this order. Sets before it are then evaluated where the way to
// those within leads through them. What they cost counts for m(P), as that of any family may, but
// they are left for others to find.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "scoring/cpt_counts.hpp"
#include "scoring/noisy_or_rules.hpp"
#include "scoring/pass.hpp"
#include "scoring/search_context.hpp"
#include "scoring/settings.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W, class Counts>
class SubtreeSearch {
  public:
    SubtreeSearch(const SearchContext<W>& context, Pass<W>& pass, const FitMemories<W>& memory,
                  const std::atomic<bool>& cancel);

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
    SearchCounters& counters() { return rules_.counters(); }

  private:
    // A set that has been evaluated.
    struct Evaluated {
        SetNode<W> node;
        bool alive[kRelations] = {};  // relations for which the subtree is worth a visit
        double cpt_bound = 0;         // no full table of the subtree has a lower -ln L
        NoisyOrTail<W> tails[kRelations];
    };
    // The same with what it takes to evaluate it with one more candidate.
    struct Level : Evaluated {
        NodeRows<W> rows;
        typename Counts::Node counts;
    };

    void evaluate_root(Level& root);
    // Evaluates `from` with one more candidate for the relations that are alive there.
    void evaluate(Level& from, int variable, Level& to);
    void evaluate_cpt(const Level& from, int variable, Level& to);
    void evaluate_noisy_or(int relation, Level& from, Level& to);
    bool may_add(const Evaluated& level, int relation, int variable) const;
    // Decides which relations are worth a visit below a level, and makes ready for it.
    void open(Level& level, Level* from, int variable);
    bool open_cpt(Level& level, const Level* from, int variable);
    void descend(std::size_t depth);

    void keep(Level& level, int relation, const Interval& shown);
    double penalty(int relation, int size) const {
        return context_.settings.penalties[relation][static_cast<std::size_t>(size)];
    }

    const SearchContext<W>& context_;
    Pass<W>& pass_;
    const std::atomic<bool>& cancel_;
    Counts counts_;
    Survivors<W> survivors_;
    NoisyOrRules<W> rules_;
    std::vector<Level> levels_;
    std::vector<Evaluated> singles_;  // the sets of one candidate
    int open_single_ = -1;            // the one whose level is open
};

}  // namespace noisyor
