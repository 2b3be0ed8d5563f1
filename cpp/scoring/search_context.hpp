// What all threads of a child's search share, in the search's own numbering of the variables.
#pragma once

#include <cstddef>
#include <vector>

#include "fitting/child_records.hpp"
#include "scoring/cpt_counts.hpp"
#include "scoring/settings.hpp"
#include "variable_set.hpp"

namespace noisyor {

template <int W>
struct SearchContext {
    // `by_use` has the candidates from the least to the most useful.
    SearchContext(const RecordsView& view, int child_variable, const SearchSettings& given,
                  const std::vector<int>& by_use);

    SearchSettings settings;
    std::vector<int> order;  // order[t] is the variable numbered t: candidates, required, the rest
    int candidates;          // number of candidates: they come first
    ChildRecords<W> records;
    EntropyTerms terms;
    VariableSet<W> required;
    // What one more parent adds to the penalty, at least; 0 for relations not in use.
    double step[kRelations] = {};
    // The lambda that a parent has at most in any noisy-OR fitted to these records.
    std::vector<double> strongest;
    // Per noisy-OR relation: `records.absent` raised so that parents pay their step in proportion
    // to their strength.
    std::vector<double> sloped[kRelations];

    bool uses(int relation) const { return !settings.penalties[relation].empty(); }
    bool on(Rule rule) const { return (settings.rules >> rule) & 1; }
    // What the search calls each variable.
    std::vector<int> numbers() const;

  private:
    void set_slopes(int relation);
};

}  // namespace noisyor
