#include "scoring/prices.hpp"

#include <algorithm>

namespace noisyor {

template <int W>
Prices<W>::Prices(const std::vector<BranchPrice>& given, const std::vector<int>& number) {
    for (const BranchPrice& one : given) add(one, number);
}

template <int W>
void Prices<W>::add(const BranchPrice& given, const std::vector<int>& number) {
    const auto renamed = [&](const std::vector<int>& variables) {
        VariableSet<W> set;
        for (const int v : variables) set.insert(number[static_cast<std::size_t>(v)]);
        return set;
    };
    const std::size_t size = given.cuts.size();
    std::vector<std::vector<std::uint32_t>> uses(size);
    std::vector<std::int32_t> values(size, 1);  // of a family that counts in all clusters
    std::vector<std::int32_t> sums(size, 0);
    std::uint32_t rounded = 0;
    for (std::size_t c = 0; c < size; ++c) {
        const PriceCut& cut = given.cuts[c];
        if (cut.parts.empty()) continue;
        sums[c] = cut.up ? 1 : 0;
        for (const std::size_t part : cut.parts) {
            sums[c] += values[part];
            uses[part].push_back(rounded);
        }
        values[c] = sums[c] >> 1;
        ++rounded;
    }
    for (std::size_t c = 0; c < size; ++c) {
        const PriceCut& cut = given.cuts[c];
        if (!cut.parts.empty()) {
            uses_of_rounded_.insert(uses_of_rounded_.end(), uses[c].begin(), uses[c].end());
            rounded_.push_back({cut.weight, sums[c], uses_of_rounded_.size()});
        } else if (cut.weight > 0 || !uses[c].empty()) {
            uses_.insert(uses_.end(), uses[c].begin(), uses[c].end());
            Cluster cluster{
                {renamed(cut.variables), cut.need, {}}, renamed(cut.own), cut.weight, uses_.size()};
            for (const auto& one : cut.classes) cluster.classes.push_back(renamed(one));
            clusters_.push_back(std::move(cluster));
        }
    }
    branches_.push_back({given.base, renamed(given.required), renamed(given.excluded), given.least,
                         given.most, clusters_.size(), rounded_.size()});
}

template <int W>
VariableSet<W> Prices<W>::Cluster::closed_by(const VariableSet<W>& parents) const {
    if (this->reached_by(parents) + 1 < this->need) return own;
    VariableSet<W> reached = parents;
    for (const VariableSet<W>& one : this->classes) {
        if (one.meets(parents)) reached = reached | one;
    }
    return (this->members - reached) | own;
}

template <int W>
bool Prices<W>::may_rise() const {
    return std::any_of(branches_.begin(), branches_.end(),
                       [](const Branch& one) { return !one.required.empty() || one.least > 0; });
}

template <int W>
double Prices<W>::of(const VariableSet<W>& parents) const {
    if (none()) return kInfinity;
    double highest = -kInfinity;
    std::vector<std::int32_t> before, sums;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        const Branch& branch = branches_[b];
        if (!branch.has(parents)) continue;
        const Range rounded = rounded_of(b);
        before.clear();
        for (std::size_t r = rounded.begin; r < rounded.end; ++r) before.push_back(rounded_[r].sum);
        sums = before;
        double price = branch.base;
        for (std::size_t c = b == 0 ? 0 : branches_[b - 1].clusters_end; c < branch.clusters_end;
             ++c) {
            if (clusters_[c].counts_with(parents)) {
                price += clusters_[c].weight;
                continue;
            }
            const Range uses = uses_of_cluster(c);
            for (std::size_t u = uses.begin; u < uses.end; ++u) --sums[uses_[u]];
        }
        highest = std::max(highest, price + halve(b, before.data(), sums.data()));
    }
    return highest;
}

