// All networks within a limit as the paths of a diagram: one path for each network.
//
// Number the variables. The canonical order of an acyclic network places, again and again, the
// variable of lowest number among those whose parents have all been placed. So every network has
// exactly one. The barrier of an unplaced variable u is the set that was placed before the last
// variable of a higher number, if there has been one.
//
// A path places the variables one by one, each with a family within the set S placed before it,
// but not within its barrier. **The families along a path form an acyclic network, and the path is
// its canonical order; conversely, every acyclic network has such a path.** Proof. Let a variable
// of a higher number than u be placed after T, with u unplaced. In a canonical order u was not
// available then, so its family is not within T; that holds for the last such T, the barrier. The
// other way around, the families along a path form a network, and the path is one of its
// topological orders. Were it not canonical, some variable would be placed after a set T while an
// available u of lower number was not; but then T lies within the barrier of u in the end, and so
// does its family.
//
// What can follow depends on S and the barriers alone, and on a barrier only through the parents
// that some family of its variable has. Paths that agree on these meet in a state. Lengths are q of
// lattice_problem.hpp, so the length of a path is the network's ticks less the duals' lower bound.
// From a state at distance d every path is at least as long as d plus, for each unplaced u, the
// least q of its families that are not within its barrier, for q does not fall as S grows. States
// for which that exceeds the limit are left out. Backward, the distances to the end are found, and
// what is on no path within the limit is removed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/lattice_problem.hpp"

namespace noisyor {

// The states in which as many variables are placed, and the arcs that leave them.
struct DiagramLayer {
    std::vector<Ticks> before;  // per state, the distance from the start
    std::vector<Ticks> after;   // and to the end
    // Arcs in order of the states that they leave, those of a state by the length of the shortest
    // path with them.
    std::vector<std::uint32_t> from, to, family;
    std::vector<Ticks> length;
    std::vector<std::size_t> first_out;  // per state and one more
    // The arcs that enter a state, by the length of the shortest path with them.
    std::vector<std::size_t> first_in;
    std::vector<std::uint32_t> in;  // places among the arcs of the layer before

    std::size_t states() const { return before.size(); }
    std::size_t arcs() const { return length.size(); }
};

struct OrderDiagram {
    std::vector<std::uint32_t> child_of;  // per family; without a meaning if it is too long
    Ticks limit = 0;                      // no path is longer
    std::vector<DiagramLayer> layers;     // by the number of variables placed; none if no path

    bool empty() const { return layers.empty(); }
    std::size_t variables() const { return layers.size() - 1; }
    Ticks shortest() const { return layers.back().before[0]; }
};

enum class DiagramStatus { kDone, kTooMuchMemory, kCancelled };

struct DiagramResult {
    DiagramStatus status = DiagramStatus::kDone;
    std::size_t reached = 0;  // states, on a path within the limit or not
    OrderDiagram diagram;     // if done
};

struct DiagramRules {
    bool strengthen = true;  // bound what is unplaced by the least q there, not by 0
};

// `numbers` has the variables in ascending order of their numbers; any will do, but if they are a
// topological order of a good network, few variables wait behind a barrier.
template <int W>
DiagramResult make_order_diagram(const LatticeProblem<W>& problem, DiagramRules rules,
                                 std::span<const int> numbers, Ticks limit, std::size_t max_bytes,
                                 std::size_t workers, const std::atomic<bool>& cancel);

// Removes what is on no path within the limit, and fills in `after`, the order of arcs, and how
// they leave and enter states. Layers have `before` and arcs with `from`, `to`, `family`, `length`.
// Returns false, and leaves a diagram of no use, if it was cancelled.
bool trim(OrderDiagram& diagram, const std::atomic<bool>& cancel);

}  // namespace noisyor
