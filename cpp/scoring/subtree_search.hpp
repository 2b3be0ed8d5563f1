// The search for one child's families, on one thread.
//
// Candidates are numbered by their use, the most useful last. Sets are visited in numeric order,
// each from the set without its lowest member, so every subset comes before its supersets, and what
// may still be added to a set, its tail, is the variables below its lowest: the weak ones.
#pragma once

#include <atomic>
#include <vector>

#include "fitting/child_records.hpp"
#include "scoring/cpt_counts.hpp"
#include "scoring/search_context.hpp"
#include "scoring/settings.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W, class Counts>
class SubtreeSearch {
  public:
    SubtreeSearch(const SearchContext<W>& context, const std::atomic<bool>& cancel);

    // The sets of no and of one candidate. Must come first, on every thread that searches.
    void search_root();
    // All sets whose two highest candidates are these; false where it was cancelled on the way.
    bool search_below(int high, int low);

    // Takes note of a family that another thread has found.
    void learn(const Candidate<W>& other) {
        survivors_.add(other.parents - context_.required, other.upper);
    }

    std::vector<Candidate<W>> found;
    SearchCounters counters;

  private:
    // A set that has been evaluated.
    struct Evaluated {
        VariableSet<W> parents;
        int size = 0;                   // number of parents
        int tail = 0;                   // candidates below this may be added
        double best = kInfinity;        // m(P)
        bool alive[kRelations] = {};    // relations for which the subtree is worth a visit
        double bound[kRelations] = {};  // no set between P and P + tail has a lower -ln L
    };
    // The same with what it takes to evaluate it with one more candidate.
    struct Level : Evaluated {
        int first[kRelations] = {};  // candidates below this need not be added for the relation
        std::vector<double> prefix_bounds[kRelations];  // noisy-ORs: `bound` for P + {0 .. j}, by j
        std::vector<double> near[kRelations];  // noisy-ORs: lambdas of a fit over P + tail or so
        PresentRows<W> rows;                   // over P + tail, without those explained for certain
        typename Counts::Node counts;
    };

    void evaluate_root(Level& root);
    // Evaluates `from` with one more candidate for the relations that are alive there.
    void evaluate(const Level& from, int variable, Level& to);
    void evaluate_cpt(const Level& from, int variable, Level& to);
    void evaluate_noisy_or(int relation, const Level& from, Level& to);
    // Decides which relations are worth a visit below a level, and makes ready for it.
    void open(Level& level, const Level* from, int variable);
    bool open_cpt(Level& level, const Level* from, int variable, double room);
    bool open_noisy_or(int relation, Level& level, const Level* from, double room);
    void restrict_rows(const PresentRows<W>& from, Level& level);
    void descend(std::size_t depth);

    FitOutcome fit(int relation, const PresentRows<W>& rows, const VariableSet<W>& parents,
                   double reject_above, double accept_at, const std::vector<double>& near);
    void keep(const Level& level, int relation, double upper, double lower);
    void cut(int relation, Rule rule, int size, int tail);
    double room(int relation, const Level& level, int size) const;

    const SearchContext<W>& context_;
    const std::atomic<bool>& cancel_;
    Counts counts_;
    NoisyOrFitter<W> fitter_;
    Survivors<W> survivors_;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> slots_;
    std::vector<Evaluated> singles_;  // the sets of one candidate
    int open_single_ = -1;            // the one whose level is open
};

}  // namespace noisyor
