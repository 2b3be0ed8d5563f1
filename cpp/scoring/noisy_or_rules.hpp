// What is left of a subtree's noisy-ORs: the pruning rules, on one thread.
#pragma once

#include <vector>

#include "scoring/noisy_or_fits.hpp"
#include "scoring/pass.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// The search drops a family only if it is this many tolerances too costly. So neither the gap of a
// fit nor the order of the work can keep a family from the final pass that belongs there.
inline constexpr double kSearchTolerances = 3;

// A set P of parents. Below it are the sets that add some of the candidates numbered below `tail`.
template <int W>
struct SetNode {
    VariableSet<W> parents;
    int size = 0;             // number of parents
    int tail = 0;             // all of P's candidates are numbered from here on
    double best = kInfinity;  // m(P)
    LivePrices prices;
};

// The rows that sets at and below a node are fitted to, made when first needed: where the memory
// answers, they are not.
template <int W>
struct NodeRows {
    const NodeRows* above = nullptr;
    bool ready = false;
    PresentRows<W> rows;                    // over P + tail, without those explained for certain
    std::vector<VariableSet<W>> uncovered;  // rows without any of P
};

// What is known of the noisy-ORs of one relation below a node. Bounds are on their costs.
template <int W>
struct NoisyOrTail {
    VariableSet<W> candidates;          // that may be added
    int first = 0;                      // of them, those below this need not be added last
    double bound = 0;                   // no family at or below the node costs less
    bool has_slopes = false;            // whether the sloped problem over P + candidates was solved
    double steps_paid = 0;              // by the candidates in its optimum
    std::vector<double> with;           // no family below the node that has candidate j costs less
    std::vector<double> prefix_bounds;  // nor one that adds only candidates up to j
    std::vector<double> near;           // lambdas of a fit over P + candidates or so
};

template <int W>
class NoisyOrRules {
  public:
    NoisyOrRules(const SearchContext<W>& context, const Pass<W>& pass,
                 const Survivors<W>& survivors, const FitMemories<W>& memory,
                 const std::atomic<bool>& cancel);

    // What a family at the node, or one below it, may cost.
    double own_limit(const SetNode<W>& node) const;
    double limit_below(const SetNode<W>& node) const;

    // The family at the node itself. The rows are those of `above`, the node it comes from.
    Interval fit_family(int relation, const SetNode<W>& node, const NoisyOrTail<W>& tail,
                        const SetNode<W>& above, NodeRows<W>& rows, double reject_above);
    // Whether the slope rule leaves anything at or below a node.
    bool slopes_leave_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                         const SetNode<W>& above, NodeRows<W>& rows);
    // Whether all rules leave anything below a node, and what.
    bool open(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail, NodeRows<W>& rows);

    SearchCounters& counters() { return fits_.counters; }

  private:
    const PresentRows<W>& rows_of(const SetNode<W>& node, NodeRows<W>& rows);
    double penalty(int relation, int size) const {
        return context_.settings.penalties[relation][static_cast<std::size_t>(size)];
    }
    bool likelihood_leaves_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                              NodeRows<W>& rows, int last);
    bool prefix_leaves_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                          NodeRows<W>& rows, int last);
    int first_that_covers(int relation, const SetNode<W>& node, const NoisyOrTail<W>& tail,
                          const NodeRows<W>& rows) const;
    bool bounds_leave_it(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail,
                         NodeRows<W>& rows);
    bool drop_candidates(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail);
    int find_first(int relation, const SetNode<W>& node, NoisyOrTail<W>& tail, NodeRows<W>& rows,
                   int from);

    const SearchContext<W>& context_;
    const Pass<W>& pass_;
    const Survivors<W>& survivors_;
    NoisyOrFits<W> fits_;
    std::vector<std::uint32_t> slots_;
    std::vector<double> prices_with_;
    std::vector<int> members_;
    Profile profile_;
};

}  // namespace noisyor
