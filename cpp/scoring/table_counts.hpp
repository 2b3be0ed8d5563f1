// Negative log-likelihoods of full tables along a path of growing parent sets.
//
// A parent set splits the records into cells; a cell with n_s records of each state s of the child
// costs x(sum of n_s) - sum of x(n_s), x(n) = n ln n. A cell with only one state of the child costs
// nothing however it is split further, and is dropped; with `kKeepsPure` such cells are kept, for
// scores of which they are a part. Two ways to count: bit columns of the
// records (few records), and distinct configurations over what may still be added, which are summed
// out as variables leave (few variables, or many equal records).
//
// Both take variables of any number of states. `kBinary` is for tables in which all have two: the
// loops over states then have two rounds, which the compiler knows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scoring/table_records.hpp"
#include "variable_set.hpp"

namespace noisyor {

// What a cell costs: x(sum of n) - sum of x(n) with x(n) = n ln n tabulated, which loses a few
// units in the last place of x. Beyond the table that would matter: there, the same in the form
// sum of n ln(1 + others / n), others being the rest of the cell, which loses none.
class EntropyTerms {
  public:
    explicit EntropyTerms(std::int64_t largest);

    [[gnu::always_inline]] double cell(const std::int64_t* counts, int states) const {
        if (states == 2 && (counts[0] == 0 || counts[1] == 0)) return 0;
        std::int64_t total = 0;
        for (int s = 0; s < states; ++s) total += counts[s];
        const auto all = static_cast<std::size_t>(total);
        if (all >= table_.size()) return direct(counts, states, total);
        double cost = table_[all];
        for (int s = 0; s < states; ++s) cost -= table_[static_cast<std::size_t>(counts[s])];
        return cost;
    }

  private:
    static double direct(const std::int64_t* counts, int states, std::int64_t total);
    std::vector<double> table_;
};

// Numbers of records by state of the child, for each of several rows or cells. In binary tables
// each state has its own vector, so that loops over rows use whole registers; else a row's are
// adjacent.
template <bool kBinary>
class StateCounts {
  public:
    std::size_t size() const { return size_; }
    std::int64_t& at(std::size_t row, int state) {
        return values_[kBinary ? static_cast<std::size_t>(state) : 0][place(row, state)];
    }
    std::int64_t at(std::size_t row, int state) const {
        return values_[kBinary ? static_cast<std::size_t>(state) : 0][place(row, state)];
    }
    void reset(int states) {
        states_ = states;
        resize(0);
    }
    void resize(std::size_t size) {
        for (auto& own : values_) own.resize(kBinary ? size : size * stride());
        size_ = size;
    }
    // Moves rows to a lower place.
    void move(std::size_t from, std::size_t to, std::size_t size) {
        const std::size_t width = kBinary ? 1 : stride();
        for (auto& own : values_) {
            std::copy_n(&own[from * width], size * width, &own[to * width]);
        }
    }
    // Appends a row with what count(s) says.
    template <class Count>
    void push_back(Count&& count) {
        for (int s = 0; s < states(); ++s) {
            values_[kBinary ? static_cast<std::size_t>(s) : 0].push_back(count(s));
        }
        ++size_;
    }
    int states() const { return kBinary ? 2 : states_; }
    void read(std::size_t row, std::int64_t* into) const {
        for (int s = 0; s < states(); ++s) into[s] = at(row, s);
    }
    // What the records of a row cost together.
    double cost(std::size_t row, const EntropyTerms& terms) const {
        if constexpr (kBinary) {
            const std::int64_t own[] = {values_[0][row], values_[1][row]};
            return terms.cell(own, 2);
        } else {
            return terms.cell(&values_[0][row * stride()], states_);
        }
    }

