// What the walk through the members is given: families, cuts with weights, and a limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/cut_system.hpp"
#include "search/families.hpp"

namespace noisyor {

// A cluster without classes, or another cut, whose coefficients are stored for each family. The
// members are the children whose families have coefficients.
template <int W>
struct WalkCut : Cut<W> {
    std::vector<Coefficient> coefficients;
    int largest = 1;

    int coefficient(std::uint32_t family, const VariableSet<W>& parents) const {
        if (coefficients.empty()) return (this->members & parents).size() < this->need ? 1 : 0;
        return coefficients[family];
    }
    // How much a family adds beyond the need to those that have reached `total` so far.
    int beyond(int total, int coefficient) const {
        return std::clamp(total + coefficient - this->need, 0, coefficient);
    }
};

// What the walk may leave out, each proven in docs/search.md. Tests switch them off.
struct WalkRules {
    bool groups = true;  // branch on what can lie above a child, not on each of its families
    bool merges = true;  // look up sums of several lists in a leaf, not of one
};

template <int W>
struct MemberProblem {
    FamilyTable<W> table;
    std::vector<WalkCut<W>> cuts;
    std::vector<Ticks> rc;
    Ticks limit = 0;   // a member's ticks are at most this
    Ticks budget = 0;  // limit less the duals' lower bound
    WalkRules rules;

    // The cuts in which each family has a coefficient: from cut_first[f] to cut_first[f + 1].
    struct Entry {
        std::uint32_t cut;
        int coefficient;
    };
    std::vector<std::uint32_t> cut_first;
    std::vector<Entry> entries;

    // Takes the cuts of a system that have weight.
    void take_cuts(const CutSystem<W>& system, const Ticks* weights) {
        std::vector<std::size_t> others;
        for (std::size_t c = 0; c < system.size(); ++c) {
            if (weights[c] <= 0) continue;
            if (!system.is_plain_cluster(c)) {
                others.push_back(c);
                continue;
            }
            WalkCut<W> cut;
            cut.members = system.set(c);
            cut.need = system.need(c);
            cut.weight = weights[c];
            cuts.push_back(std::move(cut));
        }
        CutCoefficients<W> values(system, others);
        const std::size_t clusters = cuts.size();
        for (std::size_t c : others) {
            WalkCut<W> cut;
            cut.need = system.need(c);
            cut.weight = weights[c];
            cut.coefficients.assign(table.parents.size(), 0);
            cuts.push_back(std::move(cut));
        }
        for (int v = 0; v < table.variables(); ++v) {
            values.choose(v);
            constexpr std::size_t kBlock = CutCoefficients<W>::kBlock;
            for (std::size_t from = table.first[v]; from < table.first[v + 1]; from += kBlock) {
                const std::size_t size = std::min(kBlock, table.first[v + 1] - from);
                values.compute(table.parents[from].words.data(), size);
                for (std::size_t i = 0; i < others.size(); ++i) {
                    if (!values.touches(others[i])) continue;
                    store(cuts[clusters + i], v, from, values.of(others[i]), size);
                }
            }
        }
    }

    static void store(WalkCut<W>& cut, int child, std::size_t from, const Coefficient* values,
                      std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            if (values[i] == 0) continue;
            cut.coefficients[from + i] = values[i];
            cut.largest = std::max(cut.largest, values[i]);
            cut.members.insert(child);
        }
    }

    void index_cuts() {
        cut_first.assign(1, 0);
        entries.clear();
        for (int v = 0; v < table.variables(); ++v) {
            for (std::size_t f = table.first[v]; f < table.first[v + 1]; ++f) {
                for (std::size_t c = 0; c < cuts.size(); ++c) {
                    if (!cuts[c].members.contains(v)) continue;
                    const int own =
                        cuts[c].coefficient(static_cast<std::uint32_t>(f), table.parents[f]);
                    if (own > 0) entries.push_back({static_cast<std::uint32_t>(c), own});
                }
                cut_first.push_back(static_cast<std::uint32_t>(entries.size()));
            }
        }
    }
};

}  // namespace noisyor
