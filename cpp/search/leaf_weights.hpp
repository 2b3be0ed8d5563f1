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

    void prepare(const LeafProduct<W>& product) {
        base_ = std::exp(-tick_ * static_cast<double>(product.base() - optimum_));
        // The last list is only looked up in: the sums outside, or else the longest list here.
        inner_ = product.size();
        if (outside_.is_trivial() && inner_ > 0) --inner_;
        options_.resize(std::max(options_.size(), product.size()));
        for (std::size_t i = 0; i < product.size(); ++i) {
            options_[i].clear();
            for (Ticks e : product.list(i).excess) {
                options_[i].push_back(std::exp(-tick_ * static_cast<double>(e)));
            }
        }
        cumulated_.assign(1, 0.0);
        if (inner_ < product.size()) {
            for (double w : options_[inner_]) cumulated_.push_back(cumulated_.back() + w);
        }
    }

    double base() const { return base_; }  // of the cheapest member
    std::size_t inner() const { return inner_; }
    double option(std::size_t i, std::size_t j) const { return options_[i][j]; }
    double first_of_last(std::size_t fitting) const { return cumulated_[fitting]; }

    // The weight of all choices from list i on, relative to those before.
    double from(const LeafProduct<W>& product, std::size_t i, Ticks room) const {
        if (i == inner_) {
            return i < product.size() ? cumulated_[product.list(i).fitting(room)]
                                      : outside_.weights[outside_.fitting(room)];
        }
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
    const Outside& outside_;
    Ticks optimum_;
    double tick_;
    double base_ = 0;
    std::size_t inner_ = 0;
    std::vector<std::vector<double>> options_;
    std::vector<double> cumulated_;
};

}  // namespace noisyor
