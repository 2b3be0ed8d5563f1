// Counting, picking and listing the paths of an order diagram, which are the members.
//
// A path is in two halves, which meet in a state of a middle layer. Into a state lead paths of the
// lengths x, out of it those of the lengths y, and any x and y make a member if x + y is within the
// limit. So the lists of both are sorted, and each x is looked up among the y: m members take about
// the square root of m steps for each state. No list has a path that is in no member.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/list_sums.hpp"
#include "search/member_stream.hpp"
#include "search/members.hpp"
#include "search/order_diagram.hpp"

namespace noisyor {

// What the members have, in total, per family, and per state of the middle layer.
struct DiagramCounts {
    bool complete = true;
    Count total = 0;
    double weight = 0;  // of exp(-decay (length - shortest))
    std::vector<Count> counts;
    std::vector<double> weights;
    std::vector<Ticks> least;  // length of the best member with a family, kNoMember if none
    std::vector<Count> state_counts;
    std::vector<double> state_weights;
    std::size_t costliest_state = 0;
    Ticks costliest_before = 0;  // lengths of its halves
    Ticks costliest_after = 0;
    std::int64_t listed = 0;  // paths of both halves
};

class DiagramMembers {
  public:
    explicit DiagramMembers(OrderDiagram diagram);

    const OrderDiagram& diagram() const { return diagram_; }
    // About how many paths the lists will have.
    double expected() const { return expected_; }

    DiagramCounts count(double decay, std::size_t workers, const std::atomic<bool>& cancel) const;
    // Families, a row each, of the members at ascending ranks. States come in their order, and by
    // weight a member takes up as much of [0, weight) as it weighs.
    std::vector<std::uint32_t> at_ranks(const DiagramCounts& counts,
                                        const std::vector<Count>& ranks) const;
    std::vector<std::uint32_t> at_weights(const DiagramCounts& counts, double decay,
                                          const std::vector<double>& places) const;
    std::vector<std::uint32_t> costliest(const DiagramCounts& counts) const;
    // The members of least length, in their order.
    BestMembers best(std::size_t most) const;
    // Of the shortest members the one whose families come first, compared child by child.
    std::vector<std::uint32_t> first() const;
    // All members; their ticks are their lengths and `lower_bound`.
    void stream(MemberStream& to, Ticks lower_bound) const;

  private:
    std::vector<Ticks> least() const;

    OrderDiagram diagram_;
    std::size_t middle_ = 0;
    double expected_ = 0;
};

}  // namespace noisyor
