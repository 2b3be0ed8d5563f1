// Cuts that a fractional solution of the linear program violates, by local search over clusters.
//
// The solution gives each family a value; those of a child add up to 1. A cluster C with need k has
// the left side: the values of the families of members that have fewer than k parents in C. It is
// violated if that is below k. Steps add or remove one variable; one pass over the families
// finds what every step would change.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/fractional_point.hpp"
#include "search/random.hpp"
#include "search/violated_cut.hpp"

namespace noisyor {

struct SeparationSettings {
    int max_need = 1;
    int tries = 100;  // clusters to start from, for each need
    int wander = 4;   // steps to go on without success
    double least_violation = 1e-4;
    std::uint64_t seed = 0;
};

template <int W>
class Separation {
    using Set = VariableSet<W>;

  public:
    Separation(const FractionalPoint<W>& point, const SeparationSettings& settings)
        : point_(point),
          variables_(point.variables),
          settings_(settings),
          random_(settings.seed),
          inside_(point.families.size()),
          change_(static_cast<std::size_t>(point.variables)),
          free_at_(static_cast<std::size_t>(point.variables)) {}

    // The violated cuts found, at most `limit` of them, the deepest first.
    std::vector<ViolatedCut<W>> run(const std::vector<Set>& starts, std::size_t limit,
                                    const std::atomic<bool>& cancelled) {
        try_pairs_and_triples();
        for (int need = 1; need <= settings_.max_need; ++need) {
            for (const Set& start : starts) {
                if (cancelled) break;
                descend(start, need);
            }
            for (int i = 0; i < settings_.tries && !cancelled; ++i) {
                descend(i % 2 == 0 ? point_.cycle(random_) : point_.grown(need, random_), need);
            }
        }
        std::vector<ViolatedCut<W>> cuts;
        for (const auto& [key, violation] : found_) {
            cuts.push_back({{key.members, key.need, {}}, violation});
        }
        return deepest(std::move(cuts), limit);
    }

  private:
    static constexpr int kRest = 5;  // steps for which a variable stays where it went

    using Value = typename FractionalPoint<W>::Value;

    struct Key {
        Set members;
        int need;
        bool operator==(const Key& other) const {
            return members == other.members && need == other.need;
        }
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            return key.members.hash() * 31 + static_cast<std::size_t>(key.need);
        }
    };

    double left_side(const Set& cluster, int need) const {
        double sum = 0;
        cluster.for_each([&](int v) {
            for (int f : point_.of[v]) {
                const Value& family = point_.families[f];
                if ((family.parents & cluster).size() < need) sum += family.value;
            }
        });
        return sum;
    }

    void note(const Set& cluster, int need, double left) {
        if (left < need - settings_.least_violation) found_[{cluster, need}] = need - left;
    }

    void try_pairs_and_triples() {
        for (int a = 0; a < variables_; ++a) {
            for (int b = a + 1; b < variables_; ++b) {
                const Set pair = Set::single(a) | Set::single(b);
                note(pair, 1, left_side(pair, 1));
            }
        }
        if (settings_.max_need < 2) return;
        // Two of a triple's members must each have both others as parents somewhere.
        for (const Value& family : point_.families) {
            std::vector<int> parents;
            family.parents.for_each([&](int p) { parents.push_back(p); });
            for (std::size_t i = 0; i < parents.size(); ++i) {
                for (std::size_t j = i + 1; j < parents.size(); ++j) {
                    const Set triple = Set::single(family.child) | Set::single(parents[i]) |
                                       Set::single(parents[j]);
                    note(triple, 2, left_side(triple, 2));
                }
            }
        }
    }

    // Takes the best step, noting violated cuts on the way. Where no step lowers the left side it
    // goes on for a while, without undoing what it just did, to get out of shallow minima.
    void descend(Set cluster, int need) {
        constexpr double kLeastStep = 1e-9;
        for (std::size_t f = 0; f < point_.families.size(); ++f) {
            inside_[f] = (point_.families[f].parents & cluster).size();
        }
        std::fill(free_at_.begin(), free_at_.end(), 0);
        double left = left_side(cluster, need);
        double least = left;
        int fruitless = 0;
        for (int step = 0; fruitless <= settings_.wander; ++step) {
            const int size = cluster.size();
            if (size > need) note(cluster, need, left);
            const std::optional<int> v = best_step(cluster, need, step);
            if (!v) break;
            left += change_[*v];
            toggle(cluster, *v);
            free_at_[*v] = step + kRest;
            // A cluster that is still too small for a cut must grow, whatever that costs.
            if (left < least - kLeastStep || size <= need) {
                least = left;
                fruitless = 0;
            } else {
                ++fruitless;
            }
        }
    }

    // The variable, not just moved, whose addition or removal lowers the left side most.
    std::optional<int> best_step(const Set& cluster, int need, int step) {
        std::fill(change_.begin(), change_.end(), 0.0);
        for (std::size_t f = 0; f < point_.families.size(); ++f) {
            const Value& family = point_.families[f];
            const bool member = cluster.contains(family.child);
            if (inside_[f] < need) change_[family.child] += member ? -family.value : family.value;
            if (!member) continue;
            if (inside_[f] == need - 1) {
                (family.parents - cluster).for_each([&](int p) { change_[p] -= family.value; });
            } else if (inside_[f] == need) {
                (family.parents & cluster).for_each([&](int p) { change_[p] += family.value; });
            }
        }
        const bool may_shrink = cluster.size() > need + 1;
        std::optional<int> best;
        for (int v = 0; v < variables_; ++v) {
            if (free_at_[v] > step || (cluster.contains(v) && !may_shrink)) continue;
            if (!best || change_[v] < change_[*best]) best = v;
        }
        return best;
    }

    void toggle(Set& cluster, int v) {
        const bool removed = cluster.contains(v);
        if (removed) {
            cluster.erase(v);
        } else {
            cluster.insert(v);
        }
        for (std::size_t f = 0; f < point_.families.size(); ++f) {
            if (point_.families[f].parents.contains(v)) inside_[f] += removed ? -1 : 1;
        }
    }

    const FractionalPoint<W>& point_;
    int variables_;
    SeparationSettings settings_;
    Random random_;
    std::vector<int> inside_;     // parents in the cluster, for each family
    std::vector<double> change_;  // of the left side, for each variable
    std::vector<int> free_at_;    // the step at which a variable may move again
    std::unordered_map<Key, double, KeyHash> found_;
};

}  // namespace noisyor
