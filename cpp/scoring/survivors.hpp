// The families that were found good enough so far, arranged to answer: what does the cheapest
// family over a subset of these parents cost?
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

template <int W>
struct Candidate {
    VariableSet<W> parents;
    double upper = 0;  // an attained cost
    double lower = 0;  // no fit can cost less
    std::uint8_t relation = 0;
};

// Sets are visited in numeric order, each from the set without its lowest member j. A subset of
// P + j that is not a subset of P has j as its lowest member too. So with m(P) at hand, m(P + j) is
// found among the families whose lowest member is j, cheapest first, and the scan ends at m(P).
template <int W>
class Survivors {
  public:
    explicit Survivors(int variables) : by_lowest_(static_cast<std::size_t>(variables)) {}

    void add(const VariableSet<W>& free_parents, double cost) {
        if (free_parents.empty()) return;  // the root's cost is handed down, not looked up
        auto& bucket = by_lowest_[free_parents.lowest()];
        const auto at =
            std::upper_bound(bucket.begin(), bucket.end(), cost,
                             [](double value, const Entry& entry) { return value < entry.cost; });
        bucket.insert(at, {cost, free_parents});
    }

    // m(P + lowest), where `extended` is P + lowest and `best` is m(P).
    double cheapest(const VariableSet<W>& extended, int lowest, double best) const {
        for (const Entry& entry : by_lowest_[lowest]) {
            if (entry.cost >= best) break;
            if (entry.parents.is_subset_of(extended)) return entry.cost;
        }
        return best;
    }

  private:
    struct Entry {
        double cost;
        VariableSet<W> parents;
    };
    std::vector<std::vector<Entry>> by_lowest_;
};

}  // namespace noisyor
