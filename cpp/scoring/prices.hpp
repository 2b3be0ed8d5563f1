// What families may cost, by branches: each has families that must have some parents and must lack
// others, and a price that falls as the parents grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/objective.hpp"
#include "scoring/settings.hpp"
#include "variable_set.hpp"

namespace noisyor {

// The branches that some set of a subtree fits, with the cuts that it still earns at its root.
struct LivePrices {
    struct Branch {
        std::uint32_t number = 0;
        double price = 0;          // at the root of the subtree
        std::size_t cuts_end = 0;  // in `cuts`
    };
    std::vector<Branch> branches;
    std::vector<std::uint32_t> cuts;
    double own = kInfinity;      // of the root itself; -inf where it fits no branch
    double highest = kInfinity;  // no set of the subtree has a higher one
};

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

    // The set fitted to each of the first branches, at most `most`: with their required parents and
    // without the excluded ones. The set itself where there is none.
    std::vector<VariableSet<W>> fitted_to_branches(const VariableSet<W>& set,
                                                   std::size_t most) const;

    // All branches, for sets between `parents` and `reach`.
    LivePrices at_root(const VariableSet<W>& parents, const VariableSet<W>& reach) const;
    // What is left for the sets between `parents` and `reach` that cost at least `floor`.
    void narrow(const LivePrices& from, const VariableSet<W>& parents, const VariableSet<W>& reach,
                double floor, LivePrices& to) const;
    // into[v] := the highest price of a set of the subtree at `parents` that has v, for v in
    // `tail`.
    void with_each(const LivePrices& live, const VariableSet<W>& parents,
                   const VariableSet<W>& tail, std::vector<double>& into) const;

  private:
    struct Cut {
        VariableSet<W> set;
        int need = 1;
        double weight = 0;
    };
    struct Branch {
        double base = 0;
        VariableSet<W> required, excluded;
        std::size_t cuts_end = 0;  // in cuts_
    };
    std::vector<Branch> branches_;
    std::vector<Cut> cuts_;
};

}  // namespace noisyor
