#include "climbing/family_costs.hpp"

#include <algorithm>
#include <bit>

#include "search/random.hpp"

namespace noisyor {
namespace {

constexpr std::uint64_t kKeySeed = 0x6e6f6973796f72ULL;
constexpr std::int64_t kLargestTabulated = 1 << 20;
constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};
constexpr int kMostStatesInBits = 9;  // so that bits take no more memory than codes
constexpr std::size_t kMostProducts =
    128;  // of bits: with more, to pass over the records is quicker

std::int64_t total_of(const RecordsView& view) {
    std::int64_t total = 0;
    for (std::size_t r = 0; r < view.size; ++r) total += view.weights[r];
    return total;
}

std::int64_t common(const Word* one, const Word* other, std::size_t words) {
    std::int64_t bits = 0;
    for (std::size_t w = 0; w < words; ++w) bits += std::popcount(one[w] & other[w]);
    return bits;
}

}  // namespace

FamilyCosts::FamilyCosts(const RecordsView& view,
                         const std::vector<std::vector<RelationSpec>>& relations)
    : states_(view.states),
      weights_(view.weights, view.weights + view.size),
      weighted_(std::any_of(weights_.begin(), weights_.end(), [](auto w) { return w != 1; })),
      terms_(std::min(total_of(view), kLargestTabulated)) {
    const std::size_t n = states_.size();
    codes_.assign(n, std::vector<std::uint8_t>(view.size));
    for (std::size_t r = 0; r < view.size; ++r) {
        for (std::size_t v = 0; v < n; ++v) codes_[v][r] = view.row(r)[v];
    }
    Random random(kKeySeed);
    for (std::size_t v = 0; v < n; ++v) {
        variable_keys_.push_back({random.next(), random.next()});
        child_keys_.push_back({random.next(), random.next()});
        relations_.emplace_back();
        for (const RelationSpec& spec : relations[v]) {
            relations_[v].push_back(
                {spec.penalty, spec.least_parents, spec.kind<1>().family_loss()});
        }
    }
    cell_.assign(view.size, 0);
    example_.assign(1, 0);
    if (!weighted_) find_bits();
}

void FamilyCosts::find_bits() {
    words_ = (cell_.size() + kWordBits - 1) / kWordBits;
    bits_.resize(states_.size());
    for (std::size_t v = 0; v < states_.size(); ++v) {
        if (states_[v] > kMostStatesInBits) continue;
        bits_[v].assign(at(states_[v] - 1) * words_, 0);
        for (std::size_t r = 0; r < cell_.size(); ++r) {
            if (codes_[v][r] > 0) set_bit(&bits_[v][(codes_[v][r] - 1u) * words_], r);
        }
    }
}

FamilyKey FamilyCosts::key_of(int child, std::span<const int> parents) const {
    FamilyKey key = child_keys_[at(child)];
    for (const int v : parents) key.toggle(variable_keys_[at(v)]);
    return key;
}

// What is known of a family suffices if it is its cost, or that it costs the limit at least.
const CheapestFamily* FamilyCosts::recall(const FamilyKey& key, double limit) const {
    const CheapestFamily* found = known_.find(key);
    return found && (found->is_known() || found->cost >= limit) ? found : nullptr;
}

void FamilyCosts::remember(const FamilyKey& key, const CheapestFamily& cheapest, double limit) {
    known_.put(key, cheapest.is_known() ? cheapest : CheapestFamily{limit, -1});
}

// Numbers the configurations of the parents that occur.
void FamilyCosts::divide(std::span<const int> parents) {
    if (std::equal(parents.begin(), parents.end(), divided_.begin(), divided_.end())) return;
    divided_.assign(parents.begin(), parents.end());
    masked_ = -1;
    std::fill(cell_.begin(), cell_.end(), 0);
    cells_ = 1;
    example_.assign(1, 0);
    for (const int v : parents) {
        const std::size_t own = at(states_[at(v)]);
        const std::vector<std::uint8_t>& codes = codes_[at(v)];
        renumbered_.assign(cells_ * own, kUnnumbered);
        example_.clear();
        std::uint32_t next = 0;
        for (std::size_t r = 0; r < cell_.size(); ++r) {
            std::uint32_t& number = renumbered_[cell_[r] * own + codes[r]];
            if (number == kUnnumbered) {
                number = next++;
                example_.push_back(static_cast<std::uint32_t>(r));
            }
            cell_[r] = number;
        }
        cells_ = next;
    }
}

