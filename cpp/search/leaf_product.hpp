// The members in one leaf of the walk: a choice of one option for each open child, such that the
// excesses over their cheapest options add up to at most the room that is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/list_sums.hpp"
#include "search/member_walk.hpp"

namespace noisyor {

template <int W>
class LeafProduct {
  public:
    // False if not even the cheapest choice fits. Children with one fitting option join the
    // choice; the other lists are left from shortest to longest.
    bool build(const MemberWalk<W>& walk, const MemberProblem<W>& problem, Ticks limit) {
        choice_ = walk.choice();
        const auto& ticks = problem.table.ticks;
        base_ = walk.ticks();
        for (const LeafChild& open : walk.leaf_children()) {
            base_ += ticks[open.options.front().family];
        }
        room_ = limit - base_;
        size_ = 0;
        settled_.clear();
        if (room_ < 0) return false;
        for (const LeafChild& open : walk.leaf_children()) {
            const Ticks least = ticks[open.options.front().family];
            LeafList& list = next_list(open.child);
            for (const Option& option : open.options) {
                const Ticks excess = ticks[option.family] - least;
                if (excess > room_) break;  // options ascend by ticks
                list.families.push_back(option.family);
                list.excess.push_back(excess);
            }
            choice_[open.child] = list.families.front();
            if (list.families.size() == 1) {
                settled_.push_back(list.families.front());
                --size_;
            }
        }
        inner_ = size_;
        std::sort(lists_.begin(), lists_.begin() + size_, [](const LeafList& a, const LeafList& b) {
            return a.families.size() != b.families.size() ? a.families.size() < b.families.size()
                                                          : a.child < b.child;
        });
        return true;
    }

    // Adds up lists in two halves, so that every choice from the first, the head, is looked up in
    // the second, the tail. Lists that would make a half too large stay as they are. Unless there
    // may be several in a half, the tail is the longest list alone.
    void merge(bool several) {
        head_.clear();
        tail_.clear();
        inner_ = size_;
        const std::size_t most = several ? kMostSums : 0;
        while (inner_ > 0) {
            const LeafList& list = lists_[inner_ - 1];
            ListSums& smaller = head_.size() < tail_.size() ? head_ : tail_;
            const bool first = inner_ == size_;
            if (!first && smaller.size() * list.excess.size() > most) break;
            smaller.add(list, room_);
            --inner_;
        }
        tail_.sort();
    }

    std::size_t size() const { return size_; }
    std::size_t inner() const { return inner_; }  // how many lists are not merged
    const LeafList& list(std::size_t i) const { return lists_[i]; }
    ListSums& head() { return head_; }
    ListSums& tail() { return tail_; }
    const ListSums& head() const { return head_; }
    const ListSums& tail() const { return tail_; }
    Ticks room() const { return room_; }
    Ticks base() const { return base_; }  // the ticks of the cheapest member
    const std::vector<std::uint32_t>& choice() const { return choice_; }  // its families
    const std::vector<std::uint32_t>& settled() const { return settled_; }

    // Calls f(choice, ticks) for every member; f returns false to end it, and so does this.
    template <class F>
    bool for_each(F&& f) {
        return visit(0, room_, f);
    }

    // The number of members among the lists from i on, once merged, without outside lists.
    Count count_from(std::size_t i, Ticks room) const {
        Count total = 0;
        if (i == inner_) {
            for (Ticks sum : head_.sums()) total += tail_.fitting(room - sum);
            return total;
        }
        const LeafList& list = lists_[i];
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            total += count_from(i + 1, room - list.excess[j]);
        }
        return total;
    }

  private:
    static constexpr std::size_t kMostSums = 1 << 16;

    LeafList& next_list(int child) {
        if (size_ == lists_.size()) lists_.emplace_back();
        LeafList& list = lists_[size_++];
        list.child = child;
        list.families.clear();
        list.excess.clear();
        return list;
    }

    template <class F>
    bool visit(std::size_t i, Ticks room, F& f) {
        if (i == size_) return f(choice_, base_ + (room_ - room));
        const LeafList& list = lists_[i];
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            choice_[list.child] = list.families[j];
            if (!visit(i + 1, room - list.excess[j], f)) return false;
        }
        choice_[list.child] = list.families[0];
        return true;
    }

    std::vector<LeafList> lists_;  // the first size_ are in use
    std::size_t size_ = 0;
    std::size_t inner_ = 0;
    ListSums head_, tail_;
    std::vector<std::uint32_t> choice_;
    std::vector<std::uint32_t> settled_;
    Ticks room_ = 0;
    Ticks base_ = 0;
};

}  // namespace noisyor
