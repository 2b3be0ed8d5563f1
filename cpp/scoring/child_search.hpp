// The search for all families of one child that could be in a credible network, or in one that is
// not too costly. Many threads share the work of a pass; passes follow one another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "scoring/counters.hpp"
#include "scoring/records_view.hpp"
#include "scoring/settings.hpp"

namespace noisyor {

class ChildSearch {
  public:
    // The records must outlive the search.
    static std::unique_ptr<ChildSearch> make(const RecordsView& records, int child,
                                             const SearchSettings& settings);
    virtual ~ChildSearch() = default;

    // Starts a pass, whether or not the one before finished. No thread may be at work.
    virtual void begin(const PassSettings& pass) = 0;
    // Works on pieces of the pass until none is available or `cancel` is set. Any number of threads
    // may call it at once. More pieces may become available when other threads finish theirs.
    virtual void work(const std::atomic<bool>& cancel) = 0;
    // The families of a finished pass, ascending by cost. Can be called once.
    virtual FamilyColumns result() = 0;
    // What a pass without final fits has found so far, excluding what it was given. No thread may
    // be at work.
    virtual FamilyColumns found() const = 0;
    // The first set, in the order of the search, that may not have been visited; the end of the
    // range if there is none. With several threads, some later sets may have been visited too.
    virtual std::vector<Word> reached() const = 0;
    // Of the pass, so far. No thread may be at work.
    virtual const SearchCounters& counters() const = 0;
    // The candidates from the least to the most useful; empty until some work has found it.
    virtual std::vector<int> order() const = 0;

    virtual bool finished() const = 0;
    virtual std::size_t waiting() const = 0;  // pieces that no thread has taken
    virtual double share_done() const = 0;    // of the pieces
    virtual std::size_t memory_bytes() const = 0;
    std::int64_t decided() const { return decided_; }

  protected:
    std::atomic<std::int64_t> decided_{0};  // families, so far, in this pass
};

}  // namespace noisyor
