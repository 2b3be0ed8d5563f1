#include "scoring/table_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace noisyor {
namespace {

constexpr std::int64_t kLargestTable = 1 << 20;
// Configurations are summed out into a table of at most this many bits, if at least a quarter of
// its entries could be used.
constexpr std::size_t kMostTableBits = 23;
constexpr std::size_t kTableEntriesPerRow = 4;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// Whether a cell is kept: a child varies in it, or with `kKeepsPure` it has any record.
template <bool kKeepsPure>
bool is_kept(const std::int64_t* counts, int states) {
    int seen = 0;
    for (int s = 0; s < states; ++s) seen += counts[s] != 0;
    return seen > (kKeepsPure ? 0 : 1);
}

}  // namespace

EntropyTerms::EntropyTerms(std::int64_t largest) {
    const auto size = static_cast<std::size_t>(std::min(largest, kLargestTable)) + 1;
    table_.resize(size, 0);
    for (std::size_t n = 1; n < size; ++n) {
        table_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
    }
}

double EntropyTerms::direct(const std::int64_t* counts, int states, std::int64_t total) {
    double cost = 0;
    for (int s = 0; s < states; ++s) {
        if (counts[s] == 0) continue;
        const auto own = static_cast<double>(counts[s]);
        cost += own * std::log1p(static_cast<double>(total - counts[s]) / own);
    }
    return cost;
}

template <int W, bool kBinary, bool kKeepsPure>
BitColumns<W, kBinary, kKeepsPure>::BitColumns(const TableRecords<W>& records,
                                               const EntropyTerms& terms)
    : records_(records), terms_(terms) {
    std::vector<std::size_t> sizes(index(records.child_states), 0);
    for (std::size_t r = 0; r < records.rows.size(); ++r) {
        sizes[index(records.child[r])] += static_cast<std::size_t>(records.counts[r]);
    }
    for (const std::size_t size : sizes) {
        segments_.push_back(words_);
        words_ += (size + kWordBits - 1) / kWordBits;
    }
    segments_.push_back(words_);
    std::size_t columns = 0;
    for (const int own : records.states) {
        first_columns_.push_back(columns);
        columns += index(own);
    }
    columns_.assign(columns * words_, 0);
    std::vector<std::size_t> places;  // the first record of each row
    std::vector<std::size_t> next;    // by state of the child
    for (std::size_t s = 0; s < sizes.size(); ++s) next.push_back(segments_[s] * kWordBits);
    for (std::size_t r = 0; r < records.rows.size(); ++r) {
        places.push_back(next[index(records.child[r])]);
        next[index(records.child[r])] += static_cast<std::size_t>(records.counts[r]);
    }
    for (int t = 0; t < records.variables(); ++t) {
        const CodeField field = records.field(t);
        for (std::size_t r = 0; r < records.rows.size(); ++r) {
            const std::size_t own = first_columns_[index(t)] + field.of(records.rows[r]);
            const std::size_t end = places[r] + static_cast<std::size_t>(records.counts[r]);
            for (std::size_t record = places[r]; record < end; ++record) {
                columns_[own * words_ + record / kWordBits] |= Word{1} << (record % kWordBits);
            }
        }
    }
}

template <int W, bool kBinary, bool kKeepsPure>
void BitColumns<W, kBinary, kKeepsPure>::make_root(Node& root) const {
    root.cells.assign(words_, 0);
    std::vector<std::int64_t> totals(index(child_states()), 0);
    for (std::size_t r = 0; r < records_.rows.size(); ++r) {
        totals[index(records_.child[r])] += records_.counts[r];
    }
    for (std::size_t s = 0; s < totals.size(); ++s) {
        for (std::int64_t r = 0; r < totals[s]; ++r) {
            root.cells[segments_[s] + static_cast<std::size_t>(r) / kWordBits] |=
                Word{1} << (r % kWordBits);
        }
    }
    root.counts.reset(child_states());
    root.counts.push_back([&](int s) { return totals[index(s)]; });
}

