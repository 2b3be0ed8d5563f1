// The settings of a search for one child's families, and the families that it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "scoring/relation_spec.hpp"
#include "variable_set.hpp"

namespace noisyor {

enum class CountsBy : std::uint8_t { kBitColumns, kConfigurations };

// What stays the same over all passes of a child's search.
struct SearchSettings {
    double tolerance = 0;         // costs within it are equal
    std::vector<int> candidates;  // parents that a family may have, besides the required
    std::vector<int> required;    // parents that each family has
    // The candidates from the least to the most useful; empty: by their use in these records.
    std::vector<int> order;
    int max_parents = kMaxVariables;
    std::vector<RelationSpec> relations;  // in use; on a tie the earlier one is preferred
    std::uint32_t rules = ~0U;            // bit r is rule r
    double gap = 1e-8;                    // of a final fit, in nats
    double relative_gap = 1e-13;          // the same, relative to the cost; the larger one counts
    CountsBy counts = CountsBy::kBitColumns;  // how full tables are counted
    std::size_t memory = 0;                   // bytes, for what fits have shown
};

// A cut of the linear programme, with the coefficients of one child's families. A cluster's is 1
// while no parent is in the child's `own` class, and fewer than `need` classes of the variables
// have one; `classes` lists those of two variables at least. With parts, which are numbers of cuts
// before it, the coefficient is half the sum of theirs, rounded `up` or down. A family earns the
// weight times its coefficient.
struct PriceCut {
    std::vector<int> variables;
    int need = 1;
    double weight = 0;
    std::vector<std::size_t> parts;
    bool up = false;
    std::vector<int> own;
    std::vector<std::vector<int>> classes;
};

// What families may cost that have the required parents, none of the excluded, and from `least` to
// `most` parents: the base plus what they earn in the cuts.
struct BranchPrice {
    double base = 0;
    std::vector<int> required, excluded;
    std::vector<PriceCut> cuts;
    int least = 0;
    int most = std::numeric_limits<int>::max();
};

// Families of one child, column by column, in the caller's numbering.
struct FamilyColumns {
    std::size_t word_count = 1;
    std::vector<Word> parents;             // word_count words each
    std::vector<std::uint8_t> relations;   // codes
    std::vector<double> costs, lowers;     // attained costs, and what no fit can cost less than
    std::vector<std::int64_t> offsets{0};  // into `parameters`; one more than there are families
    std::vector<double> parameters;

    std::size_t size() const { return costs.size(); }
};

// What one pass searches for: the families of the wanted relations that cost at most
// min(m(P) + slack, the highest price that P fits), where m(P) is the least cost over subsets of P.
struct PassSettings {
    double slack = 0;
    std::vector<int> relations;       // codes of those wanted, among those in use
    std::vector<BranchPrice> prices;  // none: no limit but m(P) + slack
    // At most this many families, those furthest below their price; has no effect without prices.
    std::size_t most = std::numeric_limits<std::size_t>::max();
    bool quick = false;   // whether the families that the quick heuristic finds are enough
    FamilyColumns known;  // families whose costs count for m(P)
    // Only sets of candidates from `first` up to, but not including, `end`: words of sets numbered
    // by the order of the search. They and `found` are for passes without prices.
    std::vector<Word> first, end;
    FamilyColumns found;  // by searches of other ranges; decided together with those of this one
    bool fits = true;     // whether it ends with the final fits, not with the search
};

}  // namespace noisyor
