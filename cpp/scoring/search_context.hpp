// What all relations and threads of a child's search share, in the search's own numbering of the
// variables.
#pragma once

#include <cstddef>
#include <vector>

#include "scoring/records_view.hpp"
#include "scoring/rules.hpp"
#include "scoring/settings.hpp"
#include "scoring/table_counts.hpp"
#include "scoring/table_records.hpp"
#include "variable_set.hpp"

namespace noisyor {

template <int W>
struct SearchContext {
    // `by_use` has the candidates from the least to the most useful.
    SearchContext(const RecordsView& view, int child_variable, const SearchSettings& given,
                  const std::vector<int>& by_use);

    const RecordsView view;
    const int child;
    SearchSettings settings;
    std::vector<int> order;  // order[t] is the variable numbered t: candidates, required, the rest
    int candidates;          // number of candidates: they come first
    TableRecords<W> table;
    EntropyTerms terms;
    VariableSet<W> required;
    bool on(Rule rule) const { return (settings.rules >> rule) & 1; }
    // The search's number of each variable.
    std::vector<int> numbers() const;
    // The caller's numbers of a set, ascending.
    std::vector<int> callers_variables(const VariableSet<W>& set) const;
};

}  // namespace noisyor