template <int W, bool kBinary, bool kKeepsPure>
void BitColumns<W, kBinary, kKeepsPure>::descend(const Node& from, int variable, int,
                                                 Node& to) const {
    const int children = child_states();
    to.cells.clear();
    to.counts.reset(children);
    CellCounts<kBinary> counts, rest;
    for (std::size_t c = 0; c < from.counts.size(); ++c) {
        const Word* cell = &from.cells[c * words_];
        for (int s = 0; s < children; ++s) rest[index(s)] = from.counts.at(c, s);
        const auto keep = [&](const CellCounts<kBinary>& own, const Word* column) {
            if (!is_kept<kKeepsPure>(own.data(), children)) return;
            to.counts.push_back([&](int s) { return own[index(s)]; });
            const std::size_t first = to.cells.size();
            to.cells.insert(to.cells.end(), cell, cell + words_);
            for (std::size_t w = 0; w < words_; ++w) to.cells[first + w] &= column[w];
        };
        for (int state = 1; state < states(variable); ++state) {
            count(cell, column(variable, state), counts);
            keep(counts, column(variable, state));
            for (int s = 0; s < children; ++s) rest[index(s)] -= counts[index(s)];
        }
        keep(rest, column(variable, 0));
    }
}

template <int W, bool kBinary, bool kKeepsPure>
double BitColumns<W, kBinary, kKeepsPure>::cost_with(const Node& node, int variable,
                                                     double limit) const {
    const int children = child_states(), states = this->states(variable);
    const Word* const columns = column(variable, 0);
    double cost = 0;
    CellCounts<kBinary> counts, rest;
    for (std::size_t c = 0; c < node.counts.size() && cost <= limit; ++c) {
        const Word* cell = &node.cells[c * words_];
        for (int s = 0; s < children; ++s) rest[index(s)] = node.counts.at(c, s);
        double own = 0;
        for (int state = 1; state < states; ++state) {
            count(cell, columns + index(state) * words_, counts);
            for (int s = 0; s < children; ++s) rest[index(s)] -= counts[index(s)];
            own += terms_.cell(counts.data(), children);
        }
        cost += own + terms_.cell(rest.data(), children);
    }
    return cost;
}

template <int W, bool kBinary, bool kKeepsPure>
double BitColumns<W, kBinary, kKeepsPure>::cost(const Node& node) const {
    double total = 0;
    for (std::size_t c = 0; c < node.counts.size(); ++c) total += node.counts.cost(c, terms_);
    return total;
}

template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::Node::make_room(std::size_t places, int child_states) {
    ends.clear();
    cells.reset(child_states);
    if (rows.size() >= places) return;
    rows.resize(places);
    counts.reset(child_states);
    counts.resize(places);
}

template <int W, bool kBinary, bool kKeepsPure>
Configurations<W, kBinary, kKeepsPure>::Configurations(const TableRecords<W>& records,
                                                       const EntropyTerms& terms)
    : records_(records), terms_(terms) {
    const int most = *std::max_element(records.states.begin(), records.states.end());
    places_.resize(index(most));
    tally_.resize(index(std::max(most, 1)) * index(records.child_states));
    const std::size_t size = records.rows.size();
    root_.make_room(size, child_states());
    root_.rows = records.rows;
    for (std::size_t r = 0; r < size; ++r) root_.counts.at(r, records.child[r]) = records.counts[r];
    close_cell(records.bits_below(records.variables()), {0, size}, root_);
}

template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::close_cell(const VariableSet<W>& tail,
                                                        const Places& places, Node& to) {
    const int children = child_states();
    CellCounts<kBinary> totals;
    for (int s = 0; s < children; ++s) {
        std::int64_t n = 0;
        for (std::size_t r = places.first; r < places.end; ++r) n += to.counts.at(r, s);
        totals[index(s)] = n;
    }
    if (!is_kept<kKeepsPure>(totals.data(), children)) return;
    to.cells.push_back([&](int s) { return totals[index(s)]; });
    const auto bits = index(tail.size());
    const std::size_t entries = kTableEntriesPerRow * (places.end - places.first);
    const bool few = bits <= kMostTableBits && (std::size_t{1} << bits) <= entries;
    to.ends.push_back(few ? merge_by_table(bits, places, to) : merge_by_hash(places, to));
}