template <int W>
std::vector<VariableSet<W>> Prices<W>::fitted_to_branches(const VariableSet<W>& set, int candidates,
                                                          std::size_t most) const {
    std::vector<VariableSet<W>> sets;
    for (std::size_t b = 0; b < std::min(most, branches_.size()); ++b) {
        const Branch& branch = branches_[b];
        VariableSet<W> fitted = (set - branch.excluded) | branch.required;
        const VariableSet<W> free =
            VariableSet<W>::below(candidates) - branch.excluded - branch.required;
        free.for_each([&](int v) {
            if (fitted.contains(v)) {
                if (fitted.size() > branch.most) fitted.erase(v);
            } else if (fitted.size() < branch.least) {
                fitted.insert(v);
            }
        });
        sets.push_back(fitted);
    }
    if (sets.empty()) sets.push_back(set);
    return sets;
}

template <int W>
LivePrices Prices<W>::at_root(const VariableSet<W>& parents, const VariableSet<W>& reach) const {
    LivePrices all, live;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        while (all.clusters.size() < branches_[b].clusters_end) {
            all.clusters.push_back(static_cast<std::uint32_t>(all.clusters.size()));
        }
        while (all.sums.size() < branches_[b].rounded_end) {
            all.sums.push_back(rounded_[all.sums.size()].sum);
        }
        all.branches.push_back(
            {static_cast<std::uint32_t>(b), 0, all.clusters.size(), all.sums.size()});
    }
    narrow(all, parents, reach, -kInfinity, live);
    return live;
}

// Passes on what the parts of each rounded cut have lost since `before`: `sums` are those of the
// branch, less what its clusters have lost. Returns what a family with these sums earns.
template <int W>
double Prices<W>::halve(std::size_t branch, const std::int32_t* before, std::int32_t* sums) const {
    const Range own = rounded_of(branch);
    double earned = 0;
    for (std::size_t r = own.begin; r < own.end; ++r, ++before, ++sums) {
        const std::int32_t value = *sums >> 1, lost = (*before >> 1) - value;
        earned += rounded_[r].weight * value;
        if (lost == 0) continue;
        const Range uses = uses_of_rounded(r);
        std::int32_t* const first = sums - (r - own.begin);
        for (std::size_t i = uses.begin; i < uses.end; ++i) first[uses_of_rounded_[i]] -= lost;
    }
    return earned;
}

template <int W>
void Prices<W>::narrow(const LivePrices& from, const VariableSet<W>& parents,
                       const VariableSet<W>& reach, double floor, LivePrices& to) const {
    if (none()) return;
    to.branches.clear();
    to.clusters.clear();
    to.sums.clear();
    to.own = to.highest = -kInfinity;
    std::size_t begin = 0, sums_begin = 0;
    for (const LivePrices::Branch& live : from.branches) {
        const Branch& branch = branches_[live.number];
        const std::size_t first = begin, sums_first = sums_begin;
        const std::size_t kept = to.clusters.size(), sums_kept = to.sums.size();
        begin = live.clusters_end;
        sums_begin = live.sums_end;
        if (!branch.has_between(parents, reach)) continue;
        to.sums.insert(to.sums.end(), from.sums.begin() + static_cast<std::ptrdiff_t>(sums_first),
                       from.sums.begin() + static_cast<std::ptrdiff_t>(live.sums_end));
        double price = branch.base;
        for (std::size_t i = first; i < live.clusters_end; ++i) {
            const Cluster& cluster = clusters_[from.clusters[i]];
            if (cluster.counts_with(parents)) {
                price += cluster.weight;
                to.clusters.push_back(from.clusters[i]);
                continue;
            }
            const Range uses = uses_of_cluster(from.clusters[i]);
            for (std::size_t u = uses.begin; u < uses.end; ++u) --to.sums[sums_kept + uses_[u]];
        }
        price += halve(live.number, from.sums.data() + sums_first, to.sums.data() + sums_kept);
        if (price < floor) {
            to.clusters.resize(kept);
            to.sums.resize(sums_kept);
            continue;
        }
        to.highest = std::max(to.highest, price);
        if (branch.has(parents)) to.own = std::max(to.own, price);
        to.branches.push_back({live.number, price, to.clusters.size(), to.sums.size()});
    }
}

