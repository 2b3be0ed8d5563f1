// A network with parameters as flat arrays: what Python hands over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace noisyor {

enum class Observed : std::uint8_t { absent = 0, present = 1, unknown = 2 };

// Parents of v ascend. Parameters of a table: the chance of presence per configuration, bit t of
// whose index is the t-th parent. Of a noisy-OR: each parent's q, then that of the leak (1: none).
struct NetworkView {
    int variables;
    const std::int64_t* parent_offsets;
    const std::int32_t* parent_values;
    const std::uint8_t* noisy_or;
    const std::int64_t* parameter_offsets;
    const double* parameter_values;

    std::span<const std::int32_t> parents(int v) const {
        return {parent_values + parent_offsets[v], parent_values + parent_offsets[v + 1]};
    }
    std::span<const double> parameters(int v) const {
        return {parameter_values + parameter_offsets[v],
                parameter_values + parameter_offsets[v + 1]};
    }
    bool is_noisy_or(int v) const { return noisy_or[v] != 0; }
};

}  // namespace noisyor
