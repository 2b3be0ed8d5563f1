// The subsets of one size that the shortest path search reached, in hash tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/families.hpp"

namespace noisyor {

// A share of a layer's subsets, with open addressing into columns.
template <int W>
class LayerShard {
  public:
    using Set = VariableSet<W>;

    std::vector<Set> subsets;
    std::vector<Ticks> distances;  // from the empty set
    std::vector<Set> next;         // the children whose arcs the search follows, once expanded

    std::size_t size() const { return subsets.size(); }

    // Records a path to the subset; the shortest counts.
    void arrive(const Set& subset, Ticks distance) {
        if (2 * (subsets.size() + 1) > slots_.size()) grow();
        const std::size_t slot = slot_of(subset);
        if (slots_[slot] == kFree) {
            slots_[slot] = static_cast<std::uint32_t>(subsets.size());
            subsets.push_back(subset);
            distances.push_back(distance);
        } else {
            Ticks& known = distances[slots_[slot]];
            known = std::min(known, distance);
        }
    }

    std::optional<std::size_t> find(const Set& subset) const {
        if (slots_.empty()) return std::nullopt;
        const std::uint32_t row = slots_[slot_of(subset)];
        if (row == kFree) return std::nullopt;
        return row;
    }

    // As held now, with what a row will still need: `next` and a distance to the full set.
    std::size_t bytes() const {
        return subsets.capacity() * sizeof(Set) + distances.capacity() * sizeof(Ticks) +
               slots_.capacity() * sizeof(std::uint32_t) +
               subsets.size() * (sizeof(Set) + sizeof(Ticks));
    }

  private:
    static constexpr std::uint32_t kFree = UINT32_MAX;

    std::size_t slot_of(const Set& subset) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = subset.hash() & mask;
        while (slots_[slot] != kFree && !(subsets[slots_[slot]] == subset)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), kFree);
        for (std::size_t row = 0; row < subsets.size(); ++row) {
            slots_[slot_of(subsets[row])] = static_cast<std::uint32_t>(row);
        }
    }

    std::vector<std::uint32_t> slots_;  // rows; the size is a power of two, half free
};

// Threads fill different shards at once. A shard of a large layer fits a core's cache.
inline constexpr std::size_t kShardBits = 6;
inline constexpr std::size_t kShards = std::size_t{1} << kShardBits;

template <int W>
struct Layer {
    std::array<LayerShard<W>, kShards> shards;

    // By the high bits of the hash: the tables use the low ones.
    static std::size_t shard_of(const VariableSet<W>& subset) {
        return subset.hash() >> (8 * sizeof(std::size_t) - kShardBits);
    }

    std::size_t size() const {
        std::size_t sum = 0;
        for (const auto& shard : shards) sum += shard.size();
        return sum;
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& shard : shards) sum += shard.bytes();
        return sum;
    }
};

}  // namespace noisyor
