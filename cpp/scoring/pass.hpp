// What all threads of one pass over a child's families share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "scoring/prices.hpp"
#include "scoring/set_node.hpp"
#include "scoring/set_range.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// The search drops a family only if it is this many tolerances too costly. So neither the gap of a
// fit nor the order of the work can keep a family from the final pass that belongs there.
inline constexpr double kSearchTolerances = 3;

// Families of a set whose costs, as far as the search knows them, differ by less may be the same.
inline constexpr double kSameFamily = 1e-3;

// How far below their prices families must be to be among the best `most` found so far.
template <int W>
class Ceiling {
  public:
    // At first, and at most, `value`.
    explicit Ceiling(std::size_t most = 0, double value = 0)
        : most_(most), first_(value), value_(value), lowest_(value) {}

    // The excess of a family is its cost less its price.
    double value() const { return value_.load(std::memory_order_relaxed); }
    // The lowest that it ever was: families with less excess have not been missed.
    double lowest() const { return lowest_; }

    // Families that turn out to be dominated by the new one no longer count.
    void add(const VariableSet<W>& parents, std::size_t relation, double cost, double price,
             double slack) {
        if (most_ == 0 || cost - price >= value()) return;
        std::scoped_lock lock(mutex_);
        for (const Entry& entry : best_) {
            if (entry.parents != parents) continue;
            // Two that cost the same may be one and the same family (FinalFit::left_to_another).
            if (entry.relation == relation || std::abs(entry.cost - cost) < kSameFamily) return;
        }
        std::erase_if(best_, [&](const Entry& entry) {
            return entry.cost > cost + slack && parents.is_subset_of(entry.parents);
        });
        best_.push_back({parents, relation, cost, cost - price});
        const auto worst = [](const Entry& a, const Entry& b) { return a.excess < b.excess; };
        if (best_.size() > most_) {
            std::iter_swap(std::max_element(best_.begin(), best_.end(), worst), best_.end() - 1);
            best_.pop_back();
        }
        if (best_.size() == most_) {
            value_ = std::min(first_, std::max_element(best_.begin(), best_.end(), worst)->excess);
            lowest_ = std::min(lowest_.load(), value());
        } else {
            value_ = first_;
        }
    }

  private:
    struct Entry {
        VariableSet<W> parents;
        std::size_t relation;
        double cost, excess;
    };
    const std::size_t most_;  // 0: it stays where it is
    const double first_;
    std::mutex mutex_;
    std::vector<Entry> best_;
    std::atomic<double> value_, lowest_;
};

template <int W>
struct Pass {
    double slack = 0;
    double tolerance = 0;
    std::vector<bool> wanted;  // by number of the relation
    Prices<W> prices;
    std::vector<KnownFamily<W>> known;
    SetRange<W> range;  // the sets whose families are wanted
    Ceiling<W> ceiling;
    // Whether families found in this pass count for m(P). They do not if only some of those within
    // their price are wanted and a superset may have a higher price: then the order of the work
    // would decide which of them are found.
    bool found_count = true;

    Pass(std::size_t most, double highest) : ceiling(most, highest) {}

    // The largest cost at which the search keeps a family, `best` being m(P).
    double limit(double best, double price) const {
        return std::min(best + slack, price + ceiling.value()) + kSearchTolerances * tolerance;
    }
    // The same for the family at a node, and for those below it.
    double own_limit(const SetNode<W>& node) const { return limit(node.best, node.prices.own); }
    double limit_below(const SetNode<W>& node) const {
        return limit(node.best, node.prices.highest);
    }
    // Whether a family with this attained cost counts for m(P): only one that is certain to be
    // within its price, so that it is found however the work is divided.
    bool counts(double cost, double price) const {
        return found_count && cost <= price + tolerance;
    }
};

}  // namespace noisyor
