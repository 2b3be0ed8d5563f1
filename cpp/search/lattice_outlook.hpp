// What the cuts that a subset saturates say about a child's families, remembered.
//
// Subsets by the million saturate the same few thousand combinations of a child's cuts, and q
// depends on the subset through these alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/lattice_problem.hpp"

namespace noisyor {

// A view of what is remembered. It lies in one piece: most of the time goes into fetching it.
template <int W>
struct Outlook {
    Ticks most = 0;              // how far it is complete
    Ticks least = 0;             // q of any family
    Ticks saturated_weight = 0;  // of the child's cuts
    std::size_t steps = 0;
    const std::int64_t* q = nullptr;  // ascending, per step
    const Word* parents = nullptr;    // W words per step: of the families with q at most that

    // The union of the parents of the families with q at most `most`.
    VariableSet<W> parents_within(Ticks most) const {
        std::size_t within = 0;
        for (std::size_t i = 0; i < steps; ++i) within += q[i] <= most;
        return within == 0 ? VariableSet<W>{} : VariableSet<W>::load(parents + (within - 1) * W);
    }

    // The least q of a family that has a parent outside a set, or `most` + 1 if that is more.
    Ticks least_beyond(const VariableSet<W>& set) const {
        for (std::size_t i = 0; i < steps; ++i) {
            if (!VariableSet<W>::load(parents + i * W).is_subset_of(set)) return q[i];
        }
        return most + 1;
    }
};

// One for each thread.
template <int W>
class OutlookMemory {
  public:
    using Set = VariableSet<W>;

    OutlookMemory(const LatticeProblem<W>& problem, std::size_t max_bytes);

    // Complete up to q = `most`: steps above that may be left out, and a `least` above it may be
    // too small, though it is above it. Valid until `make_room`.
    Outlook<W> of(int child, const CutBits& saturated, Ticks most);

    // Forgets everything if it takes too much memory.
    void make_room();

  private:
    struct Slot {
        std::size_t hash = 0;
        const std::int64_t* record = nullptr;  // null if the slot is free
    };
    // Open addressing; the size is a power of two, half free.
    struct Table {
        std::vector<Slot> slots;
        std::size_t used = 0;
    };
    struct Step {
        Ticks q;
        Set parents;
    };

    // Records: how far it is complete, least, saturated weight, steps, the child's saturated cuts,
    // q and parents.
    Outlook<W> view(const std::int64_t* record) const;
    bool is_of(const std::int64_t* record) const;
    const std::int64_t* find(Table& table, const LatticeChild<W>& child, Ticks most);
    const std::int64_t* look(const LatticeChild<W>& child, Ticks most);
    Ticks find_least_with(const LatticeChild<W>& child, Ticks most);
    void find_steps(Ticks most);
    std::int64_t* allocate(std::size_t words);
    void grow(Table& table);
    void forget();

    const LatticeProblem<W>& problem_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::vector<Table> tables_;                // by child
    std::vector<const std::int64_t*> latest_;  // by child, what was asked for; null at first
    std::vector<std::unique_ptr<std::int64_t[]>> chunks_;
    std::size_t chunk_left_ = 0;
    CutBits key_;                    // the child's saturated cuts
    std::vector<Ticks> least_with_;  // by parent, while looking
    std::vector<Step> steps_;
};

extern template class OutlookMemory<1>;
extern template class OutlookMemory<2>;
extern template class OutlookMemory<4>;
extern template class OutlookMemory<16>;

}  // namespace noisyor
