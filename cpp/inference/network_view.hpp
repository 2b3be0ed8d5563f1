// A network with parameters, and what was found out about it, as flat arrays: what Python hands
// over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace noisyor {

enum class Relation : std::uint8_t { table = 0, maximum = 1, minimum = 2 };

// Parents of v ascend. Parameters of a table: the chance of each state of the child, which varies
// fastest, per configuration of the parents, the first of which varies fastest. Of causes: for each
// parent, for each of its states, q of each level; then those of the leak (1: none). The level of
// the child is its state, for a minimum counted from the last.
struct NetworkView {
    int variables;
    const std::int32_t* states;
    const std::int64_t* parent_offsets;
    const std::int32_t* parent_values;
    const std::uint8_t* relations;
    const std::int64_t* parameter_offsets;
    const double* parameter_values;

    std::span<const std::int32_t> parents(int v) const {
        return {parent_values + parent_offsets[v], parent_values + parent_offsets[v + 1]};
    }
    std::span<const double> parameters(int v) const {
        return {parameter_values + parameter_offsets[v],
                parameter_values + parameter_offsets[v + 1]};
    }
    Relation relation(int v) const { return static_cast<Relation>(relations[v]); }
};

// `observed` has a state of each variable, or `unknown`. What a soft finding says about its
// variable is a likelihood of each of its states, those of all soft findings one after another.
struct Findings {
    static constexpr std::uint8_t unknown = 255;
    std::span<const std::uint8_t> observed;
    std::span<const std::int32_t> soft;
    const double* likelihoods;
};

}  // namespace noisyor
