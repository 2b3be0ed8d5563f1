// A good network in little time, and a better one while there is time.
//
// First it climbs: each step adds, drops or reverses the edge that lowers the cost most. Parents
// that did not pay are tried again only when nothing else does. At a minimum it goes on uphill for
// a while, without undoing its last steps. Then it takes turns: it finds the best families of a few
// variables around a random one while the others keep theirs (see window.hpp), or it removes some
// edges there and climbs again. It proves nothing: its network and its families are where exact
// searches begin.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "climbing/family_costs.hpp"
#include "climbing/family_pool.hpp"
#include "climbing/window.hpp"
#include "search/random.hpp"

namespace noisyor {

struct ClimbSettings {
    std::vector<std::vector<RelationSpec>> relations;  // by child
    std::vector<std::vector<int>> candidates;  // by child: parents besides the required ones
    std::vector<std::vector<int>> required;    // by child, without a directed cycle
    int max_parents = 0;
    std::uint64_t seed = 0;
};

struct ClimbedNetwork {
    std::vector<std::vector<int>> parents;  // ascending
    std::vector<CheapestFamily> families;
    double cost = kInfinity;
};

class Climber {
  public:
    Climber(const RecordsView& view, ClimbSettings settings);
    Climber(const Climber&) = delete;
    Climber& operator=(const Climber&) = delete;

    // Improves the best network for so many turns, or until it is cancelled. The first climb is
    // made before the first turn.
    void climb(std::int64_t turns, const std::atomic<bool>& cancel);
    // Goes on from this network if it is better. It has the required parents and no cycle.
    void adopt(std::vector<std::vector<int>> parents);

    const ClimbedNetwork& best() const { return best_; }
    const std::vector<PooledFamily>& families_of(int child) { return pool_.of(child); }
    // The cheapest family over these parents, ascending.
    CheapestFamily family_over(int child, const std::vector<int>& parents) {
        return costs_.of(child, parents);
    }
    std::int64_t steps() const { return steps_; }
    std::int64_t turns() const { return turns_; }
    std::int64_t evaluated() const { return costs_.evaluated(); }

  private:
    enum class Kind : std::uint8_t { kAdd, kDrop, kReverse };
    // A rough row has what additions would cost for parents that have changed since, where that
    // was no gain.
    enum class Freshness : std::uint8_t { kStale, kRough, kFresh };
    struct Move {
        double change = kInfinity;  // of the cost
        Kind kind = Kind::kAdd;
        int from = -1, to = -1;
    };

    static constexpr double kWorthwhile = 1e-6;  // nats: a smaller change is rounding

    static std::size_t at(int value) { return static_cast<std::size_t>(value); }

    // The network and its changes (network_state.cpp).
    void set_family(int child, std::vector<int> parents, const CheapestFamily& family);
    void set_parents(int child, std::vector<int> parents);
    void restore(const ClimbedNetwork& network);
    void keep_best();
    void find_ancestors();
    void add_ancestors(int from, int to);
    bool is_ancestor(int above, int below) const;
    bool has_other_path(int from, int to) const;
    std::vector<int> neighbours(int variable) const;

    // Single edges (climber.cpp).
    void sort_candidates(const std::atomic<bool>& cancel);
    void refresh(int child, bool wholly, const std::atomic<bool>& cancel);
    void find_with(int child, bool wholly, const std::atomic<bool>& cancel);
    void find_without(int child);
    bool refresh_all(bool wholly, const std::atomic<bool>& cancel);
    void descend(const std::atomic<bool>& cancel);
    Move best_move() const;
    void apply(const Move& move);
    void perturb();

    // Windows (window_steps.cpp).
    void improve_window(const std::atomic<bool>& cancel);
    std::vector<int> choose_window();
    std::vector<int> window_candidates(int child, const std::vector<int>& window) const;
    std::vector<PooledFamily> meet_families(int child, const std::vector<int>& candidates,
                                            const std::atomic<bool>& cancel);

    const ClimbSettings settings_;
    const int n_;
    FamilyCosts costs_;
    FamilyPool pool_;
    Random random_;
    ClimbedNetwork now_, best_;
    std::vector<std::vector<int>> nearest_;   // candidates of each child, most informative first
    std::vector<std::vector<int>> place_of_;  // of a variable among the nearest of a child; or -1
    // What it would cost, by child: with each of the nearest, and without each of the parents.
    std::vector<std::vector<double>> with_, without_;
    std::vector<double> least_with_;  // by child, the least cost with one of the nearest
    // By child: how well these are known, and the parents and the cost for which they were found.
    std::vector<Freshness> freshness_;
    std::vector<std::vector<int>> found_for_;
    std::vector<double> found_at_;
    std::vector<std::vector<Word>> ancestors_;
    std::vector<std::int64_t> tabu_until_;  // by edge, from * n + to: steps
    WindowSearch window_;
    std::vector<CheapestFamily> found_;
    std::vector<int> tried_;
    std::int64_t steps_ = 0, turns_ = 0;
    bool sorted_ = false, begun_ = false;
};

}  // namespace noisyor
