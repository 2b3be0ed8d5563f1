// What is left of a network once something was observed: a product of small tables.
#pragma once

#include <span>
#include <vector>

#include "inference/network_view.hpp"

namespace noisyor {

// Bit t of an index into the values is the state of scope[t].
struct Factor {
    std::vector<int> scope;
    std::vector<double> values;
};

// The factors' product, times exp(log_constant), summed over the variables >= those of the network,
// is the probability of the observations and of the states of the other variables. Variables that
// are observed, or not relevant, are in no factor. Whatever the order of elimination, some variable
// has at least `least_neighbours` when its turn comes.
struct Factors {
    int variables;
    std::vector<Factor> factors;
    double log_constant;
    int least_neighbours;
};

// The variables that are observed, or asked for, and those that these depend on: all others sum to
// one and drop out.
std::vector<char> relevant_variables(const NetworkView& network, std::span<const Observed> observed,
                                     std::span<const char> targets);

// A noisy-OR whose effect is absent is a product of one factor per cause, and so is one whose
// effect is present anyway, by observed causes. Any other one with more causes left than
// `most_causes` becomes a chain of auxiliary variables, "one of the first t causes acted", each of
// which depends on the one before and on a cause: no table has more than three variables, and all
// terms are positive, so nothing cancels (Heckerman and Breese, 1996).
Factors reduce(const NetworkView& network, std::span<const Observed> observed,
               std::span<const char> relevant, int most_causes);

}  // namespace noisyor
