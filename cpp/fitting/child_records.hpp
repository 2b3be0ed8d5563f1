// The records as one child sees them: those with the child present, and counts of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/noisy_or.hpp"
#include "variable_set.hpp"

namespace noisyor {

// Distinct rows of binary variables with their weights, as Python hands them over.
struct BitRecords {
    const Word* rows = nullptr;  // word_count words a row
    const std::int64_t* weights = nullptr;
    std::size_t size = 0;
    std::size_t word_count = 0;
    int variables = 0;
};

template <int W>
struct ChildRecords {
    PresentRows<W> present;      // records with the child present
    std::vector<double> absent;  // per variable: records with it present and the child absent
    double absent_total = 0;     // records with the child absent

    // `order[t]` is the variable that becomes number t; the child is in no row.
    ChildRecords(const BitRecords& records, int child, const std::vector<int>& order)
        : absent(order.size(), 0) {
        std::vector<int> number(order.size());
        for (std::size_t t = 0; t < order.size(); ++t) number[order[t]] = static_cast<int>(t);
        for (std::size_t r = 0; r < records.size; ++r) {
            const auto row = Record<W>::load(records.rows + r * W);
            const double weight = static_cast<double>(records.weights[r]);
            Record<W> others = row, renamed;
            others.erase(child);
            others.for_each([&](int v) { renamed.insert(number[v]); });
            if (row.contains(child)) {
                present.add(renamed, weight);
            } else {
                absent_total += weight;
                renamed.for_each([&](int t) { absent[t] += weight; });
            }
        }
    }
};

}  // namespace noisyor
