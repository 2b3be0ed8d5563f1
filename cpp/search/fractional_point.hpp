// A fractional solution of the linear program: each family has a value, and those of a child add up
// to 1. Random walks along its parents find clusters that it may violate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/families.hpp"
#include "search/random.hpp"

namespace noisyor {

template <int W>
struct FractionalPoint {
    using Set = VariableSet<W>;

    struct Value {
        int child;
        Set parents;
        double value;
    };

    FractionalPoint(int variables, std::size_t size, const std::int32_t* children,
                    const Word* parents, const double* values)
        : variables(variables), of(static_cast<std::size_t>(variables)) {
        for (std::size_t f = 0; f < size; ++f) {
            families.push_back({children[f], Set::load(parents + f * W), values[f]});
            of[static_cast<std::size_t>(children[f])].push_back(static_cast<int>(f));
        }
        find_cycles();
    }

    // A cluster that follows parents from a random variable, preferring families of high value.
    Set grown(int need, Random& random) const {
        Set cluster = Set::single(static_cast<int>(random.below(variables)));
        const std::size_t steps = static_cast<std::size_t>(need) + random.below(6);
        for (std::size_t i = 0; i < steps; ++i) {
            const int v = member(cluster, random);
            if (of[v].empty()) continue;
            const Set& parents = families[random_family(v, random)].parents;
            if (!parents.empty()) cluster.insert(member(parents, random));
        }
        return cluster;
    }

    // The cycle that closes on a random walk from variables to parents on cycles with them, which
    // prefers families of high value; a single variable if there is no cycle.
    Set cycle(Random& random) const {
        if (cyclic_.empty()) return Set::single(static_cast<int>(random.below(variables)));
        std::vector<int> walk{member(cyclic_, random)};
        Set visited = Set::single(walk.back());
        for (;;) {
            const int v = walk.back();
            Set parents = families[random_family(v, random)].parents & mutual_[v];
            if (parents.empty()) parents = parents_[v] & mutual_[v];
            const int next = member(parents, random);
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

    int variables;
    std::vector<Value> families;
    std::vector<std::vector<int>> of;  // the families of each child

  private:
    // Which variables are on a cycle of families with a value, and with which others.
    void find_cycles() {
        parents_.resize(of.size());
        for (const Value& family : families) {
            parents_[family.child] = parents_[family.child] | family.parents;
        }
        std::vector<Set> above = parents_;  // all ancestors, in the end
        for (int middle = 0; middle < variables; ++middle) {
            for (Set& own : above) {
                if (own.contains(middle)) own = own | above[middle];
            }
        }
        mutual_.resize(of.size());
        for (int v = 0; v < variables; ++v) {
            if (!above[v].contains(v)) continue;
            cyclic_.insert(v);
            above[v].for_each([&](int u) {
                if (above[u].contains(v)) mutual_[v].insert(u);
            });
        }
    }

    static int member(const Set& set, Random& random) {
        std::size_t skip = random.below(static_cast<std::size_t>(set.size()));
        int chosen = set.lowest();
        set.for_each([&](int v) {
            if (skip-- == 0) chosen = v;
        });
        return chosen;
    }

    int random_family(int v, Random& random) const {
        constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
        double at = static_cast<double>(random.next() >> 11) * kUnit;
        for (int f : of[v]) {
            at -= families[f].value;
            if (at < 0) return f;
        }
        return of[v].back();
    }

    std::vector<Set> parents_;  // of each variable, in any family
    std::vector<Set> mutual_;   // those on a cycle with each variable, itself too
    Set cyclic_;
};

}  // namespace noisyor
