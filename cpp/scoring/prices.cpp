#include "scoring/prices.hpp"

#include <algorithm>

namespace noisyor {

template <int W>
Prices<W>::Prices(const std::vector<BranchPrice>& given, const std::vector<int>& number) {
    const auto renamed = [&](const std::vector<int>& variables) {
        VariableSet<W> set;
        for (const int v : variables) set.insert(number[static_cast<std::size_t>(v)]);
        return set;
    };
    for (const BranchPrice& one : given) {
        for (const PriceCut& cut : one.cuts) {
            if (cut.weight > 0) cuts_.push_back({renamed(cut.variables), cut.need, cut.weight});
        }
        branches_.push_back({one.base, renamed(one.required), renamed(one.excluded), cuts_.size()});
    }
}

template <int W>
bool Prices<W>::may_rise() const {
    return std::any_of(branches_.begin(), branches_.end(),
                       [](const Branch& branch) { return !branch.required.empty(); });
}

template <int W>
double Prices<W>::of(const VariableSet<W>& parents) const {
    if (none()) return kInfinity;
    double highest = -kInfinity;
    std::size_t cut = 0;
    for (const Branch& branch : branches_) {
        double price = branch.base;
        for (; cut < branch.cuts_end; ++cut) {
            if ((cuts_[cut].set & parents).size() < cuts_[cut].need) price += cuts_[cut].weight;
        }
        if (branch.required.is_subset_of(parents) && !branch.excluded.meets(parents)) {
            highest = std::max(highest, price);
        }
    }
    return highest;
}

template <int W>
std::vector<VariableSet<W>> Prices<W>::fitted_to_branches(const VariableSet<W>& set,
                                                          std::size_t most) const {
    std::vector<VariableSet<W>> sets;
    for (std::size_t b = 0; b < std::min(most, branches_.size()); ++b) {
        sets.push_back((set - branches_[b].excluded) | branches_[b].required);
    }
    if (sets.empty()) sets.push_back(set);
    return sets;
}

template <int W>
LivePrices Prices<W>::at_root(const VariableSet<W>& parents, const VariableSet<W>& reach) const {
    LivePrices all, live;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        while (all.cuts.size() < branches_[b].cuts_end) {
            all.cuts.push_back(static_cast<std::uint32_t>(all.cuts.size()));
        }
        all.branches.push_back({static_cast<std::uint32_t>(b), 0, all.cuts.size()});
    }
    narrow(all, parents, reach, -kInfinity, live);
    return live;
}

template <int W>
void Prices<W>::narrow(const LivePrices& from, const VariableSet<W>& parents,
                       const VariableSet<W>& reach, double floor, LivePrices& to) const {
    if (none()) return;
    to.branches.clear();
    to.cuts.clear();
    to.own = to.highest = -kInfinity;
    std::size_t begin = 0;
    for (const LivePrices::Branch& live : from.branches) {
        const Branch& branch = branches_[live.number];
        const std::size_t first = begin, kept = to.cuts.size();
        begin = live.cuts_end;
        if (branch.excluded.meets(parents) || !branch.required.is_subset_of(reach)) continue;
        double price = branch.base;
        for (std::size_t i = first; i < live.cuts_end; ++i) {
            const Cut& cut = cuts_[from.cuts[i]];
            if ((cut.set & parents).size() >= cut.need) continue;
            price += cut.weight;
            to.cuts.push_back(from.cuts[i]);
        }
        if (price < floor) {
            to.cuts.resize(kept);
            continue;
        }
        to.highest = std::max(to.highest, price);
        if (branch.required.is_subset_of(parents)) to.own = std::max(to.own, price);
        to.branches.push_back({live.number, price, to.cuts.size()});
    }
}

template <int W>
void Prices<W>::with_each(const LivePrices& live, const VariableSet<W>& parents,
                          const VariableSet<W>& tail, std::vector<double>& into) const {
    std::fill(into.begin(), into.end(), none() ? kInfinity : -kInfinity);
    std::vector<double> price(into.size());
    std::size_t begin = 0;
    for (const LivePrices::Branch& one : live.branches) {
        const VariableSet<W> open = tail - branches_[one.number].excluded;
        open.for_each([&](int v) { price[static_cast<std::size_t>(v)] = one.price; });
        for (; begin < one.cuts_end; ++begin) {
            const Cut& cut = cuts_[live.cuts[begin]];
            if ((cut.set & parents).size() + 1 < cut.need) continue;
            (cut.set & open).for_each([&](int v) {
                price[static_cast<std::size_t>(v)] -= cut.weight;
            });
        }
        open.for_each([&](int v) {
            const auto i = static_cast<std::size_t>(v);
            into[i] = std::max(into[i], price[i]);
        });
    }
}

template class Prices<1>;
template class Prices<2>;
template class Prices<4>;
template class Prices<16>;
template class Prices<64>;

}  // namespace noisyor
