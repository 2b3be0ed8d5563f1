// Counts the members below, and what they have, leaf by leaf.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/members.hpp"

namespace noisyor {

template <int W>
class CountVisitor {
  public:
    CountVisitor(const MemberProblem<W>& problem, const Outside& outside, Ticks optimum,
                 double tick, std::int64_t large, const std::atomic<bool>& cancelled,
                 std::vector<Count>& histogram, std::vector<Count>& weight_histogram)
        : problem_(problem),
          outside_(outside),
          cancelled_(cancelled),
          histogram_(histogram),
          weight_histogram_(weight_histogram),
          leaf_weights_(outside, optimum, tick),
          marks_made_(problem.table.variables(), large) {
        counts.assign(problem.table.ticks.size(), 0);
        weights.assign(problem.table.ticks.size(), 0);
        least.assign(problem.table.ticks.size(), kNoMember);
        before_.resize(problem.table.variables() + 2);
    }

    void enter(int depth) {
        before_[depth] = {{total, weight}, least_here_};
        least_here_ = kNoMember;
        marks_made_.enter(depth, total, shares_);
    }
    void leave(int depth, const std::vector<Decision>& decided) {
        const Before& before = before_[depth];
        for (const Decision& d : decided) {
            credit(d.family, total - before.ways.count, weight - before.ways.weight, least_here_);
        }
        least_here_ = std::min(least_here_, before.least);
        marks_made_.leave(depth, total, shares_);
    }
    bool skips(int) const { return false; }
    void frontier(const std::vector<Decision>&) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        leaf_weights_.prepare(product_);
        base_weight_ = leaf_weights_.base();
        inner_ = leaf_weights_.inner();
        picked_.assign(product_.size(), 0);
        if (inner_ < product_.size()) {
            last_counts_.assign(product_.list(inner_).families.size() + 1, 0);
            last_weights_.assign(product_.list(inner_).families.size() + 1, 0.0);
        }
        const Ways ways = visit(0, product_.room(), 1.0);
        if (inner_ < product_.size()) {
            spread_last();
            histogram_[1] += ways.count;  // all of them fit with the one way outside
            weight_histogram_[1] += static_cast<Count>(base_weight_ * ways.weight * kWeightScale);
        }
        for (std::uint32_t family : product_.settled()) {
            credit(family, ways.count, base_weight_ * ways.weight, product_.base());
        }
        least_here_ = std::min(least_here_, product_.base());
        total += ways.count;
        weight += base_weight_ * ways.weight;
        shares_ += leaf_weights_.share(ways.weight);
        return !stop_;
    }

    std::vector<Mark> marks() { return marks_made_.take(); }

    Count total = 0;
    double weight = 0;
    std::vector<Count> counts;
    std::vector<double> weights;
    std::vector<Ticks> least;
    bool any = false;
    Ticks costliest = 0;
    std::vector<std::uint32_t> costliest_choice;
    std::size_t costliest_outside = 0;

  private:
    struct Ways {
        Count count;
        double weight;
    };
    struct Before {
        Ways ways;
        Ticks least;
    };

    void credit(std::uint32_t family, Count count, double by, Ticks ticks) {
        counts[family] += count;
        weights[family] += by;
        least[family] = std::min(least[family], ticks);
    }

    // The ways to choose from list i on; `prefix` is the weight of the choices before.
    Ways visit(std::size_t i, Ticks room, double prefix) {
        if (i == inner_) return look_up(room, prefix);
        const LeafList& list = product_.list(i);
        Ways all{0, 0};
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            // A leaf may be a product of many lists.
            if ((++steps_ & 4095) == 0 && cancelled_.load(std::memory_order_relaxed)) stop_ = true;
            if (stop_) break;
            picked_[i] = static_cast<std::uint32_t>(j);
            const double own = leaf_weights_.option(i, j);
            const Ways below = visit(i + 1, room - list.excess[j], prefix * own);
            credit(list.families[j], below.count, base_weight_ * prefix * own * below.weight,
                   product_.base() + list.excess[j]);
            all.count += below.count;
            all.weight += own * below.weight;
        }
        return all;
    }

    Ways look_up(Ticks room, double prefix) {
        if (inner_ < product_.size()) {
            const LeafList& last = product_.list(inner_);
            const std::size_t fitting = last.fitting(room);
            last_counts_[fitting] += 1;
            last_weights_[fitting] += prefix;
            picked_[inner_] = static_cast<std::uint32_t>(fitting - 1);
            note_costliest(room - last.excess[fitting - 1], 0);
            return {fitting, leaf_weights_.first_of_last(fitting)};
        }
        const std::size_t fitting = outside_.fitting(room);
        if (fitting == 0) return {0, 0};
        histogram_[fitting] += 1;
        weight_histogram_[fitting] += static_cast<Count>(base_weight_ * prefix * kWeightScale);
        note_costliest(room - outside_.sums[fitting - 1], fitting - 1);
        return {outside_.counts[fitting], outside_.weights[fitting]};
    }

    void note_costliest(Ticks left, std::size_t outside) {
        const Ticks ticks = problem_.limit - left;
        if (any && ticks <= costliest) return;
        any = true;
        costliest = ticks;
        costliest_outside = outside;
        costliest_choice = product_.choice();
        for (std::size_t i = 0; i < product_.size(); ++i) {
            costliest_choice[product_.list(i).child] = product_.list(i).families[picked_[i]];
        }
    }

    // An option of the last list is in as many members as there were rooms that it fits in.
    void spread_last() {
        const LeafList& last = product_.list(inner_);
        Count count = 0;
        double by = 0;
        for (std::size_t j = last.families.size(); j-- > 0;) {
            count += last_counts_[j + 1];
            by += last_weights_[j + 1];
            credit(last.families[j], count, base_weight_ * leaf_weights_.option(inner_, j) * by,
                   product_.base() + last.excess[j]);
        }
    }

    const MemberProblem<W>& problem_;
    const Outside& outside_;
    const std::atomic<bool>& cancelled_;
    std::vector<Count>& histogram_;
    std::vector<Count>& weight_histogram_;
    LeafProduct<W> product_;
    LeafWeights<W> leaf_weights_;
    MarkMaker marks_made_;
    Count shares_ = 0;
    std::vector<Before> before_;
    std::vector<std::uint32_t> picked_;
    std::vector<Count> last_counts_;
    std::vector<double> last_weights_;
    Ticks least_here_ = kNoMember;
    double base_weight_ = 0;
    std::size_t inner_ = 0;
    std::uint64_t steps_ = 0;
    bool stop_ = false;
};

}  // namespace noisyor
