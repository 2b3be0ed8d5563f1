#include <array>
#include <numeric>

#include "search/diagram_members.hpp"
#include "search/diagram_paths.hpp"
#include "search/share_turns.hpp"

namespace noisyor {
namespace {

// Ranges of states whose weights are added up apart, so that no sum depends on the threads.
constexpr std::size_t kChunks = 64;
// Of the limit, to estimate how many paths there are of which length.
constexpr std::size_t kBins = 32;

struct ChunkCounts {
    Count total = 0;
    double weight = 0;
    std::vector<double> weights;
    bool any = false;
    std::size_t costliest_state = 0;
    Ticks costliest_before = 0;
    Ticks costliest_after = 0;
    std::int64_t listed = 0;
};

// Counts the members through states of the middle layer. One for each thread.
class StateCounting {
  public:
    StateCounting(const OrderDiagram& diagram, std::size_t middle, double decay,
                  const std::atomic<bool>& cancel)
        : counts(diagram.child_of.size()),
          diagram_(diagram),
          layer_(diagram.layers[middle]),
          decay_(decay),
          before_(diagram, middle, cancel),
          after_(diagram, middle, cancel) {}

    Through count(std::uint32_t state, ChunkCounts& to) {
        const Ticks least_before = layer_.before[state];
        const Ticks least_after = layer_.after[state];
        ends_.lengths.clear();
        after_.list(state, diagram_.limit - least_before,
                    [&](Ticks length) { ends_.lengths.push_back(length); });
        ends_.sort(decay_, least_after);
        starts_.lengths.clear();
        const auto credit = [&](std::uint32_t family, const Through& through) {
            counts[family] += through.count;
            to.weights[family] += through.weight;
        };
        const Ticks shortest = diagram_.shortest();
        const Through all = before_.visit(
            state, diagram_.limit - least_after,
            [&](Ticks length) {
                starts_.lengths.push_back(length);
                const std::size_t fitting = ends_.fitting(diagram_.limit - length);
                note_costliest(state, length, fitting, to);
                const double own =
                    std::exp(-decay_ * static_cast<double>(length + least_after - shortest));
                return Through{fitting, own * ends_.weights[fitting]};
            },
            credit);
        starts_.sort(decay_, least_before);
        after_.visit(
            state, diagram_.limit - least_before,
            [&](Ticks length) {
                const std::size_t fitting = starts_.fitting(diagram_.limit - length);
                const double own =
                    std::exp(-decay_ * static_cast<double>(length + least_before - shortest));
                return Through{fitting, own * starts_.weights[fitting]};
            },
            credit);
        to.total += all.count;
        to.weight += all.weight;
        to.listed += static_cast<std::int64_t>(starts_.lengths.size() + ends_.lengths.size());
        return all;
    }

    std::vector<Count> counts;  // per family

  private:
    void note_costliest(std::uint32_t state, Ticks length, std::size_t fitting, ChunkCounts& to) {
        if (fitting == 0) return;
        const Ticks rest = ends_.lengths[fitting - 1];
        if (to.any && length + rest <= to.costliest_before + to.costliest_after) return;
        to.any = true;
        to.costliest_state = state;
        to.costliest_before = length;
        to.costliest_after = rest;
    }

    const OrderDiagram& diagram_;
    const DiagramLayer& layer_;
    double decay_;
    HalfPaths<Half::kBefore> before_;
    HalfPaths<Half::kAfter> after_;
    SortedLengths starts_, ends_;
};

// About how many paths there are into each state, or out of it, by how much they exceed the
// shortest.
class PathHistogram {
  public:
    PathHistogram(const OrderDiagram& diagram)
        : diagram_(diagram),
          width_(std::max(1.0, static_cast<double>(diagram.limit - diagram.shortest()) /
                                   static_cast<double>(kBins))) {}

