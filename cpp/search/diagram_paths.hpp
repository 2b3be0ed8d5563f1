// Halves of the paths of an order diagram, and their lengths.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/list_sums.hpp"
#include "search/order_diagram.hpp"

namespace noisyor {

enum class Half { kBefore, kAfter };

// The paths from the start to a state of the middle layer, or from there to the end.
template <Half half>
class HalfPaths {
  public:
    HalfPaths(const OrderDiagram& diagram, std::size_t middle, const std::atomic<bool>& cancel)
        : layers_(diagram.layers), middle_(middle), cancel_(cancel), path_(diagram.variables()) {}

    // Calls leaf(length) for each path of at most `room`, which says what goes through it, and
    // credit(family, through) for each arc with what goes through all of its paths. Returns what
    // goes through the state.
    template <class Leaf, class Credit>
    Through visit(std::uint32_t state, Ticks room, Leaf&& leaf, Credit&& credit) {
        room_ = room;
        return step(middle_, state, 0, leaf, credit);
    }
    template <class Leaf>
    void list(std::uint32_t state, Ticks room, Leaf&& leaf) {
        visit(
            state, room,
            [&](Ticks length) {
                leaf(length);
                return Through{};
            },
            [](std::uint32_t, const Through&) {});
    }

    // Enters the families of the path that a leaf is called for.
    void put(const OrderDiagram& diagram, std::uint32_t* choice) const {
        const std::size_t begin = half == Half::kAfter ? middle_ : 0;
        const std::size_t end = half == Half::kAfter ? path_.size() : middle_;
        for (std::size_t i = begin; i < end; ++i) choice[diagram.child_of[path_[i]]] = path_[i];
    }

  private:
    template <class Leaf, class Credit>
    Through step(std::size_t at, std::uint32_t state, Ticks length, Leaf& leaf, Credit& credit) {
        if (at == (half == Half::kAfter ? layers_.size() - 1 : 0)) return leaf(length);
        Through all;
        const std::size_t arcs_of = half == Half::kAfter ? at : at - 1;
        const std::size_t next = half == Half::kAfter ? at + 1 : at - 1;
        const DiagramLayer& arcs = layers_[arcs_of];
        const auto& first = half == Half::kAfter ? layers_[at].first_out : layers_[at].first_in;
        const auto& rest = half == Half::kAfter ? layers_[next].after : layers_[next].before;
        for (std::size_t i = first[state]; i < first[state + 1]; ++i) {
            const std::size_t arc = half == Half::kAfter ? i : layers_[at].in[i];
            const std::uint32_t to = half == Half::kAfter ? arcs.to[arc] : arcs.from[arc];
            const Ticks longer = length + arcs.length[arc];
            if (longer + rest[to] > room_ || cancel_.load(std::memory_order_relaxed)) break;
            path_[arcs_of] = arcs.family[arc];
            const Through below = step(next, to, longer, leaf, credit);
            credit(arcs.family[arc], below);
            all += below;
        }
        return all;
    }

    const std::vector<DiagramLayer>& layers_;
    std::size_t middle_;
    const std::atomic<bool>& cancel_;
    std::vector<std::uint32_t> path_;  // families, by the layer that their arcs leave
    Ticks room_ = 0;
};

// Lengths of paths, ascending, and the weights of all before each.
struct SortedLengths {
    std::vector<Ticks> lengths;
    std::vector<double> weights;  // and one more: of all

    void sort(double decay, Ticks from) {
        std::sort(lengths.begin(), lengths.end());
        weigh(decay, from);
    }
    void weigh(double decay, Ticks from) {
        weights.assign(1, 0);
        for (const Ticks length : lengths) {
            weights.push_back(weights.back() +
                              std::exp(-decay * static_cast<double>(length - from)));
        }
    }
    std::size_t fitting(Ticks room) const {
        return static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), room) -
                                        lengths.begin());
    }
};

}  // namespace noisyor
