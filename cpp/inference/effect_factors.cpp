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

// A product of numbers whose exponents sum to less may be too small for a number with all digits,
// once it is multiplied by some 1 - q, which is 2^-53 or more.
constexpr int least_exponent = -960;

// A table of this many causes is as fast as a chain, unless it is this much larger.
constexpr std::size_t few_causes = 3;
constexpr double few_entries = 4;

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
        return;
    }
    const bool as_table = decomposition_ == Decomposition::full_tables || is_small(node);
    // Before anything is written down: a table of three variables of many states is large, too.
    result_.least_bytes +=
        sizeof(double) * (as_table ? table_entries(node) : least_chain_entries(node));
    if (result_.least_bytes > most_bytes_) return;
    if (as_table)
        add_expanded(node);
    else
        wide_.push_back(std::move(node));
}

double EffectFactors::table_entries(const Node& node) const {
    double entries = node.effect < 0 ? 1 : node.levels + 1;
    for (const Parent& cause : node.causes) entries *= states(cause.parent);
    return entries;
}

// Each cause is added to a level that is there, or begins a level that is put together with another
// one; only one of them does neither. What is known to be at its only level has small tables.
double EffectFactors::least_chain_entries(const Node& node) const {
    if (node.effect < 0) return 0;
    const double levels = node.levels + 1;
    double entries = -levels * levels * levels;
    for (const Parent& cause : node.causes) {
        const double rows = states(cause.parent);
        entries += levels * std::min(levels * rows, rows + levels * levels);
    }
    return std::max(entries, 0.0);
}

bool EffectFactors::is_small(const Node& node) const {
    if (node.causes.size() > few_causes) return false;
    if (node.causes.size() < 2) return true;
    const double levels = node.levels + 1;
    double chain = 0;
    for (const Parent& cause : node.causes) chain += states(cause.parent) * levels * levels;
    return table_entries(node) <= few_entries * chain;
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
    int least = least_of_states(cause.q, at(levels));
    if (before < 0)
        for (const Numbers known : node.fixed) least += exponents(known);
    const bool apart = least < least_exponent;
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
