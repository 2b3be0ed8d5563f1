// The families that a search has kept, fitted once more and decided.
//
// What a search keeps is a superset of the answer, and depends on the timing of the threads. Here
// each of these families is fitted from a start that depends only on the data, and compared by
// certified bounds. So the answer is the same, bit for bit, however the work was divided.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "scoring/pass.hpp"
#include "scoring/relation_search.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

template <int W>
struct FinalFamily {
    VariableSet<W> parents;  // in the search's numbering
    double cost = 0, lower = 0;
    double excess = 0;         // of the price
    std::size_t relation = 0;  // its number
    std::vector<double> parameters;
    bool left_to_another = false;
};

template <int W>
class FinalFits {
  public:
    // Candidates that the search's bounds rule out are not fitted.
    FinalFits(const SearchContext<W>& context, const ChildRelations<W>& relations,
              const Pass<W>& pass, std::vector<Candidate<W>> found);

    // Fits families until none is left or `cancel` is set; any number of threads may do so at once.
    void work(const std::atomic<bool>& cancel);
    std::size_t waiting() const;
    std::size_t size() const { return candidates_.size(); }
    std::size_t done() const { return done_; }
    bool finished() const { return done_ == candidates_.size(); }

    // Once all are fitted: the families that stay. Those that do not are dropped.
    std::vector<FinalFamily<W>> decide();
    std::size_t unconverged() const { return unconverged_; }
    std::size_t fitted() const { return fitted_; }

  private:
    void sift();

    const SearchContext<W>& context_;
    const ChildRelations<W>& relations_;
    const Pass<W>& pass_;
    std::vector<Candidate<W>> candidates_;  // in numeric order
    std::vector<FinalFamily<W>> families_;
    std::atomic<std::size_t> next_{0}, done_{0}, fitted_{0}, unconverged_{0};
};

}  // namespace noisyor
