// Negative log-likelihoods of full tables along a path of growing parent sets.
//
// A parent set splits the records into cells; a cell with n0 records of child 0 and n1 of child 1
// costs x(n0 + n1) - x(n0) - x(n1), x(n) = n ln n. A cell with only one value of the child costs
// nothing however it is split further, and is dropped. Two ways to count: bit columns of the
// records (few records), and distinct configurations over what may still be added, which are summed
// out as variables leave (few variables, or many equal records).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/child_records.hpp"
#include "variable_set.hpp"

namespace noisyor {

// What a cell costs: x(n0 + n1) - x(n0) - x(n1) with x(n) = n ln n tabulated, which loses a few
// units in the last place of x. Beyond the table that would matter: there, the same in the form
// n0 ln(1 + n1/n0) + n1 ln(1 + n0/n1), which loses none.
class EntropyTerms {
  public:
    explicit EntropyTerms(double largest);
    double cell(std::int64_t n0, std::int64_t n1) const {
        if (n0 == 0 || n1 == 0) return 0;
        const auto a = static_cast<std::size_t>(n0), b = static_cast<std::size_t>(n1);
        return a + b < table_.size() ? table_[a + b] - table_[a] - table_[b] : direct(n0, n1);
    }

  private:
    static double direct(std::int64_t n0, std::int64_t n1);
    std::vector<double> table_;
};

// Records as bits, a column per variable, those with child 0 and child 1 apart.
template <int W>
class BitColumns {
  public:
    struct Node {
        std::vector<Word> cells;  // words_ words a cell: its records with child 0, then child 1
        std::vector<std::int64_t> absent, present;
        std::size_t size() const { return absent.size(); }
    };
    BitColumns(const ChildRecords<W>& records, int variables, const EntropyTerms& terms);

    void make_root(Node& root) const;
    void descend(const Node& from, int variable, int tail, Node& to);
    // Of P + variable; stops early, with something above `limit`, once that is certain.
    double cost_with(const Node& node, int variable, double limit) const;
    double cost(const Node& node) const;  // of P itself

    // Few records are scattered over the configurations of a large set, and cost nothing there.
    static constexpr bool kHasBound = false;

  private:
    std::size_t words0_ = 0, words_ = 0;
    std::vector<Word> columns_;  // words_ words a variable
    std::int64_t absent_total_ = 0, present_total_ = 0;
    const EntropyTerms& terms_;
};

// Distinct configurations of the variables that may still be added, by cell.
template <int W>
class Configurations {
  public:
    struct Node {
        std::vector<Record<W>> rows;  // over the tail, equal ones merged within a cell
        std::vector<std::int64_t> absent, present;
        std::vector<std::size_t> ends;  // of the cells
        std::vector<std::int64_t> cell_absent, cell_present;
    };
    Configurations(const ChildRecords<W>& records, int variables, const EntropyTerms& terms);

    void make_root(Node& root) const { root = root_; }
    void descend(const Node& from, int variable, int tail, Node& to);
    double cost_with(const Node& node, int variable, double limit) const;
    double cost(const Node& node) const;

    static constexpr bool kHasBound = true;
    double bound(const Node& node) const;  // no set between P and P + tail costs less

  private:
    struct Pair {
        std::int64_t absent = 0, present = 0;
    };
    void add_row(const Node& from, std::size_t row, const VariableSet<W>& tail, Node& to);
    void close_cell(const VariableSet<W>& tail, std::size_t first, Node& to);

    Node root_;
    const EntropyTerms& terms_;
    std::vector<Pair> table_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> waiting_;
};

}  // namespace noisyor
