// The records of a table, as Python hands them over.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace noisyor {

inline constexpr int kMaxStates = 64;  // of a variable

// Distinct rows of codes with their weights. The code of a variable is the number of its state.
struct RecordsView {
    const std::uint8_t* codes = nullptr;  // row by row, a code for each variable
    const std::int64_t* weights = nullptr;
    std::size_t size = 0;
    int variables = 0;
    std::vector<int> states;  // of each variable

    const std::uint8_t* row(std::size_t r) const {
        return codes + r * static_cast<std::size_t>(variables);
    }
    bool is_binary() const {
        return std::all_of(states.begin(), states.end(), [](int own) { return own == 2; });
    }
};

// The bits that the code of a variable takes in a packed record.
inline int code_bits(int states) { return std::bit_width(static_cast<unsigned>(states) - 1); }

// The bits that a packed record takes.
inline std::size_t packed_bits(const std::vector<int>& states) {
    std::size_t bits = 0;
    for (const int own : states) bits += static_cast<std::size_t>(code_bits(own));
    return bits;
}

}  // namespace noisyor