// What a set loses in the rounded cuts of a branch if it no longer counts in the clusters listed
// for a variable. A cut is used only by later ones, so each is done when those before it are.
template <int W>
double Prices<W>::lost_without(std::size_t branch, const std::int32_t* sums, PricesWithEach& room,
                               int variable) const {
    const Range own = rounded_of(branch);
    room.lost_.resize(std::max(room.lost_.size(), own.end - own.begin));
    room.dirty_.resize(room.lost_.size() / kWordBits + 1);
    const auto take = [&](std::uint32_t r, std::int32_t lost) {
        room.lost_[r] += lost;
        room.dirty_[r / kWordBits] |= Word{1} << r % kWordBits;
    };
    for (const std::uint32_t c : room.lost_in_[static_cast<std::size_t>(variable)]) {
        const Range uses = uses_of_cluster(c);
        for (std::size_t u = uses.begin; u < uses.end; ++u) take(uses_[u], 1);
    }
    double lost = 0;
    for (std::size_t w = 0; w < room.dirty_.size(); ++w) {
        while (room.dirty_[w] != 0) {
            const std::size_t r =
                w * kWordBits + static_cast<std::size_t>(std::countr_zero(room.dirty_[w]));
            room.dirty_[w] &= room.dirty_[w] - 1;
            const std::int32_t less = (sums[r] >> 1) - ((sums[r] - room.lost_[r]) >> 1);
            room.lost_[r] = 0;
            if (less == 0) continue;
            lost += rounded_[own.begin + r].weight * less;
            const Range uses = uses_of_rounded(own.begin + r);
            for (std::size_t u = uses.begin; u < uses.end; ++u) take(uses_of_rounded_[u], less);
        }
    }
    return lost;
}

template <int W>
void Prices<W>::with_each(const LivePrices& live, const VariableSet<W>& parents,
                          const VariableSet<W>& tail, PricesWithEach& into) const {
    const auto index = [](int v) { return static_cast<std::size_t>(v); };
    std::fill(into.highest_.begin(), into.highest_.end(), none() ? kInfinity : -kInfinity);
    std::size_t begin = 0, sums_begin = 0;
    for (const LivePrices::Branch& one : live.branches) {
        const std::int32_t* const sums = live.sums.data() + sums_begin;
        const bool rounded = one.sums_end > sums_begin;
        const std::size_t first = begin;
        begin = one.clusters_end;
        sums_begin = one.sums_end;
        const Branch& branch = branches_[one.number];
        if (parents.size() >= branch.most) continue;
        VariableSet<W> open;
        (tail - branch.excluded).for_each([&](int v) {
            if (into.highest_[index(v)] >= one.price) return;
            open.insert(v);
            into.price_[index(v)] = one.price;
            into.lost_in_[index(v)].clear();
        });
        if (open.empty()) continue;
        for (std::size_t i = first; i < one.clusters_end; ++i) {
            const Cluster& cluster = clusters_[live.clusters[i]];
            (cluster.closed_by(parents) & open).for_each([&](int v) {
                into.price_[index(v)] -= cluster.weight;
                if (rounded) into.lost_in_[index(v)].push_back(live.clusters[i]);
            });
        }
        open.for_each([&](int v) {
            double& price = into.price_[index(v)];
            if (rounded && price > into.highest_[index(v)]) {
                price -= lost_without(one.number, sums, into, v);
            }
            into.highest_[index(v)] = std::max(into.highest_[index(v)], price);
        });
    }
}

template class Prices<1>;
template class Prices<2>;
template class Prices<4>;
template class Prices<16>;
template class Prices<64>;

}  // namespace noisyor
