#include "inference/factors.hpp"

#include "inference/effect_factors.hpp"

namespace noisyor {
namespace {

std::size_t at(int v) { return static_cast<std::size_t>(v); }

// Adds the part of a full table that agrees with what is known.
void add_table(const NetworkView& network, int child, std::span<const std::uint8_t> known,
               Factors& result) {
    const auto table = network.parameters(child);
    std::size_t stride = 1, fixed = 0, size = 1;
    std::vector<int> scope;
    std::vector<std::size_t> strides;
    const auto add = [&](int v) {
        if (known[at(v)] == Findings::unknown) {
            scope.push_back(v);
            strides.push_back(stride);
            size *= at(network.states[v]);
        } else {
            fixed += known[at(v)] * stride;
        }
        stride *= at(network.states[v]);
    };
    add(child);
    for (const int parent : network.parents(child)) add(parent);
    if (size == table.size()) {
        result.add(scope, table);
        return;
    }
    std::vector<std::size_t> places{fixed};
    places.reserve(size);
    for (std::size_t axis = 0; axis < scope.size(); ++axis) {
        const std::size_t before = places.size();
        for (int state = 1; state < network.states[scope[axis]]; ++state)
            for (std::size_t i = 0; i < before; ++i)
                places.push_back(places[i] + at(state) * strides[axis]);
    }
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = table[places[i]];
    result.add(scope, values);
}

}  // namespace

std::vector<std::uint8_t> known_states(const NetworkView& network, const Findings& findings) {
    std::vector<std::uint8_t> known(findings.observed.begin(), findings.observed.end());
    for (int v = 0; v < network.variables; ++v)
        if (network.states[v] == 1) known[at(v)] = 0;
    return known;
}

std::vector<char> relevant_variables(const NetworkView& network, const Findings& findings,
                                     std::span<const char> targets) {
    std::vector<char> relevant(at(network.variables));
    std::vector<int> waiting;
    const auto reach = [&](int v) {
        if (relevant[at(v)]) return;
        relevant[at(v)] = 1;
        waiting.push_back(v);
    };
    for (int v = 0; v < network.variables; ++v)
        if (targets[at(v)] || findings.observed[at(v)] != Findings::unknown) reach(v);
    for (const int v : findings.soft) reach(v);
    while (!waiting.empty()) {
        const int v = waiting.back();
        waiting.pop_back();
        for (const int parent : network.parents(v)) reach(parent);
    }
    return relevant;
}

Factors reduce(const NetworkView& network, const Findings& findings,
               std::span<const std::uint8_t> known, std::span<const char> relevant,
               Decomposition decomposition, std::span<const int> together, double most_bytes) {
    Factors result({network.states, network.states + network.variables});
    EffectFactors effects(network, known, decomposition, most_bytes, result);
    for (int v = 0; v < network.variables; ++v) {
        if (!relevant[at(v)]) continue;
        if (network.relation(v) == Relation::table)
            add_table(network, v, known, result);
        else
            effects.add(v);
    }
    const double* likelihood = findings.likelihoods;
    for (const int v : findings.soft) {
        if (known[at(v)] == Findings::unknown)
            result.add({&v, 1}, {likelihood, at(network.states[v])});
        else
            result.log_constant += std::log(likelihood[known[at(v)]]);
        likelihood += network.states[v];
    }
    effects.finish(together);
    return result;
}

double expanded_entries(const NetworkView& network, std::span<const std::uint8_t> known) {
    double entries = 0;
    for (int v = 0; v < network.variables; ++v) {
        if (network.relation(v) == Relation::table) continue;
        const int lowest = network.relation(v) == Relation::maximum ? 0 : network.states[v] - 1;
        if (known[at(v)] == lowest) continue;
        double size = known[at(v)] == Findings::unknown ? network.states[v] : 1;
        for (const int parent : network.parents(v))
            if (known[at(parent)] == Findings::unknown) size *= network.states[parent];
        entries += size;
    }
    return entries;
}

}  // namespace noisyor
