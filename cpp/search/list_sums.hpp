// What choices from several lists exceed the cheapest by, and what goes through each of their
// options.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "search/families.hpp"

namespace noisyor {

using Count = unsigned __int128;

// The options of a child in a leaf.
struct LeafList {
    int child = 0;
    std::vector<std::uint32_t> families;
    std::vector<Ticks> excess;  // ascending, from 0
};

// How many members go through something, and their weight.
struct Through {
    Count count = 0;
    double weight = 0;

    Through& operator+=(const Through& other) {
        count += other.count;
        weight += other.weight;
        return *this;
    }
};

// The choices of one option from each list whose sums of excess are within the room. From no list
// there is one choice, of sum 0.
class ListSums {
  public:
    void clear() {
        used_ = 0;
        sums_.assign(1, 0);
    }

    void add(const LeafList& list, Ticks room) {
        if (used_ == steps_.size()) steps_.emplace_back();
        Step& step = steps_[used_++];
        step.list = &list;
        step.before = sums_.size();
        step.from.clear();
        step.option.clear();
        next_.clear();
        for (std::uint32_t i = 0; i < step.before; ++i) {
            for (std::uint32_t j = 0; j < list.excess.size(); ++j) {
                const Ticks sum = sums_[i] + list.excess[j];
                if (sum > room) break;
                next_.push_back(sum);
                step.from.push_back(i);
                step.option.push_back(j);
            }
        }
        sums_.swap(next_);
    }

    // Sorts the choices by their sums.
    void sort() {
        if (used_ == 0) return;
        order_.resize(sums_.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return sums_[a] != sums_[b] ? sums_[a] < sums_[b] : a < b;
        });
        Step& last = steps_[used_ - 1];
        reorder(sums_, next_);
        reorder(last.from, spare_);
        reorder(last.option, spare_);
    }

    std::size_t size() const { return sums_.size(); }
    const std::vector<Ticks>& sums() const { return sums_; }
    // The number of choices within a room, once sorted.
    std::size_t fitting(Ticks room) const {
        return std::upper_bound(sums_.begin(), sums_.end(), room) - sums_.begin();
    }

    // Enters the families of a choice.
    void put(std::size_t i, std::vector<std::uint32_t>& choice) const {
        for (std::size_t s = used_; s-- > 0;) {
            const Step& step = steps_[s];
            choice[step.list->child] = step.list->families[step.option[i]];
            i = step.from[i];
        }
    }

    // Calls f(list, option, through) for every option of every list, given what goes through each
    // choice, which is lost.
    template <class F>
    void spread(std::vector<Through>& through, F&& f) {
        for (std::size_t s = used_; s-- > 0;) {
            const Step& step = steps_[s];
            before_.assign(step.before, {});
            options_.assign(step.list->excess.size(), {});
            for (std::size_t i = 0; i < step.from.size(); ++i) {
                before_[step.from[i]] += through[i];
                options_[step.option[i]] += through[i];
            }
            for (std::size_t j = 0; j < options_.size(); ++j) f(*step.list, j, options_[j]);
            through.swap(before_);
        }
    }

  private:
    // A list that was added: each choice extends one of those before by an option.
    struct Step {
        const LeafList* list = nullptr;
        std::size_t before = 0;
        std::vector<std::uint32_t> from, option;
    };

    template <class T>
    void reorder(std::vector<T>& values, std::vector<T>& spare) {
        spare.resize(values.size());
        for (std::size_t i = 0; i < order_.size(); ++i) spare[i] = values[order_[i]];
        values.swap(spare);
    }

    std::vector<Step> steps_;  // the first used_ are in use
    std::size_t used_ = 0;
    std::vector<Ticks> sums_, next_;
    std::vector<std::uint32_t> order_, spare_;
    std::vector<Through> before_, options_;
};

}  // namespace noisyor