// Few configurations: sums them out into a table. The tail is the low bits, so a row is its own
// index.
template <int W, bool kBinary, bool kKeepsPure>
std::size_t Configurations<W, kBinary, kKeepsPure>::merge_by_table(std::size_t bits,
                                                                   const Places& places, Node& to) {
    const auto children = index(child_states());
    table_.assign(children << bits, 0);
    for (std::size_t r = places.first; r < places.end; ++r) {
        std::int64_t* entry = &table_[to.rows[r].words[0] * children];
        for (std::size_t s = 0; s < children; ++s) {
            entry[s] += to.counts.at(r, static_cast<int>(s));
        }
    }
    std::size_t next = to.size();
    for (std::size_t row = 0; row < std::size_t{1} << bits; ++row) {
        const std::int64_t* entry = &table_[row * children];
        std::int64_t any = 0;
        for (std::size_t s = 0; s < children; ++s) any |= entry[s];
        if (any == 0) continue;
        to.rows[next] = Record<W>{};
        to.rows[next].words[0] = row;
        for (std::size_t s = 0; s < children; ++s) {
            to.counts.at(next, static_cast<int>(s)) = entry[s];
        }
        ++next;
    }
    return next;
}

template <int W, bool kBinary, bool kKeepsPure>
std::size_t Configurations<W, kBinary, kKeepsPure>::merge_by_hash(const Places& places, Node& to) {
    const std::size_t capacity = std::bit_ceil(2 * (places.end - places.first) + 1);
    slots_.assign(capacity, 0);
    std::size_t next = to.size();
    for (std::size_t r = places.first; r < places.end; ++r) {
        std::size_t slot = to.rows[r].hash() & (capacity - 1);
        while (slots_[slot] != 0 && !(to.rows[slots_[slot] - 1] == to.rows[r])) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (slots_[slot] != 0) {
            const std::size_t same = slots_[slot] - 1;
            for (int s = 0; s < child_states(); ++s) to.counts.at(same, s) += to.counts.at(r, s);
        } else {
            to.rows[next] = to.rows[r];
            to.counts.copy(next, to.counts, r);
            slots_[slot] = static_cast<std::uint32_t>(++next);
        }
    }
    return next;
}

// The rows of a cell are first put into places by state of the variable. Merging only ever moves
// them down.
template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::descend(const Node& from, int variable, int tail,
                                                     Node& to) {
    to.make_room(from.size(), child_states());
    const VariableSet<W> below = records_.bits_below(tail);
    const CodeField field = records_.field(variable);
    const auto states = index(this->states(variable));
    std::size_t begin = 0;
    for (const std::size_t end : from.ends) {
        std::fill_n(places_.begin(), states, Places{});
        for (std::size_t r = begin; r < end; ++r) ++places_[field.of(from.rows[r])].end;
        std::size_t next = begin;
        for (std::size_t s = 0; s < states; ++s) {
            next += places_[s].end;
            places_[s] = {next - places_[s].end, next - places_[s].end};
        }
        for (std::size_t r = begin; r < end; ++r) {
            const std::size_t place = places_[field.of(from.rows[r])].end++;
            to.rows[place] = from.rows[r].restricted_to(below);
            to.counts.copy(place, from.counts, r);
        }
        for (std::size_t s = 0; s < states; ++s) close_cell(below, places_[s], to);
        begin = end;
    }
}

