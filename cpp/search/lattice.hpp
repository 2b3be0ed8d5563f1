// The shortest path from no variables to all of them in the lattice of subsets, and for every
// family the shortest path that uses it.
//
// Forward, layer by layer (a layer holds the subsets of one size), distances from the empty set are
// found; a layer's are final before it is expanded. lattice_problem.hpp says what an arc's length
// is, lattice_expansion.hpp which subsets and arcs are left out and why every network within the
// limit keeps a path. Backward over the same arcs, distances to the full set are found, now within
// the optimum plus the slack. For a family (v, P) the minimum over the arcs S -> S + v with P
// within S of
//     distance from the empty set to S + q(v, P | S) + distance from S + v to the full set
// is the length of a best network that has it, if that is within the limit: such a network keeps
// a path, which is no shorter than this minimum, and any path together with any families along
// it is an acyclic network.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "search/lattice_expansion.hpp"

namespace noisyor {

// Instead of a network's ticks: no network within the limit has the family.
inline constexpr Ticks kNoNetwork = std::numeric_limits<Ticks>::max();

struct LatticeLimits {
    Ticks length = 0;  // of the paths of interest when the search starts: some path is that short
    Ticks slack = 0;   // of interest when it ends: paths at most that much above the shortest
    std::size_t subsets = 0;
    std::size_t bytes = 0;
};

enum class LatticeStatus { kDone, kNoPath, kTooManySubsets, kTooMuchMemory, kCancelled };

struct LatticeResult {
    LatticeStatus status = LatticeStatus::kDone;
    std::size_t subsets = 0;  // reached
    Ticks shortest = 0;       // if done, else a lower bound
    // If done:
    std::size_t kept_subsets = 0;         // on a path of interest at the end
    std::vector<std::int64_t> best;       // per child its family in a shortest path's network
    std::vector<std::int64_t> best_with;  // per family the length of a shortest path, or kNoNetwork
};

template <int W>
LatticeResult shortest_path(const LatticeProblem<W>& problem, LatticeRules rules,
                            const LatticeLimits& limits, std::size_t workers,
                            const std::atomic<bool>& cancel);

}  // namespace noisyor
