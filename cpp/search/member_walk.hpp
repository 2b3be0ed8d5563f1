// Depth-first search over the members of a credible set: one family per child, no directed cycle,
// total ticks within a limit. Each member lies in exactly one leaf.
//
// A leaf is a product: once the children that are still open can close no cycle whatever they
// choose among the families left to them, they are independent but for the sum of their costs.
//
// Bound. With the duals of search/bounds/duals.py, what a partial choice has used up is the sum of
// its reduced costs and, for each cut, of the weight times what the coefficients of its families
// exceed the cut's need by; no order of the children changes that sum. An open child adds at least
// the least `price` among its families: reduced cost plus the weights of what they exceed the needs
// by, in addition to the families chosen already. Prices only rise as more families are chosen.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/cut_system.hpp"
#include "search/families.hpp"

namespace noisyor {

// A cluster, or a cut with other coefficients, which are then stored for each family. The members
// are the children whose families have coefficients.
template <int W>
struct WalkCut : Cut<W> {
    std::vector<Coefficient> coefficients;
    int largest = 1;

    int coefficient(std::uint32_t family, const VariableSet<W>& parents) const {
        if (coefficients.empty()) return this->counts(parents) ? 1 : 0;
        return coefficients[family];
    }
    // How much a family adds beyond the need to those that have reached `total` so far.
    int beyond(int total, int coefficient) const {
        return std::clamp(total + coefficient - this->need, 0, coefficient);
    }
};

template <int W>
struct MemberProblem {
    FamilyTable<W> table;
    std::vector<WalkCut<W>> cuts;
    std::vector<Ticks> rc;
    Ticks limit = 0;   // a member's ticks are at most this
    Ticks budget = 0;  // limit less the duals' lower bound

    // The cuts in which each family has a coefficient: from cut_first[f] to cut_first[f + 1].
    struct Entry {
        std::uint32_t cut;
        int coefficient;
    };
    std::vector<std::uint32_t> cut_first;
    std::vector<Entry> entries;

    // Takes the cuts of a system that have weight.
    void take_cuts(const CutSystem<W>& system, const Ticks* weights) {
        std::vector<std::size_t> rounded;
        for (std::size_t c = 0; c < system.size(); ++c) {
            if (weights[c] <= 0) continue;
            if (!system.is_cluster(c)) {
                rounded.push_back(c);
                continue;
            }
            WalkCut<W> cut;
            cut.members = system.sets[c];
            cut.need = system.needs[c];
            cut.weight = weights[c];
            cuts.push_back(std::move(cut));
        }
        CutCoefficients<W> values(system, rounded);
        const std::size_t clusters = cuts.size();
        for (std::size_t c : rounded) {
            WalkCut<W> cut;
            cut.need = system.needs[c];
            cut.weight = weights[c];
            cut.coefficients.assign(table.parents.size(), 0);
            cuts.push_back(std::move(cut));
        }
        for (int v = 0; v < table.variables(); ++v) {
            values.choose(v);
            constexpr std::size_t kBlock = CutCoefficients<W>::kBlock;
            for (std::size_t from = table.first[v]; from < table.first[v + 1]; from += kBlock) {
                const std::size_t size = std::min(kBlock, table.first[v + 1] - from);
                values.compute(table.parents[from].words.data(), size);
                for (std::size_t i = 0; i < rounded.size(); ++i) {
                    if (!values.touches(rounded[i])) continue;
                    store(cuts[clusters + i], v, from, values.of(rounded[i]), size);
                }
            }
        }
    }

    static void store(WalkCut<W>& cut, int child, std::size_t from, const Coefficient* values,
                      std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            if (values[i] == 0) continue;
            cut.coefficients[from + i] = values[i];
            cut.largest = std::max(cut.largest, values[i]);
            cut.members.insert(child);
        }
    }

    void index_cuts() {
        cut_first.assign(1, 0);
        entries.clear();
        for (int v = 0; v < table.variables(); ++v) {
            for (std::size_t f = table.first[v]; f < table.first[v + 1]; ++f) {
                for (std::size_t c = 0; c < cuts.size(); ++c) {
                    if (!cuts[c].members.contains(v)) continue;
                    const int own =
                        cuts[c].coefficient(static_cast<std::uint32_t>(f), table.parents[f]);
                    if (own > 0) entries.push_back({static_cast<std::uint32_t>(c), own});
                }
                cut_first.push_back(static_cast<std::uint32_t>(entries.size()));
            }
        }
    }
};

