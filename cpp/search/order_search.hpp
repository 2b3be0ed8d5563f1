// Good networks by local search over orders of the variables.
//
// In an order, the best network takes for each variable its cheapest family among those before it.
// Moves take one variable out and put it back elsewhere; the search goes down to an order that
// no such move improves, then perturbs the best order so far and starts again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "search/families.hpp"
#include "search/parent_scan.hpp"
#include "search/random.hpp"

namespace noisyor {

template <int W>
class OrderSearch {
    using Set = VariableSet<W>;
    using Order = std::vector<int>;

  public:
    // The best network found: a family for each variable, and an order that it follows.
    struct Found {
        Ticks ticks = 0;
        std::vector<std::int64_t> chosen;
        Order order;
    };

    explicit OrderSearch(FamilyTable<W> table) : table_(std::move(table)) {}

    // Variables that no acyclic network has a family for. Placing any variable that has a family
    // among those placed never hinders another, so what is stuck in one order is stuck in all.
    std::vector<int> stuck() const {
        Order order(variables());
        std::iota(order.begin(), order.end(), 0);
        const Order placed = feasible(order);
        std::vector<int> left;
        for (int v : order) {
            if (std::find(placed.begin(), placed.end(), v) == placed.end()) left.push_back(v);
        }
        return left;
    }

    // Descends from a start, made feasible, and then from `perturbations` perturbed orders, or
    // until it has examined `most_looks` families. The order to perturb may get slightly worse: it
    // would rarely leave a deep valley otherwise.
    void improve(const Order& start, int perturbations, std::size_t most_looks, std::uint64_t seed,
                 const std::atomic<bool>& cancelled) {
        constexpr Ticks kSlightly = 1024;  // the reciprocal of the part that it may get worse by
        Random random(seed);
        looks_ = 0;
        State state = evaluate(feasible(start));
        descend(state, random, cancelled);
        State local = state;
        keep(state);
        for (int round = 0; round < perturbations && looks_ < most_looks && !cancelled; ++round) {
            state = evaluate(feasible(perturbed(local.order, random)));
            descend(state, random, cancelled);
            const auto most = static_cast<std::size_t>(local.ticks / kSlightly) + 1;
            if (state.ticks <= local.ticks + static_cast<Ticks>(random.below(most))) local = state;
            keep(state);
        }
    }

    const std::optional<Found>& best() const { return best_; }

  private:
    // An order with, at each place, the set before it and the family chosen there.
    struct State {
        Order order;
        std::vector<Set> before;
        std::vector<std::size_t> family;
        Ticks ticks = 0;
    };
    struct Move {
        std::size_t to = 0;
        Ticks change = 0;
    };

    int variables() const { return table_.variables(); }

    // The cheapest family within a set, from a known lower bound on its index; the end if none is.
    std::size_t cheapest(int v, const Set& within, std::size_t from) const {
        const auto f = find_subset(table_.parents.data(), from, table_.first[v + 1], within);
        looks_ += f - from + 1;
        return f;
    }
    // The cheapest family within a set that just gained a variable, given the one from before.
    std::size_t cheapest_with(int v, const Set& within, int gained, std::size_t before) const {
        Set mask;
        for (int i = 0; i < W; ++i) mask.words[i] = ~within.words[i];
        mask.insert(gained);
        const std::size_t first = table_.first[v];
        const auto f = find_first(table_.parents.data(), first, before, mask, Set::single(gained));
        looks_ += f - first + 1;
        return f;
    }

    // The variables that can be placed, each as early as the wanted order allows.
    Order feasible(const Order& wanted) const {
        Order order;
        Order waiting = wanted;
        Set placed;
        while (!waiting.empty()) {
            const auto next = std::find_if(waiting.begin(), waiting.end(), [&](int v) {
                return cheapest(v, placed, table_.first[v]) < table_.first[v + 1];
            });
            if (next == waiting.end()) break;
            order.push_back(*next);
            placed.insert(*next);
            waiting.erase(next);
        }
        return order;
    }

    State evaluate(Order order) const {
        State state;
        state.order = std::move(order);
        const std::size_t size = state.order.size();
        state.before.resize(size);
        state.family.resize(size);
        refresh(state, 0, size);
        return state;
    }

