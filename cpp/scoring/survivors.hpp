// The families that were found good enough so far, arranged to answer: what does the cheapest
// family over a subset of these parents cost?
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fitting/objective.hpp"
#include "variable_set.hpp"

namespace noisyor {

template <int W>
struct Candidate {
    VariableSet<W> parents;
    double upper = 0;          // an attained cost
    double lower = 0;          // no fit can cost less
    std::size_t relation = 0;  // its number
    bool counts = true;        // for m(P) of its supersets
};

// A family that counts for m(P), wherever it comes from.
template <int W>
struct KnownFamily {
    VariableSet<W> free_parents;  // without the required ones
    double cost = 0;
};

// Sets are visited in numeric order, each from the set without its lowest member j. A subset of
// P + j that is not a subset of P has j as its lowest member too. So with m(P) at hand, m(P + j) is
// found among the families whose lowest member is j, cheapest first, and the scan ends at m(P).
template <int W>
class Survivors {
  public:
    explicit Survivors(int variables) : by_lowest_(static_cast<std::size_t>(variables)) {}

    void add(const VariableSet<W>& free_parents, double cost) {
        if (free_parents.empty()) {
            root_ = std::min(root_, cost);
            return;
        }
        auto& bucket = by_lowest_[free_parents.lowest()];
        const auto at =
            std::upper_bound(bucket.begin(), bucket.end(), cost,
                             [](double value, const Entry& entry) { return value < entry.cost; });
        bucket.insert(at, {cost, free_parents});
    }

    // m of the set without any candidate.
    double root() const { return root_; }

    // m(P + lowest), where `extended` is P + lowest and `best` is m(P).
    double cheapest(const VariableSet<W>& extended, int lowest, double best) const {
        for (const Entry& entry : by_lowest_[lowest]) {
            if (entry.cost >= best) break;
            if (entry.parents.is_subset_of(extended)) return entry.cost;
        }
        return best;
    }

    // m(P) without a set to start from: one bucket for each member that could be the lowest.
    double cheapest_subset(const VariableSet<W>& free_parents) const {
        double best = root_;
        free_parents.for_each([&](int lowest) { best = cheapest(free_parents, lowest, best); });
        return best;
    }

  private:
    struct Entry {
        double cost;
        VariableSet<W> parents;
    };
    double root_ = kInfinity;
    std::vector<std::vector<Entry>> by_lowest_;
};

}  // namespace noisyor
