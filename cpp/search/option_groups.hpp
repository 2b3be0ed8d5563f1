// Which child to branch on, and how its options fall into groups.
//
// Two options of a child that would put the same bound children above it are in one group: in
// whatever the others choose, they close cycles together or not at all (docs/search.md).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/partial_choice.hpp"

namespace noisyor {

// Different sets, numbered as they come.
template <int W>
class NumberedSets {
  public:
    void clear(std::size_t most) {
        sets_.clear();
        const std::size_t slots = std::bit_ceil(2 * most + 1);
        if (slots > slots_.size()) slots_.assign(slots, {0, 0});
        ++turn_;
    }
    std::uint32_t number(const VariableSet<W>& set) {
        std::size_t at = set.hash() & (slots_.size() - 1);
        for (; slots_[at].turn == turn_; at = (at + 1) & (slots_.size() - 1)) {
            if (sets_[slots_[at].number] == set) return slots_[at].number;
        }
        slots_[at] = {turn_, static_cast<std::uint32_t>(sets_.size())};
        sets_.push_back(set);
        return slots_[at].number;
    }
    const std::vector<VariableSet<W>>& sets() const { return sets_; }

  private:
    struct Slot {
        std::uint64_t turn;  // in use if it is this one
        std::uint32_t number;
    };
    std::vector<Slot> slots_;
    std::vector<VariableSet<W>> sets_;
    std::uint64_t turn_ = 0;
};

// The groups of a child's options: the group of each, and what each group puts above the child.
template <int W>
struct OptionGroups {
    int child = -1;
    std::vector<std::uint32_t> group_of;
    std::vector<VariableSet<W>> above;
};

template <int W>
class Grouping {
  public:
    using Set = VariableSet<W>;

    Grouping(const PartialChoice<W>& state, const WalkRules& rules, int variables)
        : state_(state), rules_(rules), below_(variables) {}

    // Chooses a child that has few groups for the number of cycles that it may be on, as two
    // numbers suggest it: how many bound children may be above it, and how many below. The child
    // is -1 if none is bound. The level has just been settled.
    void choose(int depth, OptionGroups<W>& to) {
        const ChoiceLevel<W>& level = state_.level(depth);
        const Set bound = level.bound();
        bound.for_each([&](int v) { below_[v] = 0; });
        bound.for_each([&](int v) { state_.above(v).for_each([&](int u) { ++below_[u]; }); });
        to.child = -1;
        std::int64_t fewest = 0;
        std::int64_t most_pairs = 0;
        bound.for_each([&](int v) {
            const std::int64_t pairs = below_[v] * state_.above(v).size();
            const std::int64_t most = to.child < 0 ? kAny : (fewest * pairs - 1) / most_pairs;
            const std::int64_t groups = count(depth, v, bound, most);
            if (groups > most) return;
            to.child = v;
            fewest = groups;
            most_pairs = pairs;
        });
        if (to.child >= 0) divide(depth, bound, to);
    }

  private:
    static constexpr std::int64_t kAny = std::int64_t{1} << 40;

    // The number of groups of a child, or more than `most` if there are more.
    std::int64_t count(int depth, int child, const Set& bound, std::int64_t most) {
        const auto options = state_.options(depth, child);
        if (!rules_.groups) return static_cast<std::int64_t>(options.size());
        found_.clear(options.size());
        for (const Option& option : options) {
            found_.number(state_.reach(state_.level(depth), option.family) & bound);
            if (static_cast<std::int64_t>(found_.sets().size()) > most) return most + 1;
        }
        return static_cast<std::int64_t>(found_.sets().size());
    }

    void divide(int depth, const Set& bound, OptionGroups<W>& to) {
        const auto options = state_.options(depth, to.child);
        found_.clear(options.size());
        to.group_of.clear();
        to.above.clear();
        for (const Option& option : options) {
            const Set above = state_.reach(state_.level(depth), option.family) & bound;
            if (rules_.groups) {
                to.group_of.push_back(found_.number(above));
            } else {
                to.group_of.push_back(static_cast<std::uint32_t>(to.above.size()));
                to.above.push_back(above);
            }
        }
        if (rules_.groups) to.above = found_.sets();
    }

    const PartialChoice<W>& state_;
    const WalkRules& rules_;
    std::vector<std::int64_t> below_;
    NumberedSets<W> found_;
};

}  // namespace noisyor
