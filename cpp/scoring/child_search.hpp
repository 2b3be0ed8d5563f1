// All families of one child that could be in a credible network, or in one that is not too costly:
// the work of many threads, pass after pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "fitting/child_records.hpp"
#include "scoring/counters.hpp"
#include "scoring/settings.hpp"

namespace noisyor {

class ChildSearch {
  public:
    // The records must outlive the search.
    static std::unique_ptr<ChildSearch> make(const RecordsView& records, int child,
                                             const SearchSettings& settings);
    virtual ~ChildSearch() = default;

    // Starts a pass, whatever became of the one before; while no thread is at work.
    virtual void begin(const PassSettings& pass) = 0;
    // Takes pieces of the pass until none can be taken or `cancel` is set. Any number of threads
    // may do so at once; there may be more to take later, when others have done theirs.
    virtual void work(const std::atomic<bool>& cancel) = 0;
    // The families of a finished pass, ascending by cost; once.
    virtual FamilyColumns result() = 0;
    // What a pass without final fits has found so far, besides what it was given; while no thread
    // is at work.
    virtual FamilyColumns found() const = 0;
    // The first set, by the order of the search, that it may not have looked at, and the end of its
    // range if there is none. On one thread it is as far as it came; with several, some have come
    // further.
    virtual std::vector<Word> reached() const = 0;
    // Of the pass, so far; while no thread is at work.
    virtual const SearchCounters& counters() const = 0;
    // The candidates from the least to the most useful; empty until some work has found it.
    virtual std::vector<int> order() const = 0;

    virtual bool finished() const = 0;
    virtual std::size_t waiting() const = 0;  // pieces that nobody has taken
    virtual double share_done() const = 0;    // of the pieces
    virtual std::size_t memory_bytes() const = 0;
    std::int64_t decided() const { return decided_; }

  protected:
    std::atomic<std::int64_t> decided_{0};  // families, so far, in this pass
};

}  // namespace noisyor