    // Recomputes the places from `begin` to `end`, and the total.
    void refresh(State& state, std::size_t begin, std::size_t end) const {
        Set before = begin < end ? prefix(state, begin) : Set{};
        for (std::size_t i = begin; i < end; ++i) {
            const int v = state.order[i];
            state.before[i] = before;
            state.family[i] = cheapest(v, before, table_.first[v]);
            before.insert(v);
        }
        state.ticks = 0;
        for (std::size_t f : state.family) state.ticks += table_.ticks[f];
    }

    static Set prefix(const State& state, std::size_t place) {
        Set before;
        for (std::size_t i = 0; i < place; ++i) before.insert(state.order[i]);
        return before;
    }

    // Best-improvement moves of each variable in random turn, until none improves.
    void descend(State& state, Random& random, const std::atomic<bool>& cancelled) const {
        Order turn = state.order;
        bool improved = true;
        while (improved && !cancelled) {
            improved = false;
            shuffle(turn, random);
            for (int v : turn) {
                const auto at = static_cast<std::size_t>(
                    std::find(state.order.begin(), state.order.end(), v) - state.order.begin());
                const Move left = best_left(state, at);
                const Move right = best_right(state, at);
                const Move& move = right.change < left.change ? right : left;
                if (move.change >= 0) continue;
                apply(state, at, move.to);
                improved = true;
            }
        }
    }

    Move best_left(const State& state, std::size_t at) const {
        const int v = state.order[at];
        Move best{at, 0};
        std::size_t own = state.family[at];
        Ticks others = 0;
        for (std::size_t i = at; i-- > 0;) {
            const int u = state.order[i];
            const std::size_t now = state.family[i];
            others += table_.ticks[cheapest_with(u, state.before[i], v, now)] - table_.ticks[now];
            if (table_.parents[own].contains(u)) {
                own = cheapest(v, state.before[i], own);
                if (own == table_.first[v + 1]) break;
            }
            const Ticks change = others + table_.ticks[own] - table_.ticks[state.family[at]];
            if (change < best.change) best = {i, change};
        }
        return best;
    }

    Move best_right(const State& state, std::size_t at) const {
        const int v = state.order[at];
        Move best{at, 0};
        std::size_t own = state.family[at];
        Set before = state.before[at];
        Ticks others = 0;
        for (std::size_t i = at + 1; i < state.order.size(); ++i) {
            const int u = state.order[i];
            const std::size_t now = state.family[i];
            if (table_.parents[now].contains(v)) {
                const std::size_t then = cheapest(u, before, now);
                if (then == table_.first[u + 1]) break;
                others += table_.ticks[then] - table_.ticks[now];
            }
            own = cheapest_with(v, before, u, own);
            before.insert(u);
            const Ticks change = others + table_.ticks[own] - table_.ticks[state.family[at]];
            if (change < best.change) best = {i, change};
        }
        return best;
    }

    void apply(State& state, std::size_t from, std::size_t to) const {
        move_item(state.order, from, to);
        refresh(state, std::min(from, to), std::max(from, to) + 1);
    }

    static void move_item(Order& order, std::size_t from, std::size_t to) {
        const auto begin = order.begin();
        if (from < to) {
            std::rotate(begin + from, begin + from + 1, begin + to + 1);
        } else {
            std::rotate(begin + to, begin + from, begin + from + 1);
        }
    }

    static void shuffle(Order& order, Random& random) {
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[random.below(i)]);
        }
    }

    static Order perturbed(Order order, Random& random) {
        const std::size_t moves = 2 + random.below(6);
        for (std::size_t i = 0; i < moves; ++i) {
            const std::size_t from = random.below(order.size());
            move_item(order, from, random.below(order.size()));
        }
        return order;
    }

    void keep(const State& state) {
        if (best_ && best_->ticks <= state.ticks) return;
        Found found{state.ticks, std::vector<std::int64_t>(variables()), state.order};
        for (std::size_t i = 0; i < state.order.size(); ++i) {
            found.chosen[state.order[i]] = static_cast<std::int64_t>(state.family[i]);
        }
        best_ = std::move(found);
    }

    FamilyTable<W> table_;
    mutable std::size_t looks_ = 0;  // at families, since the last start
    std::optional<Found> best_;
};

}  // namespace noisyor