// A family that an open child may still choose, and its price.
struct Option {
    std::uint32_t family;
    Ticks price;
};

struct Decision {
    int child;
    std::uint32_t family;
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
        : problem_(problem), cancelled_(cancelled), n_(problem.table.variables()) {
        levels_.resize(static_cast<std::size_t>(n_) + 2);
        levels_[0].make_room(n_);
        above_.resize(n_);
        choice_.assign(n_, 0);
        counted_.assign(problem.cuts.size(), 0);
        priced_at_.assign(problem.cuts.size(), 0);
        is_raised_.assign(problem.cuts.size(), 0);
        raised_.resize(problem.cuts.size());
        relevant_.resize(problem.cuts.size());
        budget_ = problem.budget;
    }

    // Visits every leaf below the given decisions. A Visitor has
    //   bool leaf(const MemberWalk&)     false to end the walk; see choice(), leaf_children(),
    //   ticks(); void enter(int depth), void leave(int depth, const std::vector<Decision>&)
    //                                    around everything that lies below the decisions of a
    //                                    depth;
    //   bool skips(int depth)            whether to pass by the next branch below this depth;
    //   void frontier(const std::vector<Decision>&)
    //                                    called where `most_branchings` lie between here and the
    //                                    prefix, instead of going deeper.
    template <class Visitor>
    void run(const std::vector<Decision>& prefix, int most_branchings, Visitor& visitor);

    // The part of the budget and limit that is given up from now on; only ever grows.
    void tighten(Ticks by) { given_up_ = by; }

    // Ends the walk, as if it had been cancelled, after this many nodes.
    void stop_after(std::int64_t nodes) { most_nodes_ = nodes; }

    const std::vector<std::uint32_t>& choice() const { return choice_; }
    const std::vector<LeafChild>& leaf_children() const { return leaf_children_; }
    const std::vector<Decision>& path() const { return path_; }
    Ticks ticks() const { return ticks_; }
    std::int64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }

  private:
    struct Level {
        std::vector<Set> ancestors, descendants;                       // along chosen families
        std::vector<std::pair<std::uint32_t, std::uint32_t>> options;  // ranges of pool_
        std::vector<Ticks> least;   // price of an open child's options
        std::vector<Set> possible;  // parents that the options of an open child name
        std::vector<Set> shared;    // parents that all of them name
        Set open, free;             // free: open, but in no cycle of possible edges
        Ticks used = 0;
        std::size_t pool_end = 0;
        std::vector<Decision> decided;  // at this level, to be undone

        // A walk rarely goes as deep as it could, and a level of many variables is large: it takes
        // its memory when the walk first gets there.
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

    template <class Visitor>
    void descend(int depth, const std::vector<Decision>& prefix, std::size_t next,
                 Visitor& visitor);
    template <class Visitor>
    void explore(int depth, Visitor& visitor);
    template <class Visitor, class Below>
    void take(int depth, int child, const Option& option, Visitor& visitor, Below&& below);

    void connect(Level& level, const Set& parents, int child);
    void assign(Level& level, int child, const Option& option);
    void undo(Level& level);
    bool narrow(Level& level);
    Ticks surcharge(std::span<const std::uint32_t> cuts, std::uint32_t family) const;
    std::span<const std::uint32_t> raised_with(int child);
    void forget_raised();
    void peel(Level& level);
    bool settle(Level& level);
    void enter(int depth);
    int branching_child(const Level& level) const;

    const MemberProblem<W>& problem_;
    const std::atomic<bool>& cancelled_;
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
    std::vector<LeafChild> leaf_children_;
    std::vector<Set> above_;      // for peel: what lies above each open child
    std::vector<Decision> path_;  // the branchings taken
    std::size_t longest_path_ = 0;
    Set assigned_;
    Ticks ticks_ = 0;
    Ticks budget_ = 0;
    Ticks given_up_ = 0;
    std::int64_t nodes_ = 0;
    std::int64_t most_nodes_ = std::numeric_limits<std::int64_t>::max();
    bool stopped_ = false;
};

