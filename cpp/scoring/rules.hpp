// The rules that prune families without evaluating them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace noisyor {

// Each may be switched off; the result must not change. The numbers are shared with
// noisyor.core.pruning_rules, whose docstrings hold the proofs.
enum Rule : std::uint32_t {
    kPenaltyRule,     // the penalty alone is too high
    kCoverageRule,    // causes without a leak leave some record without any
    kLikelihoodRule,  // even the largest set of the subtree does not fit well enough
    kPrefixRule,      // the same, for the weak end of the candidates
    kCandidateRule,   // with this one candidate, no set of the subtree is good enough
    kEarlyStopRule,   // a fit ends as soon as its bounds decide
    kSlopeRule,       // causes pay for their strength
    kWiderRule,       // what is too costly for a wider relation is too costly for a narrower one
    kTableRule,       // where few sets are left, the full table over the same parents bounds each
};
inline constexpr std::size_t kCutRules =
    5;  // the first ones: they cut families that were never evaluated

}  // namespace noisyor
