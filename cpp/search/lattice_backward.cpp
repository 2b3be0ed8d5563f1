#include <algorithm>

#include "search/lattice_search.hpp"
#include "search/share_turns.hpp"

namespace noisyor {
namespace {

constexpr std::size_t kRowsATurn = 1024;

// Distances to the full set of the subsets of a layer; kNoNetwork if too far.
using Remaining = std::array<std::vector<Ticks>, kShards>;

template <int W>
struct BackwardWorker {
    CutBits saturated;
    std::vector<Ticks> best_with;
    std::size_t kept = 0;
};

template <int W>
class BackwardPass {
  public:
    explicit BackwardPass(LatticeSearch<W>& search)
        : search_(search),
          limit_(search.result.shortest + search.limits.slack),
          workers_(search.workers) {
        for (auto& worker : workers_) worker.best_with.assign(search.problem.families, kNoNetwork);
    }

    void run() {
        const auto n = static_cast<std::size_t>(search_.problem.variables);
        remaining_.resize(n + 1);
        remaining_[n][Layer<W>::shard_of(search_.problem.all)] = {0};
        for (std::size_t size = n; size-- > 0;) {
            scan(size);
            if (cancelled()) {
                search_.result.status = LatticeStatus::kCancelled;
                return;
            }
        }
        combine_workers();
        walk();
    }

  private:
    bool cancelled() const { return search_.cancel.load(std::memory_order_relaxed); }

    void scan(std::size_t size) {
        Layer<W>& layer = search_.layers[size];
        for (std::size_t s = 0; s < kShards; ++s) {
            remaining_[size][s].assign(layer.shards[s].size(), kNoNetwork);
        }
        const std::vector<LayerPlace<W>> places = places_in(layer);
        const std::size_t turns = (places.size() + kRowsATurn - 1) / kRowsATurn;
        share_turns(search_.workers, turns, [&](std::size_t worker, std::size_t turn) {
            const std::size_t end = std::min(places.size(), (turn + 1) * kRowsATurn);
            for (std::size_t i = turn * kRowsATurn; i < end && !cancelled(); ++i) {
                const auto& place = places[i];
                const Ticks left = shortest_from(size, place.shard, place.row, workers_[worker]);
                remaining_[size][place.shard][place.row] = left;
                workers_[worker].kept += left != kNoNetwork;
            }
        });
    }

    // The distance to the full set; also notes the families on the paths through this subset.
    Ticks shortest_from(std::size_t size, std::size_t shard, std::size_t row,
                        BackwardWorker<W>& worker) const {
        const LayerShard<W>& here = search_.layers[size].shards[shard];
        const VariableSet<W>& subset = here.subsets[row];
        Ticks shortest = kNoNetwork;
        bool visited = false;
        here.next[row].for_each([&](int v) {
            const Ticks after = remaining_after(size, subset, v);
            if (after == kNoNetwork || here.distances[row] + after > limit_) return;
            if (!visited) search_.problem.saturated(subset, worker.saturated);
            visited = true;
            const Ticks saturated = saturated_weight(v, worker.saturated);
            const Ticks rest = here.distances[row] + after + saturated;
            const Ticks first = note_families(v, subset, rest, worker.best_with);
            if (first != kNoNetwork) shortest = std::min(shortest, first + saturated + after);
        });
        return shortest;
    }

    // Of the families of v within the subset whose base fits the limit together with the rest of a
    // path: notes each path, returns the least base.
    Ticks note_families(int v, const VariableSet<W>& subset, Ticks rest,
                        std::vector<Ticks>& best_with) const {
        const auto& families = search_.problem.children[static_cast<std::size_t>(v)].by_ticks;
        const VariableSet<W> outside = search_.problem.all - subset;
        const std::size_t first = search_.first_family.find(v, subset, limit_ - rest);
        if (first == families.base.size()) return kNoNetwork;
        for (std::size_t f = first; f < families.base.size() && families.base[f] + rest <= limit_;
             ++f) {
            if (families.parents[f].meets(outside)) continue;
            Ticks& known = best_with[families.family[f]];
            known = std::min(known, families.base[f] + rest);
        }
        return families.base[first];
    }

    Ticks saturated_weight(int v, const CutBits& saturated) const {
        const auto& cuts = search_.problem.children[static_cast<std::size_t>(v)].cuts;
        return search_.problem.weight_of(cuts.data(), saturated.data(), kNoNetwork);
    }

    Ticks remaining_after(std::size_t size, VariableSet<W> subset, int v) const {
        subset.insert(v);
        const std::size_t shard = Layer<W>::shard_of(subset);
        const auto row = search_.layers[size + 1].shards[shard].find(subset);
        return row ? remaining_[size + 1][shard][*row] : kNoNetwork;
    }

    void combine_workers() {
        LatticeResult& result = search_.result;
        result.best_with.assign(search_.problem.families, kNoNetwork);
        result.kept_subsets = 1;  // the full set
        for (const auto& worker : workers_) {
            result.kept_subsets += worker.kept;
            for (std::size_t f = 0; f < result.best_with.size(); ++f) {
                result.best_with[f] = std::min(result.best_with[f], worker.best_with[f]);
            }
        }
    }

    // Follows a shortest path, always to the least variable that is on one.
    void walk() {
        LatticeResult& result = search_.result;
        result.best.resize(static_cast<std::size_t>(search_.problem.variables));
        VariableSet<W> subset;
        CutBits saturated;
        for (std::size_t size = 0; !(subset == search_.problem.all); ++size) {
            const std::size_t shard = Layer<W>::shard_of(subset);
            const LayerShard<W>& here = search_.layers[size].shards[shard];
            const std::size_t row = *here.find(subset);
            search_.problem.saturated(subset, saturated);
            for (VariableSet<W> left = here.next[row];; left.erase(left.lowest())) {
                const int v = left.lowest();
                const Ticks after = remaining_after(size, subset, v);
                if (after == kNoNetwork) continue;
                const auto& families =
                    search_.problem.children[static_cast<std::size_t>(v)].by_ticks;
                const Ticks base =
                    remaining_[size][shard][row] - after - saturated_weight(v, saturated);
                const std::size_t rank = search_.first_family.find(v, subset, base);
                if (rank == families.base.size()) continue;
                result.best[static_cast<std::size_t>(v)] =
                    static_cast<std::int64_t>(families.family[rank]);
                subset.insert(v);
                break;
            }
        }
    }

    LatticeSearch<W>& search_;
    Ticks limit_;
    std::vector<BackwardWorker<W>> workers_;
    std::vector<Remaining> remaining_;  // by size of the subsets
};

}  // namespace

template <int W>
void find_networks(LatticeSearch<W>& search) {
    BackwardPass<W>(search).run();
}

template void find_networks(LatticeSearch<1>&);
template void find_networks(LatticeSearch<2>&);
template void find_networks(LatticeSearch<4>&);
template void find_networks(LatticeSearch<16>&);

}  // namespace noisyor
