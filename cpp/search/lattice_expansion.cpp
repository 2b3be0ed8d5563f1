#include "search/lattice_expansion.hpp"

#include <limits>

namespace noisyor {

template <int W>
Expansion<W>::Expansion(const LatticeProblem<W>& problem, LatticeRules rules, Ticks limit,
                        std::size_t memory)
    : problem_(problem),
      rules_(rules),
      limit_(limit),
      memory_(problem, memory),
      outlooks_(static_cast<std::size_t>(problem.variables)) {}

template <int W>
bool Expansion<W>::visit(const Set& subset, Ticks distance) {
    unplaced_ = problem_.all - subset;
    spare_ = limit_ - distance;
    problem_.saturated(subset, saturated_);
    if (rules_.strengthen || rules_.persistent) {
        look();
    } else {
        unplaced_.for_each([&](int v) {
            const auto child = static_cast<std::size_t>(v);
            outlooks_[child].saturated_weight =
                problem_.weight_of(problem_.children[child].cuts.data(), saturated_.data(),
                                   std::numeric_limits<Ticks>::max());
        });
    }
    return spare_ >= 0;
}

template <int W>
void Expansion<W>::look() {
    memory_.make_room();
    for (Set left = unplaced_; !left.empty() && spare_ >= 0;) {
        const int v = left.lowest();
        left.erase(v);
        // What is spared now is at least the room in the end.
        const Outlook<W> seen = memory_.of(v, saturated_, spare_);
        outlooks_[static_cast<std::size_t>(v)] = seen;
        if (rules_.strengthen) spare_ -= seen.least;
    }
}

template <int W>
VariableSet<W> Expansion<W>::next() {
    return rules_.persistent ? smallest_closed() : unplaced_;
}

// Every closed set contains the closure of each of its members, so one of these is smallest. Once
// a child's closure is known to have `size` members or more, so has every set that contains it.
template <int W>
VariableSet<W> Expansion<W>::smallest_closed() const {
    Set smallest = unplaced_;
    int size = smallest.size();
    Set done;
    for (Set left = unplaced_; !left.empty() && size > 1;) {
        const int v = left.lowest();
        left.erase(v);
        Set closed = Set::single(v);
        for (Set added = closed; !added.empty();) {
            const int u = added.lowest();
            added.erase(u);
            const Set reached = reach(u);
            added = added | (reached - closed);
            closed = closed | reached;
            if (closed.meets(done) || closed.size() >= size) break;
        }
        if (!closed.meets(done) && closed.size() < size) {
            smallest = closed;
            size = closed.size();
        }
        done.insert(v);
    }
    return smallest;
}

template class Expansion<1>;
template class Expansion<2>;
template class Expansion<4>;
template class Expansion<16>;

}  // namespace noisyor
