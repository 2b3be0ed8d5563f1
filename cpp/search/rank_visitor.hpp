// Finds the members of given ranks, counted as CountVisitor counts them.
//
// A measure says how many ranks a leaf takes up, and which of its members has one of them: by
// number, each member has one rank; by weight, a share of them all.
#pragma once

#include <cstdint>
#include <vector>

#include "search/member_marks.hpp"
#include "search/members.hpp"

namespace noisyor {

struct Picked {
    std::vector<std::uint32_t> choice;
    Count outside;
};

template <int W>
class ByNumber {
  public:
    explicit ByNumber(const Outside& outside) : outside_(outside) {}

    bool merges() const { return outside_.is_trivial(); }
    Count size(const LeafProduct<W>& product) const { return ways(product, 0, product.room()); }

    Picked pick(const LeafProduct<W>& product, Count rank, Count) const {
        std::vector<std::uint32_t> choice = product.choice();
        Ticks room = product.room();
        for (std::size_t i = 0; i < product.inner(); ++i) {
            const LeafList& list = product.list(i);
            for (std::size_t j = 0; j < list.excess.size(); ++j) {
                const Count below = ways(product, i + 1, room - list.excess[j]);
                if (rank < below) {
                    choice[list.child] = list.families[j];
                    room -= list.excess[j];
                    break;
                }
                rank -= below;
            }
        }
        if (!merges()) return {std::move(choice), rank};
        std::size_t head = 0;
        for (;; ++head) {
            const Count below = product.tail().fitting(room - product.head().sums()[head]);
            if (rank < below) break;
            rank -= below;
        }
        product.head().put(head, choice);
        product.tail().put(static_cast<std::size_t>(rank), choice);
        return {std::move(choice), 0};
    }

  private:
    Count ways(const LeafProduct<W>& product, std::size_t i, Ticks room) const {
        if (merges()) return product.count_from(i, room);
        if (i == product.size()) return outside_.counts[outside_.fitting(room)];
        const LeafList& list = product.list(i);
        Count total = 0;
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            total += ways(product, i + 1, room - list.excess[j]);
        }
        return total;
    }

    const Outside& outside_;
};

template <int W>
class ByWeight {
  public:
    ByWeight(const Outside& outside, Ticks optimum, double tick)
        : outside_(outside), weights_(outside, optimum, tick) {}

    bool merges() const { return weights_.merges(); }
    Count size(const LeafProduct<W>& product) {
        weights_.prepare(product);
        return weights_.share(weights_.from(product, 0, product.room()));
    }

    // The last choice that is left takes what rounding would leave over.
    Picked pick(const LeafProduct<W>& product, Count rank, Count size) const {
        std::vector<std::uint32_t> choice = product.choice();
        Ticks room = product.room();
        double left = (static_cast<double>(rank) + 0.5) / static_cast<double>(size) *
                      weights_.from(product, 0, room);
        for (std::size_t i = 0; i < product.inner(); ++i) {
            const LeafList& list = product.list(i);
            std::size_t chosen = 0;
            double own = 0;
            for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
                const double rest = weights_.from(product, i + 1, room - list.excess[j]);
                if (rest == 0) continue;
                if (own > 0) left -= own;
                chosen = j;
                own = weights_.option(i, j) * rest;
                if (left < own) break;
            }
            choice[list.child] = list.families[chosen];
            room -= list.excess[chosen];
            left = std::clamp(left, 0.0, own) / weights_.option(i, chosen);
        }
        if (merges()) {
            pick_merged(product, room, left, choice);
            return {std::move(choice), 0};
        }
        const std::size_t fitting = outside_.fitting(room);
        const auto end = outside_.weights.begin() + 1 + fitting;
        const auto found = std::upper_bound(outside_.weights.begin() + 1, end, left);
        const std::size_t place = found - (outside_.weights.begin() + 1);
        return {std::move(choice), std::min(place, fitting - 1)};
    }

  private:
    void pick_merged(const LeafProduct<W>& product, Ticks room, double left,
                     std::vector<std::uint32_t>& choice) const {
        std::size_t chosen = 0;
        std::size_t fitting = 0;
        double own = 0;
        for (std::size_t i = 0; i < product.head().size(); ++i) {
            const std::size_t here = product.tail().fitting(room - product.head().sums()[i]);
            if (here == 0) continue;
            if (own > 0) left -= own;
            chosen = i;
            fitting = here;
            own = weights_.of_head(i) * weights_.first_of_tail(here);
            if (left < own) break;
        }
        left = std::clamp(left, 0.0, own) / weights_.of_head(chosen);
        product.head().put(chosen, choice);
        product.tail().put(std::min(weights_.in_tail(left), fitting - 1), choice);
    }

    const Outside& outside_;
    LeafWeights<W> weights_;
};

template <int W, class Measure>
class RankVisitor {
  public:
    RankVisitor(const MemberProblem<W>& problem, Measure measure, const Count* next,
                const Count* end, MarkReader marks)
        : problem_(problem), measure_(std::move(measure)), next_(next), end_(end), marks_(marks) {}

    void enter(int depth) { marks_.enter(depth); }
    void leave(int, const std::vector<Decision>&) {}
    bool skips(int depth) { return marks_.skips(depth, *next_); }
    void frontier(const MemberWalk<W>&) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        if (measure_.merges()) product_.merge(problem_.rules.merges);
        const Count here = measure_.size(product_);
        for (; next_ != end_ && *next_ < marks_.passed + here; ++next_) {
            Picked picked = measure_.pick(product_, *next_ - marks_.passed, here);
            found.choices.insert(found.choices.end(), picked.choice.begin(), picked.choice.end());
            found.outside.push_back(picked.outside);
        }
        marks_.passed += here;
        return next_ != end_;
    }

    RankedMembers found;

  private:
    const MemberProblem<W>& problem_;
    Measure measure_;
    const Count *next_, *end_;
    MarkReader marks_;
    LeafProduct<W> product_;
};

}  // namespace noisyor
