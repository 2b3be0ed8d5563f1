// What the caller says about one relation: its code, its penalty, and its kind, which decides how
// it is searched. Nothing here knows a relation by name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fitting/family_loss.hpp"
#include "scoring/parent_states.hpp"
#include "scoring/records_view.hpp"

namespace noisyor {

struct SearchSettings;
struct RelationSpec;
template <int W>
struct SearchContext;
template <int W>
class ChildRelation;

// What a family costs besides its fit: the sum of three parts.
//   Its parameters: a price for each of
//     constant + per_state * (sum of r - 1) + per_configuration * (product of r),
//   r being the numbers of states of the parents. Where `by_configurations` is given, it says
//   instead what the product of r costs; where `function` is given, what the parents, ascending,
//   cost. Neither falls as parents are added. Several threads may call them at once.
//   The number of its parents: by_size[k], concave in k from one parent on. It may fall.
//   Each of its parents: weights[v], by variable, of either sign.
struct PenaltySpec {
    double price = 0, constant = 0, per_state = 0, per_configuration = 0;
    std::function<double(double)> by_configurations;
    std::function<double(const std::vector<int>&)> function;
    std::vector<double> by_size;  // empty: nothing
    std::vector<double> weights;  // empty: nothing

    // The parameters, where no function of the parents is given.
    double of_states(const ParentStates& states) const {
        if (by_configurations) return by_configurations(states.configurations);
        return price * (constant + per_state * states.beyond_first +
                        per_configuration * states.configurations);
    }
    double of_size(int parents) const {
        return by_size.empty() ? 0 : by_size[static_cast<std::size_t>(parents)];
    }
};

// Which candidates a relation finds useful.
struct UsefulCandidates {
    bool irreplaceable = false;  // those that a family of all candidates would miss
    bool raising = false;        // those that make the child more likely, not less
    bool lowering = false;       // those that make it less likely as well
};

// What a family of all candidates would lose without each one, by variable, in nats. Empty where
// not even that family could compete with the child on its own, and once it was cancelled.
struct CandidateLosses {
    std::vector<double> losses;
    std::int64_t fits = 0;  // made to find them
};

// One kind of relation, for sets of W words.
template <int W>
class RelationKind {
  public:
    virtual ~RelationKind() = default;

    // The relation of one child. `number` is its place among the relations in use, `memory` the
    // bytes that it may take.
    virtual std::unique_ptr<const ChildRelation<W>> make(const SearchContext<W>& context,
                                                         const RelationSpec& spec,
                                                         std::size_t number,
                                                         std::size_t memory) const = 0;
    // The bits of a record in the form that the relation reads, given the variables' numbers of
    // states; 0 where it reads none of its own.
    virtual std::size_t record_bits(const std::vector<int>& /*states*/) const { return 0; }
    // Whether it remembers its fits, and so needs a share of the memory.
    virtual bool remembers_fits() const { return false; }
    virtual UsefulCandidates useful_candidates() const { return {}; }
    // How well single families fit; none where that is as for the full table.
    virtual std::unique_ptr<FamilyLoss> family_loss() const { return nullptr; }
    // Asked of kinds to which irreplaceable candidates are useful. With `refits` there is a fit for
    // each candidate; otherwise one fit in all.
    virtual CandidateLosses losses(const RecordsView&, int /*child*/,
                                   const std::vector<int>& /*order*/, const SearchSettings&,
                                   bool /*refits*/, const std::atomic<bool>&) const {
        return {};
    }
};

struct RelationSpec {
    int code = 0;  // names the relation in the families found
    PenaltySpec penalty;
    int least_parents = 0;  // families with fewer are not wanted
    // The code of a relation that competes as well, each family of which is one of this relation's,
    // with the same penalty. A family of both is left to that relation.
    std::optional<int> narrower;
    // The kind, once for each number of words that a set may have.
    std::tuple<std::shared_ptr<const RelationKind<1>>, std::shared_ptr<const RelationKind<2>>,
               std::shared_ptr<const RelationKind<4>>, std::shared_ptr<const RelationKind<16>>,
               std::shared_ptr<const RelationKind<64>>>
        kinds;

    template <template <int> class Kind, class... Arguments>
    static RelationSpec of(int code, PenaltySpec penalty, const Arguments&... arguments) {
        return {code,
                std::move(penalty),
                0,
                {},
                std::make_tuple(std::make_shared<const Kind<1>>(arguments...),
                                std::make_shared<const Kind<2>>(arguments...),
                                std::make_shared<const Kind<4>>(arguments...),
                                std::make_shared<const Kind<16>>(arguments...),
                                std::make_shared<const Kind<64>>(arguments...))};
    }

    template <int W>
    const RelationKind<W>& kind() const {
        return *std::get<std::shared_ptr<const RelationKind<W>>>(kinds);
    }
};

}  // namespace noisyor
