// The good families that a climber has met: what exact searches around its network choose from.
#pragma once

#include <cstddef>
#include <vector>

#include "climbing/family_costs.hpp"

namespace noisyor {

struct PooledFamily {
    std::vector<int> parents;  // ascending
    CheapestFamily cheapest;
};

class FamilyPool {
  public:
    explicit FamilyPool(int variables);

    // Adds a family unless it costs much more than the child's best. A family may be added again.
    void add(int child, const std::vector<int>& parents, const CheapestFamily& cheapest);
    // The families of a child, each once.
    const std::vector<PooledFamily>& of(int child);

  private:
    struct Own {
        std::vector<PooledFamily> families;
        double least = kInfinity;
        std::size_t tidy = 0;  // the first ones, which are sorted and different
    };
    void tidy(Own& own);

    std::size_t most_;  // families of a child
    std::vector<Own> children_;
};

}  // namespace noisyor
