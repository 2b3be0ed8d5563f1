// The tree of clusters that an elimination leaves, and the messages along it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/algebra.hpp"
#include "inference/block_walk.hpp"
#include "inference/factors.hpp"
#include "inference/graph.hpp"

namespace noisyor {

// One cluster per variable: itself and the neighbours it had when it was eliminated. Its parent is
// the cluster of the first of these, which contains them all; so two passes of messages, towards
// the last variables and back, give every cluster its joint distribution (Lauritzen and
// Spiegelhalter, 1988). Only the messages are stored. A cluster's own table, the product of its
// factors and of the messages to it, is larger than each of them; it is made block by block, once
// in each pass.
//
// Variables are numbered by their places in the order of elimination. Axes of all tables descend,
// and the first varies fastest: a cluster's own variable is its slowest axis, and to sum over it
// adds up long rows.
template <class Algebra>
class ClusterTree {
  public:
    using Numbers = Algebra;
    using Value = typename Algebra::Value;

    ClusterTree(const Elimination& elimination, const Factors& problem, const Pause& pause)
        : pause_(pause),
          place_(problem.states.size()),
          clusters_(elimination.order.size()),
          log_total_(problem.log_constant) {
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            place_[at(elimination.order[t])] = static_cast<int>(t);
            states_.push_back(problem.states[at(elimination.order[t])]);
        }
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            Cluster& own = clusters_[t];
            own.axes = places_of(elimination.neighbours[t]);
            own.axes.push_back(static_cast<int>(t));
            if (own.axes.size() > 1) parent_of(t).children.push_back(static_cast<int>(t));
        }
        for (const Factor& factor : problem.factors) place_factor(factor);
    }

    // Passes messages towards the last variables. After it the total is known.
    void collect() {
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            Cluster& own = clusters_[t];
            own.message.assign(size_of(separator(own)), Algebra::zero);
            const std::size_t inputs = start(own);
            const std::size_t out = walk_.add(separator(own), own.message.data());
            walk_.run(pause_, [&](std::size_t) { walk_.sum_into(out, walk_.product(inputs)); });
            if (!normalise(own)) return;
        }
    }

    // Passes messages back, to the clusters of the given variables alone, and stores the
    // distribution of each, up to scale.
    void distribute(std::span<const int> targets) {
        for (const int v : targets) wanted(v).asked = true;
        for (std::size_t t = 0; t < clusters_.size(); ++t)
            if (clusters_[t].asked || clusters_[t].passed_on) mark_ancestors(t);
        for (std::size_t t = clusters_.size(); t-- > 0;) {
            if (clusters_[t].asked || clusters_[t].passed_on) distribute_from(clusters_[t]);
        }
    }

    // Passes messages back to the first cluster that has all these variables; returns their joint
    // distribution, up to scale, in which the first varies fastest.
    std::vector<Value> joint(std::span<const int> variables) {
        joint_axes_ = places_of(variables);
        joint_cluster_ = static_cast<std::size_t>(joint_axes_.back());
        joint_.assign(size_of(joint_axes_), Algebra::zero);
        clusters_[joint_cluster_].passed_on = true;
        distribute({});
        return reordered(variables);
    }

    // The logarithm of the sum, or of the largest term, of the factors' product.
    double log_total() const { return log_total_; }

    // The distribution of a variable that was a target of `distribute`, up to scale. Each state has
    // its own sum, none is what the others leave of 1: that would be nothing but rounding if it is
    // small. All terms are positive.
    const std::vector<Value>& distribution(int v) const {
        return clusters_[at(place_[at(v)])].distribution;
    }

    // Writes the likeliest states, of a tree whose sums are maxima, after `collect`. The first on a
    // tie.
    void trace(std::span<const int> order, std::vector<int>& states) const {
        std::vector<int> chosen(clusters_.size());
        for (std::size_t t = clusters_.size(); t-- > 0;) {
            Value best = Algebra::zero;
            for (int state = 0; state < states_[t]; ++state) {
                chosen[t] = state;
                const Value value = value_at(clusters_[t], chosen);
                if (state && !(best < value)) continue;
                best = value;
                states[at(order[t])] = state;
            }
            chosen[t] = states[at(order[t])];
        }
    }

  private:
    struct Table {
        std::vector<int> axes;
        std::vector<Value> values;
    };

    struct Cluster {
        std::vector<int> axes;
        std::vector<int> children;
        std::vector<Table> factors;
        std::vector<Value> message;       // to the parent
        std::vector<Value> answer;        // from the parent
        std::vector<Value> distribution;  // of its own variable
        bool asked = false, passed_on = false;
    };

    static std::size_t at(int v) { return static_cast<std::size_t>(v); }

    static std::span<const int> separator(const Cluster& own) {
        return std::span(own.axes).first(own.axes.size() - 1);
    }

    Cluster& wanted(int v) { return clusters_[at(place_[at(v)])]; }

    Cluster& parent_of(std::size_t t) {
        const std::vector<int>& axes = clusters_[t].axes;
        return clusters_[at(axes[axes.size() - 2])];
    }

    std::size_t size_of(std::span<const int> axes) const {
        std::size_t size = 1;
        for (const int axis : axes) size *= at(states_[at(axis)]);
        return size;
    }

    // The places of variables in the order of elimination, descending.
    std::vector<int> places_of(std::span<const int> variables) const {
        std::vector<int> places;
        places.reserve(variables.size() + 1);
        for (const int v : variables) places.push_back(place_[at(v)]);
        std::sort(places.begin(), places.end(), std::greater<>());
        return places;
    }

    // Where each entry of a table over `variables`, the first of which varies fastest, is in one
    // over the same variables as axes.
    std::vector<std::uint32_t> places_in(std::span<const int> variables,
                                         std::span<const int> axes) const {
        std::vector<std::uint32_t> places{0};
        for (const int v : variables) {
            std::size_t stride = 1;
            for (const int axis : axes) {
                if (axis == place_[at(v)]) break;
                stride *= at(states_[at(axis)]);
            }
            const std::size_t before = places.size();
            const std::size_t states = at(states_[at(place_[at(v)])]);
            places.resize(before * states);
            for (std::size_t state = 1; state < states; ++state)
                for (std::size_t i = 0; i < before; ++i)
                    places[state * before + i] =
                        places[i] + static_cast<std::uint32_t>(state * stride);
        }
        return places;
    }

    void place_factor(const Factor& factor) {
        Table table{places_of(factor.scope), std::vector<Value>(factor.values.size())};
        const std::vector<std::uint32_t> places = places_in(factor.scope, table.axes);
        for (std::size_t i = 0; i < places.size(); ++i)
            table.values[places[i]] = Algebra::from(factor.values[i]);
        clusters_[at(table.axes.back())].factors.push_back(std::move(table));
    }

    // Begins a walk over a cluster, with all that is multiplied; returns how many tables that are.
    std::size_t start(Cluster& own) {
        walk_.start(own.axes, states_);
        std::size_t count = 0;
        for (Table& factor : own.factors) count = walk_.add(factor.axes, factor.values.data()) + 1;
        for (const int child : own.children) {
            Cluster& below = clusters_[at(child)];
            count = walk_.add(separator(below), below.message.data()) + 1;
        }
        return count;
    }

    // Divides a message by what makes its largest value about 1. Returns whether it has any.
    bool normalise(Cluster& own) {
        Value largest = Algebra::zero;
        for (const Value value : own.message) largest = Algebra::larger(largest, value);
        if (Algebra::is_zero(largest)) {
            log_total_ = Algebra::logarithm(Algebra::zero);
            return false;
        }
        const Value scale = own.axes.size() > 1 ? Algebra::scale(largest) : largest;
        log_total_ += Algebra::logarithm(scale);
        for (Value& value : own.message) value = Algebra::ratio(value, scale);
        return true;
    }

    void mark_ancestors(std::size_t t) {
        while (clusters_[t].axes.size() > 1) {
            Cluster& above = parent_of(t);
            if (above.passed_on) return;
            above.passed_on = true;
            t = at(above.axes.back());
        }
    }

    // Sends a cluster's messages to those below it that lead to a target.
    void distribute_from(Cluster& own) {
        std::size_t inputs = start(own);
        if (own.axes.size() > 1) inputs = walk_.add(separator(own), own.answer.data()) + 1;
        std::vector<std::size_t> outputs;
        for (const int child : own.children) {
            Cluster& below = clusters_[at(child)];
            if (!below.asked && !below.passed_on) continue;
            below.answer.assign(below.message.size(), Algebra::zero);
            outputs.push_back(walk_.add(separator(below), below.answer.data()));
        }
        const int variable = own.axes.back();
        if (own.asked) {
            own.distribution.assign(at(states_[at(variable)]), Algebra::zero);
            outputs.push_back(walk_.add(std::span(&variable, 1), own.distribution.data()));
        }
        if (!joint_.empty() && at(variable) == joint_cluster_)
            outputs.push_back(walk_.add(joint_axes_, joint_.data()));
        walk_.run(pause_, [&](std::size_t) {
            const Value* const block = walk_.product(inputs);
            for (const std::size_t output : outputs) walk_.sum_into(output, block);
        });
        for (const int child : own.children) {
            Cluster& below = clusters_[at(child)];
            for (std::size_t i = 0; i < below.answer.size(); ++i)
                below.answer[i] = Algebra::ratio(below.answer[i], below.message[i]);
        }
        std::vector<Value>().swap(own.answer);
    }

    Value value_at(const Cluster& own, const std::vector<int>& chosen) const {
        const auto entry = [&](std::span<const int> axes, const std::vector<Value>& values) {
            std::size_t index = 0, stride = 1;
            for (const int axis : axes) {
                index += stride * at(chosen[at(axis)]);
                stride *= at(states_[at(axis)]);
            }
            return values[index];
        };
        Value value = Algebra::one;
        for (const Table& factor : own.factors)
            value = Algebra::times(value, entry(factor.axes, factor.values));
        for (const int child : own.children) {
            const Cluster& below = clusters_[at(child)];
            value = Algebra::times(value, entry(separator(below), below.message));
        }
        return value;
    }

    // The joint distribution in the order that was asked for.
    std::vector<Value> reordered(std::span<const int> variables) const {
        std::vector<Value> result;
        result.reserve(joint_.size());
        for (const std::uint32_t place : places_in(variables, joint_axes_))
            result.push_back(joint_[place]);
        return result;
    }

    const Pause& pause_;
    std::vector<int> place_;   // of each variable in the order of elimination
    std::vector<int> states_;  // by place
    std::vector<Cluster> clusters_;
    double log_total_;
    BlockWalk<Algebra> walk_;
    std::vector<int> joint_axes_;
    std::size_t joint_cluster_ = 0;
    std::vector<Value> joint_;
};

}  // namespace noisyor
