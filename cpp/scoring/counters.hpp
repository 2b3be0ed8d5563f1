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
struct SearchCounters {
    // Subtrees cut, by [relation][rule][number of parents][size of the tail], n + 1 each for the
    // last two. A cut leaves out every set with those parents and some of the tail. A negative
    // number corrects another that counted too much.
    std::vector<std::int64_t> cuts;
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
        : cuts(relations * kCutRules * (n + 1) * (n + 1), 0),
          variables(n),
          evaluated(relations, 0),
          bounds(relations, 0) {}

    void cut(std::size_t relation, Rule rule, int size, int tail, int times = 1) {
        const std::size_t table = relation * kCutRules + static_cast<std::size_t>(rule);
        const std::size_t row = table * (variables + 1) + static_cast<std::size_t>(size);
        cuts[row * (variables + 1) + static_cast<std::size_t>(tail)] += times;
    }
    void add(const SearchCounters& other) {
        for (std::size_t i = 0; i < other.cuts.size(); ++i) cuts[i] += other.cuts[i];
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
        const std::size_t size = kCutRules * (variables + 1) * (variables + 1);
        std::copy_n(cuts.begin() + static_cast<std::ptrdiff_t>(from * size), size,
                    cuts.begin() + static_cast<std::ptrdiff_t>(to * size));
        evaluated[to] = evaluated[from];
    }
    // Families evaluated since the last call.
    std::int64_t take_recent() {
        std::int64_t total = 0;
        for (const std::int64_t one : evaluated) total += one;
        return total - std::exchange(reported, total);
    }
};

}  // namespace noisyor