// Counts the records by cell, state of `added` (-1: none) and state of the child.
void FamilyCosts::count(int child, int added) {
    const std::size_t own = at(states_[at(child)]);
    const std::size_t more = added < 0 ? 1 : at(states_[at(added)]);
    counted_ = cells_ * more;
    const bool in_bits = added >= 0 && !weighted_ && states_[at(added)] <= kMostStatesInBits;
    if (in_bits && cells_ * own * (more - 1) <= kMostProducts) {
        count_bits(child, added);
        return;
    }
    counts_.assign(counted_ * own, 0);
    const std::uint8_t* of_child = codes_[at(child)].data();
    const std::size_t size = cell_.size();
    const auto tally = [&](auto&& place) {
        if (weighted_) {
            for (std::size_t r = 0; r < size; ++r) counts_[place(r)] += weights_[r];
        } else {
            for (std::size_t r = 0; r < size; ++r) ++counts_[place(r)];
        }
    };
    if (added < 0) {
        tally([&](std::size_t r) { return cell_[r] * own + of_child[r]; });
    } else if (divided_.empty()) {
        const std::uint8_t* codes = codes_[at(added)].data();
        tally([&](std::size_t r) { return codes[r] * own + of_child[r]; });
    } else {
        const std::uint8_t* codes = codes_[at(added)].data();
        tally([&](std::size_t r) { return (cell_[r] * more + codes[r]) * own + of_child[r]; });
    }
}

// The same by the bits that the records of a cell and a state have in common with an added state.
// The first state has what the others leave.
void FamilyCosts::count_bits(int child, int added) {
    const std::size_t own = at(states_[at(child)]), more = at(states_[at(added)]);
    if (masked_ != child) mask(child);
    counts_.resize(counted_ * own);
    for (std::size_t cell = 0; cell < cells_; ++cell) {
        for (std::size_t state = 0; state < own; ++state) {
            const std::size_t place = cell * own + state;
            const Word* records = &masks_[place * words_];
            std::int64_t left = masked_counts_[place];
            for (std::size_t one = 1; one < more; ++one) {
                const Word* bits = &bits_[at(added)][(one - 1) * words_];
                const std::int64_t both = common(records, bits, words_);
                counts_[(cell * more + one) * own + state] = both;
                left -= both;
            }
            counts_[cell * more * own + state] = left;
        }
    }
}

// The records of each cell and state of the child, as bits.
void FamilyCosts::mask(int child) {
    const std::size_t own = at(states_[at(child)]);
    masks_.assign(cells_ * own * words_, 0);
    masked_counts_.assign(cells_ * own, 0);
    for (std::size_t r = 0; r < cell_.size(); ++r) {
        const std::size_t place = cell_[r] * own + codes_[at(child)][r];
        set_bit(&masks_[place * words_], r);
        ++masked_counts_[place];
    }
    masked_ = child;
}

double FamilyCosts::table_loss(int child) const {
    const int own = states_[at(child)];
    double loss = 0;
    for (std::size_t row = 0; row < counted_; ++row) {
        loss += terms_.cell(&counts_[row * at(own)], own);
    }
    return loss;
}

double FamilyCosts::penalty_of(const Relation& relation) const {
    const PenaltySpec& spec = relation.penalty;
    ParentStates states;
    double penalty = spec.of_size(static_cast<int>(extended_.size()));
    for (const int v : extended_) {
        states.add(states_[at(v)]);
        if (!spec.weights.empty()) penalty += spec.weights[at(v)];
    }
    return penalty + (spec.function ? spec.function(extended_) : spec.of_states(states));
}

