#include "scoring/table_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace noisyor {
namespace {

constexpr double kLargestTable = 1 << 20;

}  // namespace

EntropyTerms::EntropyTerms(double largest) {
    const auto size = static_cast<std::size_t>(std::min(largest, kLargestTable)) + 1;
    table_.resize(size, 0);
    for (std::size_t n = 1; n < size; ++n) {
        table_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
    }
}

double EntropyTerms::direct(std::int64_t n0, std::int64_t n1) {
    const auto a = static_cast<double>(n0), b = static_cast<double>(n1);
    return a * std::log1p(b / a) + b * std::log1p(a / b);
}

template <int W>
BitColumns<W>::BitColumns(const ChildRecords<W>& records, int variables, const EntropyTerms& terms)
    : absent_total_(static_cast<std::int64_t>(records.absent_total)),
      present_total_(static_cast<std::int64_t>(records.present_total)),
      terms_(terms) {
    const auto words_for = [](std::int64_t n) {
        return (static_cast<std::size_t>(n) + kWordBits - 1) / kWordBits;
    };
    words0_ = words_for(absent_total_);
    words_ = words0_ + words_for(present_total_);
    columns_.assign(words_ * static_cast<std::size_t>(variables), 0);
    const auto fill = [&](const PresentRows<W>& side, std::size_t first_bit) {
        std::size_t record = first_bit;
        for (std::size_t r = 0; r < side.rows.size(); ++r) {
            for (double copy = 0; copy < side.counts[r]; ++copy, ++record) {
                side.rows[r].for_each([&](int v) {
                    columns_[static_cast<std::size_t>(v) * words_ + record / kWordBits] |=
                        Word{1} << (record % kWordBits);
                });
            }
        }
    };
    fill(records.absent_rows, 0);
    fill(records.present, words0_ * kWordBits);
}

template <int W>
void BitColumns<W>::make_root(Node& root) const {
    root.cells.assign(words_, 0);
    const auto fill = [&](std::size_t first, std::int64_t records) {
        for (std::int64_t r = 0; r < records; ++r) {
            root.cells[first + static_cast<std::size_t>(r) / kWordBits] |= Word{1}
                                                                           << (r % kWordBits);
        }
    };
    fill(0, absent_total_);
    fill(words0_, present_total_);
    root.absent = {absent_total_};
    root.present = {present_total_};
}

template <int W>
void BitColumns<W>::descend(const Node& from, int variable, int, Node& to) {
    to.cells.clear();
    to.absent.clear();
    to.present.clear();
    const Word* column = &columns_[static_cast<std::size_t>(variable) * words_];
    for (std::size_t c = 0; c < from.size(); ++c) {
        const Word* cell = &from.cells[c * words_];
        std::int64_t n[2] = {0, 0};
        for (std::size_t w = 0; w < words_; ++w) {
            n[w >= words0_] += std::popcount(cell[w] & column[w]);
        }
        const auto keep = [&](std::int64_t absent, std::int64_t present, Word flip) {
            if (absent == 0 || present == 0) return;
            to.absent.push_back(absent);
            to.present.push_back(present);
            for (std::size_t w = 0; w < words_; ++w)
                to.cells.push_back(cell[w] & (column[w] ^ flip));
        };
        keep(n[0], n[1], 0);
        keep(from.absent[c] - n[0], from.present[c] - n[1], ~Word{0});
    }
}

template <int W>
double BitColumns<W>::cost_with(const Node& node, int variable, double limit) const {
    const Word* column = &columns_[static_cast<std::size_t>(variable) * words_];
    double cost = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
        const Word* cell = &node.cells[c * words_];
        std::int64_t n0 = 0, n1 = 0;
        for (std::size_t w = 0; w < words0_; ++w) n0 += std::popcount(cell[w] & column[w]);
        for (std::size_t w = words0_; w < words_; ++w) n1 += std::popcount(cell[w] & column[w]);
        const std::int64_t m0 = node.absent[c] - n0, m1 = node.present[c] - n1;
        cost += terms_.cell(n0, n1) + terms_.cell(m0, m1);
        if (cost > limit) break;
    }
    return cost;
}

template <int W>
double BitColumns<W>::cost(const Node& node) const {
    double total = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
        total += terms_.cell(node.absent[c], node.present[c]);
    }
    return total;
}

template <int W>
Configurations<W>::Configurations(const ChildRecords<W>& records, int variables,
                                  const EntropyTerms& terms)
    : terms_(terms) {
    for (std::size_t r = 0; r < records.absent_rows.rows.size(); ++r) {
        root_.rows.push_back(records.absent_rows.rows[r]);
        root_.absent.push_back(static_cast<std::int64_t>(records.absent_rows.counts[r]));
        root_.present.push_back(0);
    }
    for (std::size_t r = 0; r < records.present.rows.size(); ++r) {
        root_.rows.push_back(records.present.rows[r]);
        root_.absent.push_back(0);
        root_.present.push_back(static_cast<std::int64_t>(records.present.counts[r]));
    }
    close_cell(VariableSet<W>::below(variables), 0, root_);
}

template <int W>
void Configurations<W>::add_row(const Node& from, std::size_t row, const VariableSet<W>& tail,
                                Node& to) {
    to.rows.push_back(from.rows[row].restricted_to(tail));
    to.absent.push_back(from.absent[row]);
    to.present.push_back(from.present[row]);
}

