#include <algorithm>
#include <span>

#include "search/lattice_search.hpp"
#include "search/share_turns.hpp"

namespace noisyor {
namespace {

// Rows that a thread takes at a time, and arcs after which threads merge what they found: enough to
// be worth it, few enough that the arrivals stay small compared with the layers.
constexpr std::size_t kRowsATurn = 256;
constexpr std::size_t kArcsARound = std::size_t{1} << 20;
constexpr std::size_t kArrivalsBetweenPolls = 4096;
// The share of the memory for outlooks, and as much as they can use, of all threads together.
constexpr std::size_t kOutlookShare = 4;
constexpr std::size_t kMostOutlookBytes = std::size_t{512} << 20;

template <int W>
struct Arrival {
    VariableSet<W> subset;
    Ticks distance;
};

// What one thread found in a round.
template <int W>
struct ForwardWorker {
    Expansion<W> expansion;
    std::array<std::vector<Arrival<W>>, kShards> arrivals;
    Ticks least_bound = kNoNetwork;
};

template <int W>
class ForwardPass {
  public:
    explicit ForwardPass(LatticeSearch<W>& search) : search_(search) {
        const std::size_t outlooks =
            std::min(search.limits.bytes / kOutlookShare, kMostOutlookBytes);
        max_bytes_ = search.limits.bytes - outlooks;
        for (std::size_t w = 0; w < search.workers; ++w) {
            workers_.push_back({Expansion<W>(search.problem, search.rules, search.limits.length,
                                             outlooks / search.workers),
                                {},
                                kNoNetwork});
        }
    }

    void run() {
        const auto n = static_cast<std::size_t>(search_.problem.variables);
        search_.layers.resize(n + 1);
        search_.layers[0].shards[Layer<W>::shard_of({})].arrive({}, 0);
        result().subsets = 1;
        for (std::size_t size = 0; size < n; ++size) {
            if (!expand(search_.layers[size], search_.layers[size + 1])) return;
        }
        const VariableSet<W>& all = search_.problem.all;
        const LayerShard<W>& last = search_.layers[n].shards[Layer<W>::shard_of(all)];
        if (const auto row = last.find(all)) {
            result().shortest = last.distances[*row];
        } else {
            result().status = LatticeStatus::kNoPath;
        }
    }

  private:
    LatticeResult& result() { return search_.result; }
    bool cancelled() const { return search_.cancel.load(std::memory_order_relaxed); }

    // Returns whether the layer was expanded to the end.
    bool expand(Layer<W>& layer, Layer<W>& above) {
        for (auto& shard : layer.shards) shard.next.resize(shard.size());
        const std::vector<LayerPlace<W>> places = places_in(layer);
        held_ += layer.bytes();
        const std::size_t a_round =
            kArcsARound / static_cast<std::size_t>(search_.problem.variables);
        const std::size_t reached = result().subsets;
        for (std::size_t at = 0; at < places.size(); at += a_round) {
            const auto round = std::span(places).subspan(at, std::min(a_round, places.size() - at));
            const std::size_t turns = (round.size() + kRowsATurn - 1) / kRowsATurn;
            share_turns(search_.workers, turns, [&](std::size_t worker, std::size_t turn) {
                const std::size_t begin = turn * kRowsATurn;
                expand(layer, round.subspan(begin, std::min(kRowsATurn, round.size() - begin)),
                       workers_[worker]);
            });
            share_turns(turns > 1 ? search_.workers : 1, kShards,
                        [&](std::size_t, std::size_t shard) { merge(above, shard); });
            result().subsets = reached + above.size();
            if (limit_hit(above.bytes() + places.size() * sizeof(LayerPlace<W>))) {
                // Every network within the limit keeps a path through each layer.
                raise_bound(least_distance(layer));
                return false;
            }
        }
        Ticks least_bound = kNoNetwork;
        for (const auto& worker : workers_) least_bound = std::min(least_bound, worker.least_bound);
        for (auto& worker : workers_) worker.least_bound = kNoNetwork;
        if (least_bound != kNoNetwork) raise_bound(least_bound);
        return true;
    }

    void expand(Layer<W>& layer, std::span<const LayerPlace<W>> places, ForwardWorker<W>& worker) {
        Expansion<W>& expansion = worker.expansion;
        for (const auto& [subset, shard_number, row] : places) {
            if (cancelled()) return;
            LayerShard<W>& shard = layer.shards[shard_number];
            const Ticks distance = shard.distances[row];
            if (!expansion.visit(subset, distance)) continue;  // no arcs: `next` stays empty
            worker.least_bound = std::min(worker.least_bound, expansion.bound());
            shard.next[row] = expansion.next();
            shard.next[row].for_each([&, &subset = subset](int v) {
                const auto& families =
                    search_.problem.children[static_cast<std::size_t>(v)].by_ticks;
                const Ticks saturated = expansion.saturated_weight(v);
                const std::size_t rank =
                    search_.first_family.find(v, subset, expansion.room(v) - saturated);
                if (rank == families.base.size()) return;
                VariableSet<W> above = subset;
                above.insert(v);
                worker.arrivals[Layer<W>::shard_of(above)].push_back(
                    {above, distance + families.base[rank] + saturated});
            });
        }
    }

    void merge(Layer<W>& above, std::size_t shard) {
        for (auto& worker : workers_) {
            std::vector<Arrival<W>>& arrivals = worker.arrivals[shard];
            for (std::size_t i = 0; i < arrivals.size(); ++i) {
                if (i % kArrivalsBetweenPolls == 0 && cancelled()) return;
                above.shards[shard].arrive(arrivals[i].subset, arrivals[i].distance);
            }
            arrivals.clear();
        }
    }

    bool limit_hit(std::size_t bytes_besides) {
        LatticeStatus& status = result().status;
        if (cancelled()) {
            status = LatticeStatus::kCancelled;
        } else if (result().subsets > search_.limits.subsets) {
            status = LatticeStatus::kTooManySubsets;
        } else if (held_ + bytes_besides + search_.first_family.table_bytes() > max_bytes_) {
            status = LatticeStatus::kTooMuchMemory;
        }
        return status != LatticeStatus::kDone;
    }

    void raise_bound(Ticks bound) { result().shortest = std::max(result().shortest, bound); }

    static Ticks least_distance(const Layer<W>& layer) {
        Ticks least = kNoNetwork;
        for (const auto& shard : layer.shards) {
            for (const Ticks distance : shard.distances) least = std::min(least, distance);
        }
        return least;
    }

    LatticeSearch<W>& search_;
    std::vector<ForwardWorker<W>> workers_;
    std::size_t max_bytes_ = 0;  // for the subsets
    std::size_t held_ = 0;       // bytes in layers up to the one being expanded
};

}  // namespace

template <int W>
void find_distances(LatticeSearch<W>& search) {
    ForwardPass<W>(search).run();
}

template void find_distances(LatticeSearch<1>&);
template void find_distances(LatticeSearch<2>&);
template void find_distances(LatticeSearch<4>&);
template void find_distances(LatticeSearch<16>&);

}  // namespace noisyor
