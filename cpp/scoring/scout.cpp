#include "scoring/scout.hpp"

#include <algorithm>

namespace noisyor {
namespace {

constexpr int kExpansions = 24;         // sets whose neighbours are evaluated
constexpr std::size_t kMostStarts = 8;  // of each kind

}  // namespace

template <int W>
Scout<W>::Scout(const SearchContext<W>& context, const ChildRelations<W>& relations, Pass<W>& pass,
                const std::atomic<bool>& cancel)
    : counters(relations.size(), context.order.size()),
      context_(context),
      relations_(relations),
      pass_(pass),
      cancel_(cancel),
      survivors_(std::max(1, context.candidates)) {
    for (const KnownFamily<W>& known : pass.known) survivors_.add(known.free_parents, known.cost);
}

template <int W>
void Scout<W>::look() {
    // Without room for a candidate there is one family, which the search evaluates by itself.
    const bool room = context_.settings.max_parents > context_.required.size();
    if (context_.candidates == 0 || !room) return;
    for (const auto& relation : relations_) {
        if (!pass_.wanted[relation->number()]) continue;
        const auto scout = relation->scout(counters, cancel_);
        if (scout != nullptr) look_for(*relation, *scout);
    }
}

template <int W>
std::vector<VariableSet<W>> Scout<W>::starts(RelationScout<W>& scout) {
    VariableSet<W> promising = context_.required;
    int room = context_.settings.max_parents - context_.required.size();
    for (const int v : scout.promising()) {
        if (room-- > 0) promising.insert(v);
    }
    std::vector<VariableSet<W>> sets =
        pass_.prices.fitted_to_branches(promising, context_.candidates, kMostStarts);
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
void Scout<W>::evaluate(const ChildRelation<W>& relation, RelationScout<W>& scout,
                        const VariableSet<W>& parents) {
    if (cancel_ || parents.empty() || parents.size() > context_.settings.max_parents) return;
    for (const Step& step : steps_) {
        if (step.parents == parents) return;
    }
    const double price = pass_.prices.of(parents), pays = relation.penalty(parents);
    const Interval shown = scout.evaluate(parents);
    if (cancel_) return;  // a fit that was cut short says less
    const double cost = shown.upper + pays;
    steps_.push_back({cost - price, parents, shown.upper == kInfinity || price == -kInfinity});
    if (steps_.back().taken || cost > price) return;
    if (parents.size() < relation.least_parents()) return;
    const VariableSet<W> free = parents - context_.required;
    const double best = survivors_.cheapest_subset(free);
    if (cost > best + pass_.slack) return;
    const bool counts = pass_.counts(cost, price);
    if (counts) survivors_.add(free, cost);
    pass_.ceiling.add(parents, relation.number(), cost, price, pass_.slack);
    found.push_back({parents, cost, shown.lower + pays, relation.number(), counts});
}

// Best first: the neighbours of the set furthest below its price, then of the next, and so on.
template <int W>
void Scout<W>::look_for(const ChildRelation<W>& relation, RelationScout<W>& scout) {
    steps_.clear();
    for (const VariableSet<W>& set : starts(scout)) evaluate(relation, scout, set);
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
            evaluate(relation, scout, parents);
        });
    }
}

template class Scout<1>;
template class Scout<2>;
template class Scout<4>;
template class Scout<16>;
template class Scout<64>;

}  // namespace noisyor
