// A partial choice of families, one level for each branching: what is chosen, what the other
// children may still choose, and what follows from both.
//
// Bound. With the duals of search/bounds/duals.py, what a partial choice has used up is the sum of
// its reduced costs and, for each cut, of the weight times what the coefficients of its families
// exceed the cut's need by; no order of the children changes that sum. An open child adds at least
// the least `price` among its families: reduced cost plus the weights of what they exceed the needs
// by, in addition to the families chosen already. Prices only rise as more families are chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/member_problem.hpp"

namespace noisyor {

// A family that an open child may still choose, and its price.
struct Option {
    std::uint32_t family;
    Ticks price;
};

struct Decision {
    int child;
    std::uint32_t family;
};

// A walk follows at most a branch for each variable that it is given, and then takes one for each
// child that is still bound.
inline std::size_t most_levels(int variables) {
    return 2 * static_cast<std::size_t>(variables) + 2;
}

template <int W>
struct ChoiceLevel {
    using Set = VariableSet<W>;

    std::vector<Set> ancestors, descendants;  // whatever the open children choose
    std::vector<std::pair<std::uint32_t, std::uint32_t>> options;  // ranges of the pool
    std::vector<Ticks> least;   // price of an open child's options
    std::vector<Set> possible;  // parents that the options of an open child name
    std::vector<Set> shared;    // parents that all of them name
    Set open, free;             // free: open, but its choice decides on no cycle
    Ticks used = 0;
    std::size_t pool_end = 0;
    std::vector<Decision> decided;  // at this level, to be undone

    Set bound() const { return open - free; }

    // A walk rarely goes as deep as it could, and a level of many variables is large: it takes its
    // memory when the walk first gets there.
    void make_room(int n) {
        if (!options.empty()) return;
        ancestors.resize(n);
        descendants.resize(n);
        options.resize(n);
        possible.resize(n);
        least.resize(n);
        shared.resize(n);
    }
};

template <int W>
class PartialChoice {
  public:
    using Set = VariableSet<W>;
    using Level = ChoiceLevel<W>;

    explicit PartialChoice(const MemberProblem<W>& problem);

    // Begins with nothing chosen, on level 0.
    void begin();
    // Copies what a level knows to the next one, which can be narrowed without loss.
    void enter(int depth);
    // Keeps the options of a child that `keep` accepts, given their numbers. All of them have
    // `above` among their parents and the ancestors of these. If these are all the bound children
    // that any of them has there, the child becomes free.
    template <class Keep>
    void restrict(int depth, int child, const Set& above, bool becomes_free, Keep&& keep);
    // Takes all that follows; false if no member is left.
    bool settle(int depth);
    void undo(int depth);

    // The part of the budget that is given up from now on; only ever grows.
    void tighten(Ticks by) { given_up_ = by; }

    const Level& level(int depth) const { return levels_[depth]; }
    std::span<const Option> options(int depth, int child) const {
        const auto [begin, end] = levels_[depth].options[child];
        return {pool_.data() + begin, pool_.data() + end};
    }
    // The bound children that some option of a bound child would put above it. Only valid until
    // the next level settles.
    const Set& above(int child) const { return above_[child]; }
    // Parents of a family, and the ancestors that they have on a level.
    Set reach(const Level& level, std::uint32_t family) const {
        return with_ancestors(level, problem_.table.parents[family]);
    }

    bool is_chosen(int child) const { return chosen_.contains(child); }
    const std::vector<std::uint32_t>& choice() const { return choice_; }
    Ticks ticks() const { return ticks_; }

  private:
    static Set with_ancestors(const Level& level, const Set& parents) {
        Set all = parents;
        parents.for_each([&](int p) { all = all | level.ancestors[p]; });
        return all;
    }
    void connect(Level& level, const Set& parents, int child);
    void assign(Level& level, int child, const Option& option);
    bool assign_forced(Level& level, bool& changed);
    bool connect_shared(Level& level, bool& changed);
    bool narrow(Level& level);
    bool drop_impossible(Level& level, Ticks& spare);
    void drop_costly(Level& level, Ticks spare);
    Ticks surcharge(std::span<const std::uint32_t> cuts, std::uint32_t family) const;
    std::span<const std::uint32_t> raised_with(int child);
    void forget_raised();
    void peel(Level& level);

