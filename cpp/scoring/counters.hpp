// How much work a pass did, and how much the rules saved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "scoring/rules.hpp"

namespace noisyor {

// Relations are numbered in the caller's order.
class SearchCounters {
  public:
    // Subtrees cut, by [relation and rule][number of parents][size of the tail]. A cut leaves out
    // every set with those parents and some of the tail. A negative number corrects another that
    // counted too much. Rows are made when needed: few numbers of parents occur, and a full array
    // for each of 1,024 children would take longer to clear than their search.
    using Rows = std::vector<std::vector<std::int64_t>>;
    std::vector<Rows> cuts;
    std::size_t variables = 0;                    // n
    std::vector<std::int64_t> evaluated, bounds;  // families evaluated; what only bounded a subtree
    std::int64_t order_fits = 0;                  // fits to find the order of the candidates
    std::int64_t fits = 0;                        // fits of the search
    std::int64_t remembered = 0;                  // fits that the memory saved
    std::int64_t newton_steps = 0;                // of the search
    std::int64_t refits = 0;                      // final fits
    std::int64_t unconverged = 0;                 // final fits that did not close their gap
    std::int64_t reported = 0;                    // families that take_recent has reported

    SearchCounters() = default;
    SearchCounters(std::size_t relations, std::size_t n)
        : cuts(relations * kCutRules),
          variables(n),
          evaluated(relations, 0),
          bounds(relations, 0) {}

    void cut(std::size_t relation, Rule rule, int size, int tail, int times = 1) {
        const std::size_t table = relation * kCutRules + static_cast<std::size_t>(rule);
        row_of(cuts[table], static_cast<std::size_t>(size))[static_cast<std::size_t>(tail)] +=
            times;
    }
    void add(const SearchCounters& other) {
        for (std::size_t table = 0; table < other.cuts.size(); ++table) {
            for (std::size_t size = 0; size < other.cuts[table].size(); ++size) {
                const std::vector<std::int64_t>& from = other.cuts[table][size];
                if (from.empty()) continue;
                std::vector<std::int64_t>& to = row_of(cuts[table], size);
                for (std::size_t tail = 0; tail < from.size(); ++tail) to[tail] += from[tail];
            }
        }
        for (std::size_t r = 0; r < other.evaluated.size(); ++r) {
            evaluated[r] += other.evaluated[r];
            bounds[r] += other.bounds[r];
        }
        order_fits += other.order_fits;
        fits += other.fits;
        remembered += other.remembered;
        newton_steps += other.newton_steps;
        refits += other.refits;
        unconverged += other.unconverged;
    }
    // Counts for relation `to` the same families as for relation `from`.
    void copy(std::size_t from, std::size_t to) {
        std::copy_n(cuts.begin() + static_cast<std::ptrdiff_t>(from * kCutRules), kCutRules,
                    cuts.begin() + static_cast<std::ptrdiff_t>(to * kCutRules));
        evaluated[to] = evaluated[from];
    }
    // The cuts as rows of five numbers: relation, rule, parents, tail, and how many.
    std::vector<std::int64_t> cut_list() const {
        std::vector<std::int64_t> list;
        for (std::size_t table = 0; table < cuts.size(); ++table) {
            for (std::size_t size = 0; size < cuts[table].size(); ++size) {
                const std::vector<std::int64_t>& row = cuts[table][size];
                for (std::size_t tail = 0; tail < row.size(); ++tail) {
                    if (row[tail] == 0) continue;
                    for (const std::size_t one : {table / kCutRules, table % kCutRules, size, tail})
                        list.push_back(static_cast<std::int64_t>(one));
                    list.push_back(row[tail]);
                }
            }
        }
        return list;
    }
    // Families evaluated since the last call.
    std::int64_t take_recent() {
        std::int64_t total = 0;
        for (const std::int64_t one : evaluated) total += one;
        return total - std::exchange(reported, total);
    }

  private:
    std::vector<std::int64_t>& row_of(Rows& rows, std::size_t size) const {
        if (rows.size() <= size) rows.resize(size + 1);
        if (rows[size].empty()) rows[size].resize(variables + 1, 0);
        return rows[size];
    }
};

}  // namespace noisyor
