#include "inference/factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inference/graph.hpp"

namespace noisyor {
namespace {

// A chance below this does not change 1 when taken from it.
constexpr double rounding = std::numeric_limits<double>::epsilon() / 4;

// With fewer, an elimination that ends too large ends about as soon as a bound on it is found.
constexpr int many_variables = 1000;

// A noisy-OR of which a chain is to be made; `effect` is the child, or -1 if it is observed.
struct Wide {
    int effect;
    double base;   // the chance that neither the leak nor an observed cause acts
    double acted;  // the chance that one of them does: not 1 - base, which cancels if that is small
    std::vector<int> causes;
    std::vector<double> q;
};

class Reduction {
  public:
    Reduction(const NetworkView& network, std::span<const Observed> observed)
        : network_(network), observed_(observed), result_{network.variables, {}, 0.0, 0} {}

    void add(int child, int most_causes) {
        if (network_.is_noisy_or(child))
            add_noisy_or(child, most_causes);
        else
            add_table(child);
    }

    Factors finish() && {
        if (!wide_.empty()) add_chains();
        return std::move(result_);
    }

  private:
    Observed state(int v) const { return observed_[static_cast<std::size_t>(v)]; }

    void add_constant(double value) { result_.log_constant += std::log(value); }

    void add_factor(Factor factor) {
        if (factor.scope.empty())
            add_constant(factor.values[0]);
        else
            result_.factors.push_back(std::move(factor));
    }

    // Adds the child's table from the chance of its absence or presence per configuration of the
    // causes that are left.
    void add_conditional(int child, std::vector<int> causes, const std::vector<double>& absent,
                         const std::vector<double>& present) {
        if (state(child) != Observed::unknown) {
            add_factor({std::move(causes), state(child) == Observed::present ? present : absent});
            return;
        }
        std::vector<double> values = absent;
        values.insert(values.end(), present.begin(), present.end());
        causes.push_back(child);
        add_factor({std::move(causes), std::move(values)});
    }

    void add_table(int child) {
        const auto parents = network_.parents(child);
        const auto table = network_.parameters(child);
        std::size_t fixed = 0;
        std::vector<int> left;
        std::vector<std::size_t> strides;
        for (std::size_t t = 0; t < parents.size(); ++t) {
            if (state(parents[t]) == Observed::present) fixed |= std::size_t{1} << t;
            if (state(parents[t]) != Observed::unknown) continue;
            left.push_back(parents[t]);
            strides.push_back(std::size_t{1} << t);
        }
        std::vector<std::size_t> places{fixed};
        for (const std::size_t stride : strides) {
            const std::size_t size = places.size();
            for (std::size_t i = 0; i < size; ++i) places.push_back(places[i] + stride);
        }
        std::vector<double> absent, present;
        for (const std::size_t place : places) {
            present.push_back(table[place]);
            absent.push_back(1 - table[place]);
        }
        add_conditional(child, std::move(left), absent, present);
    }

    void add_noisy_or(int child, int most_causes) {
        const auto parents = network_.parents(child);
        const auto q = network_.parameters(child);
        if (state(child) == Observed::absent) {
            // One by one: the product of all could be too small for a number.
            add_constant(q.back());
            for (std::size_t t = 0; t < parents.size(); ++t) {
                if (state(parents[t]) == Observed::present) add_constant(q[t]);
                if (state(parents[t]) == Observed::unknown) add_factor({{parents[t]}, {1.0, q[t]}});
            }
            return;
        }
        Wide rest{state(child) == Observed::unknown ? child : -1, q.back(), 1 - q.back(), {}, {}};
        for (std::size_t t = 0; t < parents.size(); ++t) {
            if (state(parents[t]) == Observed::present) {
                rest.acted += rest.base * (1 - q[t]);
                rest.base *= q[t];
            }
            if (state(parents[t]) != Observed::unknown) continue;
            rest.causes.push_back(parents[t]);
            rest.q.push_back(q[t]);
        }
        if (rest.base < rounding)
            add_all_but_certain(child);
        else if (static_cast<int>(rest.causes.size()) <= most_causes)
            add_expanded(child, std::move(rest));
        else
            wide_.push_back(std::move(rest));
    }

    // Adds a noisy-OR whose effect is present, but for rounding, whatever the causes that are left
    // do. Its absence may still be what was observed further down, so it keeps its chance.
    void add_all_but_certain(int child) {
        if (state(child) != Observed::present) add_failures(child);
    }