    const MemberProblem<W>& problem_;
    int n_;
    std::vector<Level> levels_;
    std::vector<Option> pool_;
    std::vector<std::uint32_t> choice_;
    std::vector<int> counted_;  // coefficients of the chosen families, added up for each cut
    // Cuts whose totals have raised prices since options were priced, and their totals then.
    std::vector<std::uint32_t> raised_;
    std::size_t raised_count_ = 0;
    std::vector<char> is_raised_;
    std::vector<int> priced_at_;
    std::vector<std::uint32_t> relevant_;
    std::vector<Set> above_;
    Set chosen_;
    Ticks ticks_ = 0;
    Ticks given_up_ = 0;
};

template <int W>
PartialChoice<W>::PartialChoice(const MemberProblem<W>& problem)
    : problem_(problem), n_(problem.table.variables()) {
    levels_.resize(most_levels(n_));
    levels_[0].make_room(n_);
    above_.resize(n_);
    choice_.assign(n_, 0);
    counted_.assign(problem.cuts.size(), 0);
    priced_at_.assign(problem.cuts.size(), 0);
    is_raised_.assign(problem.cuts.size(), 0);
    raised_.resize(problem.cuts.size());
    relevant_.resize(problem.cuts.size());
}

template <int W>
void PartialChoice<W>::begin() {
    pool_.clear();
    Level& root = levels_[0];
    const FamilyTable<W>& table = problem_.table;
    for (int v = 0; v < n_; ++v) {
        root.ancestors[v] = root.descendants[v] = Set{};
        const auto begin = static_cast<std::uint32_t>(pool_.size());
        for (std::size_t f = table.first[v]; f < table.first[v + 1]; ++f) {
            pool_.push_back({static_cast<std::uint32_t>(f), problem_.rc[f]});
        }
        root.options[v] = {begin, static_cast<std::uint32_t>(pool_.size())};
    }
    root.open = Set::below(n_);
    root.free = Set{};
    root.used = 0;
    root.pool_end = pool_.size();
    forget_raised();
}

template <int W>
void PartialChoice<W>::enter(int depth) {
    const Level& from = levels_[depth];
    Level& to = levels_[depth + 1];
    to.make_room(n_);
    to.ancestors = from.ancestors;
    to.descendants = from.descendants;
    to.open = from.open;
    to.free = from.free;
    to.used = from.used;
    pool_.resize(from.pool_end);
    from.open.for_each([&](int v) {
        const auto [begin, end] = from.options[v];
        const auto start = static_cast<std::uint32_t>(pool_.size());
        pool_.resize(pool_.size() + (end - begin));
        std::copy(pool_.begin() + begin, pool_.begin() + end, pool_.begin() + start);
        to.options[v] = {start, start + (end - begin)};
    });
    to.pool_end = pool_.size();
}

template <int W>
template <class Keep>
void PartialChoice<W>::restrict(int depth, int child, const Set& above, bool becomes_free,
                                Keep&& keep) {
    Level& level = levels_[depth];
    auto& [begin, end] = level.options[child];
    std::uint32_t kept = begin;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (keep(i - begin)) pool_[kept++] = pool_[i];
    }
    end = kept;
    if (end - begin == 1) {
        assign(level, child, Option(pool_[begin]));
        return;
    }
    connect(level, above, child);
    if (becomes_free) level.free.insert(child);
}

// Adds edges, or paths, from the parents to a child, and whatever follows for ancestors.
template <int W>
void PartialChoice<W>::connect(Level& level, const Set& parents, int child) {
    const Set above = with_ancestors(level, parents);
    if (above.is_subset_of(level.ancestors[child])) return;
    Set below = level.descendants[child];
    below.insert(child);
    below.for_each([&](int d) { level.ancestors[d] = level.ancestors[d] | above; });
    above.for_each([&](int a) { level.descendants[a] = level.descendants[a] | below; });
}

// Takes a choice: edges, cuts and costs follow. The price is that at the time of choosing.
template <int W>
void PartialChoice<W>::assign(Level& level, int child, const Option& option) {
    const FamilyTable<W>& table = problem_.table;
    connect(level, table.parents[option.family], child);
    for (auto c = problem_.cut_first[option.family]; c < problem_.cut_first[option.family + 1];
         ++c) {
        const auto [cut, own] = problem_.entries[c];
        const int before = counted_[cut];
        counted_[cut] += own;
        // Below, no family exceeds the need yet; above, all that families add exceeds it already.
        const WalkCut<W>& limit = problem_.cuts[cut];
        if (before >= limit.need || counted_[cut] + limit.largest <= limit.need) continue;
        if (is_raised_[cut]) continue;
        is_raised_[cut] = 1;
        priced_at_[cut] = before;
        raised_[raised_count_++] = cut;
    }
    level.used += option.price;
    ticks_ += table.ticks[option.family];
    choice_[child] = option.family;
    chosen_.insert(child);
    level.open.erase(child);
    level.free.erase(child);
    level.decided.push_back({child, option.family});
}

template <int W>
void PartialChoice<W>::undo(int depth) {
    std::vector<Decision>& decided = levels_[depth].decided;
    for (const Decision& d : decided) {
        for (auto c = problem_.cut_first[d.family]; c < problem_.cut_first[d.family + 1]; ++c) {
            counted_[problem_.entries[c].cut] -= problem_.entries[c].coefficient;
        }
        ticks_ -= problem_.table.ticks[d.family];
        chosen_.erase(d.child);
    }
    decided.clear();
}

}  // namespace noisyor

#include "search/narrowing.hpp"
