// Clusters, and cuts rounded from sums of others; search/bounds/cut_system.py proves them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/families.hpp"
#include "search/reduced_costs.hpp"

namespace noisyor {

using Coefficient = std::int32_t;

// The arrays of a system, as Python has them: the members of a rounded cut are the children that
// it rounds down.
struct CutArrays {
    ClusterArrays clusters;
    const std::int64_t* first_part = nullptr;
    const std::int64_t* parts = nullptr;
};

// Cut c is a cluster if it has no parts. Otherwise its coefficient is half the sum of those of its
// parts, rounded down for the families of the children in `clusters[c].members`, up for others.
// Parts come before the cuts that are made of them.
template <int W>
struct CutSystem {
    std::vector<ClassedCluster<W>> clusters;
    std::vector<std::size_t> first;  // of the parts of each cut
    std::vector<std::size_t> parts;

    std::size_t size() const { return clusters.size(); }
    int need(std::size_t c) const { return clusters[c].need; }
    const VariableSet<W>& set(std::size_t c) const { return clusters[c].members; }
    bool is_rounded(std::size_t c) const { return first[c] != first[c + 1]; }
    bool is_plain_cluster(std::size_t c) const { return !is_rounded(c) && clusters[c].is_plain(); }

    static CutSystem load(const CutArrays& given) {
        CutSystem system;
        const std::size_t size = given.clusters.size;
        system.clusters = load_clusters<W>(given.clusters);
        system.first.assign(given.first_part, given.first_part + size + 1);
        system.parts.assign(given.parts, given.parts + given.first_part[size]);
        return system;
    }
};

// Finds the coefficients of families in the wanted cuts of a system, block by block.
template <int W>
class CutCoefficients {
  public:
    static constexpr std::size_t kBlock = 128;  // families at a time

    CutCoefficients(const CutSystem<W>& system, const std::vector<std::size_t>& wanted)
        : system_(system), needed_(system.size(), 0), values_(system.size() * kBlock) {
        for (std::size_t c : wanted) needed_[c] = 1;
        for (std::size_t c = system.size(); c-- > 0;) {
            if (!needed_[c]) continue;
            for (auto p = system.first[c]; p < system.first[c + 1]; ++p) {
                needed_[system.parts[p]] = 1;
            }
        }
    }

    // Chooses the child whose families come next.
    void choose(int child) {
        child_ = child;
        touched_.clear();
        is_touched_.assign(system_.size(), 0);
        for (std::size_t c = 0; c < system_.size(); ++c) {
            if (!needed_[c]) continue;
            bool touched = !system_.is_rounded(c) && system_.set(c).contains(child);
            for (auto p = system_.first[c]; p < system_.first[c + 1]; ++p) {
                touched = touched || is_touched_[system_.parts[p]];
            }
            if (!touched) continue;
            is_touched_[c] = 1;
            touched_.push_back(c);
        }
    }

    // Whether a cut, wanted or part of one, may have coefficients other than 0 for the child.
    bool touches(std::size_t c) const { return is_touched_[c] != 0; }

    // Computes the coefficients of at most kBlock families of the child; see `of`.
    void compute(const Word* parents, std::size_t size) {
        for (std::size_t c : touched_) {
            Coefficient* own = &values_[c * kBlock];
            if (system_.is_rounded(c)) {
                halve(c, size, own);
            } else if (system_.is_plain_cluster(c)) {
                count(system_.set(c), system_.need(c), parents, size, own);
            } else {
                count(system_.clusters[c], parents, size, own);
            }
        }
    }

    // The coefficients in a cut that touches the child, in the order of the families.
    const Coefficient* of(std::size_t c) const { return &values_[c * kBlock]; }

  private:
    static void count(const VariableSet<W>& cluster, int need, const Word* parents,
                      std::size_t size, Coefficient* out) {
        for (std::size_t f = 0; f < size; ++f) {
            const auto inside = VariableSet<W>::load(parents + f * W) & cluster;
            out[f] = need == 1 ? inside.empty() : inside.size() < need;
        }
    }

