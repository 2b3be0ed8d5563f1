#include "climbing/window.hpp"

#include <algorithm>
#include <stdexcept>

namespace noisyor {
namespace {

std::size_t at(int value) { return static_cast<std::size_t>(value); }

}  // namespace

void WindowSearch::reset(std::span<const int> window,
                         const std::vector<std::vector<int>>& parents) {
    if (window.size() > at(kMost)) throw std::invalid_argument("the window is too large");
    size_ = window.size();
    const std::size_t n = parents.size();
    above_.assign(n, 0);
    std::vector<char> inside(n, 0);
    for (std::size_t place = 0; place < size_; ++place) {
        inside[at(window[place])] = 1;
        above_[at(window[place])] = WindowSet{1} << place;
    }
    // The others in an order in which parents come first, as far as these are fixed.
    std::vector<std::vector<int>> children(n);
    std::vector<int> waiting(n, 0), ready;
    for (std::size_t v = 0; v < n; ++v) {
        if (inside[v]) continue;
        for (const int parent : parents[v]) {
            if (inside[at(parent)]) {
                above_[v] |= above_[at(parent)];
            } else {
                children[at(parent)].push_back(static_cast<int>(v));
                ++waiting[v];
            }
        }
        if (waiting[v] == 0) ready.push_back(static_cast<int>(v));
    }
    while (!ready.empty()) {
        const int v = ready.back();
        ready.pop_back();
        for (const int child : children[at(v)]) {
            above_[at(child)] |= above_[at(v)];
            if (--waiting[at(child)] == 0) ready.push_back(child);
        }
    }
    families_.assign(size_ * subsets(), {});
}

WindowSet WindowSearch::before(std::span<const int> parents) const {
    WindowSet set = 0;
    for (const int parent : parents) set |= above_[at(parent)];
    return set;
}

bool WindowSearch::offer(int place, WindowSet before, double cost, std::int32_t id) {
    if (before >> place & 1) return false;  // the child would be its own ancestor
    Cheapest& own = families_[at(place) * subsets() + before];
    if (cost >= own.cost) return false;
    own = {cost, id};
    return true;
}

std::vector<std::int32_t> WindowSearch::solve() {
    const std::size_t all = subsets();
    for (std::size_t place = 0; place < size_; ++place) {  // the cheapest within each set
        Cheapest* own = &families_[place * all];
        for (std::size_t bit = 1; bit < all; bit <<= 1) {
            for (std::size_t set = 0; set < all; ++set) {
                if ((set & bit) && own[set ^ bit].cost < own[set].cost) own[set] = own[set ^ bit];
            }
        }
    }
    costs_.assign(all, kInfinity);
    sinks_.assign(all, 0);
    costs_[0] = 0;
    for (std::size_t set = 1; set < all; ++set) {
        for (std::size_t place = 0; place < size_; ++place) {
            const std::size_t bit = std::size_t{1} << place;
            if (!(set & bit)) continue;
            const double cost = costs_[set ^ bit] + families_[place * all + (set ^ bit)].cost;
            if (cost < costs_[set]) {
                costs_[set] = cost;
                sinks_[set] = static_cast<std::uint8_t>(place);
            }
        }
    }
    std::vector<std::int32_t> chosen;
    if (costs_[all - 1] == kInfinity) return chosen;
    chosen.resize(size_);
    for (std::size_t set = all - 1; set != 0;) {
        const std::size_t place = sinks_[set];
        set ^= std::size_t{1} << place;
        chosen[place] = families_[place * all + set].id;
    }
    return chosen;
}

}  // namespace noisyor
