// A quick look for noisy-ORs far below their prices, so that a pass for the best few knows from the
// start how good these must be. What it misses, the search finds.
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
    // The parents that the sloped problem over all candidates gives some strength.
    VariableSet<W> start(int relation);
    void evaluate(int relation, const VariableSet<W>& parents);

    const SearchContext<W>& context_;
    Pass<W>& pass_;
    const std::atomic<bool>& cancel_;
    NoisyOrFits<W> fits_;
    Survivors<W> survivors_;
    std::vector<Step> steps_;  // all sets evaluated for the relation
};

}  // namespace noisyor
