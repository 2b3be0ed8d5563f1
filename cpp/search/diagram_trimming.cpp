// What is on no path of a diagram within its limit is removed, and the rest is put in order.
#include <algorithm>
#include <limits>

#include "search/order_diagram.hpp"

namespace noisyor {
namespace {

constexpr Ticks kNoPathOn = std::numeric_limits<Ticks>::max();

// Distances to the end; arcs and states on no path within the limit are marked by kNoPathOn, or
// removed.
void find_distances_after(OrderDiagram& diagram, const std::atomic<bool>& cancel) {
    diagram.layers.back().after.assign(diagram.layers.back().states(), 0);
    for (std::size_t i = diagram.layers.size() - 1; i-- > 0 && !cancel;) {
        DiagramLayer& layer = diagram.layers[i];
        const DiagramLayer& next = diagram.layers[i + 1];
        layer.after.assign(layer.states(), kNoPathOn);
        std::size_t kept = 0;
        for (std::size_t a = 0; a < layer.arcs(); ++a) {
            const Ticks rest = next.after[layer.to[a]];
            if (rest == kNoPathOn) continue;
            if (layer.before[layer.from[a]] + layer.length[a] + rest > diagram.limit) continue;
            Ticks& after = layer.after[layer.from[a]];
            after = std::min(after, layer.length[a] + rest);
            layer.from[kept] = layer.from[a];
            layer.to[kept] = layer.to[a];
            layer.family[kept] = layer.family[a];
            layer.length[kept++] = layer.length[a];
        }
        layer.from.resize(kept);
        layer.to.resize(kept);
        layer.family.resize(kept);
        layer.length.resize(kept);
    }
}

// Removes the states of a layer that are on no path; returns the new places of the others.
std::vector<std::uint32_t> remove_states(DiagramLayer& layer) {
    std::vector<std::uint32_t> place(layer.states());
    std::uint32_t kept = 0;
    for (std::size_t s = 0; s < layer.states(); ++s) {
        place[s] = kept;
        if (layer.after[s] == kNoPathOn) continue;
        layer.before[kept] = layer.before[s];
        layer.after[kept++] = layer.after[s];
    }
    layer.before.resize(kept);
    layer.before.shrink_to_fit();
    layer.after.resize(kept);
    layer.after.shrink_to_fit();
    return place;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
    std::vector<T> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t a : order) sorted.push_back(values[a]);
    values = std::move(sorted);
}

// Where the entries of each state begin, given the state of each.
std::vector<std::size_t> starts(const std::vector<std::uint32_t>& state_of, std::size_t states) {
    std::vector<std::size_t> first(states + 1);
    for (const std::uint32_t s : state_of) ++first[s + 1];
    for (std::size_t s = 0; s < states; ++s) first[s + 1] += first[s];
    return first;
}

std::vector<std::uint32_t> counting_up(std::size_t size) {
    std::vector<std::uint32_t> order(size);
    for (std::size_t i = 0; i < size; ++i) order[i] = static_cast<std::uint32_t>(i);
    return order;
}

void index_arcs(DiagramLayer& layer, DiagramLayer& next) {
    std::vector<std::uint32_t> order = counting_up(layer.arcs());
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (layer.from[a] != layer.from[b]) return layer.from[a] < layer.from[b];
        const Ticks one = layer.length[a] + next.after[layer.to[a]];
        const Ticks other = layer.length[b] + next.after[layer.to[b]];
        return one != other ? one < other : layer.family[a] < layer.family[b];
    });
    reorder(layer.from, order);
    reorder(layer.to, order);
    reorder(layer.family, order);
    reorder(layer.length, order);
    layer.first_out = starts(layer.from, layer.states());
    next.in = counting_up(layer.arcs());
    std::sort(next.in.begin(), next.in.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (layer.to[a] != layer.to[b]) return layer.to[a] < layer.to[b];
        const Ticks one = layer.length[a] + layer.before[layer.from[a]];
        const Ticks other = layer.length[b] + layer.before[layer.from[b]];
        return one != other ? one < other : a < b;
    });
    next.first_in = starts(layer.to, next.states());
}

}  // namespace

bool trim(OrderDiagram& diagram, const std::atomic<bool>& cancel) {
    find_distances_after(diagram, cancel);
    if (cancel) return false;
    if (diagram.layers[0].after[0] == kNoPathOn) {
        diagram.layers.clear();
        return true;
    }
    std::vector<std::uint32_t> place = remove_states(diagram.layers.back());
    for (std::size_t i = diagram.layers.size() - 1; i-- > 0 && !cancel;) {
        DiagramLayer& layer = diagram.layers[i];
        for (std::uint32_t& to : layer.to) to = place[to];
        place = remove_states(layer);
        for (std::uint32_t& from : layer.from) from = place[from];
        index_arcs(layer, diagram.layers[i + 1]);
    }
    return !cancel;
}

}  // namespace noisyor
