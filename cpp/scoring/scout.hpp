// A quick look for noisy-ORs far below their prices. A pass for the best few knows by it from the
// start how good these must be, and finds what it misses; a hasty pass makes do with it.
//
// Its fits all have the same start and end, so that what it finds is a matter of the data and the
// prices alone. That is why it has a memory of its own.
#pragma once

#include <atomic>
#include <vector>

#include "scoring/noisy_or_fits.hpp"
#include "scoring/pass.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W>
class Scout {
  public:
    Scout(const SearchContext<W>& context, Pass<W>& pass, const FitMemories<W>& memory,
          const std::atomic<bool>& cancel);

    void look();

    std::vector<Candidate<W>> found;
    SearchCounters& counters() { return fits_.counters; }

  private:
    struct Step {
        double excess;
        VariableSet<W> parents;
        bool taken;
    };
    void look_for(int relation);
    // Sets to start from, besides those of families known to be far below their prices.
    std::vector<VariableSet<W>> starts(int relation);
    // The candidates that the sloped problem over all of them gives some strength.
    VariableSet<W> strong_candidates(int relation);
    void evaluate(int relation, const VariableSet<W>& parents);

    const SearchContext<W>& context_;
    Pass<W>& pass_;
    const std::atomic<bool>& cancel_;
    NoisyOrFits<W> fits_;
    Survivors<W> survivors_;
    std::vector<Step> steps_;  // all sets evaluated for the relation
};

}  // namespace noisyor
