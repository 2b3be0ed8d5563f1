// What families may cost, by branches: each has families that must have some parents and must lack
// others, and a range of their number, and a price that falls as the parents grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "classed_cluster.hpp"
#include "fitting/objective.hpp"
#include "scoring/settings.hpp"
#include "variable_set.hpp"

namespace noisyor {

// The branches that some set of a subtree fits, with the clusters in which its root still counts.
struct LivePrices {
    struct Branch {
        std::uint32_t number = 0;
        double price = 0;              // at the root of the subtree
        std::size_t clusters_end = 0;  // in `clusters`
        std::size_t sums_end = 0;      // in `sums`
    };
    std::vector<Branch> branches;
    std::vector<std::uint32_t> clusters;
    std::vector<std::int32_t> sums;  // to be halved, at the root, of each rounded cut of a branch
    double own = kInfinity;          // of the root itself; -inf where it fits no branch
    double highest = kInfinity;      // no set of the subtree has a higher one
};

// The highest prices of the sets of a subtree that have a certain candidate, and room to find them.
class PricesWithEach {
  public:
    explicit PricesWithEach(std::size_t variables)
        : highest_(variables), price_(variables), lost_in_(variables) {}
    double of(int variable) const { return highest_[static_cast<std::size_t>(variable)]; }

  private:
    template <int W>
    friend class Prices;
    std::vector<double> highest_, price_;
    std::vector<std::vector<std::uint32_t>> lost_in_;  // clusters in which a set no longer counts
    std::vector<std::int32_t> lost_;                   // of the sum of each rounded cut
    std::vector<Word> dirty_;                          // rounded cuts that lost something
};

// Coefficients do not grow with the parents: that is so for clusters, and sums and halves keep it
// so. Hence the price of a set is at least that of each larger one that fits the same branches.
template <int W>
class Prices {
  public:
    Prices() = default;
    // `number[v]` is the search's number of variable v.
    Prices(const std::vector<BranchPrice>& given, const std::vector<int>& number);

    bool none() const { return branches_.empty(); }
    // Whether a set may have a higher price than a subset of it.
    bool may_rise() const;
    // The price of a family; infinite without any.
    double of(const VariableSet<W>& parents) const;

    // The set fitted to each of the first branches, at most `most`: with their required parents,
    // without the excluded ones, and of a size that fits if there are enough candidates, which are
    // numbered from 0. The set itself where there is no branch.
    std::vector<VariableSet<W>> fitted_to_branches(const VariableSet<W>& set, int candidates,
                                                   std::size_t most) const;

    // All branches, for sets between `parents` and `reach`.
    LivePrices at_root(const VariableSet<W>& parents, const VariableSet<W>& reach) const;
    // What is left for the sets between `parents` and `reach` that cost at least `floor`.
    void narrow(const LivePrices& from, const VariableSet<W>& parents, const VariableSet<W>& reach,
                double floor, LivePrices& to) const;
    // into.of(v) := the highest price of a set of the subtree at `parents` that has v, for v in
    // `tail`.
    void with_each(const LivePrices& live, const VariableSet<W>& parents,
                   const VariableSet<W>& tail, PricesWithEach& into) const;

  private:
    struct Cluster : ClassedCluster<W> {
        VariableSet<W> own;  // the class of the child
        double weight = 0;
        std::size_t uses_end = 0;  // in uses_

        bool counts_with(const VariableSet<W>& parents) const { return this->counts(own, parents); }
        // Of a set that counts, the variables with any of which it would no longer count.
        VariableSet<W> closed_by(const VariableSet<W>& parents) const;
    };
    struct Rounded {
        double weight = 0;
        std::int32_t sum = 0;      // to be halved, of a family that counts in all clusters
        std::size_t uses_end = 0;  // in uses_of_rounded_
    };
    struct Branch {
        double base = 0;
        VariableSet<W> required, excluded;
        int least = 0, most = 0;       // number of parents
        std::size_t clusters_end = 0;  // in clusters_
        std::size_t rounded_end = 0;   // in rounded_

        bool has(const VariableSet<W>& parents) const { return has_between(parents, parents); }
        // Whether some set between `parents` and `reach` fits.
        bool has_between(const VariableSet<W>& parents, const VariableSet<W>& reach) const {
            return !excluded.meets(parents) && required.is_subset_of(reach) &&
                   parents.size() <= most && reach.size() >= least;
        }
    };
    struct Range {
        std::size_t begin, end;
    };
    static Range range(const auto& list, std::size_t i, auto end_of) {
        return {i == 0 ? 0 : end_of(list[i - 1]), end_of(list[i])};
    }
    Range uses_of_cluster(std::size_t c) const {
        return range(clusters_, c, [](const Cluster& one) { return one.uses_end; });
    }
    Range uses_of_rounded(std::size_t r) const {
        return range(rounded_, r, [](const Rounded& one) { return one.uses_end; });
    }
    Range rounded_of(std::size_t branch) const {
        return range(branches_, branch, [](const Branch& one) { return one.rounded_end; });
    }

    void add(const BranchPrice& given, const std::vector<int>& number);
    double halve(std::size_t branch, const std::int32_t* before, std::int32_t* sums) const;
    double lost_without(std::size_t branch, const std::int32_t* sums, PricesWithEach& room,
                        int variable) const;

    std::vector<Branch> branches_;
    std::vector<Cluster> clusters_;
    std::vector<Rounded> rounded_;
    // The rounded cuts that clusters, or rounded cuts, are parts of, numbered within their branch.
    std::vector<std::uint32_t> uses_, uses_of_rounded_;
};

}  // namespace noisyor
