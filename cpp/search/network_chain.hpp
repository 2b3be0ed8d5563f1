// A Markov chain over acyclic networks, made of the families of a table. docs/sampling.md proves
// what it converges to.
//
// A network of t ticks weighs exp(-inner t) up to a limit. Beyond it the weight falls on with the
// slope `outer`: what lies there is not drawn, but leads from one network to another. A move draws
// the families of one child, or of two or three that arcs join, given those of all others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fitting/lanes.hpp"
#include "search/families.hpp"
#include "search/random.hpp"

namespace noisyor {

// The weight of a network by its ticks; slopes are per tick.
struct ChainLaw {
    Ticks limit = 0;
    double inner = 1;
    double outer = 1;

    // How much the logarithm of the weight falls from `from` to `to` ticks, which are no fewer.
    double fall(Ticks from, Ticks to) const {
        return inner * static_cast<double>(to - from) + extra(to) - extra(from);
    }
    // By how much it has fallen more than the inner slope says.
    double extra(Ticks ticks) const {
        return ticks <= limit ? 0 : (outer - inner) * static_cast<double>(ticks - limit);
    }
};

namespace detail {

inline double exp_of_minus(double x) {
    Lanes unused;
    return exp_neg(splat(x), unused)[0];
}

// The index in whose weight a place falls. A place that rounding has put behind the last weight
// belongs to the last one that is not 0.
template <class Weight>
std::size_t find_weight(std::size_t count, double place, const Weight& weight) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double its = weight(i);
        if (its <= 0) continue;
        if (place < its) return i;
        place -= its;
        last = i;
    }
    return last;
}

inline constexpr int kMostInBlock = 3;
// Per child of a block, those of the others, as bits, that it comes after.
using Pattern = std::array<unsigned, kMostInBlock>;

inline bool is_acyclic(const Pattern& pattern, int size) {
    unsigned placed = 0;
    for (int round = 0; round < size; ++round) {
        for (int i = 0; i < size; ++i) {
            if ((pattern[i] & ~placed) == 0) placed |= 1u << i;
        }
    }
    return placed == (1u << size) - 1;
}

// The acyclic patterns of a block: 3 for two children, 25 for three.
inline std::vector<Pattern> acyclic_patterns(int size) {
    std::vector<Pattern> found;
    const unsigned all = 1u << size;
    for (unsigned code = 0; code < 1u << (size * size); ++code) {
        Pattern pattern{};
        for (int i = 0; i < size; ++i) pattern[i] = (code >> (i * size)) % all;
        if (is_acyclic(pattern, size)) found.push_back(pattern);
    }
    return found;
}

}  // namespace detail

template <int W>
class NetworkChain {
    using Set = VariableSet<W>;

  public:
    // The best network met: its ticks and families.
    struct Best {
        Ticks ticks = 0;
        std::vector<std::uint32_t> choice;
    };

    NetworkChain(const FamilyTable<W>& table, const std::uint32_t* start, std::uint64_t seed)
        : table_(&table), random_(seed) {
        put(start);
        best_ = {ticks_, choice_};
    }

    // Continues from this acyclic network.
    void put(const std::uint32_t* choice) {
        choice_.assign(choice, choice + variables());
        children_.assign(variables(), Set{});
        ticks_ = 0;
        for (int v = 0; v < variables(); ++v) {
            parents_of(v).for_each([&](int p) { children_[p].insert(v); });
            ticks_ += table_->ticks[choice_[v]];
        }
    }

    Ticks ticks() const { return ticks_; }
    const std::vector<std::uint32_t>& choice() const { return choice_; }
    const Best& best() const { return best_; }

    // As many moves of each kind as there are variables; false if cancelled on the way.
    bool sweep(const ChainLaw& law, const std::atomic<bool>& cancelled) {
        for (int move = 0; move < variables(); ++move) {
            if (cancelled) return false;
            redraw_child(any_child(), law);
            redraw_block(2, law);
            redraw_block(3, law);
        }
        return true;
    }

  private:
    // Logarithms of weights that differ by more are those of a weight and, in doubles, nothing.
    static constexpr double kNegligible = 40;

    int variables() const { return table_->variables(); }
    const Set& parents_of(int v) const { return table_->parents[choice_[v]]; }
    double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

    int any_child() { return static_cast<int>(random_.below(choice_.size())); }

