// What is left of a network once something was observed: a product of small tables.
#pragma once

#include <span>
#include <vector>

#include "inference/network_view.hpp"

namespace noisyor {

// The first variable of the scope varies fastest.
struct Factor {
    std::vector<int> scope;
    std::vector<double> values;
};

// The factors' product, times exp(log_constant), summed over the variables >= those of the network,
// is the probability of the findings and of the states of the other variables. Variables that are
// observed, or not relevant, are in no factor; nor are those of a single state. Whatever the order
// of elimination, the tables have at least `least_entries`.
struct Factors {
    std::vector<int> states;  // of each variable
    std::vector<Factor> factors;
    double log_constant;
    double least_entries;
};

// A state for each variable that was observed, or has only one; `Findings::unknown` for the others.
std::vector<std::uint8_t> known_states(const NetworkView& network, const Findings& findings);

// The variables that something was found out about, or that are asked for, and those that these
// depend on: all others sum to one and drop out.
std::vector<char> relevant_variables(const NetworkView& network, const Findings& findings,
                                     std::span<const char> targets);

// Whether causes are turned into chains of small tables where that is smaller, or always written
// out as one table.
enum class Decomposition { chains, tables };

// Full tables with what was observed, the likelihoods of soft findings, and the causes.
Factors reduce(const NetworkView& network, const Findings& findings,
               std::span<const std::uint8_t> known, std::span<const char> relevant,
               Decomposition decomposition);

// The entries of all tables of causes, written out over what is not known.
double expanded_entries(const NetworkView& network, std::span<const std::uint8_t> known);

}  // namespace noisyor