    void count(const ClassedCluster<W>& cluster, const Word* parents, std::size_t size,
               Coefficient* out) const {
        const VariableSet<W> own = cluster.class_of(child_);
        for (std::size_t f = 0; f < size; ++f) {
            out[f] = cluster.counts(own, VariableSet<W>::load(parents + f * W));
        }
    }

    void halve(std::size_t c, std::size_t size, Coefficient* out) const {
        std::fill(out, out + size, system_.set(c).contains(child_) ? 0 : 1);
        for (auto p = system_.first[c]; p < system_.first[c + 1]; ++p) {
            const std::size_t part = system_.parts[p];
            if (!is_touched_[part]) continue;
            const Coefficient* values = &values_[part * kBlock];
            for (std::size_t f = 0; f < size; ++f) out[f] += values[f];
        }
        for (std::size_t f = 0; f < size; ++f) out[f] >>= 1;
    }

    const CutSystem<W>& system_;
    int child_ = 0;
    std::vector<char> needed_;
    std::vector<char> is_touched_;
    std::vector<std::size_t> touched_;  // ascending
    std::vector<Coefficient> values_;
};

// The coefficients of any families in the wanted cuts, shape (wanted, families).
template <int W>
std::vector<Coefficient> cut_coefficients(const CutSystem<W>& system,
                                          const std::vector<std::size_t>& wanted, std::size_t size,
                                          const std::int32_t* children, const Word* parents) {
    std::vector<Coefficient> out(wanted.size() * size, 0);
    CutCoefficients<W> values(system, wanted);
    constexpr std::size_t kBlock = CutCoefficients<W>::kBlock;
    std::vector<std::size_t> order(size);
    for (std::size_t f = 0; f < size; ++f) order[f] = f;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return children[a] < children[b]; });
    std::vector<Word> block(kBlock * W);
    for (std::size_t from = 0; from < size;) {
        const int child = children[order[from]];
        if (from == 0 || children[order[from - 1]] != child) values.choose(child);
        std::size_t to = from;
        while (to < size && to - from < kBlock && children[order[to]] == child) {
            std::copy_n(parents + order[to] * W, W, &block[(to - from) * W]);
            ++to;
        }
        values.compute(block.data(), to - from);
        for (std::size_t w = 0; w < wanted.size(); ++w) {
            if (!values.touches(wanted[w])) continue;
            const Coefficient* own = values.of(wanted[w]);
            for (std::size_t f = from; f < to; ++f) out[w * size + order[f]] = own[f - from];
        }
        from = to;
    }
    return out;
}

// What weights on the cuts of a system leave of each family's cost.
template <int W>
ReducedCosts system_reduced_costs(const FamilyTable<W>& table, const CutSystem<W>& system,
                                  const Ticks* weights) {
    ReducedCosts out;
    out.rc = table.ticks;
    std::vector<std::size_t> wanted;
    for (std::size_t c = 0; c < system.size(); ++c) {
        if (weights[c] > 0) wanted.push_back(c);
    }
    CutCoefficients<W> values(system, wanted);
    constexpr std::size_t kBlock = CutCoefficients<W>::kBlock;
    for (int v = 0; v < table.variables(); ++v) {
        values.choose(v);
        const std::size_t begin = table.first[v];
        const std::size_t end = table.first[v + 1];
        for (std::size_t from = begin; from < end; from += kBlock) {
            const std::size_t size = std::min(kBlock, end - from);
            values.compute(table.parents[from].words.data(), size);
            for (std::size_t c : wanted) {
                if (!values.touches(c)) continue;
                const Coefficient* own = values.of(c);
                for (std::size_t f = 0; f < size; ++f) out.rc[from + f] -= weights[c] * own[f];
            }
        }
        const Ticks least = *std::min_element(out.rc.begin() + begin, out.rc.begin() + end);
        out.pi.push_back(least);
        for (std::size_t f = begin; f < end; ++f) out.rc[f] -= least;
    }
    return out;
}

}  // namespace noisyor
