#include "scoring/final_fits.hpp"

#include <algorithm>
#include <utility>

namespace noisyor {
namespace {

constexpr std::size_t kBatch = 16;  // families that a thread takes at a time

}  // namespace

template <int W>
FinalFits<W>::FinalFits(const SearchContext<W>& context, const ChildRelations<W>& relations,
                        const Pass<W>& pass, std::vector<Candidate<W>> found)
    : context_(context), relations_(relations), pass_(pass), candidates_(std::move(found)) {
    const auto same = [](const Candidate<W>& a, const Candidate<W>& b) {
        return a.parents == b.parents && a.relation == b.relation;
    };
    std::sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
        return a.parents == b.parents ? a.relation < b.relation : a.parents < b.parents;
    });
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), same), candidates_.end());
    sift();
    families_.resize(candidates_.size());
}

// Drops what the search would have dropped, had it known at once all that it knows now.
template <int W>
void FinalFits<W>::sift() {
    Survivors<W> survivors(std::max(1, context_.candidates));
    for (const KnownFamily<W>& known : pass_.known) survivors.add(known.free_parents, known.cost);
    for (const Candidate<W>& one : candidates_) {
        if (one.counts) survivors.add(one.parents - context_.required, one.upper);
    }
    std::erase_if(candidates_, [&](const Candidate<W>& one) {
        const double best = survivors.cheapest_subset(one.parents - context_.required);
        return one.lower > pass_.limit(best, pass_.prices.of(one.parents));
    });
}

template <int W>
std::size_t FinalFits<W>::waiting() const {
    const std::size_t next = next_;
    return next < size() ? (size() - next + kBatch - 1) / kBatch : 0;
}

template <int W>
void FinalFits<W>::work(const std::atomic<bool>& cancel) {
    std::vector<std::unique_ptr<FinalFitter<W>>> fitters;
    for (const auto& relation : relations_) fitters.push_back(relation->final_fitter());
    // The last fit of each relation, for a wider one of the same set: sets are together.
    std::vector<FinalFit> last(relations_.size());
    std::vector<VariableSet<W>> last_parents(relations_.size());
    const auto fit_one = [&](const Candidate<W>& family) -> const FinalFit& {
        const std::size_t own = family.relation;
        const std::optional<std::size_t> narrower = relations_[own]->narrower();
        if (narrower && !(last_parents[*narrower] == family.parents)) {
            last[*narrower] = fitters[*narrower]->fit(family, nullptr, cancel);
            last_parents[*narrower] = family.parents;
        }
        last[own] = fitters[own]->fit(family, narrower ? &last[*narrower] : nullptr, cancel);
        last_parents[own] = family.parents;
        return last[own];
    };
    while (!cancel) {
        const std::size_t first = next_.fetch_add(kBatch);
        if (first >= size()) break;
        const std::size_t last = std::min(size(), first + kBatch);
        for (std::size_t i = first; i < last; ++i) {
            const FinalFit& fit = fit_one(candidates_[i]);
            if (cancel) return;
            fitted_ += fit.fitted;
            unconverged_ += !fit.converged;
            families_[i] = {candidates_[i].parents,  fit.cost,       fit.lower,          0,
                            candidates_[i].relation, fit.parameters, fit.left_to_another};
            ++done_;
        }
    }
}

// In numeric order, so that m(P) is known from the subsets that stay.
template <int W>
std::vector<FinalFamily<W>> FinalFits<W>::decide() {
    Survivors<W> survivors(std::max(1, context_.candidates));
    for (const KnownFamily<W>& known : pass_.known) survivors.add(known.free_parents, known.cost);
    std::vector<FinalFamily<W>> staying;
    for (std::size_t i = 0; i < families_.size();) {
        const VariableSet<W> set = families_[i].parents, free = set - context_.required;
        const double price = pass_.prices.of(set);
        double best = survivors.cheapest_subset(free);
        std::size_t end = i;
        for (; end < families_.size() && families_[end].parents == set; ++end) {
            if (pass_.found_count) best = std::min(best, families_[end].cost);
        }
        const double limit = std::min(best + pass_.slack, price) + pass_.tolerance;
        for (; i < end; ++i) {
            FinalFamily<W>& family = families_[i];
            if (family.lower > limit || family.left_to_another) continue;
            family.excess = family.cost - price;
            if (pass_.found_count) survivors.add(free, family.cost);
            staying.push_back(std::move(family));
        }
    }
    return staying;
}

template class FinalFits<1>;
template class FinalFits<2>;
template class FinalFits<4>;
template class FinalFits<16>;
template class FinalFits<64>;

}  // namespace noisyor
