// Counting, listing, ranking and streaming the members of a credible set.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "search/leaf_product.hpp"
#include "search/leaf_weights.hpp"
#include "search/member_marks.hpp"
#include "search/member_stream.hpp"

namespace noisyor {

inline constexpr Ticks kNoMember = std::numeric_limits<Ticks>::max();

struct MemberCounts {
    Count total = 0;
    double weight = 0;             // of exp(-(cost - optimum))
    std::vector<Count> counts;     // per family
    std::vector<double> weights;   // per family
    std::vector<Ticks> least;      // per family: of the members here that have it; kNoMember
    std::vector<Count> histogram;  // choices here that fit with the first i sums outside
    std::vector<double> weight_histogram;
    MemberMarks marks;
    bool any = false;
    Ticks costliest = 0;  // ticks here plus the sum outside
    std::vector<std::uint32_t> costliest_choice;
    std::size_t costliest_outside = 0;
    std::int64_t nodes = 0;
    bool complete = true;
};

enum FamilyUse : std::uint8_t { kUnused = 0, kUsed = 1, kUnknown = 2 };

struct RankedMembers {
    std::vector<std::uint32_t> choices;  // a row per rank
    std::vector<Count> outside;          // which of the fitting ways outside; by weight, which sum
};

struct BestMembers {
    std::vector<std::uint32_t> choices;  // a row per member
    std::vector<Ticks> ticks;
    std::int64_t nodes = 0;
    bool complete = true;
};

class MemberSearch {
  public:
    virtual ~MemberSearch() = default;
    virtual int variables() const = 0;
    // Marks are left at subtrees of `large` or more nodes.
    virtual MemberCounts count(const Outside& outside, Ticks optimum, double tick,
                               std::int64_t large, int threads,
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
    // Per family whether some member has it, as far as `most_nodes` a family tell; what is known
    // already is not looked for again.
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