template <int W>
template <class Visitor>
void MemberWalk<W>::run(const std::vector<Decision>& prefix, int most_branchings,
                        Visitor& visitor) {
    path_.clear();
    longest_path_ = prefix.size() + static_cast<std::size_t>(most_branchings);
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
    visitor.enter(0);
    if (settle(root)) descend(0, prefix, 0, visitor);
    visitor.leave(0, root.decided);
    undo(root);
}

// Adds edges from the parents to a child, and whatever follows for ancestors.
template <int W>
void MemberWalk<W>::connect(Level& level, const Set& parents, int child) {
    Set above = parents;
    parents.for_each([&](int p) { above = above | level.ancestors[p]; });
    if (above.is_subset_of(level.ancestors[child])) return;
    Set below = level.descendants[child];
    below.insert(child);
    below.for_each([&](int d) { level.ancestors[d] = level.ancestors[d] | above; });
    above.for_each([&](int a) { level.descendants[a] = level.descendants[a] | below; });
}

// Takes a choice: edges, cuts and costs follow. The price is that at the time of choosing.
template <int W>
void MemberWalk<W>::assign(Level& level, int child, const Option& option) {
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
    assigned_.insert(child);
    level.open.erase(child);
    level.free.erase(child);
    level.decided.push_back({child, option.family});
}

template <int W>
void MemberWalk<W>::undo(Level& level) {
    for (const Decision& d : level.decided) {
        for (auto c = problem_.cut_first[d.family]; c < problem_.cut_first[d.family + 1]; ++c) {
            counted_[problem_.entries[c].cut] -= problem_.entries[c].coefficient;
        }
        ticks_ -= problem_.table.ticks[d.family];
        assigned_.erase(d.child);
    }
    level.decided.clear();
}

// What the cuts add to an option's price whose totals were raised since.
template <int W>
Ticks MemberWalk<W>::surcharge(std::span<const std::uint32_t> cuts, std::uint32_t family) const {
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
std::span<const std::uint32_t> MemberWalk<W>::raised_with(int child) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < raised_count_; ++i) {
        if (problem_.cuts[raised_[i]].members.contains(child)) relevant_[size++] = raised_[i];
    }
    return {relevant_.data(), size};
}

template <int W>
void MemberWalk<W>::forget_raised() {
    for (std::size_t i = 0; i < raised_count_; ++i) is_raised_[raised_[i]] = 0;
    raised_count_ = 0;
}

// Keeps, of the options that the open children had, those that close no cycle and still fit the
// budget; false if a child has none left. They keep their order, ascending by ticks.
template <int W>
bool MemberWalk<W>::narrow(Level& level) {
    const FamilyTable<W>& table = problem_.table;
    const Ticks left = budget_ - given_up_ - level.used;
    Ticks spare = left;
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
    forget_raised();
    if (!possible) return false;
    level.open.for_each([&](int v) {
        auto& [begin, end] = level.options[v];
        const Ticks limit = level.least[v] + spare;
        std::uint32_t kept = begin;
        Set named;
        Set shared = Set::below(n_);
        for (std::uint32_t i = begin; i < end; ++i) {
            if (pool_[i].price > limit) continue;
            const Set& parents = table.parents[pool_[i].family];
            named = named | parents;
            shared = shared & parents;
            pool_[kept++] = pool_[i];
        }
        end = kept;
        level.possible[v] = named;
        level.shared[v] = shared;
    });
    return true;
}

// Moves to `free` the open children that lie on no cycle of possible edges: again and again those
// that no other one can reach, or that can reach no other one.
template <int W>
void MemberWalk<W>::peel(Level& level) {
    Set bound = level.open - level.free;
    bound.for_each([&](int v) {
        Set reach = level.possible[v];
        level.possible[v].for_each([&](int p) { reach = reach | level.ancestors[p]; });
        above_[v] = reach;
    });
    bool changed = true;
    while (changed && !bound.empty()) {
        changed = false;
        Set named;
        bound.for_each([&](int v) {
            const Set parents = above_[v] & bound;
            if (parents.empty()) {
                bound.erase(v);
                level.free.insert(v);
                changed = true;
            } else {
                named = named | parents;
            }
        });
        const Set childless = bound - named;
        if (!childless.empty()) {
            bound = bound - childless;
            level.free = level.free | childless;
            changed = true;
        }
    }
}

