// Classed clusters that a fractional solution of the linear program violates, by local search.
//
// The left side is the values of the families of members that have no parent in their child's class
// and parents in fewer than `need` classes; the cut is violated if that is below the need. A step
// moves one variable to another class, to a new one or out. One pass over the families finds what
// every step would change.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "search/fractional_point.hpp"
#include "search/random.hpp"
#include "search/separation.hpp"
#include "search/violated_cut.hpp"

namespace noisyor {

template <int W>
class ClassSeparation {
    using Set = VariableSet<W>;

  public:
    ClassSeparation(const FractionalPoint<W>& point, const SeparationSettings& settings)
        : point_(point),
          settings_(settings),
          random_(settings.seed),
          label_(static_cast<std::size_t>(point.variables)),
          free_at_(label_.size()),
          change_(label_.size()),
          counts_(point.families.size()) {
        for (const auto& family : point.families) {
            parents_.emplace_back();
            family.parents.for_each([&](int p) { parents_.back().push_back(p); });
        }
    }

    // The violated cuts found, at most `limit` of them, the deepest first. With a need of 1 classes
    // make no difference.
    std::vector<ViolatedCut<W>> run(const std::vector<Set>& starts, std::size_t limit,
                                    const std::atomic<bool>& cancelled) {
        for (int need = 2; need <= settings_.max_need; ++need) {
            for (const Set& start : starts) {
                if (cancelled) break;
                descend(start, need);
            }
            for (int i = 0; i < settings_.tries && !cancelled; ++i) {
                descend(i % 2 == 0 ? point_.cycle(random_) : point_.grown(need, random_), need);
            }
        }
        std::vector<ViolatedCut<W>> cuts;
        for (auto& [key, cut] : found_) cuts.push_back(std::move(cut));
        return deepest(std::move(cuts), limit);
    }

  private:
    static constexpr int kRest = 5;  // steps for which a variable stays where it went
    static constexpr int kMost = 8;  // classes
    static constexpr int kOut = kMost;

    // How many parents of a family are in each class, and how many classes they reach.
    struct Counts {
        std::array<std::uint16_t, kMost> in{};
        int reached = 0;
    };
    struct Step {
        int variable;
        int label;
        double change;
    };

    // Takes the best step, noting violated cuts on the way. Where no step lowers the left side it
    // goes on for a while, without undoing what it just did, to get out of shallow minima.
    void descend(const Set& start, int need) {
        constexpr double kLeastStep = 1e-9;
        begin(start);
        std::fill(free_at_.begin(), free_at_.end(), 0);
        double left = left_side(need);
        double least = left;
        int fruitless = 0;
        for (int step = 0; fruitless <= settings_.wander; ++step) {
            if (classes_ > need && left < need - settings_.least_violation) note(need, left);
            const std::optional<Step> best = best_step(need, step);
            if (!best) break;
            left += best->change;
            move(best->variable, best->label);
            free_at_[best->variable] = step + kRest;
            // Too few classes for a cut: there must be more, whatever that costs.
            if (left < least - kLeastStep || classes_ <= need) {
                least = left;
                fruitless = 0;
            } else {
                ++fruitless;
            }
        }
    }

    // Each variable of the start, up to a number, in a class of its own.
    void begin(const Set& start) {
        std::fill(label_.begin(), label_.end(), kOut);
        std::fill(counts_.begin(), counts_.end(), Counts{});
        size_.fill(0);
        classes_ = 0;
        start.for_each([&](int v) {
            if (classes_ < kMost) move(v, classes_);
        });
    }

    bool counts(std::size_t f, int need) const {
        const int own = label_[point_.families[f].child];
        return own != kOut && counts_[f].in[own] == 0 && counts_[f].reached < need;
    }

    double left_side(int need) const {
        double sum = 0;
        for (std::size_t f = 0; f < counts_.size(); ++f) {
            if (counts(f, need)) sum += point_.families[f].value;
        }
        return sum;
    }