// Closes the cell that starts at `first`: drops it where the child never varies in it, and merges
// its equal rows otherwise.
template <int W>
void Configurations<W>::close_cell(const VariableSet<W>& tail, std::size_t first, Node& to) {
    const std::size_t size = to.rows.size() - first;
    std::int64_t absent = 0, present = 0;
    for (std::size_t r = first; r < to.rows.size(); ++r) {
        absent += to.absent[r];
        present += to.present[r];
    }
    if (absent == 0 || present == 0) {
        to.rows.resize(first);
        to.absent.resize(first);
        to.present.resize(first);
        return;
    }
    to.cell_absent.push_back(absent);
    to.cell_present.push_back(present);
    const int bits = tail.size();
    std::size_t distinct = first;
    if (bits < 24 && (std::size_t{1} << bits) <= 4 * size) {
        // Few configurations: sum out into a table. The tail is the low variables, so a row is its
        // own index.
        table_.assign(std::size_t{1} << bits, {});
        for (std::size_t r = first; r < to.rows.size(); ++r) {
            Pair& pair = table_[to.rows[r].words[0]];
            pair.absent += to.absent[r];
            pair.present += to.present[r];
        }
        for (std::size_t index = 0; index < table_.size(); ++index) {
            const Pair& pair = table_[index];
            if (pair.absent == 0 && pair.present == 0) continue;
            to.rows[distinct] = Record<W>{};
            to.rows[distinct].words[0] = index;
            to.absent[distinct] = pair.absent;
            to.present[distinct++] = pair.present;
        }
    } else {
        const std::size_t capacity = std::bit_ceil(2 * size + 1);
        slots_.assign(capacity, 0);
        for (std::size_t r = first; r < to.rows.size(); ++r) {
            std::size_t slot = to.rows[r].hash() & (capacity - 1);
            while (slots_[slot] != 0 && !(to.rows[slots_[slot] - 1] == to.rows[r])) {
                slot = (slot + 1) & (capacity - 1);
            }
            if (slots_[slot] != 0) {
                to.absent[slots_[slot] - 1] += to.absent[r];
                to.present[slots_[slot] - 1] += to.present[r];
            } else {
                to.rows[distinct] = to.rows[r];
                to.absent[distinct] = to.absent[r];
                to.present[distinct] = to.present[r];
                slots_[slot] = static_cast<std::uint32_t>(++distinct);
            }
        }
    }
    to.rows.resize(distinct);
    to.absent.resize(distinct);
    to.present.resize(distinct);
    to.ends.push_back(distinct);
}

template <int W>
void Configurations<W>::descend(const Node& from, int variable, int tail, Node& to) {
    to.rows.clear();
    to.absent.clear();
    to.present.clear();
    to.ends.clear();
    to.cell_absent.clear();
    to.cell_present.clear();
    const auto below = VariableSet<W>::below(tail);
    std::size_t begin = 0;
    for (const std::size_t end : from.ends) {
        // Rows without the variable go to `to` at once, those with it wait for their own cell.
        const std::size_t first = to.rows.size();
        waiting_.clear();
        for (std::size_t r = begin; r < end; ++r) {
            if (from.rows[r].contains(variable)) {
                waiting_.push_back(r);
            } else {
                add_row(from, r, below, to);
            }
        }
        begin = end;
        close_cell(below, first, to);
        const std::size_t second = to.rows.size();
        for (const std::size_t r : waiting_) add_row(from, r, below, to);
        close_cell(below, second, to);
    }
}

template <int W>
double Configurations<W>::cost_with(const Node& node, int variable, double limit) const {
    double cost = 0;
    const int word = variable / kWordBits, bit = variable % kWordBits;
    std::size_t r = 0;
    for (std::size_t c = 0; c < node.ends.size(); ++c) {
        std::int64_t n0 = 0, n1 = 0;
        for (; r < node.ends[c]; ++r) {
            const auto mask = -static_cast<std::int64_t>((node.rows[r].words[word] >> bit) & 1);
            n0 += node.absent[r] & mask;
            n1 += node.present[r] & mask;
        }
        const std::int64_t m0 = node.cell_absent[c] - n0, m1 = node.cell_present[c] - n1;
        cost += terms_.cell(n0, n1) + terms_.cell(m0, m1);
        if (cost > limit) break;
    }
    return cost;
}

template <int W>
double Configurations<W>::cost(const Node& node) const {
    double total = 0;
    for (std::size_t c = 0; c < node.ends.size(); ++c) {
        total += terms_.cell(node.cell_absent[c], node.cell_present[c]);
    }
    return total;
}

template <int W>
double Configurations<W>::bound(const Node& node) const {
    double cost = 0;
    for (std::size_t r = 0; r < node.rows.size(); ++r) {
        cost += terms_.cell(node.absent[r], node.present[r]);
    }
    return cost;
}

template class BitColumns<1>;
template class BitColumns<2>;
template class BitColumns<4>;
template class BitColumns<16>;
template class Configurations<1>;
template class Configurations<2>;
template class Configurations<4>;
template class Configurations<16>;

}  // namespace noisyor
