#include "scoring/scout.hpp"

#include <algorithm>

namespace noisyor {
namespace {

constexpr int kExpansions = 24;         // sets whose neighbours are evaluated
constexpr std::size_t kMostStarts = 8;  // of each kind

}  // namespace

template <int W>
Scout<W>::Scout(const SearchContext<W>& context, Pass<W>& pass, const FitMemories<W>& memory,
                const std::atomic<bool>& cancel)
    : context_(context),
      pass_(pass),
      cancel_(cancel),
      fits_(context, memory, cancel),
      survivors_(std::max(1, context.candidates)) {
    for (const KnownFamily<W>& known : pass.known) survivors_.add(known.free_parents, known.cost);
}

template <int W>
void Scout<W>::look() {
    for (int relation = kNoisyOr; relation < kRelations; ++relation) {
        if (pass_.wanted[relation] && context_.candidates > 0) look_for(relation);
    }
}

template <int W>
VariableSet<W> Scout<W>::strong_candidates(int relation) {
    const auto candidates = VariableSet<W>::below(context_.candidates);
    const Interval shown =
        fits_.fit(relation, [&]() -> auto& { return context_.records.present; },
                  context_.required | candidates, context_.required, {.anew = true}, {});
    VariableSet<W> strong;
    if (shown.upper == kInfinity) return strong;
    std::vector<std::pair<double, int>> order;
    candidates.for_each([&](int v) {
        const double lambda = fits_.lambda_of(v);
        if (lambda > 0) order.emplace_back(-lambda, v);
    });
    std::sort(order.begin(), order.end());
    const int room = context_.settings.max_parents - context_.required.size();
    for (int i = 0; i < std::min(room, static_cast<int>(order.size())); ++i) {
        strong.insert(order[static_cast<std::size_t>(i)].second);
    }
    return strong;
}

template <int W>
std::vector<VariableSet<W>> Scout<W>::starts(int relation) {
    const VariableSet<W> strong = strong_candidates(relation) | context_.required;
    std::vector<VariableSet<W>> sets = pass_.prices.fitted_to_branches(strong, kMostStarts);
    std::vector<std::pair<double, VariableSet<W>>> known;
    for (const KnownFamily<W>& one : pass_.known) {
        const VariableSet<W> parents = one.free_parents | context_.required;
        known.emplace_back(one.cost - pass_.prices.of(parents), parents);
    }
    const std::size_t size = std::min(known.size(), kMostStarts);
    std::partial_sort(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(size), known.end(),
                      [](const auto& a, const auto& b) {
                          return a.first != b.first ? a.first < b.first : a.second < b.second;
                      });
    for (std::size_t i = 0; i < size; ++i) sets.push_back(known[i].second);
    return sets;
}

template <int W>
void Scout<W>::evaluate(int relation, const VariableSet<W>& parents) {
    if (cancel_ || parents.empty() || parents.size() > context_.settings.max_parents) return;
    for (const Step& step : steps_) {
        if (step.parents == parents) return;
    }
    const double price = pass_.prices.of(parents);
    const auto size = static_cast<std::size_t>(parents.size());
    const double pays = context_.settings.penalties[relation][size];
    const Interval shown = fits_.fit(relation, [&]() -> auto& { return context_.records.present; },
                                     parents, parents, {}, {});
    if (cancel_) return;  // a fit that was cut short says less
    const double cost = shown.upper + pays;
    steps_.push_back({cost - price, parents, shown.upper == kInfinity || price == -kInfinity});
    if (steps_.back().taken || cost > price) return;
    const VariableSet<W> free = parents - context_.required;
    const double best = survivors_.cheapest_subset(free);
    if (cost > best + pass_.slack) return;
    const bool counts = pass_.counts(cost, price, context_.settings.tolerance);
    if (counts) survivors_.add(free, cost);
    pass_.ceiling.add(parents, relation, cost, price, pass_.slack);
    found.push_back(
        {parents, cost, shown.lower + pays, static_cast<std::uint8_t>(relation), counts});
}

// Best first: the neighbours of the set furthest below its price, then of the next, and so on.
template <int W>
void Scout<W>::look_for(int relation) {
    steps_.clear();
    for (const VariableSet<W>& set : starts(relation)) evaluate(relation, set);
    for (int round = 0; round < kExpansions && !cancel_; ++round) {
        Step* next = nullptr;
        for (Step& step : steps_) {
            if (!step.taken && (next == nullptr || step.excess < next->excess)) next = &step;
        }
        if (next == nullptr) break;
        next->taken = true;
        const VariableSet<W> from = next->parents;
        VariableSet<W>::below(context_.candidates).for_each([&](int v) {
            VariableSet<W> parents = from;
            if (from.contains(v)) {
                parents.erase(v);
            } else {
                parents.insert(v);
            }
            evaluate(relation, parents);
        });
    }
}

template class Scout<1>;
template class Scout<2>;
template class Scout<4>;

}  // namespace noisyor