// The records by state of the variable and state of the child. In binary tables those with the
// first state are the rest of the cell, and a mask takes the place of a branch.
template <int W, bool kBinary, bool kKeepsPure>
double Configurations<W, kBinary, kKeepsPure>::cell_cost_with(const Node& node, std::size_t cell,
                                                              std::size_t first,
                                                              const CodeField& field, int states) {
    const std::size_t end = node.ends[cell];
    if constexpr (kBinary) {
        std::int64_t n0 = 0, n1 = 0;
        const int word = field.word, shift = field.shift;
        for (std::size_t r = first; r < end; ++r) {
            const auto mask = -static_cast<std::int64_t>((node.rows[r].words[word] >> shift) & 1);
            n0 += node.counts.at(r, 0) & mask;
            n1 += node.counts.at(r, 1) & mask;
        }
        const CellCounts<true> own{n0, n1},
            rest{node.cells.at(cell, 0) - n0, node.cells.at(cell, 1) - n1};
        return terms_.cell(own.data(), 2) + terms_.cell(rest.data(), 2);
    } else {
        const auto children = index(child_states());
        std::fill_n(tally_.begin(), index(states) * children, 0);
        for (std::size_t r = first; r < end; ++r) {
            std::int64_t* own = &tally_[field.of(node.rows[r]) * children];
            for (std::size_t s = 0; s < children; ++s) {
                own[s] += node.counts.at(r, static_cast<int>(s));
            }
        }
        double cost = 0;
        for (int state = 0; state < states; ++state) {
            cost += terms_.cell(&tally_[index(state) * children], child_states());
        }
        return cost;
    }
}

template <int W, bool kBinary, bool kKeepsPure>
double Configurations<W, kBinary, kKeepsPure>::cost_with(const Node& node, int variable,
                                                         double limit) {
    const CodeField field = records_.field(variable);
    const int states = this->states(variable);
    double cost = 0;
    std::size_t first = 0;
    for (std::size_t c = 0; c < node.ends.size() && cost <= limit; ++c) {
        cost += cell_cost_with(node, c, first, field, states);
        first = node.ends[c];
    }
    return cost;
}

template <int W, bool kBinary, bool kKeepsPure>
double Configurations<W, kBinary, kKeepsPure>::cost(const Node& node) const {
    double total = 0;
    for (std::size_t c = 0; c < node.ends.size(); ++c) total += node.cells.cost(c, terms_);
    return total;
}

template <int W, bool kBinary, bool kKeepsPure>
double Configurations<W, kBinary, kKeepsPure>::bound(const Node& node) const {
    double cost = 0;
    for (std::size_t r = 0; r < node.size(); ++r) cost += node.counts.cost(r, terms_);
    return cost;
}

template class BitColumns<1, false, false>;
template class BitColumns<2, false, false>;
template class BitColumns<4, false, false>;
template class BitColumns<16, false, false>;
template class BitColumns<64, false, false>;
template class BitColumns<1, false, true>;
template class BitColumns<2, false, true>;
template class BitColumns<4, false, true>;
template class BitColumns<16, false, true>;
template class BitColumns<64, false, true>;
template class BitColumns<1, true, false>;
template class BitColumns<2, true, false>;
template class BitColumns<4, true, false>;
template class BitColumns<16, true, false>;
template class BitColumns<64, true, false>;
template class BitColumns<1, true, true>;
template class BitColumns<2, true, true>;
template class BitColumns<4, true, true>;
template class BitColumns<16, true, true>;
template class BitColumns<64, true, true>;
template class Configurations<1, false, false>;
template class Configurations<2, false, false>;
template class Configurations<4, false, false>;
template class Configurations<16, false, false>;
template class Configurations<64, false, false>;
template class Configurations<1, false, true>;
template class Configurations<2, false, true>;
template class Configurations<4, false, true>;
template class Configurations<16, false, true>;
template class Configurations<64, false, true>;
template class Configurations<1, true, false>;
template class Configurations<2, true, false>;
template class Configurations<4, true, false>;
template class Configurations<16, true, false>;
template class Configurations<64, true, false>;
template class Configurations<1, true, true>;
template class Configurations<2, true, true>;
template class Configurations<4, true, true>;
template class Configurations<16, true, true>;
template class Configurations<64, true, true>;

}  // namespace noisyor
