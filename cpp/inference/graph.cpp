#include "inference/graph.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace noisyor {

void Graph::connect(std::span<const int> variables) {
    for (const int a : variables) {
        contained_[static_cast<std::size_t>(a)] = 1;
        for (const int b : variables)
            if (a != b) set(a, b);
    }
}

std::vector<int> Graph::neighbours(int v) const {
    std::vector<int> found;
    for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t left = row(v)[w]; left; left &= left - 1)
            found.push_back(static_cast<int>(w * 64) + std::countr_zero(left));
    return found;
}

int Graph::degree(int v) const {
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) count += std::popcount(row(v)[w]);
    return count;
}

std::int64_t Graph::fill(int v) const {
    std::int64_t missing = 0;
    const std::vector<int> near = neighbours(v);
    for (const int u : near)
        for (std::size_t w = 0; w < words_; ++w) missing += std::popcount(row(v)[w] & ~row(u)[w]);
    // Each neighbour is not adjacent to itself, and each missing edge was seen from both ends.
    return (missing - static_cast<std::int64_t>(near.size())) / 2;
}

void Graph::eliminate(int v) {
    const std::vector<int> near = neighbours(v);
    for (const int u : near) {
        for (std::size_t w = 0; w < words_; ++w) row(u)[w] |= row(v)[w];
        unset(u, u);
        unset(u, v);
    }
    std::fill_n(row(v), words_, 0);
}

void Graph::merge(int v, int into) {
    for (const int u : neighbours(v)) {
        unset(u, v);
        if (u == into) continue;
        set(u, into);
        set(into, u);
    }
    std::fill_n(row(v), words_, 0);
}

Elimination eliminate_all(Graph graph, int most) {
    const int count = graph.variables();
    using Key = std::tuple<std::int64_t, int, int>;
    std::vector<Key> keys;
    for (int v = 0; v < count; ++v) keys.emplace_back(graph.fill(v), graph.degree(v), v);
    std::vector<int> left;
    for (int v = 0; v < count; ++v)
        if (graph.contains(v)) left.push_back(v);
    std::vector<char> stale(static_cast<std::size_t>(count), 0);
    const auto key_of = [&](int v) { return keys[static_cast<std::size_t>(v)]; };
    Elimination result;
    while (!left.empty()) {
        const auto best = std::min_element(left.begin(), left.end(),
                                           [&](int a, int b) { return key_of(a) < key_of(b); });
        const int chosen = *best;
        std::vector<int> near = graph.neighbours(chosen);
        if (static_cast<int>(near.size()) > most) {
            result.too_large = true;
            return result;
        }
        left.erase(best);
        graph.eliminate(chosen);
        // The neighbours got new edges, and so what their neighbours lack may have changed.
        for (const int u : near) {
            stale[static_cast<std::size_t>(u)] = 1;
            for (const int t : graph.neighbours(u)) stale[static_cast<std::size_t>(t)] = 1;
        }
        for (const int v : left) {
            const auto place = static_cast<std::size_t>(v);
            if (!stale[place]) continue;
            stale[place] = 0;
            keys[place] = {graph.fill(v), graph.degree(v), v};
        }
        result.order.push_back(chosen);
        result.neighbours.push_back(std::move(near));
    }
    return result;
}

int least_neighbours(Graph graph) {
    std::vector<int> left;
    for (int v = 0; v < graph.variables(); ++v) left.push_back(v);
    const auto fewer = [&](int a, int b) { return graph.degree(a) < graph.degree(b); };
    int bound = 0;
    while (!left.empty()) {
        const auto least = std::min_element(left.begin(), left.end(), fewer);
        const int chosen = *least;
        left.erase(least);
        const std::vector<int> near = graph.neighbours(chosen);
        bound = std::max(bound, static_cast<int>(near.size()));
        if (!near.empty()) graph.merge(chosen, *std::min_element(near.begin(), near.end(), fewer));
    }
    return bound;
}

}  // namespace noisyor