    // Draws a family of x given all others.
    void redraw_child(int x, const ChainLaw& law) {
        const Set below = descendants(x, Set{});
        const Ticks rest = ticks_ - table_->ticks[choice_[x]];
        auto& options = options_[0];
        options.clear();
        double total = 0;
        Ticks least = 0;
        for (std::size_t f = table_->first[x]; f < table_->first[x + 1]; ++f) {
            const Ticks its = table_->ticks[f];
            const double fall = options.empty() ? 0 : law.fall(rest + least, rest + its);
            if (fall > kNegligible) break;
            if (table_->parents[f].meets(below)) continue;
            if (options.empty()) least = its;
            options.push_back({f, 0, detail::exp_of_minus(fall)});
            total += options.back().weight;
        }
        const std::size_t i = detail::find_weight(options.size(), uniform() * total,
                                                  [&](std::size_t k) { return options[k].weight; });
        replace(x, options[i].family);
        note_best();
    }

    // Proposes families for the children of a random block together, from their distribution given
    // all others and without a limit. The proposal is accepted with the quotient of what it leaves
    // out: the chances to have picked the block there and here, and the fall beyond the limit.
    void redraw_block(int size, const ChainLaw& law) {
        if (!pick_block(size)) return;
        propose(law);
        std::array<std::size_t, detail::kMostInBlock> before{};
        bool same = true;
        for (int i = 0; i < size; ++i) {
            before[i] = choice_[block_[i]];
            same = same && before[i] == proposed_[i];
        }
        if (same) return;
        const double chance = block_chance(), extra = law.extra(ticks_);
        for (int i = 0; i < size; ++i) replace(block_[i], proposed_[i]);
        const double quotient = block_chance() / chance;
        const double more = law.extra(ticks_) - extra;
        const double fall = more <= 0 ? 1 : detail::exp_of_minus(more);
        const double rise = more >= 0 ? 1 : 1 / detail::exp_of_minus(-more);
        if (uniform() < quotient * fall * rise) {
            note_best();
        } else {
            for (int i = 0; i < size; ++i) replace(block_[i], before[i]);
        }
    }

    // Picks a random child and as many distinct neighbours of it as the block needs; false if it
    // has fewer.
    bool pick_block(int size) {
        const int centre = any_child();
        const int degree = degree_of(centre);
        if (degree < size - 1) return false;
        block_.assign(1, centre);
        for (int i = 1; i < size; ++i) {
            int number = static_cast<int>(random_.below(static_cast<std::size_t>(degree - i + 1)));
            const Set neighbours = (parents_of(centre) | children_[centre]) - members();
            int chosen = 0;
            neighbours.for_each([&](int v) {
                if (number-- == 0) chosen = v;
            });
            block_.push_back(chosen);
        }
        return true;
    }

    Set members() const {
        Set all;
        for (const int v : block_) all.insert(v);
        return all;
    }
    int degree_of(int v) const { return parents_of(v).size() + children_[v].size(); }

    // The chance to pick this block in the present network, up to a constant.
    double block_chance() const {
        const Set all = members();
        double chance = 0;
        for (const int v : block_) {
            const Set others = (parents_of(v) | children_[v]) & all;
            if (others.size() < static_cast<int>(block_.size()) - 1) continue;
            const double degree = degree_of(v);
            chance += block_.size() == 2 ? 1 / degree : 2 / (degree * (degree - 1));
        }
        return chance;
    }

    // Draws families for the block, as if there were no limit.
    //
    // Let a child of the block come after another one if a parent is the other or follows from it
    // along arcs that end outside the block. The network is acyclic if no child comes after itself
    // and the pattern of who comes after whom has no cycle. In a pattern each child chooses freely
    // among its families of one class, so its weight is a product of sums.
    void propose(const ChainLaw& law) {
        const int size = static_cast<int>(block_.size());
        collect_classes(law);
        patterns_.clear();
        Ticks least = std::numeric_limits<Ticks>::max();
        for (const auto& pattern : size == 2 ? pairs_ : triples_) {
            Candidate one{pattern, 0, 1};
            for (int i = 0; i < size && one.weight > 0; ++i) {
                const Class& own = classes_[i][pattern[i]];
                one.ticks += own.least;
                one.weight *= own.sum;
            }
            if (one.weight <= 0) continue;
            least = std::min(least, one.ticks);
            patterns_.push_back(one);
        }
        double total = 0;
        for (auto& one : patterns_) {
            one.weight *= detail::exp_of_minus(law.inner * static_cast<double>(one.ticks - least));
            total += one.weight;
        }
        const auto& drawn =
            patterns_[detail::find_weight(patterns_.size(), uniform() * total,
                                          [&](std::size_t k) { return patterns_[k].weight; })];
        for (int i = 0; i < size; ++i) {
            const unsigned kind = drawn.pattern[i];
            const auto& options = options_[i];
            const double place = uniform() * classes_[i][kind].sum;
            proposed_[i] = options[detail::find_weight(options.size(), place, [&](std::size_t k) {
                               return options[k].kind == kind ? options[k].weight : 0;
                           })].family;
        }
    }

