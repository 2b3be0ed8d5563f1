// The tree of clusters that an elimination leaves, and the messages along it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "inference/algebra.hpp"
#include "inference/block_walk.hpp"
#include "inference/draw_points.hpp"
#include "inference/factors.hpp"
#include "inference/graph.hpp"

namespace noisyor {

// One cluster per variable: itself and the neighbours it had when it was eliminated. Its parent is
// the cluster of the first of these, which contains them all; so two passes of messages, towards
// the last variables and back, give every cluster its joint distribution (Lauritzen and
// Spiegelhalter, 1988). Only the messages are stored. A cluster's own table, the product of its
// factors and of the messages to it, is larger than each of them; it is made block by block, once
// in each pass, unless all tables together are small.
//
// Variables are numbered by their places in the order of elimination. Axes of all tables descend,
// and the first varies fastest: a cluster's own variable is its slowest axis, and to sum over it
// adds up long rows. What clusters have is in a few arrays for all of them: a small network is
// asked in less time than many small arrays take to be allocated.
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
        states_.reserve(clusters_.size());
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            place_[at(elimination.order[t])] = static_cast<int>(t);
            states_.push_back(problem.states[at(elimination.order[t])]);
        }
        add_clusters(elimination);
        add_factors(problem);
        if (elimination.entries <= few_entries)
            tables_.resize(static_cast<std::size_t>(elimination.entries));
    }

    // Passes messages towards the last variables. After it the total is known.
    void collect() {
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            const Cluster& own = clusters_[t];
            std::fill_n(message(own), own.size, Algebra::zero);
            const std::size_t inputs = start(own);
            const std::size_t out = walk_.add(separator(own), message(own));
            walk_.run(pause_, [&](std::size_t offset) {
                Value* const block = table_block(own, offset);
                walk_.write_product(inputs, block);
                walk_.sum_into(out, block);
            });
            if (!normalise(own)) return;
        }
    }

    // Passes messages back, to the clusters of the given variables alone, and stores the
    // distribution of each, up to scale.
    void distribute(std::span<const int> targets) {
        for (const int v : targets) clusters_[at(place_[at(v)])].asked = true;
        answers_ = std::make_unique_for_overwrite<Value[]>(all_messages_);
        distributions_.resize(state_starts_.back());
        for (std::size_t t = 0; t < clusters_.size(); ++t)
            if (clusters_[t].asked || clusters_[t].passed_on) mark_ancestors(clusters_[t]);
        for (std::size_t t = clusters_.size(); t-- > 0;)
            if (clusters_[t].asked || clusters_[t].passed_on) distribute_from(t);
    }

    // Passes messages back to the first cluster that has all these variables; returns their joint
    // distribution, up to scale, in which the first varies fastest.
    std::vector<Value> joint(std::span<const int> variables) {
        joint_axes_.clear();
        append_places(variables, joint_axes_);
        joint_.assign(size_of(joint_axes_), Algebra::zero);
        clusters_[at(joint_axes_.back())].passed_on = true;
        distribute({});
        std::vector<Value> result;
        result.reserve(joint_.size());
        find_places(variables, joint_axes_);
        for (const std::uint32_t place : places_) result.push_back(joint_[place]);
        return result;
    }

    // The logarithm of the sum, or of the largest term, of the factors' product.
    double log_total() const { return log_total_; }

    // The distribution of a variable that was a target of `distribute`, up to scale. Each state has
    // its own sum, none is what the others leave of 1: that would be nothing but rounding if it is
    // small. All terms are positive.
    std::span<const Value> distribution(int v) const {
        const int place = place_[at(v)];
        return {distributions_.data() + state_starts_[at(place)], at(states_[at(place)])};
    }

    // Writes the likeliest states, of a tree whose sums are maxima, after `collect`. The first on a
    // tie.
    void trace(std::span<const int> order, std::vector<int>& states) {
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

    // Draws states of all variables, of a tree whose sums are sums, after `collect`: from the last
    // cluster back, each variable given those drawn before it. Calls emit(count) with `states`
    // filled for each distinct draw.
    //
    // The points share one scale from 0 to 1, which the states of the last variable divide in
    // proportion, those of the next one each of these parts, and so on. As many points as fall into
    // a part have its states. The points lie 1 / count apart at a uniform offset: the expected
    // number in a part is count * width, and the number is that, rounded up or down.
    //
    // The scale becomes too fine for a double, so a point alone in a part that is no wider than
    // their distance is drawn on by numbers of its own. Such a part has a point with probability
    // count * width, and a draw below it of probability p then gets it with probability p / width:
    // the expected number is count * p for every draw, and by addition for every set of draws. In a
    // wider part this would be wrong: if it has but one point, that lies away from its ends.
    template <class Emit>
    void draw(std::span<const int> order, const DrawPoints& points, std::vector<int>& states,
              Emit&& emit) {
        struct Branch {
            std::size_t place;
            int state;
            std::uint64_t first, end;
            double low, width;
        };
        std::vector<int> chosen(clusters_.size());
        std::vector<double> shares;
        std::vector<Branch> waiting;
        Branch now{clusters_.size(), 0, 0, points.count, 0.0, 1.0};
        for (;;) {
            for (std::size_t t = now.place; t-- > 0;) {
                find_shares(t, chosen, shares);
                const int v = order[t];
                if (now.end - now.first == 1 && now.width <= points.distance()) {
                    chosen[t] = state_at(shares, points.uniform(now.first, v));
                    states[at(v)] = chosen[t];
                    continue;
                }
                const Branch whole = now;
                const std::size_t before = waiting.size();
                double below = 0;
                std::uint64_t first = whole.first;
                const int last = last_positive(shares);
                for (int state = 0; state <= last; ++state) {
                    const double low = whole.low + whole.width * below;
                    below += shares[at(state)];
                    const double high = whole.low + whole.width * below;
                    const std::uint64_t end =
                        state == last ? whole.end
                                      : std::clamp(points.below(high), first, whole.end);
                    if (first < end && shares[at(state)] > 0) {
                        waiting.push_back({t, state, first, end, low, high - low});
                        first = end;
                    }
                }
                std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(before), waiting.end());
                now = waiting.back();
                waiting.pop_back();
                chosen[t] = states[at(v)] = now.state;
            }
            emit(now.end - now.first);
            if (waiting.empty()) return;
            // What was chosen after the place of the branch is still as it was when it split.
            now = waiting.back();
            waiting.pop_back();
            chosen[now.place] = states[at(order[now.place])] = now.state;
        }
    }

  private:
    // Tables of so few entries are kept between the passes.
    static constexpr double few_entries = 1 << 16;

    static constexpr int none = -1;

    struct Cluster {
        std::size_t axes, axis_count;  // where its axes are, its own variable the last
        std::size_t message, size;     // where its message is, and how large
        std::size_t table;             // where its table is, if it is kept
        int first_child = none, sibling = none, first_factor = none;
        bool asked = false, passed_on = false;
    };

    struct Table {
        std::size_t axes, axis_count, values;
        int next;  // of the same cluster
    };

    static std::size_t at(int v) { return static_cast<std::size_t>(v); }

    std::span<const int> axes_of(const Cluster& own) const {
        return {axes_.data() + own.axes, own.axis_count};
    }
    std::span<const int> axes_of(const Table& table) const {
        return {axes_.data() + table.axes, table.axis_count};
    }
    std::span<const int> separator(const Cluster& own) const {
        return axes_of(own).first(own.axis_count - 1);
    }
    bool is_root(const Cluster& own) const { return own.axis_count == 1; }
    Cluster& parent_of(const Cluster& own) { return clusters_[at(separator(own).back())]; }
    Value* message(const Cluster& own) { return messages_.get() + own.message; }
    Value* answer(const Cluster& own) { return answers_.get() + own.message; }

    std::size_t size_of(std::span<const int> axes) const {
        std::size_t size = 1;
        for (const int axis : axes) size *= at(states_[at(axis)]);
        return size;
    }

    // Appends the places of variables in the order of elimination, descending.
    void append_places(std::span<const int> variables, std::vector<int>& axes) const {
        const auto before = static_cast<std::ptrdiff_t>(axes.size());
        for (const int v : variables) axes.push_back(place_[at(v)]);
        std::sort(axes.begin() + before, axes.end(), std::greater<>());
    }

    void add_clusters(const Elimination& elimination) {
        axes_.reserve(2 * elimination.all_neighbours.size() + 4 * clusters_.size());
        state_starts_.assign(1, 0);
        std::size_t tables = 0;
        for (std::size_t t = 0; t < clusters_.size(); ++t) {
            Cluster& own = clusters_[t];
            own.axes = axes_.size();
            append_places(elimination.neighbours(t), axes_);
            axes_.push_back(static_cast<int>(t));
            own.axis_count = axes_.size() - own.axes;
            own.message = all_messages_;
            own.size = size_of(separator(own));
            own.table = tables;
            all_messages_ += own.size;
            tables += own.size * at(states_[t]);
            state_starts_.push_back(state_starts_.back() + at(states_[t]));
            if (is_root(own)) continue;
            Cluster& above = parent_of(own);
            own.sibling = above.first_child;
            above.first_child = static_cast<int>(t);
        }
        messages_ = std::make_unique_for_overwrite<Value[]>(all_messages_);
    }

    void add_factors(const Factors& problem) {
        factors_.reserve(problem.size());
        factor_values_.resize(problem.entries());
        std::size_t begin = 0;
        for (std::size_t i = 0; i < problem.size(); ++i) {
            Table table{axes_.size(), problem.scope(i).size(), begin, none};
            append_places(problem.scope(i), axes_);
            find_places(problem.scope(i), axes_of(table));
            const std::span<const double> values = problem.values(i);
            for (std::size_t k = 0; k < values.size(); ++k)
                factor_values_[begin + places_[k]] = Algebra::from(values[k]);
            Cluster& own = clusters_[at(axes_.back())];
            table.next = own.first_factor;
            own.first_factor = static_cast<int>(i);
            factors_.push_back(table);
            begin += values.size();
        }
    }

    // Finds where each entry of a table over `variables`, the first of which varies fastest, is in
    // one over the same variables as axes.
    void find_places(std::span<const int> variables, std::span<const int> axes) {
        places_.assign(1, 0);
        for (const int v : variables) {
            std::size_t stride = 1;
            for (std::size_t k = 0; axes[k] != place_[at(v)]; ++k)
                stride *= at(states_[at(axes[k])]);
            extend_places(places_, at(states_[at(place_[at(v)])]), stride);
        }
    }

    // Begins a walk over a cluster, with all that is multiplied; returns how many tables that are.
    std::size_t start(const Cluster& own) {
        walk_.start(axes_of(own), states_);
        std::size_t count = 0;
        for (int i = own.first_factor; i != none; i = factors_[at(i)].next) {
            const Table& factor = factors_[at(i)];
            count = walk_.add(axes_of(factor), factor_values_.data() + factor.values) + 1;
        }
        for (int child = own.first_child; child != none; child = clusters_[at(child)].sibling) {
            const Cluster& below = clusters_[at(child)];
            count = walk_.add(separator(below), message(below)) + 1;
        }
        return count;
    }

    // Where a block of a cluster's table is written: to its place, or where it is soon forgotten.
    Value* table_block(const Cluster& own, std::size_t offset) {
        return tables_.empty() ? walk_.spare_block() : tables_.data() + own.table + offset;
    }

    // Divides a message by what makes its largest value about 1. Returns whether it has any.
    bool normalise(const Cluster& own) {
        const std::span<Value> values(message(own), own.size);
        Value largest = Algebra::zero;
        for (const Value value : values) largest = Algebra::larger(largest, value);
        if (Algebra::is_zero(largest)) {
            log_total_ = Algebra::logarithm(Algebra::zero);
            return false;
        }
        const Value scale = is_root(own) ? largest : Algebra::scale(largest);
        log_total_ += Algebra::logarithm(scale);
        for (Value& value : values) value = Algebra::ratio(value, scale);
        return true;
    }

    void mark_ancestors(const Cluster& from) {
        for (const Cluster* own = &from; !is_root(*own);) {
            Cluster& above = parent_of(*own);
            if (above.passed_on) return;
            above.passed_on = true;
            own = &above;
        }
    }

    // Sends a cluster's messages to those below it that lead to a target.
    void distribute_from(std::size_t t) {
        const Cluster& own = clusters_[t];
        std::size_t inputs = 0;
        if (tables_.empty())
            inputs = start(own);
        else
            walk_.start(axes_of(own), states_);
        const std::size_t from_above = inputs;
        if (!is_root(own)) inputs = walk_.add(separator(own), answer(own)) + 1;
        const std::size_t outputs = inputs;
        std::size_t end = inputs;
        for (int child = own.first_child; child != none; child = clusters_[at(child)].sibling) {
            const Cluster& below = clusters_[at(child)];
            if (!below.asked && !below.passed_on) continue;
            std::fill_n(answer(below), below.size, Algebra::zero);
            end = walk_.add(separator(below), answer(below)) + 1;
        }
        const int variable = static_cast<int>(t);
        if (own.asked) {
            Value* const sums = distributions_.data() + state_starts_[t];
            std::fill_n(sums, at(states_[t]), Algebra::zero);
            end = walk_.add({&variable, 1}, sums) + 1;
        }
        if (!joint_.empty() && variable == joint_axes_.back())
            end = walk_.add(joint_axes_, joint_.data()) + 1;
        walk_.run(pause_, [&](std::size_t offset) {
            Value* const block = table_block(own, offset);
            if (tables_.empty())
                walk_.write_product(inputs, block);
            else if (from_above < inputs)
                walk_.multiply(block, from_above);
            for (std::size_t output = outputs; output < end; ++output)
                walk_.sum_into(output, block);
        });
        for (int child = own.first_child; child != none; child = clusters_[at(child)].sibling) {
            const Cluster& below = clusters_[at(child)];
            if (!below.asked && !below.passed_on) continue;
            const Value* const sent = message(below);
            Value* const sums = answer(below);
            for (std::size_t i = 0; i < below.size; ++i) sums[i] = Algebra::ratio(sums[i], sent[i]);
        }
    }

    Value value_at(const Cluster& own, const std::vector<int>& chosen) {
        const auto entry = [&](std::span<const int> axes, const Value* values) {
            std::size_t index = 0, stride = 1;
            for (const int axis : axes) {
                index += stride * at(chosen[at(axis)]);
                stride *= at(states_[at(axis)]);
            }
            return values[index];
        };
        Value value = Algebra::one;
        for (int i = own.first_factor; i != none; i = factors_[at(i)].next) {
            const Table& factor = factors_[at(i)];
            const Value* const values = factor_values_.data() + factor.values;
            value = Algebra::times(value, entry(axes_of(factor), values));
        }
        for (int child = own.first_child; child != none; child = clusters_[at(child)].sibling) {
            const Cluster& below = clusters_[at(child)];
            value = Algebra::times(value, entry(separator(below), message(below)));
        }
        return value;
    }

    // Finds the probability of each state of a cluster's variable, given what was chosen after it.
    void find_shares(std::size_t t, std::vector<int>& chosen, std::vector<double>& shares) {
        shares.clear();
        values_.clear();
        Value total = Algebra::zero;
        for (int state = 0; state < states_[t]; ++state) {
            chosen[t] = state;
            values_.push_back(value_at(clusters_[t], chosen));
            total = Algebra::plus(total, values_.back());
        }
        for (const Value value : values_)
            shares.push_back(Algebra::number(Algebra::ratio(value, total)));
    }

    static int last_positive(const std::vector<double>& shares) {
        int state = static_cast<int>(shares.size()) - 1;
        while (state > 0 && !(shares[at(state)] > 0)) --state;
        return state;
    }

    static int state_at(const std::vector<double>& shares, double uniform) {
        const int last = last_positive(shares);
        double below = 0;
        for (int state = 0; state < last; ++state) {
            below += shares[at(state)];
            if (uniform < below) return state;
        }
        return last;
    }

    const Pause& pause_;
    std::vector<int> place_;   // of each variable in the order of elimination
    std::vector<int> states_;  // by place
    std::vector<std::size_t> state_starts_;
    std::vector<Cluster> clusters_;
    std::vector<Table> factors_;
    std::vector<int> axes_;             // of clusters and factors
    std::vector<Value> factor_values_;  // one factor after another
    std::vector<Value> tables_;         // of all clusters, or none
    std::size_t all_messages_ = 0;
    std::unique_ptr<Value[]> messages_;  // to the parents
    std::unique_ptr<Value[]> answers_;   // from the parents
    std::vector<Value> distributions_;   // of each cluster's own variable
    double log_total_;
    BlockWalk<Algebra> walk_;
    std::vector<std::uint32_t> places_;
    std::vector<int> joint_axes_;
    std::vector<Value> joint_;
    std::vector<Value> values_;  // of one variable's states
};

}  // namespace noisyor
