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
    SearchContext(const RecordsView& view, int child_variable, const SearchSettings& given);

    SearchSettings settings;
    std::vector<int> order;  // order[t] is the variable numbered t: candidates, required, the rest
    int candidates;          // number of candidates: they come first
    ChildRecords<W> records;
    EntropyTerms terms;
    VariableSet<W> required;
    struct Cut {
        VariableSet<W> set;
        int need;
        double weight;
    };
    std::vector<Cut> cuts;

    bool uses(int relation) const { return !settings.penalties[relation].empty(); }
    bool on(Rule rule) const { return (settings.rules >> rule) & 1; }
    // What a family over these parents may cost, `best` being m(P), widened by some tolerances.
    double threshold(const VariableSet<W>& parents, double best, double tolerances) const;
};

}  // namespace noisyor
