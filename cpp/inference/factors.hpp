// What is left of a network once something was observed: a product of small tables.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "inference/network_view.hpp"

namespace noisyor {

// The factors' product, times exp(log_constant), summed over the variables >= those of the network,
// is the probability of the findings and of the states of the other variables. Variables that are
// observed, or not relevant, are in no factor; nor are those of a single state. Whatever the order
// of elimination, the tables have at least `least_entries`. If `least_bytes` is above what `reduce`
// was allowed, the factors of causes are not all there, and would take at least so many.
class Factors {
  public:
    explicit Factors(std::vector<int> variable_states) : states(std::move(variable_states)) {}

    std::vector<int> states;  // of each variable
    double log_constant = 0;
    double least_entries = 0;
    double least_bytes = 0;
    // An order of elimination, if the factors were made for one.
    std::vector<int> order;

    std::size_t size() const { return scope_ends_.size(); }
    // The variables of a factor; the first varies fastest in its values.
    std::span<const int> scope(std::size_t i) const { return part(scopes_, scope_ends_, i); }
    std::span<const double> values(std::size_t i) const { return part(values_, value_ends_, i); }
    std::size_t entries() const { return values_.size(); }

    // Adds a factor; one without variables is a constant.
    void add(std::span<const int> scope, std::span<const double> values) {
        if (scope.empty()) {
            log_constant += std::log(values[0]);
            return;
        }
        scopes_.insert(scopes_.end(), scope.begin(), scope.end());
        scope_ends_.push_back(scopes_.size());
        values_.insert(values_.end(), values.begin(), values.end());
        value_ends_.push_back(values_.size());
    }

  private:
    template <class T>
    static std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& ends,
                                   std::size_t i) {
        const std::size_t begin = i ? ends[i - 1] : 0;
        return {all.data() + begin, ends[i] - begin};
    }

    std::vector<int> scopes_;
    std::vector<double> values_;
    std::vector<std::size_t> scope_ends_, value_ends_;
};

// A state for each variable that was observed, or has only one; `Findings::unknown` for the others.
std::vector<std::uint8_t> known_states(const NetworkView& network, const Findings& findings);

// The variables that something was found out about, or that are asked for, and those that these
// depend on: all others sum to one and drop out.
std::vector<char> relevant_variables(const NetworkView& network, const Findings& findings,
                                     std::span<const char> targets);

// Whether causes are turned into small tables with auxiliary variables where that is smaller, or
// always written out as one table.
enum class Decomposition { small_tables, full_tables };

// Full tables with what was observed, the likelihoods of soft findings, and the causes.
Factors reduce(const NetworkView& network, const Findings& findings,
               std::span<const std::uint8_t> known, std::span<const char> relevant,
               Decomposition decomposition, std::span<const int> together, double most_bytes);

// The entries of all tables of causes, written out over what is not known.
double expanded_entries(const NetworkView& network, std::span<const std::uint8_t> known);

}  // namespace noisyor
