// Questions to a network, each answered from scratch: nothing is kept between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/network_view.hpp"

namespace noisyor {

// `log_evidence` is the logarithm of the probability of what was observed, -inf where it cannot be;
// then the other values mean nothing. With `entries` above the limit nothing was computed at all.
struct Answer {
    double log_evidence;
    std::uint64_t entries;
    std::vector<double> values;
};

// The chances that each target is absent and present, in the order of the variables; 0 for the
// others.
Answer marginals(const NetworkView& network, std::span<const Observed> observed,
                 std::span<const char> targets, std::uint64_t most_entries);

// The joint distribution of some variables that are not observed; bit t of an index is the t-th.
Answer joint(const NetworkView& network, std::span<const Observed> observed,
             std::span<const std::int32_t> variables, std::uint64_t most_entries);

// The likeliest states of all variables, as 0 and 1; `log_evidence` is then the logarithm of their
// joint probability. Noisy-ORs are taken as tables: among auxiliary variables one must add up.
Answer most_probable(const NetworkView& network, std::span<const Observed> observed,
                     std::uint64_t most_entries);

}  // namespace noisyor
