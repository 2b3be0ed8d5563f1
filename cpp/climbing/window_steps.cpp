// The steps of a climber that find the best families of a few variables at once.
#include <algorithm>
#include <tuple>
#include <utility>

#include "climbing/climber.hpp"

namespace noisyor {
namespace {

constexpr std::size_t kWindow = 14;  // variables
constexpr std::size_t kClosest = 6;  // of the most informative candidates: may join a window
constexpr std::size_t kOutside = 2;  // of these: candidates from outside the window
constexpr std::size_t kBeam = 8;     // families of each size that are extended
constexpr std::size_t kTries = 8 * kWindow;

}  // namespace

// Grows from a random variable, by neighbours in the network and by informative variables.
std::vector<int> Climber::choose_window() {
    std::vector<int> window{static_cast<int>(random_.below(at(n_)))};
    for (std::size_t tries = 0; tries < kTries && window.size() < std::min(kWindow, at(n_));
         ++tries) {
        const int member = window[random_.below(window.size())];
        const std::vector<int> joined = neighbours(member);
        const std::vector<int>& nearest = nearest_[at(member)];
        const std::size_t close = std::min(kClosest, nearest.size());
        int next = -1;
        if (!joined.empty() && (close == 0 || random_.below(3) != 0)) {
            next = joined[random_.below(joined.size())];
        } else if (close > 0) {
            next = nearest[random_.below(close)];
        }
        if (next >= 0 && std::find(window.begin(), window.end(), next) == window.end()) {
            window.push_back(next);
        }
    }
    return window;
}

// The members that may be parents, the parents outside, and the most informative ones outside.
std::vector<int> Climber::window_candidates(int child, const std::vector<int>& window) const {
    std::vector<int> candidates;
    std::size_t outside = 0;
    for (const int v : nearest_[at(child)]) {
        const std::vector<int>& parents = now_.parents[at(child)];
        const bool inside = std::find(window.begin(), window.end(), v) != window.end();
        const bool parent = std::binary_search(parents.begin(), parents.end(), v);
        if (inside || parent || outside < kOutside) {
            candidates.push_back(v);
            outside += !inside && !parent;
        }
    }
    return candidates;
}

// Returns families over the candidates: all of up to two parents besides the required ones, then
// larger ones that extend the best of each size. A family dearer than one over fewer of its parents
// is in no best network, and is left out.
std::vector<PooledFamily> Climber::meet_families(int child, const std::vector<int>& candidates,
                                                 const std::atomic<bool>& cancel) {
    std::vector<int> base = settings_.required[at(child)];
    std::sort(base.begin(), base.end());
    std::vector<PooledFamily> last{{base, costs_.of(child, base)}}, next;
    const double alone = last[0].cheapest.cost;
    std::vector<PooledFamily> met = last;
    const auto meet = [&](const std::vector<int>& parents, std::size_t first, double limit) {
        tried_.clear();
        for (std::size_t i = first; i < candidates.size(); ++i) {
            if (!std::binary_search(parents.begin(), parents.end(), candidates[i])) {
                tried_.push_back(candidates[i]);
            }
        }
        costs_.with_each(child, parents, tried_, limit, cancel, found_);
        for (std::size_t i = 0; i < tried_.size(); ++i) {
            if (!found_[i].is_known() || found_[i].cost >= limit) continue;
            PooledFamily family{parents, found_[i]};
            family.parents.insert(
                std::lower_bound(family.parents.begin(), family.parents.end(), tried_[i]),
                tried_[i]);
            pool_.add(child, family.parents, family.cheapest);
            met.push_back(family);
            next.push_back(std::move(family));
        }
    };
    const int room = settings_.max_parents - static_cast<int>(base.size());
    for (int size = 1; size <= room && !last.empty() && !cancel; ++size) {
        next.clear();
        if (size == 2) {  // also where neither parent alone is worthwhile
            for (std::size_t i = 0; i < candidates.size() && !cancel; ++i) {
                std::vector<int> single = base;
                single.insert(std::lower_bound(single.begin(), single.end(), candidates[i]),
                              candidates[i]);
                const CheapestFamily own = costs_.of(child, single, alone);
                meet(single, i + 1, own.is_known() ? std::min(alone, own.cost) : alone);
            }
        } else {
            for (const PooledFamily& family : last) meet(family.parents, 0, family.cheapest.cost);
        }
        if (size == 1) {
            last.resize(1);  // pairs follow in any case
            continue;
        }
        const auto key = [](const PooledFamily& a, const PooledFamily& b) {
            return std::tie(a.cheapest.cost, a.parents) < std::tie(b.cheapest.cost, b.parents);
        };
        std::sort(next.begin(), next.end(), key);
        const auto same = [](const auto& a, const auto& b) { return a.parents == b.parents; };
        next.erase(std::unique(next.begin(), next.end(), same), next.end());
        if (next.size() > kBeam) next.resize(kBeam);
        std::swap(last, next);
    }
    return met;
}

void Climber::improve_window(const std::atomic<bool>& cancel) {
    const std::vector<int> window = choose_window();
    window_.reset(window, now_.parents);
    std::vector<PooledFamily> offered;
    const auto offer = [&](std::size_t place, const PooledFamily& family) {
        const bool taken =
            window_.offer(static_cast<int>(place), window_.before(family.parents),
                          family.cheapest.cost, static_cast<std::int32_t>(offered.size()));
        if (taken) offered.push_back(family);
    };
    for (std::size_t place = 0; place < window.size(); ++place) {
        const int child = window[place];
        offer(place, {now_.parents[at(child)], now_.families[at(child)]});
        for (const PooledFamily& family :
             meet_families(child, window_candidates(child, window), cancel)) {
            offer(place, family);
        }
        for (const PooledFamily& family : pool_.of(child)) offer(place, family);
        if (cancel) return;
    }
    const std::vector<std::int32_t> chosen = window_.solve();
    for (std::size_t place = 0; place < window.size(); ++place) {
        const PooledFamily& family = offered[static_cast<std::size_t>(chosen[place])];
        if (family.parents == now_.parents[at(window[place])]) continue;
        set_family(window[place], family.parents, family.cheapest);
    }
    keep_best();
}

}  // namespace noisyor
