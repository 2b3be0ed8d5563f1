// A network made greedily: it places the variables one by one, each time the one whose cheapest
// family over the placed variables exceeds the cheapest of all its families least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

struct GreedyNetwork {
    std::vector<std::int64_t> chosen;  // the family of each placed variable
    std::vector<int> stuck;            // variables that could not be placed
};

// The families of variable v are those from first[v] to first[v + 1], at least one, ascending by
// cost. Each family waits for its unplaced parents, so that the work is linear in the edges of all
// families, and not in families times variables.
template <int W>
class GreedyPlacement {
  public:
    GreedyPlacement(const std::int64_t* first, std::size_t variables, const Word* parents,
                    const double* costs)
        : first_(first),
          variables_(variables),
          costs_(costs),
          child_(static_cast<std::size_t>(first[variables])),
          missing_(child_.size()),
          begin_(variables + 1, 0),
          best_(first + 1, first + variables + 1),
          placed_(variables, false) {
        for (std::size_t v = 0; v < variables; ++v) {
            for (std::int64_t f = first[v]; f < first[v + 1]; ++f) child_[f] = static_cast<int>(v);
        }
        const auto set = [&](std::size_t f) { return VariableSet<W>::load(parents + f * W); };
        for (std::size_t f = 0; f < child_.size(); ++f) {
            missing_[f] = static_cast<std::uint16_t>(set(f).size());
            set(f).for_each([&](int p) { ++begin_[static_cast<std::size_t>(p) + 1]; });
        }
        for (std::size_t v = 0; v < variables; ++v) begin_[v + 1] += begin_[v];
        waiting_.resize(begin_[variables]);
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (std::size_t f = 0; f < child_.size(); ++f) {
            set(f).for_each([&](int p) {
                waiting_[next[static_cast<std::size_t>(p)]++] = static_cast<std::uint32_t>(f);
            });
        }
    }

    GreedyNetwork run() {
        for (std::size_t f = 0; f < child_.size(); ++f) {
            if (missing_[f] == 0) offer(static_cast<std::int64_t>(f));
        }
        while (!queue_.empty()) {
            const int v = queue_.top().second;
            queue_.pop();
            if (placed_[static_cast<std::size_t>(v)]) continue;
            placed_[static_cast<std::size_t>(v)] = true;
            for (std::size_t i = begin_[v]; i < begin_[v + 1]; ++i) {
                if (--missing_[waiting_[i]] == 0) offer(waiting_[i]);
            }
        }
        GreedyNetwork found{best_, {}};
        for (std::size_t v = 0; v < variables_; ++v) {
            if (!placed_[v]) found.stuck.push_back(static_cast<int>(v));
        }
        return found;
    }

  private:
    // A family all parents of which are placed. An older, larger entry of its child stays in the
    // queue, and finds the child placed.
    void offer(std::int64_t family) {
        const auto child = static_cast<std::size_t>(child_[family]);
        if (placed_[child] || family >= best_[child]) return;
        best_[child] = family;
        queue_.push({costs_[family] - costs_[first_[child]], static_cast<int>(child)});
    }

    using Entry = std::pair<double, int>;  // what a variable exceeds its cheapest family by

    const std::int64_t* first_;
    std::size_t variables_;
    const double* costs_;
    std::vector<int> child_;              // of each family
    std::vector<std::uint16_t> missing_;  // unplaced parents of each family
    std::vector<std::size_t> begin_;      // of the families that wait for each variable
    std::vector<std::uint32_t> waiting_;  // those families
    std::vector<std::int64_t> best_;      // the cheapest family so far; the end if none fits
    std::vector<bool> placed_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace noisyor
