#include "inference/propagation.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "inference/cluster_tree.hpp"

namespace noisyor {
namespace {

// A table of this many causes is as fast as a chain, whose auxiliary variables cost as much.
constexpr int few_causes = 3;

constexpr double impossible = -std::numeric_limits<double>::infinity();

struct Plan {
    Factors factors;
    Elimination elimination;
    std::uint64_t entries = 0;
};

// Finds the factors and the clusters; `together` are variables that some cluster must contain.
Plan plan_for(const NetworkView& network, std::span<const Observed> observed,
              std::span<const char> relevant, int most_causes, std::span<const int> together,
              std::uint64_t most_entries) {
    Plan plan{reduce(network, observed, relevant, most_causes), {}, 0};
    const int most = std::bit_width(most_entries) - 1;
    if (plan.factors.least_neighbours > most) {
        plan.entries = std::numeric_limits<std::uint64_t>::max();
        return plan;
    }
    Graph graph(plan.factors.variables);
    for (const Factor& factor : plan.factors.factors) graph.connect(factor.scope);
    graph.connect(together);
    plan.elimination = eliminate_all(std::move(graph), most);
    if (plan.elimination.too_large) {
        plan.entries = std::numeric_limits<std::uint64_t>::max();
        return plan;
    }
    for (const auto& near : plan.elimination.neighbours)
        plan.entries += std::uint64_t{2} << near.size();
    return plan;
}

// The entries of all noisy-ORs as tables of what is not observed.
std::uint64_t expanded_entries(const NetworkView& network, std::span<const Observed> observed) {
    const auto unknown = [&](int v) {
        return observed[static_cast<std::size_t>(v)] == Observed::unknown;
    };
    std::uint64_t entries = 0;
    for (int v = 0; v < network.variables; ++v) {
        if (!network.is_noisy_or(v)) continue;
        if (observed[static_cast<std::size_t>(v)] == Observed::absent) continue;
        const auto parents = network.parents(v);
        const auto left = std::count_if(parents.begin(), parents.end(), unknown);
        entries += std::uint64_t{1} << (left + unknown(v));
    }
    return entries;
}

// Calls read(tree) after both passes, with probabilities, or with their logarithms if a product
// became too small for a number, or a ratio of such products too large. Returns the logarithm of
// the factors' sum, a probability: what exceeds 1 is rounding.
template <class Read>
double propagate(const Plan& plan, Read&& read) {
    const auto run = [&](auto tree) {
        tree.collect();
        if (tree.log_total() == impossible) return impossible;
        tree.distribute();
        read(tree);
        return std::min(0.0, tree.log_total());
    };
    std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
    const double log_total = run(ClusterTree<Linear>(plan.elimination, plan.factors));
    if (!std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW)) return log_total;
    return run(ClusterTree<Logarithmic>(plan.elimination, plan.factors));
}

}  // namespace

Answer marginals(const NetworkView& network, std::span<const Observed> observed,
                 std::span<const char> targets, std::uint64_t most_entries) {
    const std::vector<char> relevant = relevant_variables(network, observed, targets);
    const Plan plan = plan_for(network, observed, relevant, few_causes, {}, most_entries);
    Answer answer{impossible, plan.entries, std::vector<double>(2 * targets.size())};
    if (plan.entries > most_entries || plan.factors.log_constant == impossible) return answer;
    answer.log_evidence = propagate(plan, [&](const auto& tree) {
        for (int v = 0; v < network.variables; ++v) {
            const auto place = static_cast<std::size_t>(v);
            if (!targets[place]) continue;
            if (observed[place] == Observed::unknown) {
                const auto chances = tree.chances(v);
                std::copy(chances.begin(), chances.end(), answer.values.begin() + 2 * v);
            } else {
                answer.values[2 * place + (observed[place] == Observed::present)] = 1;
            }
        }
    });
    return answer;
}

Answer joint(const NetworkView& network, std::span<const Observed> observed,
             std::span<const std::int32_t> variables, std::uint64_t most_entries) {
    std::vector<char> targets(static_cast<std::size_t>(network.variables));
    for (const int v : variables) targets[static_cast<std::size_t>(v)] = 1;
    const std::vector<char> relevant = relevant_variables(network, observed, targets);
    const Plan plan = plan_for(network, observed, relevant, few_causes, variables, most_entries);
    Answer answer{impossible, plan.entries, {}};
    if (plan.entries > most_entries || plan.factors.log_constant == impossible) return answer;
    answer.log_evidence = propagate(plan, [&](const auto& tree) {
        using Algebra = typename std::remove_cvref_t<decltype(tree)>::Numbers;
        answer.values = tree.joint(variables);
        const double largest = *std::max_element(answer.values.begin(), answer.values.end());
        double total = 0;
        for (double& value : answer.values)
            total += value = Algebra::number(Algebra::ratio(value, largest));
        for (double& value : answer.values) value /= total;
    });
    return answer;
}

Answer most_probable(const NetworkView& network, std::span<const Observed> observed,
                     std::uint64_t most_entries) {
    // Before anything is written down: many wide noisy-ORs would fill the memory.
    if (const std::uint64_t entries = expanded_entries(network, observed); entries > most_entries)
        return {impossible, entries, {}};
    const std::vector<char> everything(static_cast<std::size_t>(network.variables), 1);
    const Plan plan =
        plan_for(network, observed, everything, std::numeric_limits<int>::max(), {}, most_entries);
    Answer answer{impossible, plan.entries, {}};
    if (plan.entries > most_entries || plan.factors.log_constant == impossible) return answer;
    ClusterTree<Likeliest> tree(plan.elimination, plan.factors);
    tree.collect();
    answer.log_evidence = std::min(0.0, tree.log_total());
    if (answer.log_evidence == impossible) return answer;
    std::vector<char> states(static_cast<std::size_t>(network.variables));
    tree.trace(states);
    for (std::size_t v = 0; v < states.size(); ++v)
        answer.values.push_back(
            observed[v] == Observed::unknown ? states[v] : observed[v] == Observed::present);
    return answer;
}

}  // namespace noisyor
