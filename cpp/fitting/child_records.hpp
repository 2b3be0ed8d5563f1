// The records as one child sees them: those with the child present, and those without it.
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
    PresentRows<W> absent_rows;  // records with the child absent
    std::vector<double> absent;  // per variable: records with it present and the child absent
    double absent_total = 0;
    double present_total = 0;

    explicit ChildRecords(std::size_t variables) : absent(variables, 0) {}

    // `order[t]` is the variable that becomes number t; the child is in no row.
    ChildRecords(const BitRecords& records, int child, const std::vector<int>& order)
        : ChildRecords(order.size()) {
        std::vector<int> number(order.size());
        for (std::size_t t = 0; t < order.size(); ++t) number[order[t]] = static_cast<int>(t);
        for (std::size_t r = 0; r < records.size; ++r) {
            const auto row = Record<W>::load(records.rows + r * W);
            const double weight = static_cast<double>(records.weights[r]);
            Record<W> others = row, renamed;
            others.erase(child);
            others.for_each([&](int v) { renamed.insert(number[v]); });
            add(renamed, row.contains(child), weight);
        }
    }

    void add(const Record<W>& row, bool is_present, double weight) {
        PresentRows<W>& side = is_present ? present : absent_rows;
        side.rows.push_back(row);
        side.counts.push_back(weight);
        (is_present ? present_total : absent_total) += weight;
        if (!is_present) row.for_each([&](int t) { absent[t] += weight; });
    }
};

}  // namespace noisyor