// The counts in the form that fits take.
void FamilyCosts::describe_cells(int child, int added) {
    const std::size_t own = at(states_[at(child)]);
    const std::size_t more = added < 0 ? 1 : at(states_[at(added)]);
    family_.parents = extended_;
    family_.child_states = static_cast<int>(own);
    family_.parent_states.clear();
    for (const int v : extended_) family_.parent_states.push_back(states_[at(v)]);
    family_.codes.clear();
    family_.counts.clear();
    family_.cells = 0;
    for (std::size_t row = 0; row < counted_; ++row) {
        const std::int64_t* counts = &counts_[row * own];
        if (std::all_of(counts, counts + own, [](auto one) { return one == 0; })) continue;
        const std::size_t example = example_[row / more];
        for (const int v : extended_) {
            family_.codes.push_back(v == added ? static_cast<std::uint8_t>(row % more)
                                               : codes_[at(v)][example]);
        }
        family_.counts.insert(family_.counts.end(), counts, counts + own);
        ++family_.cells;
    }
}

// The parents have been divided. No relation has a lower -ln L than the full table, so that most
// families are known to be too dear without a fit.
CheapestFamily FamilyCosts::evaluate(int child, std::span<const int> parents, int added,
                                     double limit) {
    ++evaluated_;
    extended_.assign(parents.begin(), parents.end());
    if (added >= 0) {
        extended_.insert(std::lower_bound(extended_.begin(), extended_.end(), added), added);
    }
    std::vector<Relation>& relations = relations_[at(child)];
    const auto applies = [&](const Relation& relation) {
        return static_cast<int>(extended_.size()) >= relation.least_parents;
    };
    double least_penalty = kInfinity;
    for (const Relation& relation : relations) {
        if (applies(relation)) least_penalty = std::min(least_penalty, penalty_of(relation));
    }
    if (least_penalty >= limit) return {};
    count(child, added);
    const double best_loss = table_loss(child);
    if (best_loss + least_penalty >= limit) return {};

    CheapestFamily best{limit, -1};
    bool described = false;
    for (std::size_t number = 0; number < relations.size(); ++number) {
        const Relation& relation = relations[number];
        if (!applies(relation)) continue;
        const double penalty = penalty_of(relation);
        double loss = best_loss;
        if (relation.loss != nullptr) {
            if (best_loss + penalty >= best.cost) continue;
            if (!std::exchange(described, true)) describe_cells(child, added);
            loss = relation.loss->least(family_, best.cost - penalty);
        }
        if (loss + penalty < best.cost) best = {loss + penalty, static_cast<int>(number)};
    }
    return best;
}

CheapestFamily FamilyCosts::of(int child, std::span<const int> parents, double limit) {
    const FamilyKey key = key_of(child, parents);
    if (const CheapestFamily* known = recall(key, limit)) return *known;
    divide(parents);
    const CheapestFamily cheapest = evaluate(child, parents, -1, limit);
    remember(key, cheapest, limit);
    return cheapest;
}

void FamilyCosts::with_each(int child, std::span<const int> parents, std::span<const int> added,
                            double limit, const std::atomic<bool>& cancel,
                            std::vector<CheapestFamily>& costs) {
    costs.clear();
    const FamilyKey base = key_of(child, parents);
    for (const int v : added) {
        FamilyKey key = base;
        key.toggle(variable_keys_[at(v)]);
        if (const CheapestFamily* known = recall(key, limit)) {
            costs.push_back(*known);
            continue;
        }
        if (cancel) {
            costs.push_back({});
            continue;
        }
        divide(parents);
        costs.push_back(evaluate(child, parents, v, limit));
        remember(key, costs.back(), limit);
    }
}

void FamilyCosts::information(int child, std::span<const int> others,
                              const std::atomic<bool>& cancel, std::vector<double>& nats) {
    nats.clear();
    divide({});
    count(child, -1);
    const double alone = table_loss(child);
    for (const int v : others) {
        if (cancel) return;
        count(child, v);
        nats.push_back(alone - table_loss(child));
    }
}

}  // namespace noisyor