  private:
    std::size_t stride() const { return static_cast<std::size_t>(states_); }
    std::size_t place(std::size_t row, int state) const {
        return kBinary ? row : row * stride() + static_cast<std::size_t>(state);
    }
    std::array<std::vector<std::int64_t>, kBinary ? 2 : 1> values_;
    int states_ = 2;
    std::size_t size_ = 0;
};

// The same for a single cell.
template <bool kBinary>
using CellCounts = std::array<std::int64_t, kBinary ? 2 : kMaxStates>;

// Calls f with the counts of each of the first rows, until it returns false.
template <bool kBinary, class F>
void visit_rows(const StateCounts<kBinary>& rows, std::size_t size, F&& f) {
    CellCounts<kBinary> own;
    for (std::size_t row = 0; row < size; ++row) {
        rows.read(row, own.data());
        if (!f(own.data())) return;
    }
}

// Records as bits, a column for each state of each variable. The records of each state of the child
// have words of their own.
template <int W, bool kBinary, bool kKeepsPure = false>
class BitColumns {
  public:
    struct Node {
        std::vector<Word> cells;  // words_ words a cell: its records
        StateCounts<kBinary> counts;
    };
    BitColumns(const TableRecords<W>& records, const EntropyTerms& terms);

    void make_root(Node& root) const;
    void descend(const Node& from, int variable, int tail, Node& to) const;
    // Of P + variable; stops early, with something above `limit`, once that is certain.
    double cost_with(const Node& node, int variable, double limit) const;
    double cost(const Node& node) const;  // of P itself

    // Call f with the counts of each cell of P, and of P + variable, until it returns false. Cells
    // of the latter may be empty.
    template <class F>
    void each_cell(const Node& node, F&& f) const {
        visit_rows(node.counts, node.counts.size(), f);
    }
    template <class F>
    void each_cell_with(const Node& node, int variable, F&& f) const {
        const int children = child_states(), states = this->states(variable);
        CellCounts<kBinary> counts, rest;
        for (std::size_t c = 0; c < node.counts.size(); ++c) {
            const Word* cell = &node.cells[c * words_];
            node.counts.read(c, rest.data());
            for (int state = 1; state < states; ++state) {
                count(cell, column(variable, state), counts);
                for (int s = 0; s < children; ++s) {
                    rest[static_cast<std::size_t>(s)] -= counts[static_cast<std::size_t>(s)];
                }
                if (!f(counts.data())) return;
            }
            if (!f(rest.data())) return;
        }
    }

    static constexpr bool kCountsPairs = false;
    // Few records are scattered over the configurations of a large set, and cost nothing there.
    static constexpr bool kHasBound = false;

  private:
    int child_states() const { return kBinary ? 2 : records_.child_states; }
    int states(int variable) const {
        return kBinary ? 2 : records_.states[static_cast<std::size_t>(variable)];
    }
    const Word* column(int variable, int state) const {
        const auto t = static_cast<std::size_t>(variable);
        return &columns_[(first_columns_[t] + static_cast<std::size_t>(state)) * words_];
    }
    // counts := the records of a cell in a column, by state of the child.
    [[gnu::always_inline]] void count(const Word* cell, const Word* column,
                                      CellCounts<kBinary>& counts) const {
        std::size_t w = 0;
        for (int s = 0; s < child_states(); ++s) {
            std::int64_t n = 0;
            for (const std::size_t end = segments_[static_cast<std::size_t>(s) + 1]; w < end; ++w) {
                n += std::popcount(cell[w] & column[w]);
            }
            counts[static_cast<std::size_t>(s)] = n;
        }
    }

    const TableRecords<W>& records_;
    const EntropyTerms& terms_;
    std::vector<std::size_t> segments_;  // of words, by state of the child, and their end
    std::size_t words_ = 0;
    std::vector<std::size_t> first_columns_;  // of each variable
    std::vector<Word> columns_;               // words_ words each
};

// Distinct configurations of the variables that may still be added, by cell.
template <int W, bool kBinary, bool kKeepsPure = false>
class Configurations {
  public:
    struct Node {
        std::vector<std::size_t> ends;  // of the cells, in rows
        StateCounts<kBinary> cells;
        // Over the tail, equal ones merged within a cell, and in the order of their first
        // difference: what agrees in the first variables is together. There may be more places.
        std::vector<Record<W>> rows;
        StateCounts<kBinary> counts;  // of the rows

        std::size_t size() const { return ends.empty() ? 0 : ends.back(); }  // of the rows
        void make_room(std::size_t places, int child_states);
    };
    Configurations(const TableRecords<W>& records, const EntropyTerms& terms);

