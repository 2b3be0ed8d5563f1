// The records of one child as its causes see them.
//
// Each acting state of a parent is a cause, and has a column: a bit in each record. The columns of
// a variable are next to each other, in the search's numbering of the variables. The child has
// levels: level t = 1 .. m is a noisy-OR problem of its own on the records in which the child is at
// most t, and its effect is that the child is t (docs/relations.md). So a record is among the
// present rows of the level that the child has in it, and absent in all levels above.
#pragma once

#include <cstddef>
#include <vector>

#include "fitting/noisy_or.hpp"
#include "scoring/records_view.hpp"
#include "variable_set.hpp"

namespace noisyor {

// Which states act, and how their effects combine.
struct ColumnForm {
    bool leak = false;     // whether there is a cause that is always there
    bool minimum = false;  // whether the lowest effect decides, not the highest
    // Whether any state may act; else all but the first, or for the minimum all but the last.
    bool any_state = false;

    // The first acting state of a variable, and the number of them.
    int first_acting() const { return minimum || any_state ? 0 : 1; }
    int acting(int states) const { return any_state ? states : states - 1; }
};

// One level of the child.
template <int W>
struct LevelRecords {
    PresentRows<W> present;      // records in which the child has this level, by their columns
    std::vector<double> absent;  // per column: records that have it, with the child below the level
    double absent_total = 0;     // records with the child below the level
    double present_total = 0;
    VariableSet<W> certain;  // columns that no record below the level has
};

template <int W>
class ColumnRecords {
  public:
    // `order[t]` is the variable that becomes number t; the child has no column.
    ColumnRecords(const RecordsView& view, int child, const std::vector<int>& order,
                  const ColumnForm& form);

    std::vector<LevelRecords<W>> levels;

    int variable_count() const { return static_cast<int>(columns_.size()); }
    std::size_t column_count() const { return variable_of_.size(); }
    std::size_t first_column(int variable) const {
        return first_[static_cast<std::size_t>(variable)];
    }
    std::size_t end_column(int variable) const {
        return first_[static_cast<std::size_t>(variable) + 1];
    }
    const std::vector<int>& variable_of() const { return variable_of_; }  // of each column
    int variable_of(int column) const { return variable_of_[static_cast<std::size_t>(column)]; }
    // Parameters of a variable in each level.
    int parameters_of(int variable) const {
        return parameters_[static_cast<std::size_t>(variable)];
    }
    VariableSet<W> columns_of(const VariableSet<W>& variables) const {
        if (one_each_) return variables;
        VariableSet<W> columns;
        variables.for_each(
            [&](int v) { columns = columns | columns_[static_cast<std::size_t>(v)]; });
        return columns;
    }
    const VariableSet<W>& columns_of(int variable) const {
        return columns_[static_cast<std::size_t>(variable)];
    }
    // Where any state may act: the columns of those that do not act otherwise.
    VariableSet<W> unusual_columns_of(const VariableSet<W>& variables) const {
        VariableSet<W> columns;
        variables.for_each([&](int v) {
            columns.insert(static_cast<int>(minimum_ ? end_column(v) - 1 : first_column(v)));
        });
        return columns;
    }
    // The columns of the variables 0 .. variable - 1.
    VariableSet<W> columns_below(int variable) const {
        return VariableSet<W>::below(static_cast<int>(first_column(variable)));
    }

  private:
    std::vector<std::size_t> first_;  // of each variable, and one more
    std::vector<int> variable_of_;    // of each column
    std::vector<int> parameters_;
    std::vector<VariableSet<W>> columns_;
    bool minimum_ = false;
    bool one_each_ = true;  // whether column t is that of variable t
};

// The most columns that the causes of a child can have.
std::size_t columns_in_all(const std::vector<int>& states, const ColumnForm& form);

}  // namespace noisyor
