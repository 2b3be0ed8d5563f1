// Cuts that a fractional solution of the linear program violates, by local search over clusters.
//
// The solution gives each family a value; those of a child add up to 1. A cluster C with need k has
// the left side: the values of the families of members that have fewer than k parents in C. It is
// violated if that is below k. Steps add or remove one variable; one pass over the families
// finds what every step would change.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/families.hpp"
#include "search/random.hpp"

namespace noisyor {

template <int W>
struct ViolatedCut {
    VariableSet<W> members;
    int need = 1;
    double violation = 0;

    // How far the cut moves the program, roughly: cuts of few members and small need reach as far
    // with less violation. In equal time, taking the deepest first left half to a third of the gap
    // that taking the most violated first did on large samples, and made no difference on small.
    double depth() const {
        return violation / (need * std::sqrt(static_cast<double>(members.size())));
    }
};

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
    Separation(int variables, std::size_t size, const std::int32_t* children, const Word* parents,
               const double* values, const SeparationSettings& settings)
        : variables_(variables), settings_(settings), random_(settings.seed), of_(variables) {
        for (std::size_t f = 0; f < size; ++f) {
            families_.push_back({children[f], Set::load(parents + f * W), values[f]});
            of_[children[f]].push_back(static_cast<int>(f));
        }
        inside_.resize(size);
        change_.resize(variables);
        free_at_.resize(variables);
    }

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
                descend(i % 2 == 0 ? cycle() : grown(need), need);
            }
        }
        return deepest(limit);
    }

  private:
    static constexpr int kRest = 5;  // steps for which a variable stays where it went

    struct Value {
        int child;
        Set parents;
        double value;
    };
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
            for (int f : of_[v]) {
                const Value& family = families_[f];
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
        for (const Value& family : families_) {
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

    // A cluster that follows parents from a random variable, preferring families of high value.
    Set grown(int need) {
        Set cluster = Set::single(static_cast<int>(random_.below(variables_)));
        const std::size_t steps = static_cast<std::size_t>(need) + random_.below(6);
        for (std::size_t i = 0; i < steps; ++i) {
            const int v = member(cluster);
            if (of_[v].empty()) continue;
            const Set& parents = families_[random_family(v)].parents;
            if (!parents.empty()) cluster.insert(member(parents));
        }
        return cluster;
    }

    // The cycle that closes on a random walk from variables to parents; else all of the walk.
    Set cycle() {
        std::vector<int> walk{static_cast<int>(random_.below(variables_))};
        Set visited = Set::single(walk.back());
        for (;;) {
            const int v = walk.back();
            if (of_[v].empty()) return visited;
            const Set& parents = families_[random_family(v)].parents;
            if (parents.empty()) return visited;
            const int next = member(parents);
            if (visited.contains(next)) {
                Set closed;
                for (auto at = walk.rbegin(); *at != next; ++at) closed.insert(*at);
                closed.insert(next);
                return closed;
            }
            visited.insert(next);
            walk.push_back(next);
        }
    }

    int member(const Set& set) {
        std::size_t skip = random_.below(static_cast<std::size_t>(set.size()));
        int chosen = set.lowest();
        set.for_each([&](int v) {
            if (skip-- == 0) chosen = v;
        });
        return chosen;
    }

    int random_family(int v) {
        constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
        double at = static_cast<double>(random_.next() >> 11) * kUnit;
        for (int f : of_[v]) {
            at -= families_[f].value;
            if (at < 0) return f;
        }
        return of_[v].back();
    }

    // Takes the best step, noting violated cuts on the way. Where no step lowers the left side it
    // goes on for a while, without undoing what it just did, to get out of shallow minima.
    void descend(Set cluster, int need) {
        constexpr double kLeastStep = 1e-9;
        for (std::size_t f = 0; f < families_.size(); ++f) {
            inside_[f] = (families_[f].parents & cluster).size();
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
        for (std::size_t f = 0; f < families_.size(); ++f) {
            const Value& family = families_[f];
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
        for (std::size_t f = 0; f < families_.size(); ++f) {
            if (families_[f].parents.contains(v)) inside_[f] += removed ? -1 : 1;
        }
    }

    // Near-copies of a better cut come after all others: they cut off the same points.
    std::vector<ViolatedCut<W>> deepest(std::size_t limit) const {
        std::vector<ViolatedCut<W>> cuts;
        for (const auto& [key, violation] : found_) {
            cuts.push_back({key.members, key.need, violation});
        }
        std::sort(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) {
            if (a.depth() != b.depth()) return a.depth() > b.depth();
            if (a.need != b.need) return a.need < b.need;
            return a.members < b.members;
        });
        std::vector<ViolatedCut<W>> chosen;
        std::vector<ViolatedCut<W>> copies;
        for (const auto& cut : cuts) {
            if (chosen.size() >= limit) break;
            const bool copy = std::any_of(chosen.begin(), chosen.end(), [&](const auto& other) {
                return other.need == cut.need && (other.members - cut.members).size() +
                                                         (cut.members - other.members).size() <=
                                                     1;
            });
            (copy ? copies : chosen).push_back(cut);
        }
        for (const auto& cut : copies) {
            if (chosen.size() >= limit) break;
            chosen.push_back(cut);
        }
        return chosen;
    }

    int variables_;
    SeparationSettings settings_;
    Random random_;
    std::vector<Value> families_;
    std::vector<std::vector<int>> of_;  // the families of each child
    std::vector<int> inside_;           // parents in the cluster, for each family
    std::vector<double> change_;        // of the left side, for each variable
    std::vector<int> free_at_;          // the step at which a variable may move again
    std::unordered_map<Key, double, KeyHash> found_;
};

}  // namespace noisyor
