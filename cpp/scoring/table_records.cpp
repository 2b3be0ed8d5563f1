#include "scoring/table_records.hpp"

namespace noisyor {

template <int W>
TableRecords<W>::TableRecords(const RecordsView& view, int child_variable,
                              const std::vector<int>& order)
    : child_states(view.states[static_cast<std::size_t>(child_variable)]),
      is_binary(view.is_binary()),
      first_bits_{0} {
    for (const int v : order) {
        const int own = view.states[static_cast<std::size_t>(v)];
        states.push_back(own);
        first_bits_.push_back(first_bits_.back() + (v == child_variable ? 0 : code_bits(own)));
    }
    for (int state = 0; state < child_states; ++state) {
        for (std::size_t r = 0; r < view.size; ++r) {
            const std::uint8_t* codes = view.row(r);
            if (codes[child_variable] != state) continue;
            Record<W> row;
            for (std::size_t t = 0; t < order.size(); ++t) {
                if (order[t] == child_variable) continue;
                const Word code = codes[order[t]];
                const int word = first_bits_[t] / kWordBits, shift = first_bits_[t] % kWordBits;
                row.words[word] |= code << shift;
                const bool straddles = first_bits_[t + 1] > (word + 1) * kWordBits;
                if (straddles) row.words[word + 1] |= code >> (kWordBits - shift);
            }
            rows.push_back(row);
            child.push_back(state);
            counts.push_back(view.weights[r]);
            total += view.weights[r];
        }
    }
}

template struct TableRecords<1>;
template struct TableRecords<2>;
template struct TableRecords<4>;
template struct TableRecords<16>;
template struct TableRecords<64>;

}  // namespace noisyor
