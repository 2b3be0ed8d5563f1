// In which order the causes of effects are put together.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "inference/effect_factors.hpp"
#include "inference/graph.hpp"

namespace noisyor {
namespace {

// Of stars with fewer entries a second order of elimination takes longer than it can save.
constexpr double few_star_entries = 1000;

// Trees with fewer entries are not worth a comparison with chains.
constexpr double few_entries_of_trees = 1 << 14;

// With fewer, an elimination that ends too large ends about as soon as a bound on it is found.
constexpr std::size_t many_variables = 1000;

std::size_t at(int v) { return static_cast<std::size_t>(v); }

}  // namespace

// What goes into an effect, at the elimination of some variable of the stars: a level that some of
// the causes brought about, as a variable, or a cause that is not in any yet.
struct EffectFactors::Part {
    std::size_t node;
    int level;                      // -1 for a cause
    const Parent* cause = nullptr;  // none for a level
};

void EffectFactors::finish(std::span<const int> together) {
    if (wide_.empty() || result_.least_bytes > most_bytes_) return;
    std::vector<int> states = result_.states, centres;
    for (const Node& node : wide_) {
        centres.push_back(node.effect < 0 ? static_cast<int>(states.size()) : node.effect);
        if (node.effect < 0) states.push_back(2);
    }
    Graph graph(static_cast<int>(states.size()));
    for (std::size_t i = 0; i < result_.size(); ++i) graph.connect(result_.scope(i));
    graph.connect(together);
    std::size_t links = 0;
    for (std::size_t n = 0; n < wide_.size(); ++n) {
        for (const Parent& cause : wide_[n].causes)
            graph.connect(std::array{centres[n], cause.parent});
        links += wide_[n].causes.size();
    }
    graph.finish();
    // Making each tree one with its effect gives this graph: no elimination does with fewer
    // neighbours than it needs (treewidth does not grow when edges are contracted).
    if (states.size() + links > many_variables)
        result_.least_entries = std::exp2(least_neighbours(graph) + 1);
    const double most = std::numeric_limits<double>::infinity();
    Elimination stars = eliminate_all(graph, states, Next::fewest_edges, most);
    if (stars.entries > few_star_entries) {
        Elimination other = eliminate_all(graph, states, Next::smallest_table, stars.entries);
        if (!other.ended_early) stars = std::move(other);
    }
    const Factors before = result_;
    const std::vector<Node> nodes = wide_;
    add_trees(stars, centres);
    const double entries = entries_in_order();
    if (entries < few_entries_of_trees || states.size() > many_variables) return;
    // Where many effects share their causes, trees put together what has many levels each. A chain
    // along one sequence of causes then has smaller tables.
    Factors trees = std::move(result_);
    result_ = before;
    wide_ = nodes;
    add_chains(sequence_of(graph, states));
    if (entries_in_order() >= entries) result_ = std::move(trees);
}

// The entries of all tables, with the order of elimination that the factors were made for.
double EffectFactors::entries_in_order() const {
    Graph graph(static_cast<int>(result_.states.size()));
    for (std::size_t i = 0; i < result_.size(); ++i) graph.connect(result_.scope(i));
    graph.finish();
    return eliminate_in(result_.order, graph, result_.states).entries;
}

// All variables of a graph, each next one such that few that come later are adjacent to those
// before it.
std::vector<int> EffectFactors::sequence_of(const Graph& graph, std::span<const int> states) const {
    const std::size_t variables = result_.states.size();
    enum class Stage : char { later, open, done };
    std::vector<Stage> stage(states.size(), Stage::later);
    std::vector<int> sequence, left(states.size());
    for (std::size_t v = 0; v < states.size(); ++v) left[v] = graph.degree(static_cast<int>(v));
    const auto growth = [&](int v) {
        double sum = stage[at(v)] == Stage::open ? -std::log2(states[at(v)]) : 0.0;
        for (const int u : graph.neighbours(v)) {
            if (stage[at(u)] == Stage::later) sum += std::log2(states[at(u)]);
            // A centre is over with the last of its causes.
            if (at(u) >= variables && left[at(u)] == 1) sum -= std::log2(states[at(u)]);
        }
        return sum;
    };
    while (true) {
        int best = -1;
        double least = 0;
        for (int v = 0; v < static_cast<int>(variables); ++v) {
            if (!graph.contains(v) || stage[at(v)] == Stage::done) continue;
            const double own = growth(v);
            if (best < 0 || own < least) best = v, least = own;
        }
        if (best < 0) return sequence;
        stage[at(best)] = Stage::done;
        sequence.push_back(best);
        for (const int u : graph.neighbours(best)) {
            --left[at(u)];
            if (stage[at(u)] == Stage::later) stage[at(u)] = Stage::open;
        }
    }
}

void EffectFactors::add_chains(std::span<const int> sequence) {
    std::vector<int> position(result_.states.size());
    for (std::size_t t = 0; t < sequence.size(); ++t)
        position[at(sequence[t])] = static_cast<int>(t);
    std::vector<std::vector<Part>> parts(sequence.size());
    std::vector<int> level(wide_.size(), -1);
    std::vector<std::size_t> left;
    for (std::size_t n = 0; n < wide_.size(); ++n) {
        left.push_back(wide_[n].causes.size());
        for (const Parent& cause : wide_[n].causes)
            parts[at(position[at(cause.parent)])].push_back({n, -1, &cause});
    }
    for (std::size_t t = 0; t < sequence.size(); ++t) {
        for (const Part& cause : parts[t]) {
            const std::size_t n = cause.node;
            const std::array both{Part{n, level[n]}, cause};
            level[n] = add_parts(wide_[n], std::span(both).subspan(level[n] < 0), --left[n] == 0);
        }
        result_.order.push_back(sequence[t]);
    }
}

void EffectFactors::add_trees(const Elimination& stars, std::span<const int> centres) {
    std::vector<int> position(result_.states.size() + centres.size());
    for (std::size_t t = 0; t < stars.order.size(); ++t)
        position[at(stars.order[t])] = static_cast<int>(t);
    std::vector<std::vector<Part>> parts(stars.order.size());
    for (std::size_t n = 0; n < wide_.size(); ++n)
        for (const Parent& cause : wide_[n].causes)
            parts[at(std::min(position[at(cause.parent)], position[at(centres[n])]))].push_back(
                {n, -1, &cause});
    const int variables = static_cast<int>(result_.states.size());
    for (std::size_t t = 0; t < stars.order.size(); ++t) {
        const int eliminated = stars.order[t];
        std::vector<Part>& own = parts[t];
        // Levels first: a cause is added to one that is there.
        std::stable_sort(own.begin(), own.end(), [](const Part& a, const Part& b) {
            return std::pair(a.node, a.level < 0) < std::pair(b.node, b.level < 0);
        });
        for (std::size_t first = 0, end = 0; first < own.size(); first = end) {
            while (end < own.size() && own[end].node == own[first].node) ++end;
            const std::size_t n = own[first].node;
            const int level = add_parts(wide_[n], std::span(own).subspan(first, end - first),
                                        eliminated == centres[n]);
            if (level < 0) continue;
            int next = std::numeric_limits<int>::max();
            for (const int v : stars.neighbours(t)) next = std::min(next, position[at(v)]);
            parts[at(next)].push_back({n, level});
        }
        if (eliminated < variables) result_.order.push_back(eliminated);
    }
}

// Combines what goes into an effect here to the level that it brings about together. Returns that,
// or -1 if it is the effect itself.
int EffectFactors::add_parts(Node& node, std::span<const Part> parts, bool all) {
    int level = -1;
    for (const Part& part : parts) {
        const bool last = all && &part == &parts.back();
        if (part.cause && level < 0) level = known_level(node);
        if (part.level >= 0 && level < 0 && !last) {
            level = part.level;
            continue;
        }
        const int now = last ? node.effect : auxiliary(node);
        if (part.cause)
            add_link(node, *part.cause, level, now, last && node.reversed);
        else
            add_maximum(node, level, part.level, now, last && node.reversed);
        // Both are in no other table: they are eliminated before what their tables still have.
        for (const int used : {level, part.level})
            if (used >= 0) result_.order.push_back(used);
        level = now;
    }
    return all ? -1 : level;
}

}  // namespace noisyor
