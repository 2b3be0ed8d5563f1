#include "search/lattice_problem.hpp"

#include <algorithm>
#include <numeric>

namespace noisyor {
namespace {

void set_bit(CutBits& bits, std::size_t c) { bits[c / kWordBits] |= Word{1} << (c % kWordBits); }

template <int W>
std::vector<LatticeCut<W>> by_class(const std::vector<Cut<W>>& clusters) {
    std::vector<LatticeCut<W>> cuts;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        VariableSet<W> single = clusters[c].members;
        for (const VariableSet<W>& own : clusters[c].classes) {
            cuts.push_back({c, own, own, clusters[c].weight});
            single = single - own;
        }
        if (!single.empty()) cuts.push_back({c, single, {}, clusters[c].weight});
    }
    return cuts;
}

template <int W>
void fill(typename LatticeChild<W>::ByTicks& out, const FamilyTable<W>& table,
          const std::vector<std::size_t>& kept, Ticks discount, int child) {
    for (const std::size_t f : kept) {
        out.parents.push_back(table.parents[f]);
        out.base.push_back(table.ticks[f] - discount);
        out.family.push_back(f);
    }
    while (out.parents.size() % kFamilyBlock != 0) {
        out.parents.push_back(VariableSet<W>::single(child));
    }
}

}  // namespace

template <int W>
LatticeProblem<W> LatticeProblem<W>::prepare(const FamilyTable<W>& table,
                                             std::vector<Cut<W>> clusters, const Ticks* pi,
                                             const Ticks* rc, Ticks limit) {
    LatticeProblem problem;
    problem.variables = table.variables();
    problem.all = Set::below(problem.variables);
    problem.families = table.ticks.size();
    std::stable_sort(clusters.begin(), clusters.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    problem.clusters = std::move(clusters);
    problem.cuts = by_class(problem.clusters);
    problem.cut_words = (problem.cuts.size() + kWordBits - 1) / kWordBits;
    for (int v = 0; v < problem.variables; ++v) {
        LatticeChild<W>& child = problem.children.emplace_back();
        child.cuts.resize(problem.cut_words);
        std::vector<std::size_t> own;
        Ticks weights = 0;
        for (std::size_t c = 0; c < problem.cuts.size(); ++c) {
            if (!problem.cuts[c].children.contains(v)) continue;
            set_bit(child.cuts, c);
            own.push_back(c);
            weights += problem.cuts[c].weight;
        }
        const auto row = static_cast<std::size_t>(v);
        std::vector<std::size_t> kept;
        for (std::size_t f = table.first[row]; f < table.first[row + 1]; ++f) {
            if (rc[f] <= limit) kept.push_back(f);
        }
        fill<W>(child.by_ticks, table, kept, pi[v] + weights, v);
        std::stable_sort(kept.begin(), kept.end(),
                         [rc](std::size_t a, std::size_t b) { return rc[a] < rc[b]; });
        for (const std::size_t f : kept) {
            CutBits counted(problem.cut_words);
            for (const std::size_t c : own) {
                const LatticeCut<W>& cut = problem.cuts[c];
                if (problem.clusters[cut.cluster].counts(cut.own, table.parents[f])) {
                    set_bit(counted, c);
                }
            }
            child.by_rc.parents.push_back(table.parents[f]);
            child.parents = child.parents | table.parents[f];
            child.by_rc.rc.push_back(rc[f]);
            child.by_rc.counted.insert(child.by_rc.counted.end(), counted.begin(), counted.end());
        }
    }
    return problem;
}

template <int W>
void LatticeProblem<W>::saturated(const Set& subset, CutBits& out) const {
    out.assign(cut_words, 0);
    for (std::size_t c = 0; c < cuts.size();) {
        const std::size_t cluster = cuts[c].cluster;
        const bool all = clusters[cluster].reached_by(subset) >= clusters[cluster].need;
        for (; c < cuts.size() && cuts[c].cluster == cluster; ++c) {
            if (all || cuts[c].own.meets(subset)) set_bit(out, c);
        }
    }
}

template struct LatticeProblem<1>;
template struct LatticeProblem<2>;
template struct LatticeProblem<4>;
template struct LatticeProblem<16>;

}  // namespace noisyor
