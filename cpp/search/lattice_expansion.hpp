// Which children to place next after a subset, and what is known about the rest.
//
// The bound. Any family that v gets after S has length at least least_v(S), the minimum of
// q(v, P | S) over all families of v, for q does not fall as S grows. So a path through S at
// distance d has length at least d plus the sum of least_v(S) over v not in S; the subset is
// left out if that exceeds the limit. Without `strengthen`, 0 stands for least_v(S).
//
// Persistent sets. Let a network within the limit have a path through S, and let d be the final
// distance of S, so that the path's length up to S is at least d. By the bound, the family (v, P)
// of an unplaced v has q(v, P | S) <= room_v = limit - d - sum of least_u(S) over unplaced u other
// than v. Let reach_v be the union of P - S over the families with that property, and T a set of
// unplaced variables with reach_v within T for every v in T. Then all parents of T in the network
// are in S or T, and the network has a topological order that places S, then all of T, then the
// rest. Its first step after S is an arc to a v in T. So it is enough to follow the arcs to v in T:
// by induction over the layers, every network within the limit keeps a path, each step of which
// starts at a subset that is not left out. T is a function of S and d alone.
#pragma once

#include <vector>

#include "search/lattice_outlook.hpp"

namespace noisyor {

struct LatticeRules {
    bool strengthen = true;
    bool persistent = true;
    bool whole = true;  // go through all subsets, if nearly all are reached; see lattice_dense.hpp
};

// One for each thread: it keeps scratch space.
template <int W>
class Expansion {
  public:
    using Set = VariableSet<W>;

    Expansion(const LatticeProblem<W>& problem, LatticeRules rules, Ticks limit,
              std::size_t memory);

    // Takes up a subset other than the full one; returns whether some network within the limit may
    // have a path through it.
    bool visit(const Set& subset, Ticks distance);

    // Of the subset visited: a lower bound on the length of paths through it, ...
    Ticks bound() const { return limit_ - spare_; }
    // ... the children to place next, ...
    Set next();
    // ... how long the arc of an unplaced child may be, ...
    Ticks room(int child) const {
        return rules_.strengthen ? spare_ + outlook(child).least : spare_;
    }
    // ... and the weights of the child's cuts that the subset saturates.
    Ticks saturated_weight(int child) const { return outlook(child).saturated_weight; }

  private:
    const Outlook<W>& outlook(int child) const {
        return outlooks_[static_cast<std::size_t>(child)];
    }
    Set reach(int child) const { return outlook(child).parents_within(room(child)) & unplaced_; }
    void look();
    Set smallest_closed() const;

    const LatticeProblem<W>& problem_;
    LatticeRules rules_;
    Ticks limit_;
    OutlookMemory<W> memory_;
    CutBits saturated_;
    std::vector<Outlook<W>> outlooks_;  // of the unplaced children
    Set unplaced_;
    Ticks spare_ = 0;  // the limit less the bound
};

extern template class Expansion<1>;
extern template class Expansion<2>;
extern template class Expansion<4>;
extern template class Expansion<16>;

}  // namespace noisyor