    // Sorts the families of the block's children that no cycle excludes into classes by the other
    // children that they come after.
    void collect_classes(const ChainLaw& law) {
        const std::size_t size = block_.size();
        const Set all = members();
        Ticks spare = 0;  // what the block has now above the least it could have
        std::array<Ticks, detail::kMostInBlock> least{};
        for (std::size_t i = 0; i < size; ++i) {
            below_[i] = descendants(block_[i], all - Set::single(block_[i]));
            std::size_t f = table_->first[block_[i]];
            while (table_->parents[f].meets(below_[i])) ++f;
            least[i] = table_->ticks[f];
            spare += table_->ticks[choice_[block_[i]]] - least[i];
        }
        const double most = law.inner * static_cast<double>(spare) + kNegligible;
        for (std::size_t i = 0; i < size; ++i) {
            classes_[i].fill({});
            options_[i].clear();
            const std::size_t end = table_->first[block_[i] + 1];
            for (std::size_t f = table_->first[block_[i]]; f < end; ++f) {
                const Ticks its = table_->ticks[f];
                if (law.inner * static_cast<double>(its - least[i]) > most) break;
                const Set& parents = table_->parents[f];
                if (parents.meets(below_[i])) continue;
                unsigned kind = 0;
                for (std::size_t j = 0; j < size; ++j) {
                    if (j != i && parents.meets(below_[j])) kind |= 1u << j;
                }
                Class& own = classes_[i][kind];
                if (own.sum == 0) own.least = its;
                const double fall = law.inner * static_cast<double>(its - own.least);
                if (fall > kNegligible) continue;
                options_[i].push_back({f, kind, detail::exp_of_minus(fall)});
                own.sum += options_[i].back().weight;
            }
        }
    }

    // x and what is reached from it along arcs that do not end at the barrier.
    Set descendants(int x, const Set& barrier) {
        Set reached = Set::single(x) | barrier;
        stack_.assign(1, x);
        while (!stack_.empty()) {
            const int v = stack_.back();
            stack_.pop_back();
            const Set fresh = children_[v] - reached;
            reached = reached | fresh;
            fresh.for_each([&](int w) { stack_.push_back(w); });
        }
        return reached - barrier;
    }

    void replace(int x, std::size_t family) {
        if (family == choice_[x]) return;
        const Set& before = parents_of(x);
        const Set& after = table_->parents[family];
        (before - after).for_each([&](int p) { children_[p].erase(x); });
        (after - before).for_each([&](int p) { children_[p].insert(x); });
        ticks_ += table_->ticks[family] - table_->ticks[choice_[x]];
        choice_[x] = static_cast<std::uint32_t>(family);
    }

    void note_best() {
        if (ticks_ < best_.ticks) best_ = {ticks_, choice_};
    }

    // A family that a child may take, the class of a block that it is in, and its weight.
    struct Option {
        std::size_t family;
        unsigned kind;
        double weight;
    };
    // The families of one class: the fewest ticks, and the sum of the weights relative to these.
    struct Class {
        Ticks least = 0;
        double sum = 0;
    };
    // A pattern, the fewest ticks of a block that has it, and its weight.
    struct Candidate {
        detail::Pattern pattern;
        Ticks ticks;
        double weight;
    };

    const FamilyTable<W>* table_;
    Random random_;
    std::vector<std::uint32_t> choice_;
    std::vector<Set> children_;
    Ticks ticks_ = 0;
    Best best_;

    std::vector<detail::Pattern> pairs_ = detail::acyclic_patterns(2);
    std::vector<detail::Pattern> triples_ = detail::acyclic_patterns(3);
    // What a move works with.
    std::vector<int> block_, stack_;
    std::array<Set, detail::kMostInBlock> below_;
    std::array<std::vector<Option>, detail::kMostInBlock> options_;
    std::array<std::array<Class, 1 << detail::kMostInBlock>, detail::kMostInBlock> classes_;
    std::vector<Candidate> patterns_;
    std::array<std::size_t, detail::kMostInBlock> proposed_{};
};

}  // namespace noisyor
