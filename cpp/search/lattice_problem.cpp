#include "search/lattice_problem.hpp"

#include <algorithm>
#include <numeric>

namespace noisyor {
namespace {

template <int W>
void set_bits(CutBits& bits, const std::vector<Cut<W>>& cuts, auto&& holds) {
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        bits[c / kWordBits] |= Word{holds(cuts[c])} << (c % kWordBits);
    }
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
LatticeProblem<W> LatticeProblem<W>::prepare(const FamilyTable<W>& table, std::vector<Cut<W>> cuts,
                                             const Ticks* pi, const Ticks* rc, Ticks limit) {
    LatticeProblem problem;
    problem.variables = table.variables();
    problem.all = Set::below(problem.variables);
    problem.families = table.ticks.size();
    std::stable_sort(cuts.begin(), cuts.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    problem.cuts = std::move(cuts);
    problem.cut_words = (problem.cuts.size() + kWordBits - 1) / kWordBits;
    for (int v = 0; v < problem.variables; ++v) {
        LatticeChild<W>& child = problem.children.emplace_back();
        child.cuts.resize(problem.cut_words);
        set_bits(child.cuts, problem.cuts, [v](const Cut<W>& c) { return c.members.contains(v); });
        Ticks weights = 0;
        for (const Cut<W>& cut : problem.cuts) {
            if (cut.members.contains(v)) weights += cut.weight;
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
            set_bits(counted, problem.cuts, [&](const Cut<W>& c) {
                return c.members.contains(v) && c.counts(table.parents[f]);
            });
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
    set_bits(out, cuts, [&](const Cut<W>& c) { return !c.counts(subset); });
}

template struct LatticeProblem<1>;
template struct LatticeProblem<2>;
template struct LatticeProblem<4>;
template struct LatticeProblem<16>;

}  // namespace noisyor
