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

    // The cycle that closes on a random walk from variables to parents; else all of the walk.
    Set cycle(Random& random) const {
        std::vector<int> walk{static_cast<int>(random.below(variables))};
        Set visited = Set::single(walk.back());
        for (;;) {
            const int v = walk.back();
            if (of[v].empty()) return visited;
            const Set& parents = families[random_family(v, random)].parents;
            if (parents.empty()) return visited;
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
};

}  // namespace noisyor
