#include "scoring/table_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

namespace noisyor {
namespace {

constexpr std::int64_t kLargestTable = 1 << 20;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// Whether a cell is kept: a child varies in it, or with `kKeepsPure` it has any record.
template <bool kKeepsPure>
bool is_kept(const std::int64_t* counts, int states) {
    int seen = 0;
    for (int s = 0; s < states; ++s) seen += counts[s] != 0;
    return seen > (kKeepsPure ? 0 : 1);
}

// The lowest bit in which two records differ, if any.
template <int W>
std::optional<int> first_difference(const Record<W>& a, const Record<W>& b) {
    for (int i = 0; i < W; ++i) {
        const Word differing = a.words[i] ^ b.words[i];
        if (differing != 0) return i * kWordBits + std::countr_zero(differing);
    }
    return std::nullopt;
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
    for (int t = 0; t < records.variables(); ++t) {
        variable_at_.resize(index(records.first_bit(t + 1)), t);
    }
    std::vector<std::size_t> sorted(records.rows.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        const std::optional<int> bit = first_difference(records.rows[a], records.rows[b]);
        return bit && records.rows[b].contains(*bit);
    });
    root_.make_room(sorted.size(), child_states());
    Places places;
    for (const std::size_t r : sorted) {
        std::fill_n(tally_.begin(), child_states(), 0);
        tally_[index(records.child[r])] = records.counts[r];
        put(records.rows[r], [&](int s) { return tally_[index(s)]; }, places, root_);
    }
    close_cell(places, root_);
}

// Rows with the same configuration of the tail come one after the other.
template <int W, bool kBinary, bool kKeepsPure>
template <class Count>
void Configurations<W, kBinary, kKeepsPure>::put(const Record<W>& row, Count&& count,
                                                 Places& places, Node& to) {
    const bool is_new = places.first == places.end || !(to.rows[places.end - 1] == row);
    const std::size_t at = places.end - !is_new;
    to.rows[at] = row;
    for (int s = 0; s < child_states(); ++s) {
        to.counts.at(at, s) = count(s) + (is_new ? 0 : to.counts.at(at, s));
    }
    places.end = at + 1;
}

template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::close_cell(const Places& places, Node& to) {
    const int children = child_states();
    CellCounts<kBinary> totals;
    for (int s = 0; s < children; ++s) {
        std::int64_t n = 0;
        for (std::size_t r = places.first; r < places.end; ++r) n += to.counts.at(r, s);
        totals[index(s)] = n;
    }
    if (!is_kept<kKeepsPure>(totals.data(), children)) return;
    to.cells.push_back([&](int s) { return totals[index(s)]; });
    const std::size_t free = to.size(), size = places.end - places.first;
    if (free < places.first) {
        std::copy_n(&to.rows[places.first], size, &to.rows[free]);
        to.counts.move(places.first, free, size);
    }
    to.ends.push_back(free + size);
}

template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::descend(const Node& from, int variable, int tail,
                                                     Node& to) {
    to.make_room(from.size(), child_states());
    const VariableSet<W> below = records_.bits_below(tail);
    const CodeField field = records_.field(variable);
    std::size_t begin = 0;
    for (std::size_t cell = 0; cell < from.ends.size(); ++cell) {
        const Places rows{begin, from.ends[cell]};
        if constexpr (kBinary) {
            const CellCounts<true> own = counts_with(from, rows, field);
            const CellCounts<true> rest{from.cells.at(cell, 0) - own[0],
                                        from.cells.at(cell, 1) - own[1]};
            add_half(from, rows, field, 0, below, rest, to);
            add_half(from, rows, field, 1, below, own, to);
        } else {
            add_cells(from, rows, field, index(states(variable)), below, to);
        }
        begin = rows.end;
    }
}

// The records of a row are the difference of two running totals, which are written for every row
// and so need no branch: the next row, if it is the same or of the other half, overwrites them.
template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::add_half(const Node& from, const Places& rows,
                                                      const CodeField& field, std::size_t state,
                                                      const VariableSet<W>& below,
                                                      const CellCounts<kBinary>& totals, Node& to) {
    if (!is_kept<kKeepsPure>(totals.data(), 2)) return;
    const std::size_t most = rows.end - rows.first + 1;
    if (merged_.size() < most) {
        merged_.resize(most);
        for (auto& own : running_) own.resize(most);
    }
    Record<W>* const merged = merged_.data();
    std::int64_t *const running0 = running_[0].data(), *const running1 = running_[1].data();
    std::size_t last = 0;  // the row that is being summed; before the first there is an empty one
    std::int64_t n0 = 0, n1 = 0;
    Record<W> current{};
    for (std::size_t r = rows.first; r < rows.end; ++r) {
        const bool is_own = field.of(from.rows[r]) == state;
        const auto mask = -static_cast<std::int64_t>(is_own);
        const Record<W> row = from.rows[r].restricted_to(below);
        const bool is_new = (last == 0) | !(row == current);
        last += is_own & is_new;
        current = is_own ? row : current;
        n0 += from.counts.at(r, 0) & mask;
        n1 += from.counts.at(r, 1) & mask;
        merged[last] = current;
        running0[last] = n0;
        running1[last] = n1;
    }
    const std::size_t free = to.size();
    std::copy_n(merged + 1, last, &to.rows[free]);
    for (std::size_t i = 0; i < last; ++i) {
        to.counts.at(free + i, 0) = running0[i + 1] - running0[i];
        to.counts.at(free + i, 1) = running1[i + 1] - running1[i];
    }
    to.cells.push_back([&](int s) { return totals[index(s)]; });
    to.ends.push_back(free + last);
}

// The rows are put into places by state of the variable, in the order in which they were.
template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::add_cells(const Node& from, const Places& rows,
                                                       const CodeField& field, std::size_t states,
                                                       const VariableSet<W>& below, Node& to) {
    std::fill_n(places_.begin(), states, Places{});
    for (std::size_t r = rows.first; r < rows.end; ++r) ++places_[field.of(from.rows[r])].end;
    std::size_t next = rows.first;
    for (std::size_t s = 0; s < states; ++s) {
        next += places_[s].end;
        places_[s] = {next - places_[s].end, next - places_[s].end};
    }
    for (std::size_t r = rows.first; r < rows.end; ++r) {
        put(
            from.rows[r].restricted_to(below), [&](int s) { return from.counts.at(r, s); },
            places_[field.of(from.rows[r])], to);
    }
    for (std::size_t s = 0; s < states; ++s) close_cell(places_[s], to);
}

// A mask takes the place of a branch.
template <int W, bool kBinary, bool kKeepsPure>
CellCounts<true> Configurations<W, kBinary, kKeepsPure>::counts_with(const Node& node,
                                                                     const Places& rows,
                                                                     const CodeField& field) {
    std::int64_t n0 = 0, n1 = 0;
    const int word = field.word, shift = field.shift;
    for (std::size_t r = rows.first; r < rows.end; ++r) {
        const auto mask = -static_cast<std::int64_t>((node.rows[r].words[word] >> shift) & 1);
        n0 += node.counts.at(r, 0) & mask;
        n1 += node.counts.at(r, 1) & mask;
    }
    return {n0, n1};
}

// The records by state of the variable and state of the child. In binary tables those with the
// first state are the rest of the cell.
template <int W, bool kBinary, bool kKeepsPure>
double Configurations<W, kBinary, kKeepsPure>::cell_cost_with(const Node& node, std::size_t cell,
                                                              std::size_t first,
                                                              const CodeField& field, int states) {
    const std::size_t end = node.ends[cell];
    if constexpr (kBinary) {
        const CellCounts<true> own = counts_with(node, {first, end}, field);
        const CellCounts<true> rest{node.cells.at(cell, 0) - own[0],
                                    node.cells.at(cell, 1) - own[1]};
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
double Configurations<W, kBinary, kKeepsPure>::cost_with(const Node& node, int high, int low,
                                                         double limit) const
    requires kBinary
{
    const CodeField first = records_.field(high), second = records_.field(low);
    const auto mask = [](const Record<W>& row, const CodeField& field) {
        return -static_cast<std::int64_t>((row.words[field.word] >> field.shift) & 1);
    };
    double cost = 0;
    std::size_t row = 0;
    for (std::size_t c = 0; c < node.ends.size() && cost <= limit; ++c) {
        std::array<std::int64_t, 2> with_high{}, with_low{}, with_both{};
        for (const std::size_t end = node.ends[c]; row < end; ++row) {
            const std::int64_t high_mask = mask(node.rows[row], first);
            const std::int64_t low_mask = mask(node.rows[row], second);
            for (int s = 0; s < 2; ++s) {
                const std::int64_t own = node.counts.at(row, s), of_high = own & high_mask;
                with_high[index(s)] += of_high;
                with_low[index(s)] += own & low_mask;
                with_both[index(s)] += of_high & low_mask;
            }
        }
        CellCounts<true> none, low_only, high_only;
        for (std::size_t s = 0; s < 2; ++s) {
            low_only[s] = with_low[s] - with_both[s];
            high_only[s] = with_high[s] - with_both[s];
            none[s] = node.cells.at(c, static_cast<int>(s)) - with_high[s] - low_only[s];
        }
        cost += terms_.cell(low_only.data(), 2) + terms_.cell(none.data(), 2);
        cost += terms_.cell(with_both.data(), 2) + terms_.cell(high_only.data(), 2);
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

// In the order of the rows, those that agree in the variables 0 .. v follow each other: a group for
// each v, within one of those for v - 1. A row that differs from the one before it in variable d,
// and in none below, ends the groups of all v >= d. Groups that begin and end together have the
// same records, so each such range of v is looked at once.
template <int W, bool kBinary, bool kKeepsPure>
void Configurations<W, kBinary, kKeepsPure>::prefix_bounds(const Node& node,
                                                           std::vector<double>& bounds) {
    const auto tail = static_cast<int>(bounds.size());
    const auto children = index(child_states());
    groups_.resize(index(tail) + 1);
    starts_.resize(groups_.size() * children);
    std::fill(bounds.begin(), bounds.end(), 0.0);
    CellCounts<kBinary> seen{}, own;
    std::size_t open = 0;
    const auto cost_since = [&](std::size_t group) {
        for (std::size_t s = 0; s < children; ++s) own[s] = seen[s] - starts_[group * children + s];
        return terms_.cell(own.data(), child_states());
    };
    // bounds[v] holds what it has more than bounds[v - 1], until the end.
    const auto add = [&](int first, int end, double cost) {
        bounds[index(first)] += cost;
        if (end < tail) bounds[index(end)] -= cost;
    };
    const auto end_groups = [&](int from) {
        int end = tail;
        while (open > 0 && groups_[open - 1] >= from) {
            --open;
            add(groups_[open], end, cost_since(open));
            end = groups_[open];
        }
        if (end > from) add(from, end, cost_since(open - 1));
    };
    std::size_t row = 0;
    for (const std::size_t cell_end : node.ends) {
        const std::size_t cell_begin = row;
        for (; row < cell_end; ++row) {
            int differs = 0;
            if (row > cell_begin) {
                const std::optional<int> bit = first_difference(node.rows[row - 1], node.rows[row]);
                differs = bit ? std::min(variable_at_[index(*bit)], tail) : tail;
                if (differs < tail) end_groups(differs);
            }
            if (differs < tail) {
                groups_[open] = differs;
                for (std::size_t s = 0; s < children; ++s) starts_[open * children + s] = seen[s];
                ++open;
            }
            for (std::size_t s = 0; s < children; ++s) {
                seen[s] += node.counts.at(row, static_cast<int>(s));
            }
        }
        end_groups(0);
    }
    for (std::size_t v = 1; v < bounds.size(); ++v) bounds[v] += bounds[v - 1];
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
