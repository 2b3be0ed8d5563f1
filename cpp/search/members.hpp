// Counting, listing, ranking and streaming the members of a credible set.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/leaf_product.hpp"
#include "search/leaf_weights.hpp"
#include "search/member_counts.hpp"
#include "search/member_marks.hpp"
#include "search/member_stream.hpp"

namespace noisyor {

enum FamilyUse : std::uint8_t { kUnused = 0, kUsed = 1, kUnknown = 2 };

struct RankedMembers {
    std::size_t variables = 0;           // in a row
    std::vector<std::uint32_t> choices;  // a row per rank
    std::vector<Count> outside;          // which of the fitting ways outside; by weight, which sum
};

struct BestMembers {
    std::size_t variables = 0;           // in a row
    std::vector<std::uint32_t> choices;  // a row per member
    std::vector<Ticks> ticks;
    std::int64_t nodes = 0;
    bool complete = true;
};

class MemberSearch {
  public:
    virtual ~MemberSearch() = default;
    virtual int variables() const = 0;
    // How many subtrees the walk is divided into, always the same.
    virtual std::size_t subtrees() const = 0;
    // Counts the subtrees from one to before another, but not all if they have more than
    // `most_nodes` nodes together. Marks are left where `large` or more nodes lie below.
    virtual CountedSubtrees count(const Outside& outside, Ticks optimum, double tick,
                                  std::int64_t large, std::int64_t most_nodes, std::size_t begin,
                                  std::size_t end, int threads,
                                  const std::atomic<bool>& cancelled) const = 0;
    // The ticks of every member, unsorted; not complete if there are more than `most`.
    virtual bool all_ticks(std::size_t most, int threads, const std::atomic<bool>& cancelled,
                           std::vector<Ticks>& ticks) const = 0;
    // The `most` members of least ticks. Which of equal ones depends on the number of threads.
    virtual BestMembers best(std::size_t most, int threads,
                             const std::atomic<bool>& cancelled) const = 0;
    // The member whose families come first, compared child by child; none if there is none or it
    // was cancelled.
    virtual std::vector<std::uint32_t> first(const std::atomic<bool>& cancelled) const = 0;
    // Per family whether some member has it, as far as a search of `most_nodes` nodes can show.
    // What is known already is not searched for again.
    virtual std::vector<std::uint8_t> used(const std::vector<std::uint8_t>& known,
                                           std::int64_t most_nodes, int threads,
                                           const std::atomic<bool>& cancelled) const = 0;
    // The members of ascending ranks in the order of the walk, given the marks that `count` left
    // there. By weight, a member takes up a span of ranks in proportion to its weight.
    virtual RankedMembers at_ranks(const std::vector<Count>& ranks, bool by_weight,
                                   const Outside& outside, Ticks optimum, double tick,
                                   const MemberMarks& marks, int threads) const = 0;
    virtual void stream(MemberStream& to) const = 0;
};

template <int W>
std::unique_ptr<MemberSearch> make_member_search(MemberProblem<W> problem);

}  // namespace noisyor
