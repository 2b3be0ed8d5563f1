#include "scoring/subtree_search.hpp"

#include <algorithm>
#include <cmath>

namespace noisyor {
namespace {

// The search needs to know costs only this well; the final fits close the gap.
constexpr double kSearchGap = 1e-4;
// The search drops a family only if it is this many tolerances too costly. So neither the gap of a
// fit nor the order of the work can keep a family from the final pass that belongs there.
constexpr double kSearchTolerances = 3;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

bool is_noisy_or(int relation) { return relation != kCpt; }

}  // namespace

template <int W, class Counts>
SubtreeSearch<W, Counts>::SubtreeSearch(const SearchContext<W>& context,
                                        const std::atomic<bool>& cancel)
    : context_(context),
      cancel_(cancel),
      counts_(context.records, static_cast<int>(context.order.size()), context.terms),
      survivors_(std::max(1, context.candidates)),
      levels_(index(context.candidates) + 2) {
    const std::size_t n = context.order.size() + 1;
    counters.cuts.assign(kRelations * kCutRules * n * n, 0);
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::cut(int relation, Rule rule, int size, int tail) {
    const std::size_t n = context_.order.size() + 1;
    const auto table = static_cast<std::size_t>(relation * kCutRules + static_cast<int>(rule));
    ++counters.cuts[(table * n + index(size)) * n + index(tail)];
}

// What -ln L may be, at most, for a family of `size` parents at or below the level.
template <int W, class Counts>
double SubtreeSearch<W, Counts>::room(int relation, const Level& level, int size) const {
    return context_.threshold(level.parents, level.best, kSearchTolerances) -
           context_.settings.penalties[relation][index(size)];
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::keep(const Level& level, int relation, double upper, double lower) {
    const double penalty = context_.settings.penalties[relation][index(level.size)];
    survivors_.add(level.parents - context_.required, upper + penalty);
    found.push_back(
        {level.parents, upper + penalty, lower + penalty, static_cast<std::uint8_t>(relation)});
}

template <int W, class Counts>
FitOutcome SubtreeSearch<W, Counts>::fit(int relation, const PresentRows<W>& rows,
                                         const VariableSet<W>& parents, double reject_above,
                                         double accept_at, const std::vector<double>& near) {
    FitLimits limits{.gap = kSearchGap};
    if (context_.on(kEarlyStopRule)) {
        limits.reject_above = reject_above;
        limits.accept_at = accept_at;
    }
    const FitOutcome out =
        fitter_.fit(rows, parents, context_.records.absent, context_.records.absent_total,
                    relation == kLeakyNoisyOr, limits, near.empty() ? nullptr : &near);
    counters.newton_steps += out.steps;
    return out;
}

// The set of required parents alone; with none of them, the child on its own, always a full table.
template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_root(Level& root) {
    root.parents = context_.required;
    root.size = context_.required.size();
    root.tail = context_.candidates;
    const auto everyone = static_cast<int>(context_.order.size());
    counts_.make_root(root.counts);
    typename Counts::Node next;
    context_.required.for_each([&](int v) {
        counts_.descend(root.counts, v, everyone, next);
        std::swap(root.counts, next);
    });
    restrict_rows(context_.records.present, root);
    for (int relation = 0; relation < kRelations; ++relation) {
        root.alive[relation] = context_.uses(relation);
        root.bound[relation] = 0;
        if (!root.alive[relation] || (is_noisy_or(relation) && root.size == 0)) continue;
        ++counters.evaluated[relation];
        const double penalty = context_.settings.penalties[relation][index(root.size)];
        if (relation == kCpt) {
            const double cost = counts_.cost(root.counts);
            keep(root, relation, cost, cost);
            root.best = std::min(root.best, cost + penalty);
        } else {
            const FitOutcome out =
                fit(relation, context_.records.present, root.parents, kInfinity, -kInfinity, {});
            if (out.end == FitEnd::kInfeasible) continue;
            keep(root, relation, out.upper, out.lower);
            root.best = std::min(root.best, out.upper + penalty);
        }
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_cpt(const Level& from, int variable, Level& to) {
    ++counters.evaluated[kCpt];
    const double limit = room(kCpt, to, to.size);
    const double cost = counts_.cost_with(from.counts, variable, limit);
    if (cost > limit) return;
    keep(to, kCpt, cost, cost);
    to.best = std::min(to.best, cost + context_.settings.penalties[kCpt][index(to.size)]);
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate_noisy_or(int relation, const Level& from, Level& to) {
    ++counters.evaluated[relation];
    const double limit = room(relation, to, to.size);
    if (limit < 0) return;
    const FitOutcome out =
        fit(relation, from.rows, to.parents, limit, -kInfinity, from.near[relation]);
    if (out.end == FitEnd::kInfeasible || out.lower > limit) return;
    keep(to, relation, out.upper, out.lower);
    to.best = std::min(to.best, out.upper + context_.settings.penalties[relation][index(to.size)]);
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::evaluate(const Level& from, int variable, Level& to) {
    to.parents = from.parents;
    to.parents.insert(variable);
    to.size = from.size + 1;
    to.tail = variable;
    to.best = survivors_.cheapest(to.parents - context_.required, variable, from.best);
    for (int relation = 0; relation < kRelations; ++relation) {
        to.alive[relation] = from.alive[relation] && variable >= from.first[relation];
        if (!to.alive[relation]) continue;
        to.bound[relation] = is_noisy_or(relation) ? from.prefix_bounds[relation][index(variable)]
                                                   : from.bound[relation];
        if (relation == kCpt) {
            evaluate_cpt(from, variable, to);
        } else {
            evaluate_noisy_or(relation, from, to);
        }
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::restrict_rows(const PresentRows<W>& from, Level& level) {
    const auto universe = level.parents | VariableSet<W>::below(level.tail);
    VariableSet<W> certain;
    level.parents.for_each([&](int v) {
        if (context_.records.absent[index(v)] == 0) certain.insert(v);
    });
    level.rows.clear();
    for (std::size_t r = 0; r < from.rows.size(); ++r) {
        const VariableSet<W> row = from.rows[r] & universe;
        if (!row.meets(certain)) level.rows.add(row, from.counts[r]);
    }
    level.rows.merge_equal(slots_);
}

template <int W, class Counts>
bool SubtreeSearch<W, Counts>::open_cpt(Level& level, const Level* from, int variable,
                                        double room_left) {
    if (from != nullptr) counts_.descend(from->counts, variable, level.tail, level.counts);
    level.first[kCpt] = 0;
    if constexpr (Counts::kHasBound) {
        if (!context_.on(kLikelihoodRule)) return true;
        ++counters.bounds[kCpt];
        level.bound[kCpt] = counts_.bound(level.counts);
        if (level.bound[kCpt] > room_left) {
            cut(kCpt, kLikelihoodRule, level.size, level.tail);
            return false;
        }
    }
    return true;
}

// Finds the first candidate j for which P + {0 .. j} fits well enough. No set of the subtree
// without a candidate from j on fits better than that prefix.
template <int W, class Counts>
bool SubtreeSearch<W, Counts>::open_noisy_or(int relation, Level& level, const Level* from,
                                             double room_left) {
    auto& near = level.near[relation];
    near.clear();
    if (from != nullptr) near = from->near[relation];
    int dead = -1;  // the longest prefix known not to be worth a visit
    if (relation == kNoisyOr && context_.on(kCoverageRule)) {
        for (const VariableSet<W>& row : level.rows.rows) {
            if (row.meets(level.parents)) continue;
            dead = std::max(dead, row.empty() ? level.tail - 1 : row.lowest() - 1);
        }
    }
    Rule reason = kCoverageRule;
    auto& bounds = level.prefix_bounds[relation];
    bounds.assign(index(level.tail), level.bound[relation]);
    const auto is_dead = [&](int last) {
        ++counters.bounds[relation];
        const auto prefix = level.parents | VariableSet<W>::below(last + 1);
        const FitOutcome out = fit(relation, level.rows, prefix, room_left, room_left, near);
        if (out.end != FitEnd::kInfeasible && out.end != FitEnd::kRejected) fitter_.remember(near);
        for (int j = last; j >= 0 && bounds[index(j)] < out.lower; --j)
            bounds[index(j)] = out.lower;
        return out.lower > room_left;
    };
    if (dead < level.tail - 1 && context_.on(kLikelihoodRule) && is_dead(level.tail - 1)) {
        dead = level.tail - 1;
        reason = kLikelihoodRule;
    }
    if (dead < level.tail - 1 && context_.on(kPrefixRule)) {
        for (int alive = level.tail - 1; alive - dead > 1;) {
            const int middle = dead + (alive - dead) / 2;
            if (is_dead(middle)) {
                dead = middle;
                reason = kPrefixRule;
            } else {
                alive = middle;
            }
        }
    }
    if (dead >= 0) cut(relation, reason, level.size, dead + 1);
    level.first[relation] = dead + 1;
    return dead < level.tail - 1;
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::open(Level& level, const Level* from, int variable) {
    bool rows_ready = from == nullptr;
    for (int relation = 0; relation < kRelations; ++relation) {
        if (!level.alive[relation]) continue;
        level.alive[relation] = false;
        if (level.tail == 0 || level.size >= context_.settings.max_parents) continue;
        const double left = room(relation, level, level.size + 1);
        if (left < 0 && context_.on(kPenaltyRule)) {
            cut(relation, kPenaltyRule, level.size, level.tail);
            continue;
        }
        if (level.bound[relation] > left && context_.on(kLikelihoodRule)) {
            cut(relation, kLikelihoodRule, level.size, level.tail);
            continue;
        }
        if (relation == kCpt) {
            level.alive[relation] = open_cpt(level, from, variable, left);
        } else {
            if (!rows_ready) restrict_rows(from->rows, level);
            rows_ready = true;
            level.alive[relation] = open_noisy_or(relation, level, from, left);
        }
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::descend(std::size_t depth) {
    Level& level = levels_[depth];
    Level& next = levels_[depth + 1];
    int first = level.tail;
    for (int relation = 0; relation < kRelations; ++relation) {
        if (level.alive[relation]) first = std::min(first, level.first[relation]);
    }
    for (int variable = first; variable < level.tail && !cancel_; ++variable) {
        evaluate(level, variable, next);
        open(next, &level, variable);
        descend(depth + 1);
    }
}

template <int W, class Counts>
void SubtreeSearch<W, Counts>::search_root() {
    Level& root = levels_[0];
    evaluate_root(root);
    open(root, nullptr, -1);
    singles_.resize(index(root.tail));
    for (int variable = 0; variable < root.tail; ++variable) {
        evaluate(root, variable, levels_[1]);
        static_cast<Evaluated&>(singles_[index(variable)]) = levels_[1];
    }
}

template <int W, class Counts>
bool SubtreeSearch<W, Counts>::search_below(int high, int low) {
    Level& single = levels_[1];
    if (open_single_ != high) {
        open_single_ = high;
        static_cast<Evaluated&>(single) = singles_[index(high)];
        open(single, &levels_[0], high);
    }
    const auto worth = [&](int relation) {
        return single.alive[relation] && low >= single.first[relation];
    };
    if (!worth(kCpt) && !worth(kNoisyOr) && !worth(kLeakyNoisyOr)) return true;
    evaluate(single, low, levels_[2]);
    open(levels_[2], &single, low);
    descend(2);
    return !cancel_;
}

template class SubtreeSearch<1, BitColumns<1>>;
template class SubtreeSearch<2, BitColumns<2>>;
template class SubtreeSearch<4, BitColumns<4>>;
template class SubtreeSearch<1, Configurations<1>>;
template class SubtreeSearch<2, Configurations<2>>;
template class SubtreeSearch<4, Configurations<4>>;

}  // namespace noisyor