    void move(int v, int to) {
        const int from = label_[v];
        label_[v] = to;
        if (from != kOut && --size_[from] == 0) --classes_;
        if (to != kOut && size_[to]++ == 0) ++classes_;
        for (std::size_t f = 0; f < counts_.size(); ++f) {
            if (!point_.families[f].parents.contains(v)) continue;
            Counts& own = counts_[f];
            if (from != kOut && --own.in[from] == 0) --own.reached;
            if (to != kOut && own.in[to]++ == 0) ++own.reached;
        }
    }

    // The labels that a variable may take: those in use, a new one if there is one, and out.
    std::vector<int> labels() const {
        std::vector<int> found;
        bool has_new = false;
        for (int label = 0; label < kMost; ++label) {
            if (size_[label] == 0 && std::exchange(has_new, true)) continue;
            found.push_back(label);
        }
        found.push_back(kOut);
        return found;
    }

    // The step that lowers the left side most, of those of variables that were not just moved.
    std::optional<Step> best_step(int need, int step) {
        const std::vector<int> targets = labels();
        for (auto& own : change_) own.fill(0.0);
        for (std::size_t f = 0; f < counts_.size(); ++f) add_changes(f, need, targets);
        std::optional<Step> best;
        for (int v = 0; v < point_.variables; ++v) {
            if (free_at_[v] > step) continue;
            const int from = label_[v];
            for (const int to : targets) {
                if (to == from) continue;
                const int classes =
                    classes_ - (from != kOut && size_[from] == 1) + (to != kOut && size_[to] == 0);
                if (classes <= need && classes <= classes_) continue;
                if (!best || change_[v][to] < best->change) best = Step{v, to, change_[v][to]};
            }
        }
        return best;
    }

    // Adds what each step would change at a family: steps of its child and of its parents.
    void add_changes(std::size_t f, int need, const std::vector<int>& targets) {
        const auto& family = point_.families[f];
        const Counts& own = counts_[f];
        const int label = label_[family.child];
        const int now = counts(f, need);
        for (const int to : targets) {
            const int then = to != kOut && own.in[to] == 0 && own.reached < need;
            change_[family.child][to] += family.value * (then - now);
        }
        if (label == kOut || own.in[label] > 1 || own.reached > need) return;
        for (const int p : parents_[f]) {
            const int from = label_[p];
            for (const int to : targets) {
                if (to == from) continue;
                const int reached = own.reached - (from != kOut && own.in[from] == 1) +
                                    (to != kOut && own.in[to] == 0);
                const int beside = own.in[label] - (from == label) + (to == label);
                const int then = beside == 0 && reached < need;
                change_[p][to] += family.value * (then - now);
            }
        }
    }

    void note(int need, double left) {
        std::array<Set, kMost> sets;
        for (int v = 0; v < point_.variables; ++v) {
            if (label_[v] != kOut) sets[label_[v]].insert(v);
        }
        ViolatedCut<W> cut;
        cut.need = need;
        cut.violation = need - left;
        for (const Set& one : sets) {
            cut.members = cut.members | one;
            if (one.size() > 1) cut.classes.push_back(one);
        }
        std::sort(cut.classes.begin(), cut.classes.end());
        std::vector<Set> key = cut.classes;
        key.push_back(cut.members);
        found_.insert_or_assign({need, std::move(key)}, std::move(cut));
    }

    const FractionalPoint<W>& point_;
    SeparationSettings settings_;
    Random random_;
    std::vector<int> label_;  // the class of each variable, or kOut
    std::array<int, kMost> size_{};
    int classes_ = 0;
    std::vector<int> free_at_;                           // the step at which it may move again
    std::vector<std::array<double, kMost + 1>> change_;  // of the left side, by variable and label
    std::vector<Counts> counts_;                         // of each family
    std::vector<std::vector<int>> parents_;
    std::map<std::pair<int, std::vector<Set>>, ViolatedCut<W>> found_;
};

}  // namespace noisyor
