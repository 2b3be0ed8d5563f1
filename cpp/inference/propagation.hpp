// Questions to a network, each answered from scratch: nothing is kept between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/block_walk.hpp"
#include "inference/draw_points.hpp"
#include "inference/network_view.hpp"

namespace noisyor {

// What a question takes: entries of tables that are computed, and bytes of those that are stored.
// Both are at least so large if that was enough to refuse it.
struct Size {
    double entries = 0;
    double bytes = 0;
};

// `log_evidence` is the logarithm of the probability of what was found out, -inf where it cannot
// be; then the other values mean nothing. If it was `refused`, nothing was computed: its size is
// above the limit.
struct Answer {
    double log_evidence;
    Size size;
    bool refused;
    std::vector<double> values;
};

// What `marginals` takes, without answering.
Size marginals_size(const NetworkView& network, const Findings& findings,
                    std::span<const char> targets, const Size& limit);

// The chances of each state of each target, variable by variable; 0 for the others.
Answer marginals(const NetworkView& network, const Findings& findings,
                 std::span<const char> targets, const Size& limit, const Pause& pause);

// The joint distribution of some variables that are not observed, the first of which varies
// fastest.
Answer joint(const NetworkView& network, const Findings& findings,
             std::span<const std::int32_t> variables, const Size& limit, const Pause& pause);

// The likeliest states of all variables; `log_evidence` is then the logarithm of their joint
// probability. Causes are taken as tables: among auxiliary variables one must add up.
Answer most_probable(const NetworkView& network, const Findings& findings, const Size& limit,
                     const Pause& pause);

// Draws of all variables given the findings: the states of each distinct one, one after the other,
// and how many points it has. A draw may be there more than once.
struct Draws {
    Answer answer;  // without values
    std::vector<std::uint8_t> states;
    std::vector<std::int64_t> counts;
};
Draws draws(const NetworkView& network, const Findings& findings, const DrawPoints& points,
            const Size& limit, const Pause& pause);

}  // namespace noisyor
