#include "inference/effect_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "inference/graph.hpp"

namespace noisyor {
namespace {

// A chance below this does not change 1 when taken from it.
constexpr double rounding = std::numeric_limits<double>::epsilon() / 4;

// A product of numbers whose exponents sum to less may be too small for a number.
constexpr int least_exponent = -1000;

// A table of this many causes is as fast as a chain, unless it is this much larger.
constexpr std::size_t few_causes = 3;
constexpr double few_entries = 4;

// Of stars with fewer entries a second order of elimination takes longer than it can save.
constexpr double few_star_entries = 1000;

// Trees with fewer entries are not worth a comparison with chains.
constexpr double few_entries_of_trees = 1 << 14;

// With fewer, an elimination that ends too large ends about as soon as a bound on it is found.
constexpr std::size_t many_variables = 1000;

std::size_t at(int v) { return static_cast<std::size_t>(v); }

int exponent(double q) { return q > 0 ? std::ilogb(q) : 0; }

int exponents(std::span<const double> q) {
    return std::accumulate(q.begin(), q.end(), 0,
                           [](int sum, double one) { return sum + exponent(one); });
}

// The least exponent of a product over the levels, of any state of a cause.
int least_of_states(std::span<const double> q, std::size_t levels) {
    int least = 0;
    for (std::size_t row = 0; row < q.size(); row += levels)
        least = std::min(least, exponents(q.subspan(row, levels)));
    return least;
}

// The state of an effect at a level.
int state_at(int level, int levels, bool reversed) { return reversed ? levels - level : level; }

}  // namespace

void EffectFactors::add(int child) {
    Node node = node_of(child);
    if (known(child) == Findings::unknown)
        add_node(std::move(node));
    else
        add_observed(std::move(node), state_at(known(child), node.levels, node.reversed));
}

EffectFactors::Node EffectFactors::node_of(int child) const {
    Node node;
    node.effect = child;
    node.levels = network_.states[child] - 1;
    node.reversed = network_.relation(child) == Relation::minimum;
    const double* q = network_.parameters(child).data();
    for (const int parent : network_.parents(child)) {
        const std::size_t size = at(network_.states[parent] * node.levels);
        if (known(parent) == Findings::unknown) {
            node.causes.push_back({parent, {q, size}});
        } else {
            const double* row = q + known(parent) * node.levels;
            node.fixed.push_back({row, at(node.levels)});
        }
        q += size;
    }
    node.fixed.push_back({q, at(node.levels)});
    return node;
}

// The q's of one level alone.
EffectFactors::Numbers EffectFactors::level_of(Numbers q, std::size_t level, std::size_t levels) {
    if (levels == 1) return q;
    std::vector<double>& own = levels_.emplace_back();
    for (std::size_t i = level - 1; i < q.size(); i += levels) own.push_back(q[i]);
    return own;
}

// Adds the chance of a level: a factor per cause for the levels above, and the noisy-OR of its own.
void EffectFactors::add_observed(Node node, int level) {
    const std::size_t levels = at(node.levels), below = at(level);
    for (const Numbers q : node.fixed)
        for (std::size_t t = below; t < levels; ++t) result_.log_constant += std::log(q[t]);
    for (const Parent& cause : node.causes) {
        // Level by level where the product of all could be too small for a number.
        const bool apart = least_of_states(cause.q, levels) < least_exponent;
        std::vector<double> failure(at(states(cause.parent)), 1.0);
        for (std::size_t t = below; t < levels; ++t) {
            for (std::size_t x = 0; x < failure.size(); ++x) failure[x] *= cause.q[x * levels + t];
            if (!apart && t + 1 < levels) continue;
            result_.add({&cause.parent, 1}, failure);
            std::fill(failure.begin(), failure.end(), 1.0);
        }
    }
    if (level == 0) return;
    Node own{-1, 1, false, {}, {}, {}, {}};
    for (const Numbers q : node.fixed) own.fixed.push_back(q.subspan(below - 1, 1));
    for (const Parent& cause : node.causes)
        own.causes.push_back({cause.parent, level_of(cause.q, below, levels)});
    add_node(std::move(own));
}

void EffectFactors::add_node(Node node) {
    node.stay.assign(at(node.levels), 1.0);
    node.act.assign(at(node.levels), 0.0);
    for (const Numbers q : node.fixed) {
        for (std::size_t t = 0; t < q.size(); ++t) {
            node.act[t] += node.stay[t] * (1 - q[t]);
            node.stay[t] *= q[t];
        }
    }
    const auto certain = [](double stay) { return stay < rounding; };
    if (std::all_of(node.stay.begin(), node.stay.end(), certain)) {
        // Each level is reached, but for rounding, whatever the causes that are left do. Staying
        // below it may still be what was observed further down, so that keeps its chance.
        if (node.effect >= 0) add_failures(node, node.effect, node.reversed);
    } else if (decomposition_ == Decomposition::tables || is_small(node)) {
        add_expanded(node);
    } else {
        wide_.push_back(std::move(node));
    }
}

bool EffectFactors::is_small(const Node& node) const {
    if (node.causes.size() > few_causes) return false;
    if (node.causes.size() < 2) return true;
    const double levels = node.levels + 1;
    double table = node.effect < 0 ? 1 : levels, chain = 0;
    for (const Parent& cause : node.causes) {
        table *= states(cause.parent);
        chain += states(cause.parent) * levels * levels;
    }
    return table <= few_entries * chain;
}

// Adds causes as one table. If a product of failures could be too small for a number, it is left to
// a factor for each cause and level.
void EffectFactors::add_expanded(const Node& node) {
    const std::size_t levels = at(node.levels);
    int least = 0;
    for (const Numbers q : node.fixed) least += exponents(q);
    std::vector<int> scope;
    std::vector<std::vector<double>> stay(levels), act(levels);
    for (std::size_t t = 0; t < levels; ++t) {
        stay[t] = {node.stay[t]};
        act[t] = {node.act[t]};
    }
    for (const Parent& cause : node.causes) {
        least += least_of_states(cause.q, levels);
        scope.push_back(cause.parent);
        const std::size_t before = stay[0].size(), rows = cause.q.size() / levels;
        for (std::size_t t = 0; t < levels; ++t) {
            std::vector<double> staying(before * rows), acting(before * rows);
            for (std::size_t x = 0; x < rows; ++x) {
                const double q = cause.q[x * levels + t];
                for (std::size_t i = 0; i < before; ++i) {
                    staying[x * before + i] = stay[t][i] * q;
                    acting[x * before + i] = act[t][i] + stay[t][i] * (1 - q);
                }
            }
            stay[t] = std::move(staying);
            act[t] = std::move(acting);
        }
    }
    if (node.effect < 0) {
        result_.add(scope, act[0]);
        return;
    }
    const std::size_t size = stay[0].size();
    std::vector<double> values(size * (levels + 1)), above(size, 1.0);
    const bool apart = least < least_exponent;
    for (std::size_t level = levels + 1; level-- > 0;) {
        const int state = state_at(static_cast<int>(level), node.levels, node.reversed);
        for (std::size_t i = 0; i < size; ++i) {
            const double reached = level ? act[level - 1][i] : 1.0;
            values[at(state) * size + i] = above[i] * reached;
            if (level && !apart) above[i] *= stay[level - 1][i];
        }
    }
    if (apart) add_failures(node, node.effect, node.reversed);
    scope.push_back(node.effect);
    result_.add(scope, values);
}

// Adds the product of S_t over the levels t above that of an effect, level by level.
void EffectFactors::add_failures(const Node& node, int effect, bool reversed) {
    for (const Numbers q : node.fixed) add_failures_of(q, effect, reversed);
    for (const Parent& cause : node.causes) add_failures_of(cause, node.levels, effect, reversed);
}

void EffectFactors::add_failures_of(Numbers q, int effect, bool reversed) {
    const int levels = static_cast<int>(q.size());
    for (int t = 1; t <= levels; ++t) {
        if (q[at(t - 1)] == 1) continue;
        std::vector<double> values(at(levels + 1), 1.0);
        for (int level = 0; level < t; ++level)
            values[at(state_at(level, levels, reversed))] = q[at(t - 1)];
        result_.add({&effect, 1}, values);
    }
}

void EffectFactors::add_failures_of(const Parent& cause, int levels, int effect, bool reversed) {
    const std::size_t rows = cause.q.size() / at(levels);
    for (int t = 1; t <= levels; ++t) {
        std::vector<double> values(rows * at(levels + 1), 1.0);
        for (int level = 0; level < t; ++level)
            for (std::size_t x = 0; x < rows; ++x)
                values[at(state_at(level, levels, reversed)) * rows + x] =
                    cause.q[x * at(levels) + at(t - 1)];
        result_.add(std::array{cause.parent, effect}, values);
    }
}

// What goes into an effect, at the elimination of some variable of the stars: a level that some of
// the causes brought about, as a variable, or a cause that is not in any yet.
struct EffectFactors::Part {
    std::size_t node;
    int level;                      // -1 for a cause
    const Parent* cause = nullptr;  // none for a level
};

void EffectFactors::finish(std::span<const int> together) {
    if (wide_.empty()) return;
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

int EffectFactors::auxiliary(const Node& node) {
    result_.states.push_back(node.levels + 1);
    return static_cast<int>(result_.states.size()) - 1;
}

// The level that the known causes of a node bring about, as a variable if the chances may be too
// small for a number: then it has many factors. They go into the first table of a cause otherwise.
int EffectFactors::known_level(Node& node) {
    int least = 0;
    for (const Numbers q : node.fixed) least += exponents(q);
    if (least >= least_exponent) return -1;
    const int level = auxiliary(node);
    for (const Numbers q : node.fixed) add_failures_of(q, level, false);
    std::vector<double> reached{1.0};
    reached.insert(reached.end(), node.act.begin(), node.act.end());
    result_.add({&level, 1}, reached);
    forget_known(node);
    return level;
}

// Known causes count once.
void EffectFactors::forget_known(Node& node) {
    node.fixed.clear();
    std::fill(node.stay.begin(), node.stay.end(), 1.0);
    std::fill(node.act.begin(), node.act.end(), 0.0);
}

// Adds that a level is the higher one of two; without the first, it is the second.
void EffectFactors::add_maximum(const Node& node, int first, int second, int now, bool reversed) {
    const int levels = node.levels, width = first < 0 ? 1 : levels + 1;
    const int depth = now < 0 ? 1 : levels + 1;
    std::vector<double> values(at(width * (levels + 1) * depth));
    for (int a = 0; a < width; ++a) {
        for (int b = 0; b <= levels; ++b) {
            const int higher = std::max(a, b);
            if (now < 0)
                values[at(a + width * b)] = higher;  // the only level was reached
            else
                values[at(a + width * (b + (levels + 1) * state_at(higher, levels, reversed)))] = 1;
        }
    }
    const std::array scope{first, second, now};
    const std::size_t skipped = first < 0, left_out = now < 0;
    result_.add(std::span(scope).subspan(skipped, 3 - skipped - left_out), values);
}

// Adds the chance of each level after a cause, given that before it. Without anything before, that
// is what the known causes do.
void EffectFactors::add_link(Node& node, const Parent& cause, int before, int now, bool reversed) {
    const int levels = node.levels;
    const int rows = static_cast<int>(cause.q.size()) / levels;
    const auto q = [&](int x, int t) { return cause.q[at(x * levels + t - 1)]; };
    if (now < 0) {  // the only level was reached, before or now
        std::vector<double> values;
        for (int x = 0; x < rows; ++x) values.insert(values.end(), {1 - q(x, 1), 1.0});
        result_.add(std::array{before, cause.parent}, values);
        return;
    }
    const bool apart = least_of_states(cause.q, at(levels)) < least_exponent;
    if (apart) add_failures_of(cause, levels, now, reversed);
    const int width = before < 0 ? 1 : levels + 1;
    std::vector<double> values(at(width * rows * (levels + 1)));
    for (int x = 0; x < rows; ++x) {
        double failed = 1;
        for (int b = levels; b >= 0; --b) {
            double* const entry =
                values.data() + width * (x + rows * state_at(b, levels, reversed));
            if (before < 0) {
                const double known = b ? node.act[at(b - 1)] : 1.0;
                entry[0] = failed * (b ? known + node.stay[at(b - 1)] * (1 - q(x, b)) : known);
                if (b) failed *= node.stay[at(b - 1)];
            } else {
                for (int a = 0; a < b; ++a) entry[a] = failed * (1 - q(x, b));
                entry[b] = failed;
            }
            if (b && !apart) failed *= q(x, b);
        }
    }
    const std::array scope{before, cause.parent, now};
    result_.add(std::span(scope).subspan(before < 0), values);
    if (before < 0) forget_known(node);
}

}  // namespace noisyor
