// What a climber remembers of the costs of families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/objective.hpp"

namespace noisyor {

// The cheapest family over some parents: its cost, and the place of its relation in the list of the
// child's relations. Without a relation, `cost` is only a bound: the family costs at least that.
struct CheapestFamily {
    double cost = kInfinity;
    int relation = -1;

    bool is_known() const { return relation >= 0; }
};

// Two hashes of a child and its parents: no two families are confused in practice.
struct FamilyKey {
    std::uint64_t first = 0, second = 0;
    bool operator==(const FamilyKey&) const = default;
    void toggle(const FamilyKey& other) { first ^= other.first, second ^= other.second; }
};

// Each key has one place. A family takes it from the one that was there, so that memory is bounded
// and nothing is ever cleared; what was forgotten is evaluated again when it is asked for.
class CostMemory {
  public:
    const CheapestFamily* find(const FamilyKey& key) const {
        const Entry& entry = entries_[place_of(key)];
        return entry.key == key ? &entry.family : nullptr;
    }

    void put(const FamilyKey& key, const CheapestFamily& family) {
        if (used_ > entries_.size() / 2 && entries_.size() < kMost) grow();
        Entry& entry = entries_[place_of(key)];
        if (entry.key == FamilyKey{}) ++used_;
        entry = {key, family};
    }

  private:
    struct Entry {
        FamilyKey key;
        CheapestFamily family;
    };

    static constexpr std::size_t kFewest = 1 << 12, kMost = 1 << 22;  // 32 bytes each

    std::size_t place_of(const FamilyKey& key) const { return key.first & (entries_.size() - 1); }

    void grow() {
        std::vector<Entry> before(2 * entries_.size());
        before.swap(entries_);
        used_ = 0;
        for (const Entry& entry : before) {
            if (entry.key == FamilyKey{}) continue;
            entries_[place_of(entry.key)] = entry;  // no two meet: they had places of their own
            ++used_;
        }
    }

    std::vector<Entry> entries_ = std::vector<Entry>(kFewest);
    std::size_t used_ = 0;
};

}  // namespace noisyor
