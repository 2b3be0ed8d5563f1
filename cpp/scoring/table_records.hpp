// The records in packed codes, as full tables count them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scoring/records_view.hpp"
#include "scoring/set_node.hpp"
#include "variable_set.hpp"

namespace noisyor {

// Where the code of a variable is in a packed record. It may begin in one word and end in the next.
struct CodeField {
    int word = 0, shift = 0;
    int next_word = 0, next_shift = kWordBits - 1;  // what is shifted so far is above the mask
    Word mask = 0;

    CodeField() = default;
    CodeField(int first_bit, int bits)
        : word(first_bit / kWordBits),
          shift(first_bit % kWordBits),
          next_word(word),
          mask((Word{1} << bits) - 1) {
        if (shift + bits > kWordBits) {
            next_word = word + 1;
            next_shift = kWordBits - shift;
        }
    }

    template <int W>
    std::size_t of(const Record<W>& record) const {
        Word code = record.words[word] >> shift;
        if constexpr (W > 1) code |= record.words[next_word] << next_shift;
        return static_cast<std::size_t>(code & mask);
    }
};

// Each variable but the child has a field, of as many bits as its codes need, in the search's order
// from the lowest bit on. So the variables below some number are the lowest bits, and a record of
// binary variables has a bit for each.
template <int W>
struct TableRecords {
    // `order[t]` is the variable that becomes number t.
    TableRecords(const RecordsView& view, int child, const std::vector<int>& order);

    std::vector<Record<W>> rows;       // ascending by the state of the child
    std::vector<int> child;            // its state in each row
    std::vector<std::int64_t> counts;  // records of each row
    std::int64_t total = 0;
    int child_states = 0;
    std::vector<int> states;  // of variable t
    bool is_binary = false;   // whether all variables are

    int variables() const { return static_cast<int>(states.size()); }
    CodeField field(int variable) const {
        const auto t = static_cast<std::size_t>(variable);
        return {first_bits_[t], first_bits_[t + 1] - first_bits_[t]};
    }
    int first_bit(int variable) const { return first_bits_[static_cast<std::size_t>(variable)]; }
    // The bits of the variables numbered below this one.
    VariableSet<W> bits_below(int variable) const {
        return VariableSet<W>::below(first_bit(variable));
    }
    ParentStates states_of(const VariableSet<W>& parents) const {
        ParentStates all;
        parents.for_each([&](int v) { all.add(states[static_cast<std::size_t>(v)]); });
        return all;
    }

  private:
    std::vector<int> first_bits_;  // of each variable's field, and the end of the last
};

}  // namespace noisyor
