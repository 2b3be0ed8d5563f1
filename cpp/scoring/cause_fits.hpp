// The fits of causes of one thread's search, and what earlier fits have shown.
//
// Two kinds of problem, each the sum of its levels. The plain one is -ln L of a set of parents. In
// the sloped one the parents outside a subset, `paid`, also pay for their strength: the lambda of a
// column costs share / strongest more. No fit has a lambda above its `strongest`, and a parent has
// no more columns with a strength than parameters, so it pays at most its step. So what the sloped
// problem is at least, every family between `paid` and the whole set costs at least, less the
// penalty of `paid` (PruningRule.SLOPE has the proof).
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "fitting/noisy_or.hpp"
#include "scoring/column_records.hpp"
#include "scoring/counters.hpp"
#include "scoring/relation_spec.hpp"
#include "scoring/search_context.hpp"
#include "scoring/set_memory.hpp"
#include "scoring/set_node.hpp"

namespace noisyor {

// The search needs to know costs only this well; the final fits close the gap.
inline constexpr double kSearchGap = 1e-4;

// The convex problems of a child's causes, one a level (see fitting/objective.hpp), and their
// slopes.
template <int W>
struct CauseProblem {
    // `steps` has for each variable what it adds to the penalty, at least.
    CauseProblem(const SearchContext<W>& search_context, const ColumnForm& column_form,
                 std::vector<double> least_steps);

    struct Level {
        // The lambda that a column has at most in any fit to these records.
        std::vector<double> strongest;
        // The records' `absent`, raised so that parents pay in proportion to their strength.
        std::vector<double> sloped;
    };

    const SearchContext<W>& context;
    const ColumnForm form;
    const ColumnRecords<W> records;
    const std::vector<double> steps;
    std::vector<double> shares;  // of its parent's step, by column: the same for each parameter
    std::vector<Level> levels;
};

// What the optimum of a sloped problem says: how much its candidates pay for their strength, in
// nats, and what it is at least in families that have one of them, by candidate, ascending.
struct Profile {
    float paid = 0;
    std::vector<float> with;  // rounded down
    std::size_t heap_bytes() const { return with.capacity() * sizeof(float); }
};

// What the fits of one relation have shown.
template <int W>
struct FitMemory {
    explicit FitMemory(std::size_t bytes) : intervals(bytes / 2), profiles(bytes / 2) {}
    std::size_t bytes() const { return intervals.bytes() + profiles.bytes(); }

    SetMemory<W, Interval> intervals;
    SetMemory<W, Profile> profiles;
};

// When the bounds of a fit are good enough.
struct FitGoal {
    double reject_above = kInfinity;
    double accept_at = -kInfinity;
    double gap = kSearchGap;
    bool anew = false;  // unless it is rejected, the fit itself is wanted, not only its bounds
};

// The rows of each level, and the lambdas of each level, by column, the leak's last.
template <int W>
using RowsByLevel = std::vector<PresentRows<W>>;
using NearByLevel = std::vector<std::vector<double>>;

template <int W>
class CauseFits {
  public:
    CauseFits(const CauseProblem<W>& problem, FitMemory<W>& memory, SearchCounters& counters,
              const std::atomic<bool>& cancel)
        : problem_(problem),
          memory_(memory),
          counters_(counters),
          cancel_(cancel),
          fitters_(problem.levels.size()) {
        if (!problem.form.any_state) return;
        for (auto& fitter : fitters_) fitter.states_of(problem.records.variable_of());
    }

    // Bounds on the problem over `set`, sloped for those not in `paid`. `rows()` gives the rows
    // that the set is fitted to, and is called only if a fit is needed.
    template <class Rows>
    Interval fit(Rows&& rows, const VariableSet<W>& set, const VariableSet<W>& paid,
                 const FitGoal& goal, const NearByLevel& near) {
        const Interval known = remembered(set, paid);
        const bool rejected = known.lower > goal.reject_above || known.lower == kInfinity;
        const bool enough = known.upper <= goal.accept_at || known.upper - known.lower <= goal.gap;
        fitted = !rejected && (goal.anew || !enough);
        if (!fitted) {
            ++counters_.remembered;
            return known;
        }
        return fit_anew(rows(), set, paid, goal, near, known);
    }
    Interval remembered(const VariableSet<W>& set, const VariableSet<W>& paid) const;
    bool fitted = false;  // whether the last call has made a fit

    // Notes bounds that were found elsewhere on the plain problem over `set`.
    void note(const VariableSet<W>& set, const Interval& shown) {
        memory_.intervals.note(set, set, shown);
    }
    // After a new fit that was not rejected: whether no state has a strength but the usual ones.
    bool is_usual(const VariableSet<W>& set) const;
    // After a new fit that was not rejected: notes its lambdas, for warm starts of other fits.
    void remember(NearByLevel& near) const;
    // How strong a variable is in it: its largest lambda, over all levels together.
    double strength_of(int variable) const;
    // How much the parents in `tail` pay for their strength in the optimum, in nats.
    double paid_by(const VariableSet<W>& tail) const;
    // Of the last fit, whose arguments these are; remembers it, too.
    Profile profile(const RowsByLevel<W>& rows, const VariableSet<W>& set,
                    const VariableSet<W>& paid);
    // Whether a profile is remembered, and which.
    bool remembered(const VariableSet<W>& set, const VariableSet<W>& paid, Profile& into);

  private:
    Interval fit_anew(const RowsByLevel<W>& rows, const VariableSet<W>& set,
                      const VariableSet<W>& paid, const FitGoal& goal, const NearByLevel& near,
                      const Interval& known);
    void choose_slopes(std::size_t level, const VariableSet<W>& paid_columns);
    void measure_rows(std::size_t level, const PresentRows<W>& rows, const VariableSet<W>& columns);
    double scale_to_feasible(std::size_t level, const VariableSet<W>& columns);
    double saved_by(std::size_t level, int variable) const;

    const CauseProblem<W>& problem_;
    FitMemory<W>& memory_;
    SearchCounters& counters_;
    const std::atomic<bool>& cancel_;
    std::vector<NoisyOrFitter<W>> fitters_;  // by level
    std::vector<double> absent_;             // a of the problem at hand
    // The dual point of `profile`: the rows that count, their u and phi, and u's use by column.
    std::vector<Record<W>> rows_;
    std::vector<Lanes> s_, count_, u_, phi_;
    std::vector<double> lambda_, used_, saved_;
    double leak_used_ = 0;
};

// What a family of all candidates, without a leak, would lose without each one (see
// RelationKind::losses).
template <int W>
CandidateLosses losses_without(const ColumnRecords<W>& records, const SearchSettings& settings,
                               bool refits, const std::atomic<bool>& cancel);

}  // namespace noisyor
