// The weights of the members in one leaf of the walk: exp(-(cost - optimum)) each, together with
// what fits outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "search/leaf_product.hpp"

namespace noisyor {

// What lies outside the children searched: the sums of excess that the rest of the network can
// have, ascending, and how many ways (and of what weight) there are up to each: entry i of the
// cumulated columns is about the sums before i. A search of the whole has one way, at no excess.
struct Outside {
    std::vector<Ticks> sums;
    std::vector<Count> counts;
    std::vector<double> weights;

    bool is_trivial() const {
        return sums.size() == 1 && sums[0] == 0 && counts[1] == 1 && weights[1] == 1;
    }
    std::size_t fitting(Ticks room) const {
        return std::upper_bound(sums.begin(), sums.end(), room) - sums.begin();
    }
};

inline constexpr double kWeightScale = 0x1p60;  // weights add up exactly as whole numbers

template <int W>
class LeafWeights {
  public:
    LeafWeights(const Outside& outside, Ticks optimum, double tick)
        : outside_(outside), optimum_(optimum), tick_(tick) {}

    // Whether a leaf's lists are merged; otherwise each choice is looked up in the sums outside.
    bool merges() const { return outside_.is_trivial(); }

    void prepare(const LeafProduct<W>& product) {
        base_ = weight(product.base() - optimum_);
        options_.resize(std::max(options_.size(), product.inner()));
        for (std::size_t i = 0; i < product.inner(); ++i) {
            options_[i].clear();
            for (Ticks e : product.list(i).excess) options_[i].push_back(weight(e));
        }
        head_.clear();
        tail_.clear();
        cumulated_.assign(1, 0.0);
        if (!merges()) return;
        for (Ticks sum : product.head().sums()) head_.push_back(weight(sum));
        for (Ticks sum : product.tail().sums()) {
            tail_.push_back(weight(sum));
            cumulated_.push_back(cumulated_.back() + tail_.back());
        }
    }

    double base() const { return base_; }  // of the cheapest member
    double option(std::size_t i, std::size_t j) const { return options_[i][j]; }
    double of_head(std::size_t i) const { return head_[i]; }
    double of_tail(std::size_t i) const { return tail_[i]; }
    double first_of_tail(std::size_t fitting) const { return cumulated_[fitting]; }
    // The first choice from the tail such that those up to it weigh more.
    std::size_t in_tail(double weight) const {
        return std::upper_bound(cumulated_.begin() + 1, cumulated_.end(), weight) -
               (cumulated_.begin() + 1);
    }

    // The weight of all choices from list i on, relative to those before.
    double from(const LeafProduct<W>& product, std::size_t i, Ticks room) const {
        if (i == product.inner()) return look_up(product, room);
        const LeafList& list = product.list(i);
        double sum = 0;
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            sum += options_[i][j] * from(product, i + 1, room - list.excess[j]);
        }
        return sum;
    }

    // The weight of a leaf as a whole number: shares add up exactly, in whatever order.
    Count share(double from_first) const {
        return static_cast<Count>(base_ * from_first * (kWeightScale / outside_.weights.back()));
    }

  private:
    double look_up(const LeafProduct<W>& product, Ticks room) const {
        if (!merges()) return outside_.weights[outside_.fitting(room)];
        double sum = 0;
        for (std::size_t i = 0; i < head_.size(); ++i) {
            sum += head_[i] * cumulated_[product.tail().fitting(room - product.head().sums()[i])];
        }
        return sum;
    }
    double weight(Ticks excess) const { return std::exp(-tick_ * static_cast<double>(excess)); }

    const Outside& outside_;
    Ticks optimum_;
    double tick_;
    double base_ = 0;
    std::vector<std::vector<double>> options_;  // of the lists that are not merged
    std::vector<double> head_, tail_;
    std::vector<double> cumulated_;  // over the tail
};

}  // namespace noisyor