    // The number of paths on one side of each layer, all of its states together.
    template <Half half>
    std::vector<double> paths() const {
        const std::size_t n = diagram_.variables();
        std::vector<double> all(n + 1);
        std::size_t at = half == Half::kAfter ? n : 0;
        std::vector<Bins> now(1), next;
        now[0][0] = 1;
        all[at] = 1;
        for (std::size_t steps = 0; steps < n; ++steps) {
            const std::size_t to = half == Half::kAfter ? at - 1 : at + 1;
            const DiagramLayer& arcs = diagram_.layers[std::min(at, to)];
            const DiagramLayer& there = diagram_.layers[to];
            const auto& known = half == Half::kAfter ? there.after : there.before;
            const auto& from_known =
                half == Half::kAfter ? diagram_.layers[at].after : diagram_.layers[at].before;
            next.assign(there.states(), Bins{});
            for (std::size_t arc = 0; arc < arcs.arcs(); ++arc) {
                const std::uint32_t s = half == Half::kAfter ? arcs.from[arc] : arcs.to[arc];
                const std::uint32_t from = half == Half::kAfter ? arcs.to[arc] : arcs.from[arc];
                const std::size_t shift = bin(from_known[from] + arcs.length[arc] - known[s]);
                const std::size_t room = bin(diagram_.limit - there.before[s] - there.after[s]);
                for (std::size_t b = 0; b + shift <= room; ++b) {
                    next[s][b + shift] += now[from][b];
                }
            }
            now.swap(next);
            at = to;
            for (const Bins& bins : now) all[at] += std::accumulate(bins.begin(), bins.end(), 0.0);
        }
        return all;
    }

  private:
    using Bins = std::array<float, kBins + 1>;

    std::size_t bin(Ticks excess) const {
        const double bins = std::round(static_cast<double>(excess) / width_);
        return static_cast<std::size_t>(std::min(bins, static_cast<double>(kBins)));
    }

    const OrderDiagram& diagram_;
    double width_;
};

}  // namespace

DiagramMembers::DiagramMembers(OrderDiagram diagram) : diagram_(std::move(diagram)) {
    if (diagram_.empty()) return;
    const PathHistogram histogram(diagram_);
    const std::vector<double> into = histogram.paths<Half::kBefore>();
    const std::vector<double> out = histogram.paths<Half::kAfter>();
    expected_ = into[0] + out[0];
    for (std::size_t i = 1; i < into.size(); ++i) {
        if (into[i] + out[i] >= expected_) continue;
        expected_ = into[i] + out[i];
        middle_ = i;
    }
}

DiagramCounts DiagramMembers::count(double decay, std::size_t workers,
                                    const std::atomic<bool>& cancel) const {
    const std::size_t families = diagram_.child_of.size();
    const std::size_t states = diagram_.layers[middle_].states();
    DiagramCounts all;
    all.counts.resize(families);
    all.weights.resize(families);
    all.state_counts.resize(states);
    all.state_weights.resize(states);
    std::vector<ChunkCounts> chunks(std::min(kChunks, states));
    std::vector<StateCounting> countings;
    for (std::size_t w = 0; w < workers; ++w) {
        countings.emplace_back(diagram_, middle_, decay, cancel);
    }
    share_turns(workers, chunks.size(), [&](std::size_t worker, std::size_t turn) {
        ChunkCounts& chunk = chunks[turn];
        chunk.weights.resize(families);
        const std::size_t end = states * (turn + 1) / chunks.size();
        for (std::size_t s = states * turn / chunks.size(); s < end && !cancel; ++s) {
            const Through here = countings[worker].count(static_cast<std::uint32_t>(s), chunk);
            all.state_counts[s] = here.count;
            all.state_weights[s] = here.weight;
        }
    });
    all.complete = !cancel;
    bool any = false;
    for (const ChunkCounts& chunk : chunks) {
        all.total += chunk.total;
        all.weight += chunk.weight;
        all.listed += chunk.listed;
        for (std::size_t f = 0; f < chunk.weights.size(); ++f) all.weights[f] += chunk.weights[f];
        const Ticks costliest = chunk.costliest_before + chunk.costliest_after;
        if (!chunk.any || (any && costliest <= all.costliest_before + all.costliest_after))
            continue;
        any = true;
        all.costliest_state = chunk.costliest_state;
        all.costliest_before = chunk.costliest_before;
        all.costliest_after = chunk.costliest_after;
    }
    for (const StateCounting& own : countings) {
        for (std::size_t f = 0; f < families; ++f) all.counts[f] += own.counts[f];
    }
    all.least = least();
    return all;
}

std::vector<Ticks> DiagramMembers::least() const {
    std::vector<Ticks> found(diagram_.child_of.size(), kNoMember);
    for (std::size_t i = 0; i + 1 < diagram_.layers.size(); ++i) {
        const DiagramLayer& arcs = diagram_.layers[i];
        const DiagramLayer& next = diagram_.layers[i + 1];
        for (std::size_t a = 0; a < arcs.arcs(); ++a) {
            Ticks& known = found[arcs.family[a]];
            known = std::min(known,
                             arcs.before[arcs.from[a]] + arcs.length[a] + next.after[arcs.to[a]]);
        }
    }
    return found;
}

}  // namespace noisyor
