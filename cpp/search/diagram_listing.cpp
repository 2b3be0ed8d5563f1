#include <queue>

#include "search/diagram_members.hpp"
#include "search/diagram_paths.hpp"

namespace noisyor {
namespace {

// An arc of a path that is built from the start, for paths in the order of their lengths.
struct BestNode {
    Ticks bound;          // length of the shortest path that begins so
    std::uint32_t layer;  // that the arc leaves
    std::uint32_t arc;
    std::size_t before;  // the node of the arc before
    Ticks length;        // of the arcs before
};

constexpr std::size_t kNoNode = SIZE_MAX;

// Keeps, of the arcs given by layer, those that are on a path of such arcs from the start to the
// end.
void keep_paths(const OrderDiagram& diagram, std::vector<std::vector<std::uint32_t>>& arcs) {
    const auto keep = [&](std::size_t i, const std::vector<char>& known, auto&& end_of) {
        std::erase_if(arcs[i], [&](std::uint32_t a) { return !known[end_of(i, a)]; });
    };
    const auto from = [&](std::size_t i, std::uint32_t a) { return diagram.layers[i].from[a]; };
    const auto to = [&](std::size_t i, std::uint32_t a) { return diagram.layers[i].to[a]; };
    std::vector<char> known(1, 1);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        keep(i, known, from);
        known.assign(diagram.layers[i + 1].states(), 0);
        for (const std::uint32_t a : arcs[i]) known[to(i, a)] = 1;
    }
    for (std::size_t i = arcs.size(); i-- > 0;) {
        keep(i, known, to);
        known.assign(diagram.layers[i].states(), 0);
        for (const std::uint32_t a : arcs[i]) known[from(i, a)] = 1;
    }
}

}  // namespace

// A queue has, for each arc taken so far, the best way to go on from there and the next best
// instead of it: arcs of a state are in the order of their shortest paths, so no path is missed.
BestMembers DiagramMembers::best(std::size_t most) const {
    const std::size_t n = diagram_.variables();
    BestMembers found;
    found.variables = n;
    std::vector<BestNode> nodes;
    const auto later = [&](std::size_t a, std::size_t b) {
        if (nodes[a].bound != nodes[b].bound) return nodes[a].bound > nodes[b].bound;
        if (nodes[a].layer != nodes[b].layer) return nodes[a].layer < nodes[b].layer;
        return a > b;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> open(later);
    const auto add = [&](std::uint32_t layer, std::size_t arc, std::size_t before, Ticks length) {
        const DiagramLayer& arcs = diagram_.layers[layer];
        const Ticks bound =
            length + arcs.length[arc] + diagram_.layers[layer + 1].after[arcs.to[arc]];
        if (bound > diagram_.limit) return;
        nodes.push_back({bound, layer, static_cast<std::uint32_t>(arc), before, length});
        open.push(nodes.size() - 1);
    };
    add(0, 0, kNoNode, 0);
    while (!open.empty() && found.ticks.size() < most) {
        const std::size_t at = open.top();
        const BestNode node = nodes[at];
        open.pop();
        ++found.nodes;
        const DiagramLayer& arcs = diagram_.layers[node.layer];
        if (node.arc + 1 < arcs.first_out[arcs.from[node.arc] + 1]) {
            add(node.layer, node.arc + 1, node.before, node.length);
        }
        if (node.layer + 1 < n) {
            const std::uint32_t to = arcs.to[node.arc];
            add(node.layer + 1, diagram_.layers[node.layer + 1].first_out[to], at,
                node.length + arcs.length[node.arc]);
            continue;
        }
        const std::size_t row = found.choices.size();
        found.choices.resize(row + n);
        for (std::size_t i = at; i != kNoNode; i = nodes[i].before) {
            const std::uint32_t family = diagram_.layers[nodes[i].layer].family[nodes[i].arc];
            found.choices[row + diagram_.child_of[family]] = family;
        }
        found.ticks.push_back(node.bound);
    }
    return found;
}

// Child by child, the first family that a shortest path still has; then paths with others of that
// child are left out.
std::vector<std::uint32_t> DiagramMembers::first() const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> chosen(n, UINT32_MAX);
    std::vector<std::vector<std::uint32_t>> arcs(n);  // of shortest paths, by layer
    for (std::size_t i = 0; i < n; ++i) {
        const DiagramLayer& layer = diagram_.layers[i];
        for (std::uint32_t a = 0; a < layer.arcs(); ++a) {
            const Ticks path = layer.before[layer.from[a]] + layer.length[a] +
                               diagram_.layers[i + 1].after[layer.to[a]];
            if (path == diagram_.shortest()) arcs[i].push_back(a);
        }
    }
    for (std::uint32_t child = 0; child < n; ++child) {
        for (std::size_t i = 0; i < n; ++i) {
            for (const std::uint32_t a : arcs[i]) {
                const std::uint32_t family = diagram_.layers[i].family[a];
                if (diagram_.child_of[family] == child) {
                    chosen[child] = std::min(chosen[child], family);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            std::erase_if(arcs[i], [&](std::uint32_t a) {
                const std::uint32_t family = diagram_.layers[i].family[a];
                return diagram_.child_of[family] == child && family != chosen[child];
            });
        }
        keep_paths(diagram_, arcs);
    }
    return chosen;
}

void DiagramMembers::stream(MemberStream& to, Ticks lower_bound) const {
    if (diagram_.empty()) return;
    HalfPaths<Half::kAfter> paths(diagram_, 0, to.closed());
    std::vector<std::uint32_t> choice(diagram_.variables());
    paths.list(0, diagram_.limit, [&](Ticks length) {
        paths.put(diagram_, choice.data());
        to.add(choice, lower_bound + length);
    });
}

}  // namespace noisyor
