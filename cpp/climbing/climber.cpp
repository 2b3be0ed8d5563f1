#include "climbing/climber.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace noisyor {
namespace {

constexpr double kDearer = 8;         // nats: a family that costs so much more is no step
constexpr std::int64_t kTenure = 12;  // steps for which an edge that was changed stays as it is
constexpr int kUphill = 16;           // steps without progress before it gives up
constexpr std::size_t kFewestRemoved = 3, kMostRemoved = 12;
constexpr std::int64_t kPerturbEvery = 4;  // turns

}  // namespace

Climber::Climber(const RecordsView& view, ClimbSettings settings)
    : settings_(std::move(settings)),
      n_(view.variables),
      costs_(view, settings_.relations),
      pool_(n_),
      random_(settings_.seed),
      nearest_(at(n_)),
      place_of_(at(n_), std::vector<int>(at(n_), -1)),
      with_(at(n_)),
      without_(at(n_)),
      least_with_(at(n_), kInfinity),
      freshness_(at(n_), Freshness::kStale),
      found_for_(at(n_)),
      found_at_(at(n_), 0),
      tabu_until_(at(n_) * at(n_), 0) {
    now_.parents = settings_.required;
    for (auto& parents : now_.parents) std::sort(parents.begin(), parents.end());
    now_.cost = 0;
    for (int child = 0; child < n_; ++child) {
        now_.families.push_back(costs_.of(child, now_.parents[at(child)]));
        now_.cost += now_.families.back().cost;
        pool_.add(child, now_.parents[at(child)], now_.families.back());
    }
    best_ = now_;
    find_ancestors();
}

// By their mutual information with the child. None is left out: a parent may tell something only
// together with others. Each pair is counted once: information is symmetric.
void Climber::sort_candidates(const std::atomic<bool>& cancel) {
    std::vector<std::vector<double>> nats(at(n_), std::vector<double>(at(n_), 0));
    std::vector<int> later(at(n_));
    std::iota(later.begin(), later.end(), 0);
    std::vector<double> row;
    for (int one = 0; one < n_ && !cancel; ++one) {
        later.erase(later.begin());
        costs_.information(one, later, cancel, row);
        for (std::size_t i = 0; i < row.size(); ++i) {
            nats[at(one)][at(later[i])] = nats[at(later[i])][at(one)] = row[i];
        }
    }
    for (int child = 0; child < n_; ++child) {
        std::vector<int>& nearest = nearest_[at(child)];
        nearest = settings_.candidates[at(child)];
        std::stable_sort(nearest.begin(), nearest.end(), [&](int a, int b) {
            return nats[at(child)][at(a)] > nats[at(child)][at(b)];
        });
        for (std::size_t i = 0; i < nearest.size(); ++i) {
            place_of_[at(child)][at(nearest[i])] = static_cast<int>(i);
        }
    }
    sorted_ = !cancel;
}

// Finds what changes of the child's parents would cost; not wholly: see Freshness. What it has
// found when it is cancelled is forgotten, so that the next time it looks at all of them.
void Climber::refresh(int child, bool wholly, const std::atomic<bool>& cancel) {
    Freshness& freshness = freshness_[at(child)];
    if (freshness == Freshness::kFresh || (freshness == Freshness::kRough && !wholly)) return;
    if (with_[at(child)].empty()) wholly = true;
    find_with(child, wholly, cancel);
    if (freshness == Freshness::kStale && !cancel) find_without(child);
    if (cancel) {
        with_[at(child)].clear();
        freshness = Freshness::kStale;
        return;
    }
    freshness = wholly ? Freshness::kFresh : Freshness::kRough;
}

void Climber::find_with(int child, bool wholly, const std::atomic<bool>& cancel) {
    const std::vector<int>&parents = now_.parents[at(child)], &before = found_for_[at(child)];
    const double cost = now_.families[at(child)].cost, limit = cost + kDearer;
    const std::vector<int>& nearest = nearest_[at(child)];
    std::vector<double>& with = with_[at(child)];
    with.resize(nearest.size(), kInfinity);
    const bool full = static_cast<int>(parents.size()) >= settings_.max_parents;
    const auto has = [](const std::vector<int>& set, int v) {
        return std::binary_search(set.begin(), set.end(), v);
    };
    tried_.clear();
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        const double change = with[i] - found_at_[at(child)];
        with[i] = cost + change;
        if (full || has(parents, nearest[i])) {
            with[i] = kInfinity;
        } else if (wholly || change < 0 || has(before, nearest[i])) {
            tried_.push_back(nearest[i]);
        }
    }
    costs_.with_each(child, parents, tried_, limit, cancel, found_);
    for (std::size_t i = 0; i < tried_.size(); ++i) {
        // Whatever is remembered, so that the climb does not depend on it.
        const bool known = found_[i].is_known() && found_[i].cost < limit;
        with[at(place_of_[at(child)][at(tried_[i])])] = known ? found_[i].cost : kInfinity;
    }
    least_with_[at(child)] =
        std::accumulate(with.begin(), with.end(), kInfinity,
                        [](double least, double one) { return std::min(least, one); });
    found_for_[at(child)] = parents;
    found_at_[at(child)] = cost;
}

