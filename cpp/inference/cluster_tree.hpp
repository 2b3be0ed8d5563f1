// The tree of clusters that an elimination leaves, and the messages along it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/algebra.hpp"
#include "inference/factors.hpp"
#include "inference/graph.hpp"

namespace noisyor {

// One cluster per variable: itself (bit 0 of an index) and the neighbours it had when it was
// eliminated, in the order of their own elimination. Its parent is the cluster of the first of
// them, which contains them all; so two passes of messages, towards the last variables and back,
// give every cluster its joint distribution (Lauritzen and Spiegelhalter, 1988).
template <class Algebra>
class ClusterTree {
  public:
    using Numbers = Algebra;

    ClusterTree(const Elimination& elimination, const Factors& problem)
        : order_(elimination.order),
          position_(at(problem.variables)),
          clusters_(order_.size()),
          log_total_(problem.log_constant) {
        for (std::size_t t = 0; t < order_.size(); ++t) position_[at(order_[t])] = t;
        for (std::size_t t = 0; t < order_.size(); ++t) {
            Cluster& own = clusters_[t];
            own.scope.push_back(order_[t]);
            own.scope.insert(own.scope.end(), elimination.neighbours[t].begin(),
                             elimination.neighbours[t].end());
            std::sort(own.scope.begin() + 1, own.scope.end(),
                      [&](int a, int b) { return position_[at(a)] < position_[at(b)]; });
            own.values.assign(std::size_t{1} << own.scope.size(), Algebra::one);
        }
        for (const Factor& factor : problem.factors) {
            Cluster& first = clusters_[first_position(factor.scope)];
            std::vector<double> values = factor.values;
            for (double& value : values) value = Algebra::from(value);
            multiply(first, factor.scope, values);
        }
    }

    // Passes messages towards the last variables. After it the total is known.
    void collect() {
        for (Cluster& own : clusters_) {
            const std::size_t half = own.values.size() / 2;
            own.message.resize(half);
            double largest = Algebra::zero;
            for (std::size_t i = 0; i < half; ++i) {
                own.message[i] = Algebra::plus(own.values[2 * i], own.values[2 * i + 1]);
                largest = std::max(largest, own.message[i]);
            }
            log_total_ += Algebra::logarithm(largest);
            if (largest == Algebra::zero) return;
            for (double& value : own.message) value = Algebra::ratio(value, largest);
            for (double& value : own.values) value = Algebra::ratio(value, largest);
            if (own.scope.size() > 1)
                multiply(parent_of(own), std::span(own.scope).subspan(1), own.message);
        }
    }

    // Passes messages back. After it each cluster holds its joint distribution, up to scale.
    void distribute() {
        for (std::size_t t = clusters_.size(); t-- > 0;) {
            Cluster& own = clusters_[t];
            if (own.scope.size() == 1) continue;
            const std::vector<double> wanted =
                marginal(parent_of(own), std::span(own.scope).subspan(1));
            for (std::size_t i = 0; i < own.message.size(); ++i) {
                const double change = Algebra::ratio(wanted[i], own.message[i]);
                own.values[2 * i] = Algebra::times(own.values[2 * i], change);
                own.values[2 * i + 1] = Algebra::times(own.values[2 * i + 1], change);
            }
        }
    }

    // The logarithm of the sum, or of the largest term, of the factors' product.
    double log_total() const { return log_total_; }

    // The chances that a variable is absent and present, after both passes. Neither is 1 minus the
    // other, which would be nothing but rounding if it is small: all terms of both are positive.
    std::array<double, 2> chances(int v) const {
        const Cluster& own = clusters_[position_[at(v)]];
        double sums[2] = {Algebra::zero, Algebra::zero};
        for (std::size_t i = 0; i < own.values.size(); ++i)
            sums[i & 1] = Algebra::plus(sums[i & 1], own.values[i]);
        return {Algebra::share(sums[0], sums[1]), Algebra::share(sums[1], sums[0])};
    }

    // The joint distribution, up to scale, of variables that some cluster contains.
    std::vector<double> joint(std::span<const int> variables) const {
        return marginal(clusters_[first_position(variables)], variables);
    }

    // Writes the likeliest states, of a tree whose sums are maxima, after `collect`. Absent on a
    // tie.
    void trace(std::vector<char>& states) const {
        for (std::size_t t = clusters_.size(); t-- > 0;) {
            const Cluster& own = clusters_[t];
            std::size_t index = 0;
            for (std::size_t k = 1; k < own.scope.size(); ++k)
                index |= static_cast<std::size_t>(states[at(own.scope[k])]) << k;
            states[at(own.scope[0])] = own.values[index + 1] > own.values[index];
        }
    }

  private:
    struct Cluster {
        std::vector<int> scope;
        std::vector<double> values;
        std::vector<double> message;
    };

    static std::size_t at(int v) { return static_cast<std::size_t>(v); }

    std::size_t first_position(std::span<const int> variables) const {
        std::size_t first = order_.size();
        for (const int v : variables) first = std::min(first, position_[at(v)]);
        return first;
    }

    Cluster& parent_of(const Cluster& own) { return clusters_[position_[at(own.scope[1])]]; }

    // For each index into a cluster that of the same states of some of its variables.
    static std::vector<std::uint32_t> places_in(std::span<const int> some, const Cluster& cluster) {
        std::vector<std::uint32_t> places(cluster.values.size());
        std::size_t size = 1;
        for (const int v : cluster.scope) {
            std::uint32_t stride = 0;
            for (std::size_t t = 0; t < some.size(); ++t)
                if (some[t] == v) stride = std::uint32_t{1} << t;
            for (std::size_t i = 0; i < size; ++i) places[size + i] = places[i] + stride;
            size *= 2;
        }
        return places;
    }

    static void multiply(Cluster& cluster, std::span<const int> scope,
                         const std::vector<double>& values) {
        const std::vector<std::uint32_t> places = places_in(scope, cluster);
        for (std::size_t i = 0; i < places.size(); ++i)
            cluster.values[i] = Algebra::times(cluster.values[i], values[places[i]]);
    }

    static std::vector<double> marginal(const Cluster& cluster, std::span<const int> scope) {
        const std::vector<std::uint32_t> places = places_in(scope, cluster);
        std::vector<double> sums(std::size_t{1} << scope.size(), Algebra::zero);
        for (std::size_t i = 0; i < places.size(); ++i)
            sums[places[i]] = Algebra::plus(sums[places[i]], cluster.values[i]);
        return sums;
    }

    std::vector<int> order_;
    std::vector<std::size_t> position_;
    std::vector<Cluster> clusters_;
    double log_total_;
};

}  // namespace noisyor