    // Adds a noisy-OR of few causes as one table. If the chance that all of them fail is too small
    // for a number, they fail one by one again, and the table has 1 for the absence.
    void add_expanded(int child, Wide rest) {
        std::vector<double> absent{rest.base}, present{rest.acted};
        double least = rest.base;
        for (const double q : rest.q) {
            const std::size_t size = absent.size();
            for (std::size_t i = 0; i < size; ++i) {
                present.push_back(present[i] + absent[i] * (1 - q));
                absent.push_back(absent[i] * q);
            }
            if (q > 0) least *= q;
        }
        if (least < std::numeric_limits<double>::min() && state(child) == Observed::unknown) {
            std::fill(absent.begin(), absent.end(), 1.0);
            add_failures(child);
        }
        add_conditional(child, std::move(rest.causes), absent, present);
    }

    // Adds the chance of a child's absence as a product: a factor for each cause, and the leak.
    void add_failures(int child) {
        const auto parents = network_.parents(child);
        const auto q = network_.parameters(child);
        add_factor({{child}, {q.back(), 1.0}});
        for (std::size_t t = 0; t < parents.size(); ++t) {
            if (state(parents[t]) == Observed::present) add_factor({{child}, {q[t], 1.0}});
            if (state(parents[t]) == Observed::unknown)
                add_factor({{parents[t], child}, {1.0, q[t], 1.0, 1.0}});
        }
    }

    // A chain should meet its causes in the order in which they are eliminated anyway: that is
    // found with each noisy-OR as a star, its centre adjacent to its causes.
    void add_chains() {
        int centres = result_.variables;
        for (const Wide& wide : wide_) centres += wide.effect < 0;
        Graph graph(centres);
        for (const Factor& factor : result_.factors) graph.connect(factor.scope);
        int centre = result_.variables;
        for (const Wide& wide : wide_) {
            const int middle = wide.effect < 0 ? centre++ : wide.effect;
            for (const int cause : wide.causes) graph.connect(std::vector<int>{middle, cause});
        }
        // Making each chain one with its effect gives this graph: no elimination does with fewer
        // neighbours than it needs (treewidth does not grow when edges are contracted).
        if (chained_variables() > many_variables)
            result_.least_neighbours = least_neighbours(graph);
        const Elimination elimination = eliminate_all(std::move(graph), centres);
        std::vector<int> position(static_cast<std::size_t>(centres));
        for (std::size_t t = 0; t < elimination.order.size(); ++t)
            position[static_cast<std::size_t>(elimination.order[t])] = static_cast<int>(t);
        for (const Wide& wide : wide_) add_chain(wide, position);
    }

    // How many variables there will be, those of the chains included.
    int chained_variables() const {
        int count = result_.variables;
        for (const Wide& wide : wide_) count += static_cast<int>(wide.causes.size()) - 1;
        return count;
    }

    void add_chain(const Wide& wide, const std::vector<int>& position) {
        std::vector<std::size_t> order(wide.causes.size());
        for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return position[static_cast<std::size_t>(wide.causes[a])] <
                   position[static_cast<std::size_t>(wide.causes[b])];
        });
        int before = -1;
        for (std::size_t t = 0; t < order.size(); ++t) {
            const int cause = wide.causes[order[t]];
            const double q = wide.q[order[t]];
            const bool last = t + 1 == order.size();
            const int now = !last ? result_.variables++ : wide.effect;
            Factor link;
            if (before < 0) {
                link = {{cause, now},
                        {wide.base, wide.base * q, wide.acted, wide.acted + wide.base * (1 - q)}};
            } else if (now < 0) {  // the effect was observed: present
                link = {{before, cause}, {0, 1, 1 - q, 1}};
            } else {
                link = {{before, cause, now}, {1, 0, q, 0, 0, 1, 1 - q, 1}};
            }
            add_factor(std::move(link));
            before = now;
        }
    }

    const NetworkView& network_;
    std::span<const Observed> observed_;
    Factors result_;
    std::vector<Wide> wide_;
};

}  // namespace

std::vector<char> relevant_variables(const NetworkView& network, std::span<const Observed> observed,
                                     std::span<const char> targets) {
    const auto count = static_cast<std::size_t>(network.variables);
    std::vector<char> relevant(count);
    std::vector<int> waiting;
    const auto reach = [&](int v) {
        if (relevant[static_cast<std::size_t>(v)]) return;
        relevant[static_cast<std::size_t>(v)] = 1;
        waiting.push_back(v);
    };
    for (int v = 0; v < network.variables; ++v) {
        const auto place = static_cast<std::size_t>(v);
        if (targets[place] || observed[place] != Observed::unknown) reach(v);
    }
    while (!waiting.empty()) {
        const int v = waiting.back();
        waiting.pop_back();
        for (const int parent : network.parents(v)) reach(parent);
    }
    return relevant;
}

Factors reduce(const NetworkView& network, std::span<const Observed> observed,
               std::span<const char> relevant, int most_causes) {
    Reduction reduction(network, observed);
    for (int v = 0; v < network.variables; ++v)
        if (relevant[static_cast<std::size_t>(v)]) reduction.add(v, most_causes);
    return std::move(reduction).finish();
}

}  // namespace noisyor
