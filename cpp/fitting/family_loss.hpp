// How well one family fits, from the counts of its records: for searches that do not enumerate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace noisyor {

// The records of a family: a cell for each configuration of the parents that occurs.
struct FamilyCounts {
    std::vector<int> parents;  // ascending
    std::vector<int> parent_states;
    int child_states = 0;
    std::size_t cells = 0;
    std::vector<std::uint8_t> codes;   // of each cell, a code for each parent
    std::vector<std::int64_t> counts;  // of each cell, records by state of the child
};

// One relation; its object holds working memory, and serves one thread.
class FamilyLoss {
  public:
    virtual ~FamilyLoss() = default;
    // An attained -ln L that no other family of the relation is below by more than a small gap.
    // Where even the best is above `reject_above`, any number above that; infinity if there is
    // none.
    virtual double least(const FamilyCounts& counts, double reject_above) = 0;
};

// Independent causes: all states of a parent act but its first, or its last for the minimum; or,
// with `any_state`, any of them.
std::unique_ptr<FamilyLoss> loss_of_causes(bool leak, bool minimum, bool any_state);

}  // namespace noisyor
