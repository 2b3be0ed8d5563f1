// What a walk through the members counts, subtree by subtree, and how that adds up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/leaf_product.hpp"
#include "search/member_marks.hpp"

namespace noisyor {

inline constexpr Ticks kNoMember = std::numeric_limits<Ticks>::max();

// What one subtree has; per family, the members here that have it.
struct SubtreeCounts {
    std::size_t number = 0;  // which of the subtrees
    Count total = 0;
    double weight = 0;  // of exp(-(cost - optimum))
    std::vector<Count> counts;
    std::vector<double> weights;
    std::vector<Ticks> least;  // kNoMember if none has it
    std::vector<Mark> marks;
    bool any = false;
    Ticks costliest = 0;  // ticks here plus the sum outside
    std::vector<std::uint32_t> costliest_choice;
    std::size_t costliest_outside = 0;
    std::int64_t nodes = 0;
    bool complete = true;
};

// The sum over subtrees.
struct MemberCounts {
    Count total = 0;
    double weight = 0;
    std::vector<Count> counts;
    std::vector<double> weights;
    std::vector<Ticks> least;
    std::vector<Count> histogram;  // choices here that fit with the first i sums outside
    std::vector<double> weight_histogram;
    MemberMarks marks;
    bool any = false;
    Ticks costliest = 0;
    std::vector<std::uint32_t> costliest_choice;
    std::size_t costliest_outside = 0;
    std::int64_t nodes = 0;
};

// Subtrees that were counted, here or elsewhere. Counts add up in any order; weights per family do
// not, to the last bit, so they are kept apart and added in the order of the subtrees.
class CountedSubtrees {
  public:
    CountedSubtrees(std::size_t families, std::size_t positions)
        : histogram(positions), weight_histogram(positions), families_(families) {}

    std::size_t families() const { return families_; }
    void take(CountedSubtrees&& others);
    // Whether there are `expected` different subtrees, each complete.
    bool complete(std::size_t expected) const;
    MemberCounts add_up() const;

    std::vector<SubtreeCounts> subtrees;  // in any order
    std::vector<Count> histogram;         // of all of them together
    std::vector<Count> weight_histogram;  // in units of 1 / kWeightScale

  private:
    std::size_t families_;
};

}  // namespace noisyor
