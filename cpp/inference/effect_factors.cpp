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

// A chain should meet its causes in the order in which they are eliminated anyway: that is found
// with each node as a star, its centre adjacent to its causes.
void EffectFactors::finish() {
    if (wide_.empty()) return;
    std::vector<int> star_states = result_.states;
    std::size_t chained = result_.states.size();
    for (const Node& node : wide_) {
        chained += node.causes.size() - 1;
        if (node.effect < 0) star_states.push_back(2);
    }
    Graph graph(static_cast<int>(star_states.size()));
    for (std::size_t i = 0; i < result_.size(); ++i) graph.connect(result_.scope(i));
    int centre = static_cast<int>(result_.states.size());
    for (const Node& node : wide_) {
        const int middle = node.effect < 0 ? centre++ : node.effect;
        for (const Parent& cause : node.causes) graph.connect(std::array{middle, cause.parent});
    }
    graph.finish();
    // Making each chain one with its effect gives this graph: no elimination does with fewer
    // neighbours than it needs (treewidth does not grow when edges are contracted).
    if (chained > many_variables) result_.least_entries = std::exp2(least_neighbours(graph) + 1);
    const Elimination elimination = eliminate_all(std::move(graph), star_states, Next::fewest_edges,
                                                  std::numeric_limits<double>::infinity());
    std::vector<int> position(star_states.size());
    for (std::size_t t = 0; t < elimination.order.size(); ++t)
        position[at(elimination.order[t])] = static_cast<int>(t);
    for (Node& node : wide_) {
        std::stable_sort(node.causes.begin(), node.causes.end(),
                         [&](const Parent& a, const Parent& b) {
                             return position[at(a.parent)] < position[at(b.parent)];
                         });
        add_chain(node);
    }
}

void EffectFactors::add_chain(const Node& node) {
    const auto auxiliary = [&] {
        result_.states.push_back(node.levels + 1);
        return static_cast<int>(result_.states.size()) - 1;
    };
    int least = 0;
    for (const Numbers q : node.fixed) least += exponents(q);
    int before = -1;
    if (least < least_exponent) {  // what is known makes a variable of its own, of many factors
        before = auxiliary();
        for (const Numbers q : node.fixed) add_failures_of(q, before, false);
        std::vector<double> reached{1.0};
        reached.insert(reached.end(), node.act.begin(), node.act.end());
        result_.add({&before, 1}, reached);
    }
    for (const Parent& cause : node.causes) {
        const bool last = &cause == &node.causes.back();
        const int now = last ? node.effect : auxiliary();
        add_link(node, cause, before, now, last && node.reversed);
        before = now;
    }
}

// Adds the chance of each level after a cause, given that before it. Without anything before, that
// is what the known causes do.
void EffectFactors::add_link(const Node& node, const Parent& cause, int before, int now,
                             bool reversed) {
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
}

}  // namespace noisyor
