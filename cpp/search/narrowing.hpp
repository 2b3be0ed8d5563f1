// What follows from a partial choice: which options are left, which choices are forced, and which
// children can close no cycle any more. Part of partial_choice.hpp.
#pragma once

#include "search/partial_choice.hpp"

namespace noisyor {

// What the cuts add to an option's price whose totals were raised since.
template <int W>
Ticks PartialChoice<W>::surcharge(std::span<const std::uint32_t> cuts, std::uint32_t family) const {
    Ticks sum = 0;
    for (std::uint32_t c : cuts) {
        const WalkCut<W>& cut = problem_.cuts[c];
        const int own = cut.coefficient(family, problem_.table.parents[family]);
        if (own == 0) continue;
        sum += cut.weight * (cut.beyond(counted_[c], own) - cut.beyond(priced_at_[c], own));
    }
    return sum;
}

// The cuts raised since options were priced that contain a child.
template <int W>
std::span<const std::uint32_t> PartialChoice<W>::raised_with(int child) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < raised_count_; ++i) {
        if (problem_.cuts[raised_[i]].members.contains(child)) relevant_[size++] = raised_[i];
    }
    return {relevant_.data(), size};
}

template <int W>
void PartialChoice<W>::forget_raised() {
    for (std::size_t i = 0; i < raised_count_; ++i) is_raised_[raised_[i]] = 0;
    raised_count_ = 0;
}

// Keeps, of the options that the open children had, those that close no cycle and still fit the
// budget; false if a child has none left. They keep their order, ascending by ticks.
template <int W>
bool PartialChoice<W>::narrow(Level& level) {
    Ticks spare = 0;
    const bool possible = drop_impossible(level, spare);
    forget_raised();
    if (possible) drop_costly(level, spare);
    return possible;
}

// Drops options that close a cycle or exceed what is left alone, and prices the others. `spare` is
// what is left if every child takes its cheapest one.
template <int W>
bool PartialChoice<W>::drop_impossible(Level& level, Ticks& spare) {
    const FamilyTable<W>& table = problem_.table;
    const Ticks left = problem_.budget - given_up_ - level.used;
    spare = left;
    bool possible = left >= 0;
    level.open.for_each([&](int v) {
        if (!possible) return;
        auto& [begin, end] = level.options[v];
        const std::span<const std::uint32_t> cuts = raised_with(v);
        const Set below = level.descendants[v];
        Ticks least = left + 1;
        std::uint32_t kept = begin;
        for (std::uint32_t i = begin; i < end; ++i) {
            Option option = pool_[i];
            if (table.parents[option.family].meets(below)) continue;
            if (!cuts.empty()) option.price += surcharge(cuts, option.family);
            if (option.price > left) continue;
            least = std::min(least, option.price);
            pool_[kept++] = option;
        }
        end = kept;
        level.least[v] = least;
        spare -= least;
        possible = begin != end && spare >= 0;
    });
    return possible;
}

template <int W>
void PartialChoice<W>::drop_costly(Level& level, Ticks spare) {
    level.open.for_each([&](int v) {
        auto& [begin, end] = level.options[v];
        const Ticks limit = level.least[v] + spare;
        std::uint32_t kept = begin;
        Set named;
        Set shared = Set::below(n_);
        for (std::uint32_t i = begin; i < end; ++i) {
            if (pool_[i].price > limit) continue;
            const Set& parents = problem_.table.parents[pool_[i].family];
            named = named | parents;
            shared = shared & parents;
            pool_[kept++] = pool_[i];
        }
        end = kept;
        level.possible[v] = named;
        level.shared[v] = shared;
    });
}

// Narrows and takes all choices that have become forced; false if there is no member below.
template <int W>
bool PartialChoice<W>::settle(int depth) {
    Level& level = levels_[depth];
    bool changed = true;
    while (changed) {
        if (!narrow(level)) return false;
        changed = false;
        const bool possible = assign_forced(level, changed) && connect_shared(level, changed);
        if (!possible || level.used > problem_.budget - given_up_) {
            forget_raised();
            return false;
        }
    }
    peel(level);
    return true;
}

template <int W>
bool PartialChoice<W>::assign_forced(Level& level, bool& changed) {
    bool possible = true;
    level.open.for_each([&](int v) {
        const auto [begin, end] = level.options[v];
        if (!possible || end - begin != 1) return;
        Option option = pool_[begin];
        // An earlier forced choice may have closed the way or raised the price.
        possible = !problem_.table.parents[option.family].meets(level.descendants[v]);
        if (!possible) return;
        option.price += surcharge(raised_with(v), option.family);
        assign(level, v, option);
        changed = true;
    });
    return possible;
}

// Parents that all options of a child share are its parents whatever it chooses.
template <int W>
bool PartialChoice<W>::connect_shared(Level& level, bool& changed) {
    bool possible = true;
    level.open.for_each([&](int v) {
        if (!possible || level.shared[v].is_subset_of(level.ancestors[v])) return;
        possible = !level.shared[v].meets(level.descendants[v]);
        connect(level, level.shared[v], v);
        changed = true;
    });
    return possible;
}

// Moves to `free` the open children whose choice decides on no cycle: again and again those that
// have above them already what any option could put there, or that can be above no other one.
template <int W>
void PartialChoice<W>::peel(Level& level) {
    Set bound = level.bound();
    bound.for_each([&](int v) { above_[v] = with_ancestors(level, level.possible[v]); });
    bool changed = true;
    while (changed && !bound.empty()) {
        changed = false;
        Set named;
        bound.for_each([&](int v) {
            above_[v] = above_[v] & bound;
            const Set known = problem_.rules.groups ? level.ancestors[v] : Set{};
            if (above_[v].is_subset_of(known)) {
                bound.erase(v);
                changed = true;
            } else {
                named = named | above_[v];
            }
        });
        const Set childless = bound - named;
        changed = changed || !childless.empty();
        bound = bound - childless;
    }
    level.free = level.open - bound;
}

}  // namespace noisyor
