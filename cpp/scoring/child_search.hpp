// All families of one child that could be in a credible network: the work of many threads.
//
// What a subtree search keeps is a superset of the answer that depends on who knew what when. The
// final pass fits each of these families again, from a start that depends on nothing but the data,
// and compares by certified bounds. So the table is the same, bit for bit, however the work was
// divided.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "fitting/child_records.hpp"
#include "scoring/settings.hpp"

namespace noisyor {

struct SearchResult {
    std::vector<Word> parents;  // word_count words each, in the caller's numbering
    std::vector<std::uint8_t> relations;
    std::vector<double> costs, gaps;    // ascending by cost
    std::vector<std::int64_t> offsets;  // into `q`; one more than there are families
    std::vector<double> q;              // noisy-ORs: a parent each, ascending; the leak's last
    SearchCounters counters;
};

class ChildSearch {
  public:
    static std::unique_ptr<ChildSearch> make(const RecordsView& records, int child,
                                             const SearchSettings& settings);
    virtual ~ChildSearch() = default;

    // Takes subtrees until none is left or `cancel` is set. Any number of threads may do so at
    // once.
    virtual void work(const std::atomic<bool>& cancel) = 0;
    // When all subtrees are done, and only then.
    virtual SearchResult result() = 0;

    std::size_t tasks() const { return tasks_; }
    std::size_t tasks_done() const { return tasks_done_; }
    std::int64_t decided() const { return decided_; }

  protected:
    std::size_t tasks_ = 0;
    std::atomic<std::size_t> next_task_{0}, tasks_done_{0};
    std::atomic<std::int64_t> decided_{0};  // families, so far
};

}  // namespace noisyor
