// A quick heuristic search for families far below their prices. It tells a pass for the best few
// from the start how good these must be; the pass then finds what the heuristic misses. A quick
// pass is content with what the heuristic finds.
//
// What it finds depends only on the data and the prices.
#pragma once

#include <atomic>
#include <vector>

#include "scoring/pass.hpp"
#include "scoring/relation_search.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W>
class Scout {
  public:
    Scout(const SearchContext<W>& context, const ChildRelations<W>& relations, Pass<W>& pass,
          const std::atomic<bool>& cancel);

    void look();

    std::vector<Candidate<W>> found;
    SearchCounters counters;

  private:
    struct Step {
        double excess;
        VariableSet<W> parents;
        bool taken;
    };
    void look_for(const ChildRelation<W>& relation, RelationScout<W>& scout);
    // Sets to start from: what looks promising, and families known to be far below their prices.
    std::vector<VariableSet<W>> starts(RelationScout<W>& scout);
    void evaluate(const ChildRelation<W>& relation, RelationScout<W>& scout,
                  const VariableSet<W>& parents);

    const SearchContext<W>& context_;
    const ChildRelations<W>& relations_;
    Pass<W>& pass_;
    const std::atomic<bool>& cancel_;
    Survivors<W> survivors_;
    std::vector<Step> steps_;  // all sets evaluated for the relation
};

}  // namespace noisyor
