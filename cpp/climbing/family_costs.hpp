// What single families cost, by the cheapest of their relations, as a climber asks for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "climbing/cost_memory.hpp"
#include "fitting/family_loss.hpp"
#include "scoring/records_view.hpp"
#include "scoring/relation_spec.hpp"
#include "scoring/table_counts.hpp"
#include "variable_set.hpp"

namespace noisyor {

// The costs of families. They are remembered, within a limit of memory.
class FamilyCosts {
  public:
    // `relations` by child.
    FamilyCosts(const RecordsView& view, const std::vector<std::vector<RelationSpec>>& relations);

    // The family over these parents, ascending. One that costs `limit` or more may stay unknown.
    CheapestFamily of(int child, std::span<const int> parents, double limit = kInfinity);
    // The families over the parents and one more, for each of `added`, which are not among them.
    // Once it is cancelled, the others stay unknown: with a million records, each takes a while.
    void with_each(int child, std::span<const int> parents, std::span<const int> added,
                   double limit, const std::atomic<bool>& cancel,
                   std::vector<CheapestFamily>& costs);
    // The mutual information of the child and each other variable, in nats of all records; of the
    // first ones only if it is cancelled.
    void information(int child, std::span<const int> others, const std::atomic<bool>& cancel,
                     std::vector<double>& nats);

    std::int64_t evaluated() const { return evaluated_; }

  private:
    struct Relation {
        PenaltySpec penalty;
        int least_parents = 0;
        std::unique_ptr<FamilyLoss> loss;  // none: that of the full table
    };

    static std::size_t at(int value) { return static_cast<std::size_t>(value); }
    FamilyKey key_of(int child, std::span<const int> parents) const;
    const CheapestFamily* recall(const FamilyKey& key, double limit) const;
    void remember(const FamilyKey& key, const CheapestFamily& cheapest, double limit);
    void divide(std::span<const int> parents);
    void find_bits();
    void count(int child, int added);
    void count_bits(int child, int added);
    void mask(int child);
    static void set_bit(Word* bits, std::size_t r) {
        bits[r / kWordBits] |= Word{1} << (r % kWordBits);
    }
    double table_loss(int child) const;
    CheapestFamily evaluate(int child, std::span<const int> parents, int added, double limit);
    void describe_cells(int child, int added);
    double penalty_of(const Relation& relation) const;

    std::vector<int> states_;
    std::vector<std::vector<std::uint8_t>> codes_;  // by variable, of each record
    std::vector<std::int64_t> weights_;
    bool weighted_ = false;                         // whether some record counts more than once
    std::vector<std::vector<Relation>> relations_;  // by child
    std::vector<FamilyKey> variable_keys_, child_keys_;
    EntropyTerms terms_;
    CostMemory known_;
    std::int64_t evaluated_ = 0;

    // Sets of records: by variable, of each state but the first. None where records have weights.
    std::size_t words_ = 0;
    std::vector<std::vector<Word>> bits_;
    // Those of the cells and states of one child, while the parents stay divided.
    int masked_ = -1;
    std::vector<Word> masks_;
    std::vector<std::int64_t> masked_counts_;

    // The configuration of some parents in each record, numbered by first occurrence.
    std::vector<int> divided_;
    std::vector<std::uint32_t> cell_;
    std::size_t cells_ = 1;
    std::vector<std::uint32_t> renumbered_;
    std::vector<std::uint32_t> example_;  // a record of each cell
    // The numbers of records: by cell, state of the added parent, and state of the child.
    std::vector<std::int64_t> counts_;
    std::size_t counted_ = 0;    // rows of them
    std::vector<int> extended_;  // the parents and the added one, ascending
    FamilyCounts family_;
};

}  // namespace noisyor
