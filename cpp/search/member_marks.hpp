// What lies below the larger subtrees of a walk, so that a later one can pass by most of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/leaf_product.hpp"

namespace noisyor {

// How much lies below a node of the walk, in members and in shares of their weight (see
// LeafWeights::share), and the place behind the marks of all that lies below it.
struct Mark {
    Count number = 0;
    Count shares = 0;
    std::size_t end = 0;

    Count size(bool by_weight) const { return by_weight ? shares : number; }
};

// The marks of each task, in the order of the walk: the task itself, and the children of every
// node that is large: with `large` nodes or more below it.
struct MemberMarks {
    std::vector<std::vector<Mark>> tasks;

    Count total(bool by_weight) const {
        Count sum = 0;
        for (const auto& marks : tasks) sum += marks.front().size(by_weight);
        return sum;
    }
};

// Makes the marks of one task while it is walked through.
class MarkMaker {
  public:
    MarkMaker(int variables, std::int64_t large) : large_(large), open_(most_levels(variables)) {}

    void enter(int depth, Count number, Count shares) {
        open_[depth] = {marks_.size(), nodes_++};
        marks_.push_back({number, shares, 0});
    }
    void leave(int depth, Count number, Count shares) {
        const Open& own = open_[depth];
        if (nodes_ - own.nodes < large_) marks_.resize(own.place + 1);
        Mark& mark = marks_[own.place];
        mark = {number - mark.number, shares - mark.shares, marks_.size()};
    }
    std::vector<Mark> take() { return std::move(marks_); }

  private:
    struct Open {
        std::size_t place;
        std::int64_t nodes;
    };
    std::int64_t large_;
    std::vector<Open> open_;
    std::vector<Mark> marks_;
    std::int64_t nodes_ = 0;
};

// Follows the marks of one task while it is walked through again, in part. `passed` says how much
// lies before the place that the walk has reached.
class MarkReader {
  public:
    MarkReader(const std::vector<Mark>& marks, bool by_weight, Count passed, int variables)
        : passed(passed), marks_(marks), by_weight_(by_weight), marked_(most_levels(variables)) {}

    void enter(int depth) {
        const bool has_mark = depth == 0 || marked_[depth - 1];
        marked_[depth] = has_mark && marks_[next_].end > next_ + 1;
        if (has_mark) ++next_;
    }
    // Passes by the next branch below a depth, unless it holds the rank or has no mark.
    bool skips(int depth, Count rank) {
        if (!marked_[depth]) return false;
        const Mark& mark = marks_[next_];
        const Count size = mark.size(by_weight_);
        if (rank < passed + size) return false;
        passed += size;
        next_ = mark.end;
        return true;
    }

    Count passed;

  private:
    const std::vector<Mark>& marks_;
    bool by_weight_;
    std::vector<char> marked_;  // per depth, whether the branches below have marks
    std::size_t next_ = 0;
};

}  // namespace noisyor