// Narrows and takes all choices that have become forced; false if there is no member below.
template <int W>
bool MemberWalk<W>::settle(Level& level) {
    while (true) {
        if (!narrow(level)) return false;
        bool forced = false;
        bool possible = true;
        level.open.for_each([&](int v) {
            const auto [begin, end] = level.options[v];
            if (!possible || end - begin != 1) return;
            Option option = pool_[begin];
            // An earlier forced choice may have closed the way or raised the price.
            if (problem_.table.parents[option.family].meets(level.descendants[v])) {
                possible = false;
                return;
            }
            option.price += surcharge(raised_with(v), option.family);
            assign(level, v, option);
            forced = true;
        });
        // Parents that all options of a child share are its parents whatever it chooses.
        level.open.for_each([&](int v) {
            if (level.shared[v].is_subset_of(level.ancestors[v])) return;
            if (level.shared[v].meets(level.descendants[v])) possible = false;
            connect(level, level.shared[v], v);
            forced = true;
        });
        if (!possible || level.used > budget_ - given_up_) {
            forget_raised();
            return false;
        }
        if (!forced) break;
    }
    peel(level);
    return true;
}

// Copies what the level above knows, so that it can be narrowed without being lost.
template <int W>
void MemberWalk<W>::enter(int depth) {
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
        for (std::uint32_t i = begin; i < end; ++i) pool_[start + (i - begin)] = pool_[i];
        to.options[v] = {start, start + (end - begin)};
    });
    to.pool_end = pool_.size();
}

template <int W>
int MemberWalk<W>::branching_child(const Level& level) const {
    int best = -1;
    std::uint32_t fewest = 0;
    (level.open - level.free).for_each([&](int v) {
        const std::uint32_t size = level.options[v].second - level.options[v].first;
        if (best < 0 || size < fewest) {
            best = v;
            fewest = size;
        }
    });
    return best;
}

// Takes one option of a child on a new level, does the work below it, and undoes it.
template <int W>
template <class Visitor, class Below>
void MemberWalk<W>::take(int depth, int child, const Option& option, Visitor& visitor,
                         Below&& below) {
    enter(depth);
    Level& next = levels_[depth + 1];
    const std::size_t path_length = path_.size();
    path_.push_back({child, option.family});
    visitor.enter(depth + 1);
    assign(next, child, option);
    if (settle(next)) below();
    visitor.leave(depth + 1, next.decided);
    undo(next);
    path_.resize(path_length);
}

// Follows the prefix. A budget that was tightened since the prefix was found may have forced a
// decision already, the same or another: in the latter case nothing is left below the prefix.
template <int W>
template <class Visitor>
void MemberWalk<W>::descend(int depth, const std::vector<Decision>& prefix, std::size_t next,
                            Visitor& visitor) {
    while (next < prefix.size() && assigned_.contains(prefix[next].child)) {
        if (choice_[prefix[next].child] != prefix[next].family) return;
        path_.push_back(prefix[next]);
        ++next;
    }
    if (next == prefix.size()) {
        explore(depth, visitor);
        return;
    }
    const Decision& decision = prefix[next];
    const auto [begin, end] = levels_[depth].options[decision.child];
    for (std::uint32_t i = begin; i < end; ++i) {
        if (pool_[i].family != decision.family) continue;
        const Option option = pool_[i];
        take(depth, decision.child, option, visitor,
             [&] { descend(depth + 1, prefix, next + 1, visitor); });
        return;
    }
}

template <int W>
template <class Visitor>
void MemberWalk<W>::explore(int depth, Visitor& visitor) {
    if (++nodes_ > most_nodes_ || cancelled_.load(std::memory_order_relaxed)) stopped_ = true;
    if (stopped_) return;
    Level& level = levels_[depth];
    const int child = branching_child(level);
    if (child < 0) {
        leaf_children_.clear();
        level.open.for_each([&](int v) {
            const auto [begin, end] = level.options[v];
            leaf_children_.push_back({v, {pool_.data() + begin, pool_.data() + end}});
        });
        if (!visitor.leaf(*this)) stopped_ = true;
        return;
    }
    if (path_.size() >= longest_path_) {
        visitor.frontier(path_);
        return;
    }
    const auto [begin, end] = level.options[child];
    for (std::uint32_t i = begin; i < end && !stopped_; ++i) {
        if (visitor.skips(depth)) continue;
        const Option option = pool_[i];
        take(depth, child, option, visitor, [&] { explore(depth + 1, visitor); });
    }
}

}  // namespace noisyor
