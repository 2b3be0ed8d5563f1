// Families as they come from and go to the caller, who numbers the variables in another way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scoring/child_search.hpp"
#include "scoring/final_fits.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// The set that the caller calls so, or, the other way round, that the search does.
template <int W>
VariableSet<W> renumbered(const VariableSet<W>& set, const std::vector<int>& number) {
    VariableSet<W> out;
    set.for_each([&](int v) { out.insert(number[static_cast<std::size_t>(v)]); });
    return out;
}

template <int W>
std::vector<KnownFamily<W>> known_families(const PassSettings& pass,
                                           const SearchContext<W>& context) {
    const std::vector<int> number = context.numbers();
    std::vector<KnownFamily<W>> known;
    for (std::size_t i = 0; i < pass.known_costs.size(); ++i) {
        const auto set = VariableSet<W>::load(&pass.known_parents[i * W]);
        known.push_back({renumbered(set, number) - context.required, pass.known_costs[i]});
    }
    return known;
}

template <int W>
std::vector<Candidate<W>> candidates_of(const FoundFamilies& found,
                                        const SearchContext<W>& context) {
    const std::vector<int> number = context.numbers();
    std::vector<Candidate<W>> candidates;
    for (std::size_t i = 0; i < found.costs.size(); ++i) {
        const auto set = VariableSet<W>::load(&found.parents[i * W]);
        candidates.push_back(
            {renumbered(set, number), found.costs[i], found.lowers[i], found.relations[i], true});
    }
    return candidates;
}

template <int W>
void append_words(std::vector<Word>& words, const VariableSet<W>& set) {
    words.insert(words.end(), set.words.begin(), set.words.end());
}

// All but the first `skipped` of them.
template <int W>
FoundFamilies found_families(const std::vector<Candidate<W>>& candidates, std::size_t skipped,
                             const SearchContext<W>& context) {
    FoundFamilies found;
    for (std::size_t i = skipped; i < candidates.size(); ++i) {
        const Candidate<W>& one = candidates[i];
        append_words(found.parents, renumbered(one.parents, context.order));
        found.relations.push_back(one.relation);
        found.costs.push_back(one.upper);
        found.lowers.push_back(one.lower);
    }
    return found;
}

// Sorts the families, whose parents are numbered as the caller does, cheapest first.
template <int W>
SearchResult sorted_result(std::vector<FinalFamily<W>>&& families) {
    std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) {
        if (a.cost != b.cost) return a.cost < b.cost;
        if (!(a.parents == b.parents)) return a.parents < b.parents;
        return a.relation < b.relation;
    });
    SearchResult out;
    out.offsets.push_back(0);
    for (const FinalFamily<W>& family : families) {
        append_words(out.parents, family.parents);
        out.relations.push_back(family.relation);
        out.costs.push_back(family.cost);
        out.gaps.push_back(family.cost - family.lower);
        out.q.insert(out.q.end(), family.q.begin(), family.q.end());
        out.offsets.push_back(static_cast<std::int64_t>(out.q.size()));
    }
    families.clear();
    return out;
}

}  // namespace noisyor