    void make_root(Node& root) const { root = root_; }
    void descend(const Node& from, int variable, int tail, Node& to);
    double cost_with(const Node& node, int variable, double limit);
    double cost(const Node& node) const;
    // Of P + high + low, to the last bit as by a descent to P + high.
    static constexpr bool kCountsPairs = kBinary;
    double cost_with(const Node& node, int high, int low, double limit) const
        requires kBinary;

    // As in BitColumns.
    template <class F>
    void each_cell(const Node& node, F&& f) const {
        visit_rows(node.cells, node.ends.size(), f);
    }
    template <class F>
    void each_cell_with(const Node& node, int variable, F&& f) {
        const CodeField field = records_.field(variable);
        const auto states = static_cast<std::size_t>(this->states(variable));
        const auto children = static_cast<std::size_t>(child_states());
        std::size_t first = 0;
        for (const std::size_t end : node.ends) {
            std::fill_n(tally_.begin(), states * children, 0);
            for (; first < end; ++first) {
                std::int64_t* own = &tally_[field.of(node.rows[first]) * children];
                for (std::size_t s = 0; s < children; ++s) {
                    own[s] += node.counts.at(first, static_cast<int>(s));
                }
            }
            for (std::size_t state = 0; state < states; ++state) {
                if (!f(&tally_[state * children])) return;
            }
        }
    }
    // Calls f with the number of a cell of P and the counts of a cell of P + tail within it.
    template <class F>
    void each_last_cell(const Node& node, F&& f) const {
        std::size_t cell = 0, row = 0;
        visit_rows(node.counts, node.size(), [&](const std::int64_t* counts) {
            if (row++ == node.ends[cell]) ++cell;
            f(cell, counts);
            return true;
        });
    }

    static constexpr bool kHasBound = true;
    double bound(const Node& node) const;  // no set between P and P + tail costs less
    // bounds[v] := the cost of P and all variables up to v, for each v of the tail. No set between
    // P and that one costs less.
    void prefix_bounds(const Node& node, std::vector<double>& bounds);

  private:
    int child_states() const { return kBinary ? 2 : records_.child_states; }
    int states(int variable) const {
        return kBinary ? 2 : records_.states[static_cast<std::size_t>(variable)];
    }
    // A cell whose rows are being put into places, at or after those that are taken.
    struct Places {
        std::size_t first = 0, end = 0;
    };
    // Adds a cell of P + variable to a node: the rows of a cell of P in which the variable has this
    // state, restricted to the bits below, equal ones merged.
    void add_half(const Node& from, const Places& rows, const CodeField& field, std::size_t state,
                  const VariableSet<W>& below, const CellCounts<kBinary>& totals, Node& to);
    // Adds those of all states, where there are more than two.
    void add_cells(const Node& from, const Places& rows, const CodeField& field, std::size_t states,
                   const VariableSet<W>& below, Node& to);
    // The records of some rows in which a binary variable has its second state.
    static CellCounts<true> counts_with(const Node& node, const Places& rows,
                                        const CodeField& field);
    // Adds a row to those in their places, or to the last of them if it is the same.
    template <class Count>
    void put(const Record<W>& row, Count&& count, Places& places, Node& to);
    // Closes a cell: drops it where the child never varies in it, otherwise moves its rows to the
    // first free places.
    void close_cell(const Places& places, Node& to);
    // The same cost for the rows from `first` on, those of one cell.
    double cell_cost_with(const Node& node, std::size_t cell, std::size_t first,
                          const CodeField& field, int states);

    const TableRecords<W>& records_;
    const EntropyTerms& terms_;
    Node root_;
    std::vector<int> variable_at_;                      // of each bit
    std::vector<std::int64_t> tally_;                   // memory to work in, as is what follows
    std::vector<Places> places_;                        // by state of a variable
    std::vector<Record<W>> merged_;                     // the rows of a half,
    std::array<std::vector<std::int64_t>, 2> running_;  // and their totals up to each
    std::vector<int> groups_;           // the first v of the groups that are open, ascending,
    std::vector<std::int64_t> starts_;  // and what was counted before each
};

}  // namespace noisyor
