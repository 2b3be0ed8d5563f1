// What all threads of one pass over a child's families share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "scoring/prices.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// How far below their prices families must be to be among the best `most` found so far.
template <int W>
class Ceiling {
  public:
    explicit Ceiling(std::size_t most) : most_(most) {}

    // The excess of a family is its cost less its price. Zero until there are enough of them.
    double value() const { return value_.load(std::memory_order_relaxed); }

    void add(const VariableSet<W>& parents, int relation, double excess) {
        if (most_ == 0 || excess >= value()) return;
        std::scoped_lock lock(mutex_);
        for (const Entry& entry : best_) {
            if (entry.parents == parents && entry.relation == relation) return;
        }
        const auto worse = [](const Entry& a, const Entry& b) { return a.excess < b.excess; };
        if (best_.size() == most_) {
            if (excess >= best_.front().excess) return;
            std::pop_heap(best_.begin(), best_.end(), worse);
            best_.pop_back();
        }
        best_.push_back({parents, relation, excess});
        std::push_heap(best_.begin(), best_.end(), worse);
        if (best_.size() == most_) value_ = std::min(0.0, best_.front().excess);
    }

  private:
    struct Entry {
        VariableSet<W> parents;
        int relation;
        double excess;
    };
    std::size_t most_;  // 0: no ceiling
    std::mutex mutex_;
    std::vector<Entry> best_;  // a heap, the worst first
    std::atomic<double> value_{0};
};

template <int W>
struct Pass {
    double slack = 0;
    bool wanted[kRelations] = {};
    Prices<W> prices;
    std::vector<KnownFamily<W>> known;
    Ceiling<W> ceiling;
    // Whether families found in this pass count for m(P). They do not if only some of those within
    // their price are looked for, and a superset may have the higher price: then it would depend on
    // the order of the work which of them are found.
    bool found_count = true;

    explicit Pass(std::size_t most) : ceiling(most) {}

    // What a family may cost, `best` being m(P), less the tolerances.
    double threshold(double best, double price) const {
        return std::min(best + slack, price + ceiling.value());
    }
    // Whether a family with this attained cost counts for m(P): only one that is certain to be
    // within its price, so that it is found however the work is divided.
    bool counts(double cost, double price, double tolerance) const {
        return found_count && cost <= price + tolerance;
    }
};

}  // namespace noisyor