void Climber::find_without(int child) {
    const std::vector<int>& parents = now_.parents[at(child)];
    std::vector<double>& without = without_[at(child)];
    without.assign(parents.size(), kInfinity);
    const std::vector<int>& required = settings_.required[at(child)];
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (std::find(required.begin(), required.end(), parents[i]) != required.end()) continue;
        std::vector<int> fewer = parents;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        without[i] = costs_.of(child, fewer).cost;
    }
}

// Returns whether it was not cancelled.
bool Climber::refresh_all(bool wholly, const std::atomic<bool>& cancel) {
    for (int child = 0; child < n_; ++child) {
        if (cancel) return false;
        refresh(child, wholly, cancel);
    }
    return !cancel;
}

// The best move that is allowed: an edge that was changed lately stays as it is, unless changing it
// gives the best network of all.
auto Climber::best_move() const -> Move {
    Move best;
    const double record = best_.cost - now_.cost - kWorthwhile;
    const auto consider = [&](double change, Kind kind, int from, int to) {
        if (change >= best.change) return;
        const bool tabu = tabu_until_[at(from) * at(n_) + at(to)] > steps_;
        if (tabu && change > record) return;
        best = {change, kind, from, to};
    };
    for (int to = 0; to < n_; ++to) {
        const double cost = now_.families[at(to)].cost;
        const std::vector<double>& with = with_[at(to)];
        const bool hopeless = least_with_[at(to)] - cost >= best.change;
        for (std::size_t i = 0; i < with.size() && !hopeless; ++i) {
            const int from = nearest_[at(to)][i];
            if (with[i] - cost < best.change && !is_ancestor(to, from)) {
                consider(with[i] - cost, Kind::kAdd, from, to);
            }
        }
        const std::vector<int>& parents = now_.parents[at(to)];
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const double drop = without_[at(to)][i] - cost;
            if (drop == kInfinity) continue;
            const int from = parents[i];
            consider(drop, Kind::kDrop, from, to);
            const int place = place_of_[at(from)][at(to)];
            if (place < 0) continue;
            const double reversed =
                drop + with_[at(from)][at(place)] - now_.families[at(from)].cost;
            if (reversed < best.change && !has_other_path(from, to)) {
                consider(reversed, Kind::kReverse, from, to);
            }
        }
    }
    return best;
}

void Climber::apply(const Move& move) {
    std::vector<int> parents = now_.parents[at(move.to)];
    if (move.kind == Kind::kAdd) {
        parents.insert(std::lower_bound(parents.begin(), parents.end(), move.from), move.from);
    } else {
        std::erase(parents, move.from);
    }
    set_parents(move.to, std::move(parents));
    if (move.kind == Kind::kReverse) {
        parents = now_.parents[at(move.from)];
        parents.insert(std::lower_bound(parents.begin(), parents.end(), move.to), move.to);
        set_parents(move.from, std::move(parents));
    }
    if (move.kind == Kind::kAdd) {
        add_ancestors(move.from, move.to);
    } else {
        find_ancestors();
    }
    ++steps_;
    const auto until = steps_ + kTenure + static_cast<std::int64_t>(random_.below(kTenure));
    tabu_until_[at(move.from) * at(n_) + at(move.to)] = until;
    tabu_until_[at(move.to) * at(n_) + at(move.from)] = until;
}

// Down to a minimum, and beyond it for a while.
void Climber::descend(const std::atomic<bool>& cancel) {
    double lowest = now_.cost;
    for (int uphill = 0; uphill < kUphill;) {
        if (!refresh_all(false, cancel)) return;
        Move move = best_move();
        if (move.change > -kWorthwhile) {
            if (!refresh_all(true, cancel)) return;
            move = best_move();
        }
        if (move.from < 0) return;
        apply(move);
        ++uphill;
        if (now_.cost < lowest - kWorthwhile) {
            lowest = now_.cost;
            uphill = 0;
        }
        keep_best();
    }
}

// Removes some edges around a random variable.
void Climber::perturb() {
    const std::size_t most = std::min(kMostRemoved, kFewestRemoved + at(n_) / 16);
    const std::size_t removed = kFewestRemoved + random_.below(most - kFewestRemoved + 1);
    std::vector<int> around{static_cast<int>(random_.below(at(n_)))};
    for (std::size_t i = 0, done = 0; i < around.size() && done < removed; ++i) {
        const int v = around[i];
        for (const int other : neighbours(v)) {
            if (std::find(around.begin(), around.end(), other) == around.end()) {
                around.push_back(other);
            }
        }
        std::vector<int> kept = settings_.required[at(v)];
        std::sort(kept.begin(), kept.end());
        if (kept == now_.parents[at(v)]) continue;
        done += now_.parents[at(v)].size() - kept.size();
        set_parents(v, std::move(kept));
    }
    find_ancestors();
}

void Climber::climb(std::int64_t turns, const std::atomic<bool>& cancel) {
    if (n_ == 1) return;
    if (!begun_) {
        if (!sorted_) sort_candidates(cancel);
        descend(cancel);
        restore(best_);
        begun_ = !cancel;
    }
    for (; turns > 0 && !cancel; --turns, ++turns_) {
        if (turns_ % kPerturbEvery == kPerturbEvery - 1) {
            std::fill(tabu_until_.begin(), tabu_until_.end(), 0);
            perturb();
            descend(cancel);
        } else {
            improve_window(cancel);
        }
        restore(best_);
    }
}

}  // namespace noisyor
