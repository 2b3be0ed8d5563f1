// Cuts that a fractional solution violates, and which of many to take.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "classed_cluster.hpp"

namespace noisyor {

template <int W>
struct ViolatedCut : ClassedCluster<W> {
    double violation = 0;

    // How far the cut moves the program, roughly: cuts of few members and small need reach as far
    // with less violation. In equal time, taking the deepest first left half to a third of the gap
    // that taking the most violated first did on large samples, and made no difference on small.
    double depth() const {
        return violation / (this->need * std::sqrt(static_cast<double>(this->members.size())));
    }
};

// At most `limit` of the cuts, the deepest first. Near-copies of a better cut come after all
// others: they cut off the same points.
template <int W>
std::vector<ViolatedCut<W>> deepest(std::vector<ViolatedCut<W>> cuts, std::size_t limit) {
    std::sort(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) {
        if (a.depth() != b.depth()) return a.depth() > b.depth();
        if (a.need != b.need) return a.need < b.need;
        if (a.members != b.members) return a.members < b.members;
        return a.classes < b.classes;
    });
    std::vector<ViolatedCut<W>> chosen;
    std::vector<ViolatedCut<W>> copies;
    for (auto& cut : cuts) {
        if (chosen.size() >= limit) break;
        const bool copy = std::any_of(chosen.begin(), chosen.end(), [&](const auto& other) {
            return other.need == cut.need &&
                   (other.members - cut.members).size() + (cut.members - other.members).size() <= 1;
        });
        (copy ? copies : chosen).push_back(std::move(cut));
    }
    for (auto& cut : copies) {
        if (chosen.size() >= limit) break;
        chosen.push_back(std::move(cut));
    }
    return chosen;
}

}  // namespace noisyor
