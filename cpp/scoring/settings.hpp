// What a search for one child's families is told, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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
    kCandidateRule,   // with this one candidate, no set of the subtree is good enough
    kEarlyStopRule,   // a fit ends as soon as its bounds decide
    kSlopeRule,       // noisy-ORs pay for a parent in proportion to its strength
};
inline constexpr int kCutRules = 5;  // the first ones: they cut families that are never looked at

// The codes of the relations are those of noisyor.core.relation.
inline constexpr int kCpt = 0;
inline constexpr int kNoisyOr = 1;
inline constexpr int kLeakyNoisyOr = 2;
inline constexpr int kRelations = 3;

inline bool is_noisy_or(int relation) { return relation != kCpt; }

enum class CountsBy : std::uint8_t { kBitColumns, kConfigurations };

// What stays the same over all passes of a child's search.
struct SearchSettings {
    double tolerance = 0;         // costs within it are equal
    std::vector<int> candidates;  // parents that a family may have, besides the required
    std::vector<int> required;    // parents that each family has
    // The candidates from the least to the most useful; empty: by their use in these records.
    std::vector<int> order;
    int max_parents = kMaxVariables;
    std::vector<std::vector<double>> penalties;  // per relation and number of parents; empty: off
    std::uint32_t rules = ~0U;                   // bit r is rule r
    double gap = 1e-8;
    double relative_gap = 1e-13;
    CountsBy counts = CountsBy::kBitColumns;
    std::size_t memory = 0;  // bytes, for what fits have shown
};

// A cut of the linear programme: a family earns `weight` while fewer than `need` of its parents
// lie among the variables.
struct PriceCut {
    std::vector<int> variables;
    int need = 1;
    double weight = 0;
};

// What families may cost that have the required parents and none of the excluded: the base plus
// the weights of the cuts that they earn.
struct BranchPrice {
    double base = 0;
    std::vector<int> required, excluded;
    std::vector<PriceCut> cuts;
};

// Families that a search has left: parents (word_count words each, in the caller's numbering),
// relations, attained costs, and what no fit can cost less than.
struct FoundFamilies {
    std::vector<Word> parents;
    std::vector<std::uint8_t> relations;
    std::vector<double> costs, lowers;
};

// What one pass looks for: the families of the wanted relations that cost at most
// min(m(P) + slack, the highest price that P fits), where m(P) is the least cost over subsets of P.
struct PassSettings {
    double slack = 0;
    bool wanted[kRelations] = {};
    std::vector<BranchPrice> prices;  // none: no limit but m(P) + slack
    // Only so many families, those furthest below their price; of no effect without prices.
    std::size_t most = std::numeric_limits<std::size_t>::max();
    bool hasty = false;               // some of the families will do: those that a quick look finds
    std::vector<Word> known_parents;  // families that count for m(P), word_count words each
    std::vector<double> known_costs;
    // Only sets of candidates from `first` up to, but without, `end`: words of sets numbered by the
    // order of the search. They and `found` are for passes without prices.
    std::vector<Word> first, end;
    FoundFamilies found;  // by searches of other sets: they are decided upon with those of this one
    bool fits = true;     // whether it ends with the final fits, not with the search
};

struct SearchCounters {
    // Subtrees cut, by [relation][rule][number of parents][size of the tail], n + 1 each for the
    // last two: such a cut leaves out every set with those parents and some of the tail. A negative
    // number takes back what another counted too much.
    std::vector<std::int64_t> cuts;
    std::size_t variables = 0;                // n
    std::int64_t evaluated[kRelations] = {};  // families counted or fitted
    std::int64_t bounds[kRelations] = {};     // fits and counts that only bounded a subtree
    std::int64_t order_fits = 0;              // fits to find the order of the candidates
    std::int64_t fits = 0;                    // noisy-OR fits of the search
    std::int64_t remembered = 0;              // fits that the memory spared
    std::int64_t newton_steps = 0;            // of the search
    std::int64_t refits = 0;                  // final fits
    std::int64_t unconverged = 0;             // final fits that did not close their gap
    std::int64_t reported = 0;                // families that take_recent has told of

    SearchCounters() = default;
    explicit SearchCounters(std::size_t n)
        : cuts(kRelations * kCutRules * (n + 1) * (n + 1), 0), variables(n) {}

    void cut(int relation, Rule rule, int size, int tail, int times = 1) {
        const auto table = static_cast<std::size_t>(relation * kCutRules + static_cast<int>(rule));
        const std::size_t row = table * (variables + 1) + static_cast<std::size_t>(size);
        cuts[row * (variables + 1) + static_cast<std::size_t>(tail)] += times;
    }
    void add(const SearchCounters& other) {
        for (std::size_t i = 0; i < other.cuts.size(); ++i) cuts[i] += other.cuts[i];
        for (int r = 0; r < kRelations; ++r) {
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
    // Families evaluated since the last call.
    std::int64_t take_recent() {
        std::int64_t total = 0;
        for (const std::int64_t one : evaluated) total += one;
        return total - std::exchange(reported, total);
    }
};

}  // namespace noisyor
