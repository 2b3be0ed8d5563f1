// Conversion of families from and to the caller, whose variables are numbered differently.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scoring/final_fits.hpp"
#include "scoring/relation_search.hpp"
#include "scoring/search_context.hpp"
#include "scoring/survivors.hpp"

namespace noisyor {

// The set in another numbering: from the caller's to the search's, or back.
template <int W>
VariableSet<W> renumbered(const VariableSet<W>& set, const std::vector<int>& number) {
    VariableSet<W> out;
    set.for_each([&](int v) { out.insert(number[static_cast<std::size_t>(v)]); });
    return out;
}

template <int W>
std::vector<KnownFamily<W>> known_families(const FamilyColumns& known,
                                           const SearchContext<W>& context) {
    const std::vector<int> number = context.numbers();
    std::vector<KnownFamily<W>> families;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const auto set =
            VariableSet<W>::load(&known.parents[i * known.word_count], known.word_count);
        families.push_back({renumbered(set, number) - context.required, known.costs[i]});
    }
    return families;
}

template <int W>
std::vector<Candidate<W>> candidates_of(const FamilyColumns& found,
                                        const ChildRelations<W>& relations,
                                        const SearchContext<W>& context) {
    const std::vector<int> number = context.numbers();
    std::vector<Candidate<W>> candidates;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto set =
            VariableSet<W>::load(&found.parents[i * found.word_count], found.word_count);
        const auto relation =
            std::find_if(relations.begin(), relations.end(),
                         [&](const auto& one) { return one->code() == found.relations[i]; });
        candidates.push_back({renumbered(set, number), found.costs[i], found.lowers[i],
                              (*relation)->number(), true});
    }
    return candidates;
}

// In as many words as the caller's sets have.
template <int W>
void append_words(std::vector<Word>& words, const VariableSet<W>& set, std::size_t word_count) {
    words.insert(words.end(), set.words.data(), set.words.data() + word_count);
}

template <int W>
void append_family(FamilyColumns& to, const VariableSet<W>& parents, int code, double cost,
                   double lower, const std::vector<double>& parameters) {
    append_words(to.parents, parents, to.word_count);
    to.relations.push_back(static_cast<std::uint8_t>(code));
    to.costs.push_back(cost);
    to.lowers.push_back(lower);
    to.parameters.insert(to.parameters.end(), parameters.begin(), parameters.end());
    to.offsets.push_back(static_cast<std::int64_t>(to.parameters.size()));
}

// All but the first `skipped` of them.
template <int W>
FamilyColumns found_families(const std::vector<Candidate<W>>& candidates, std::size_t skipped,
                             const ChildRelations<W>& relations, const SearchContext<W>& context) {
    FamilyColumns found{.word_count = set_words(static_cast<int>(context.order.size()))};
    for (std::size_t i = skipped; i < candidates.size(); ++i) {
        const Candidate<W>& one = candidates[i];
        append_family(found, renumbered(one.parents, context.order),
                      relations[one.relation]->code(), one.upper, one.lower, {});
    }
    return found;
}

// Sorts the families, whose parents have the caller's numbers, cheapest first. Their sets take
// `word_count` words.
template <int W>
FamilyColumns sorted_families(std::vector<FinalFamily<W>>&& families,
                              const ChildRelations<W>& relations, std::size_t word_count) {
    std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) {
        if (a.cost != b.cost) return a.cost < b.cost;
        if (!(a.parents == b.parents)) return a.parents < b.parents;
        return a.relation < b.relation;
    });
    FamilyColumns out{.word_count = word_count};
    for (const FinalFamily<W>& one : families) {
        append_family(out, one.parents, relations[one.relation]->code(), one.cost, one.lower,
                      one.parameters);
    }
    families.clear();
    return out;
}

}  // namespace noisyor
