// What a search for one child's families is told, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fitting/noisy_or.hpp"

namespace noisyor {

// Rules that may be switched off; the result must not change. The numbers are shared with
// noisyor.scoring.rules, whose docstrings hold the proofs.
enum Rule : std::uint32_t {
    kPenaltyRule,     // the penalty alone is too much
    kCoverageRule,    // a noisy-OR without a cause for some record
    kLikelihoodRule,  // even the largest set of the subtree does not fit well enough
    kPrefixRule,      // the same, for the weak end of the candidates
    kEarlyStopRule,   // a fit ends as soon as its bounds decide
};
inline constexpr int kCutRules = 4;  // the first ones: they cut families that are never looked at

// The codes of the relations are those of noisyor.core.relation.
inline constexpr int kCpt = 0;
inline constexpr int kNoisyOr = 1;
inline constexpr int kLeakyNoisyOr = 2;
inline constexpr int kRelations = 3;

enum class CountsBy : std::uint8_t { kBitColumns, kConfigurations };

// A cut of the linear programme: a family earns `weight` while fewer than `need` of its parents
// lie among the variables.
struct PriceCut {
    std::vector<int> variables;
    int need = 1;
    double weight = 0;
};

// A family over P is kept if it costs at most min(m(P) + slack, price), where m(P) is the least
// cost over subsets of P, and the price is price_base plus the weights of the cuts that P earns.
// Costs within the tolerance are equal.
struct SearchSettings {
    double slack = 0;
    double tolerance = 0;
    double price_base = kInfinity;
    std::vector<PriceCut> cuts;
    std::vector<int> candidates;  // parents that a family may have, besides the required
    std::vector<int> required;    // parents that each family has
    int max_parents = kMaxVariables;
    std::vector<std::vector<double>> penalties;  // per relation and number of parents; empty: off
    std::uint32_t rules = ~0U;                   // bit r is rule r
    double gap = 1e-8;
    double relative_gap = 1e-13;
    CountsBy counts = CountsBy::kBitColumns;
};

struct SearchCounters {
    // Subtrees cut, by [relation][rule][number of parents][size of the tail], n + 1 each for the
    // last two: such a cut leaves out every set with those parents and some of the tail.
    std::vector<std::int64_t> cuts;
    std::int64_t evaluated[kRelations] = {};  // families counted or fitted
    std::int64_t bounds[kRelations] = {};     // fits and counts that only bounded a subtree
    std::int64_t newton_steps = 0;            // of the search
    std::int64_t refits = 0;                  // final fits
    std::int64_t unconverged = 0;             // final fits that did not close their gap
    std::int64_t reported = 0;                // families that take_recent has told of

    void add(const SearchCounters& other) {
        if (cuts.empty()) cuts.assign(other.cuts.size(), 0);
        for (std::size_t i = 0; i < other.cuts.size(); ++i) cuts[i] += other.cuts[i];
        for (int r = 0; r < kRelations; ++r) {
            evaluated[r] += other.evaluated[r];
            bounds[r] += other.bounds[r];
        }
        newton_steps += other.newton_steps;
        refits += other.refits;
        unconverged += other.unconverged;
    }
    void reset() {
        const std::size_t size = cuts.size();
        *this = {};
        cuts.assign(size, 0);
    }
    // Families evaluated since the last call.
    std::int64_t take_recent() {
        std::int64_t total = 0;
        for (const std::int64_t one : evaluated) total += one;
        return total - std::exchange(reported, total);
    }
};

}  // namespace noisyor
