// Depth-first search over the members of a credible set: one family per child, no directed cycle,
// total ticks within a limit. Each member lies in exactly one leaf.
//
// A leaf is a product: once the children that are still open can close no cycle whatever they
// choose among the families left to them, they are independent but for the sum of their costs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/option_groups.hpp"
#include "search/partial_choice.hpp"

namespace noisyor {

// A branch of the walk: the child takes one of these families.
struct Branching {
    int child;
    std::vector<std::uint32_t> families;
};

// What a leaf is made of: the families chosen so far, and the open children with their options,
// ascending by ticks. Some options may not fit with all those of other children: the leaf's user
// compares real ticks.
struct LeafChild {
    int child;
    std::span<const Option> options;
};

template <int W>
class MemberWalk {
  public:
    using Set = VariableSet<W>;

    MemberWalk(const MemberProblem<W>& problem, const std::atomic<bool>& cancelled)
        : cancelled_(cancelled),
          state_(problem),
          grouping_(state_, problem.rules, problem.table.variables()) {
        groups_.resize(most_levels(problem.table.variables()));
    }

    // Visits every leaf below the given branches. A Visitor has
    //   bool leaf(const MemberWalk&)     false to end the walk; see choice(), leaf_children(),
    //   ticks(); void enter(int depth), void leave(int depth, const std::vector<Decision>&)
    //                                    around everything that lies below the decisions of a
    //                                    depth;
    //   bool skips(int depth)            whether to pass by the next branch below this depth;
    //   void frontier(const MemberWalk&) called where `most_branchings` lie between here and the
    //                                    prefix, instead of going deeper; see path().
    template <class Visitor>
    void run(const std::vector<Branching>& prefix, int most_branchings, Visitor& visitor);

    // The part of the budget and limit that is given up from now on; only ever grows.
    void tighten(Ticks by) { state_.tighten(by); }

    // Ends the walk, as if it had been cancelled, after this many nodes.
    void stop_after(std::int64_t nodes) { most_nodes_ = nodes; }

    const std::vector<std::uint32_t>& choice() const { return state_.choice(); }
    const std::vector<LeafChild>& leaf_children() const { return leaf_children_; }
    // The branches taken from the prefix to here.
    std::vector<Branching> path() const;
    Ticks ticks() const { return state_.ticks(); }
    std::int64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }

  private:
    struct Step {
        int child;
        int depth;  // of the level that has its options
    };

    template <class Visitor>
    void descend(int depth, const std::vector<Branching>& prefix, std::size_t next,
                 Visitor& visitor);
    template <class Visitor>
    void explore(int depth, Visitor& visitor);
    template <class Visitor>
    bool visit_leaf(int depth, Visitor& visitor);
    template <class Restrict, class Visitor, class Below>
    void take(int depth, Restrict&& restrict, Visitor& visitor, Below&& below);

    const std::atomic<bool>& cancelled_;
    PartialChoice<W> state_;
    Grouping<W> grouping_;
    std::vector<OptionGroups<W>> groups_;  // per depth
    std::vector<LeafChild> leaf_children_;
    std::vector<Step> path_;
    int most_branchings_ = 0;
    std::int64_t nodes_ = 0;
    std::int64_t most_nodes_ = std::numeric_limits<std::int64_t>::max();
    bool stopped_ = false;
};

template <int W>
template <class Visitor>
void MemberWalk<W>::run(const std::vector<Branching>& prefix, int most_branchings,
                        Visitor& visitor) {
    path_.clear();
    most_branchings_ = most_branchings;
    state_.begin();
    visitor.enter(0);
    if (state_.settle(0)) descend(0, prefix, 0, visitor);
    visitor.leave(0, state_.level(0).decided);
    state_.undo(0);
}

template <int W>
std::vector<Branching> MemberWalk<W>::path() const {
    std::vector<Branching> branches;
    for (const Step& step : path_) {
        Branching& branch = branches.emplace_back(Branching{step.child, {}});
        for (const Option& option : state_.options(step.depth, step.child)) {
            branch.families.push_back(option.family);
        }
    }
    return branches;
}

// Takes a branch on a new level, does the work below, and undoes it.
template <int W>
template <class Restrict, class Visitor, class Below>
void MemberWalk<W>::take(int depth, Restrict&& restrict, Visitor& visitor, Below&& below) {
    state_.enter(depth);
    visitor.enter(depth + 1);
    restrict(depth + 1);
    if (state_.settle(depth + 1)) below();
    visitor.leave(depth + 1, state_.level(depth + 1).decided);
    state_.undo(depth + 1);
}

// Follows the prefix. A budget that was tightened since the prefix was found may have dropped some
// of its families, or forced a choice already, of one of them or of another: in the latter case
// nothing is left below the prefix.
template <int W>
template <class Visitor>
void MemberWalk<W>::descend(int depth, const std::vector<Branching>& prefix, std::size_t next,
                            Visitor& visitor) {
    const auto names = [&](std::uint32_t family) {
        const auto& families = prefix[next].families;
        return std::find(families.begin(), families.end(), family) != families.end();
    };
    for (; next < prefix.size() && state_.is_chosen(prefix[next].child); ++next) {
        if (!names(state_.choice()[prefix[next].child])) return;
    }
    if (next == prefix.size()) {
        explore(depth, visitor);
        return;
    }
    const int child = prefix[next].child;
    std::vector<char> kept;
    Set above = Set::below(static_cast<int>(state_.choice().size()));
    for (const Option& option : state_.options(depth, child)) {
        kept.push_back(names(option.family));
        if (kept.back()) above = above & state_.reach(state_.level(depth), option.family);
    }
    if (std::find(kept.begin(), kept.end(), 1) == kept.end()) return;
    take(
        depth,
        [&](int to) {
            state_.restrict(to, child, above, false, [&](std::uint32_t i) { return kept[i] != 0; });
        },
        visitor, [&] { descend(depth + 1, prefix, next + 1, visitor); });
}

template <int W>
template <class Visitor>
void MemberWalk<W>::explore(int depth, Visitor& visitor) {
    if (++nodes_ > most_nodes_ || cancelled_.load(std::memory_order_relaxed)) stopped_ = true;
    if (stopped_) return;
    if (state_.level(depth).bound().empty()) {
        if (!visit_leaf(depth, visitor)) stopped_ = true;
        return;
    }
    if (static_cast<int>(path_.size()) >= most_branchings_) {
        visitor.frontier(*this);
        return;
    }
    OptionGroups<W>& groups = groups_[depth];
    grouping_.choose(depth, groups);
    for (std::uint32_t group = 0; group < groups.above.size() && !stopped_; ++group) {
        if (visitor.skips(depth)) continue;
        path_.push_back({groups.child, depth + 1});
        take(
            depth,
            [&](int to) {
                state_.restrict(to, groups.child, groups.above[group], true,
                                [&](std::uint32_t i) { return groups.group_of[i] == group; });
            },
            visitor, [&] { explore(depth + 1, visitor); });
        path_.pop_back();
    }
}

template <int W>
template <class Visitor>
bool MemberWalk<W>::visit_leaf(int depth, Visitor& visitor) {
    leaf_children_.clear();
    state_.level(depth).open.for_each(
        [&](int v) { leaf_children_.push_back({v, state_.options(depth, v)}); });
    return visitor.leaf(*this);
}

}  // namespace noisyor
