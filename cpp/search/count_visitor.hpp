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
        before_.resize(most_levels(problem.table.variables()));
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
    void frontier(const MemberWalk<W>&) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        if (leaf_weights_.merges()) product_.merge(problem_.rules.merges);
        leaf_weights_.prepare(product_);
        base_weight_ = leaf_weights_.base();
        picked_.assign(product_.inner(), 0);
        if (leaf_weights_.merges()) {
            head_through_.assign(product_.head().size(), {});
            tail_through_.assign(product_.tail().size() + 1, {});
        }
        const Ways ways = visit(0, product_.room(), 1.0);
        if (leaf_weights_.merges()) {
            spread_merged();
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
        if (i == product_.inner()) return look_up(room, prefix);
        const LeafList& list = product_.list(i);
        Ways all{0, 0};
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            // A leaf may be a product of many lists, and a step may match many choices.
            stop_ = stop_ || cancelled_.load(std::memory_order_relaxed);
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
        if (leaf_weights_.merges()) return match_halves(room, prefix);
        const std::size_t fitting = outside_.fitting(room);
        if (fitting == 0) return {0, 0};
        histogram_[fitting] += 1;
        weight_histogram_[fitting] += static_cast<Count>(base_weight_ * prefix * kWeightScale);
        const Ticks left = room - outside_.sums[fitting - 1];
        if (is_costliest(left)) note_costliest(left, fitting - 1);
        return {outside_.counts[fitting], outside_.weights[fitting]};
    }

    // Combines each choice from the head with those from the tail that fit.
    Ways match_halves(Ticks room, double prefix) {
        const std::vector<Ticks>& sums = product_.head().sums();
        const ListSums& tail = product_.tail();
        Through all;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (sums[i] > room) continue;
            const std::size_t fitting = tail.fitting(room - sums[i]);
            const Through here{fitting, leaf_weights_.first_of_tail(fitting)};
            const double own = leaf_weights_.of_head(i);
            head_through_[i] += {here.count, prefix * own * here.weight};
            tail_through_[fitting] += {1, prefix * own};
            all += {here.count, own * here.weight};
            const Ticks left = room - sums[i] - tail.sums()[fitting - 1];
            if (is_costliest(left)) {
                note_costliest(left, 0);
                product_.head().put(i, costliest_choice);
                product_.tail().put(fitting - 1, costliest_choice);
            }
        }
        return {all.count, all.weight};
    }

    bool is_costliest(Ticks left) const { return !any || problem_.limit - left > costliest; }

    void note_costliest(Ticks left, std::size_t outside) {
        any = true;
        costliest = problem_.limit - left;
        costliest_outside = outside;
        costliest_choice = product_.choice();
        for (std::size_t i = 0; i < product_.inner(); ++i) {
            costliest_choice[product_.list(i).child] = product_.list(i).families[picked_[i]];
        }
    }

    // A choice from the tail is in as many members as there were choices that it fits with.
    void spread_merged() {
        const auto to_families = [&](const LeafList& list, std::size_t j, const Through& sum) {
            credit(list.families[j], sum.count, base_weight_ * sum.weight,
                   product_.base() + list.excess[j]);
        };
        product_.head().spread(head_through_, to_families);
        Through through;
        for (std::size_t i = product_.tail().size(); i-- > 0;) {
            through += tail_through_[i + 1];
            tail_through_[i + 1] = {through.count, leaf_weights_.of_tail(i) * through.weight};
        }
        tail_through_.erase(tail_through_.begin());
        product_.tail().spread(tail_through_, to_families);
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
    std::vector<Through> head_through_;  // what goes through each choice from the head
    std::vector<Through> tail_through_;  // and through rooms in which so many from the tail fit
    Ticks least_here_ = kNoMember;
    double base_weight_ = 0;
    bool stop_ = false;
};

}  // namespace noisyor
