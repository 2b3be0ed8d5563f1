#include "search/diagram_members.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "search/share_turns.hpp"

namespace noisyor {
namespace {

// Ranges of states whose weights are added up apart, so that no sum depends on the threads.
constexpr std::size_t kChunks = 64;
// Of the limit, to estimate how many paths there are of which length.
constexpr std::size_t kBins = 32;

enum class Half { kBefore, kAfter };

// The paths from the start to a state of the middle layer, or from there to the end.
template <Half half>
class HalfPaths {
  public:
    HalfPaths(const OrderDiagram& diagram, std::size_t middle, const std::atomic<bool>& cancel)
        : layers_(diagram.layers), middle_(middle), cancel_(cancel), path_(diagram.variables()) {}

    // Calls leaf(length) for each path of at most `room`, which says what goes through it, and
    // credit(family, through) for each arc with what goes through all of its paths. Returns what
    // goes through the state.
    template <class Leaf, class Credit>
    Through visit(std::uint32_t state, Ticks room, Leaf&& leaf, Credit&& credit) {
        room_ = room;
        return step(middle_, state, 0, leaf, credit);
    }
    template <class Leaf>
    void list(std::uint32_t state, Ticks room, Leaf&& leaf) {
        visit(
            state, room,
            [&](Ticks length) {
                leaf(length);
                return Through{};
            },
            [](std::uint32_t, const Through&) {});
    }

    // Enters the families of the path that a leaf is called for.
    void put(const OrderDiagram& diagram, std::uint32_t* choice) const {
        const std::size_t begin = half == Half::kAfter ? middle_ : 0;
        const std::size_t end = half == Half::kAfter ? path_.size() : middle_;
        for (std::size_t i = begin; i < end; ++i) choice[diagram.child_of[path_[i]]] = path_[i];
    }

  private:
    template <class Leaf, class Credit>
    Through step(std::size_t at, std::uint32_t state, Ticks length, Leaf& leaf, Credit& credit) {
        if (at == (half == Half::kAfter ? layers_.size() - 1 : 0)) return leaf(length);
        Through all;
        const std::size_t arcs_of = half == Half::kAfter ? at : at - 1;
        const std::size_t next = half == Half::kAfter ? at + 1 : at - 1;
        const DiagramLayer& arcs = layers_[arcs_of];
        const auto& first = half == Half::kAfter ? layers_[at].first_out : layers_[at].first_in;
        const auto& rest = half == Half::kAfter ? layers_[next].after : layers_[next].before;
        for (std::size_t i = first[state]; i < first[state + 1]; ++i) {
            const std::size_t arc = half == Half::kAfter ? i : layers_[at].in[i];
            const std::uint32_t to = half == Half::kAfter ? arcs.to[arc] : arcs.from[arc];
            const Ticks longer = length + arcs.length[arc];
            if (longer + rest[to] > room_ || cancel_.load(std::memory_order_relaxed)) break;
            path_[arcs_of] = arcs.family[arc];
            const Through below = step(next, to, longer, leaf, credit);
            credit(arcs.family[arc], below);
            all += below;
        }
        return all;
    }

    const std::vector<DiagramLayer>& layers_;
    std::size_t middle_;
    const std::atomic<bool>& cancel_;
    std::vector<std::uint32_t> path_;  // families, by the layer that their arcs leave
    Ticks room_ = 0;
};

// Lengths of paths, ascending, and the weights of all before each.
struct SortedLengths {
    std::vector<Ticks> lengths;
    std::vector<double> weights;  // and one more: of all

    void sort(double decay, Ticks from) {
        std::sort(lengths.begin(), lengths.end());
        weigh(decay, from);
    }
    void weigh(double decay, Ticks from) {
        weights.assign(1, 0);
        for (const Ticks length : lengths) {
            weights.push_back(weights.back() +
                              std::exp(-decay * static_cast<double>(length - from)));
        }
    }
    std::size_t fitting(Ticks room) const {
        return static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), room) -
                                        lengths.begin());
    }
};

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

// Finds members through one state, in the order of the first halves, as listed, and of the second
// halves by length.
class StatePicking {
  public:
    StatePicking(const OrderDiagram& diagram, std::size_t middle)
        : diagram_(diagram),
          layer_(diagram.layers[middle]),
          before_(diagram, middle, never_),
          after_(diagram, middle, never_) {}

    // The members at ascending ranks, a row of families each.
    void by_number(std::uint32_t state, const std::vector<Count>& ranks, std::uint32_t* rows) {
        list_ends(state);
        pick<Count>(
            state, ranks, rows, [&](Ticks, std::size_t fitting) { return Count{fitting}; },
            [](Ticks, std::size_t, Count left) { return static_cast<std::size_t>(left); });
    }

    // The same at ascending places in [0, 1), of which a member takes up its share of the weight.
    void by_weight(std::uint32_t state, std::vector<double> places, double decay,
                   std::uint32_t* rows) {
        list_ends(state);
        ends_.weigh(decay, layer_.after[state]);
        const auto own = [&](Ticks length) {
            return std::exp(-decay * static_cast<double>(length - layer_.before[state]));
        };
        const auto amount = [&](Ticks length, std::size_t fitting) {
            return own(length) * ends_.weights[fitting];
        };
        double all = 0;  // added up as in `pick`, so that no place is beyond the last half
        before_.list(state, diagram_.limit - layer_.after[state], [&](Ticks length) {
            all += amount(length, ends_.fitting(diagram_.limit - length));
        });
        for (double& place : places) place = std::min(place * all, std::nextafter(all, 0.0));
        pick<double>(state, places, rows, amount,
                     [&](Ticks length, std::size_t fitting, double left) {
                         const auto first = ends_.weights.begin() + 1;
                         const auto end = first + static_cast<std::ptrdiff_t>(fitting);
                         const auto place = std::upper_bound(first, end, left / own(length));
                         return std::min(fitting - 1, static_cast<std::size_t>(place - first));
                     });
    }

    // A member of these lengths before and after the state.
    void with_lengths(std::uint32_t state, Ticks length_before, Ticks length_after,
                      std::uint32_t* row) {
        before_.list(state, length_before, [&](Ticks length) {
            if (length == length_before) before_.put(diagram_, row);
        });
        after_.list(state, length_after, [&](Ticks length) {
            if (length == length_after) after_.put(diagram_, row);
        });
    }

  private:
    void list_ends(std::uint32_t state) {
        std::vector<Ticks> lengths;
        after_.list(state, diagram_.limit - layer_.before[state],
                    [&](Ticks length) { lengths.push_back(length); });
        order_.resize(lengths.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return lengths[a] != lengths[b] ? lengths[a] < lengths[b] : a < b;
        });
        ends_.lengths.clear();
        for (const std::size_t i : order_) ends_.lengths.push_back(lengths[i]);
    }

    // `amount` says how much a first half takes up, given how many second halves fit with it, and
    // `second` which of these a place within that amount is of.
    template <class Place, class AmountOf, class Second>
    void pick(std::uint32_t state, const std::vector<Place>& places, std::uint32_t* rows,
              AmountOf&& amount, Second&& second) {
        const std::size_t n = diagram_.variables();
        std::vector<std::pair<std::size_t, std::size_t>> ends;  // of a row: as listed, and the row
        Place passed{};
        std::size_t next = 0;
        before_.list(state, diagram_.limit - layer_.after[state], [&](Ticks length) {
            const std::size_t fitting = ends_.fitting(diagram_.limit - length);
            const Place here = amount(length, fitting);
            for (; next < places.size() && places[next] < passed + here; ++next) {
                before_.put(diagram_, rows + next * n);
                ends.emplace_back(order_[second(length, fitting, places[next] - passed)], next);
            }
            passed += here;
        });
        std::sort(ends.begin(), ends.end());
        std::size_t listed = 0;
        std::size_t found = 0;
        after_.list(state, diagram_.limit - layer_.before[state], [&](Ticks) {
            for (; found < ends.size() && ends[found].first == listed; ++found) {
                after_.put(diagram_, rows + ends[found].second * n);
            }
            ++listed;
        });
    }

    const OrderDiagram& diagram_;
    const DiagramLayer& layer_;
    const std::atomic<bool> never_{false};
    HalfPaths<Half::kBefore> before_;
    HalfPaths<Half::kAfter> after_;
    SortedLengths ends_;
    std::vector<std::size_t> order_;  // of the second halves by length: their places as listed
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

// An arc of a path that is built from the start, for paths in the order of their lengths.
struct BestNode {
    Ticks bound;          // length of the shortest path that begins so
    std::uint32_t layer;  // that the arc leaves
    std::uint32_t arc;
    std::size_t before;  // the node of the arc before
    Ticks length;        // of the arcs before
};

constexpr std::size_t kNoNode = SIZE_MAX;

// Keeps, of the arcs given by layer, those that are on a path of such arcs from the start to the
// end.
void keep_paths(const OrderDiagram& diagram, std::vector<std::vector<std::uint32_t>>& arcs) {
    const auto keep = [&](std::size_t i, const std::vector<char>& known, auto&& end_of) {
        std::erase_if(arcs[i], [&](std::uint32_t a) { return !known[end_of(i, a)]; });
    };
    const auto from = [&](std::size_t i, std::uint32_t a) { return diagram.layers[i].from[a]; };
    const auto to = [&](std::size_t i, std::uint32_t a) { return diagram.layers[i].to[a]; };
    std::vector<char> known(1, 1);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        keep(i, known, from);
        known.assign(diagram.layers[i + 1].states(), 0);
        for (const std::uint32_t a : arcs[i]) known[to(i, a)] = 1;
    }
    for (std::size_t i = arcs.size(); i-- > 0;) {
        keep(i, known, to);
        known.assign(diagram.layers[i].states(), 0);
        for (const std::uint32_t a : arcs[i]) known[from(i, a)] = 1;
    }
}

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

std::vector<std::uint32_t> DiagramMembers::at_ranks(const DiagramCounts& counts,
                                                    const std::vector<Count>& ranks) const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> rows(n * ranks.size());
    StatePicking picking(diagram_, middle_);
    Count passed = 0;
    std::size_t next = 0;
    for (std::uint32_t s = 0; s < counts.state_counts.size() && next < ranks.size(); ++s) {
        std::vector<Count> own;
        const std::size_t begin = next;
        for (; next < ranks.size() && ranks[next] < passed + counts.state_counts[s]; ++next) {
            own.push_back(ranks[next] - passed);
        }
        if (!own.empty()) picking.by_number(s, own, rows.data() + begin * n);
        passed += counts.state_counts[s];
    }
    return rows;
}

std::vector<std::uint32_t> DiagramMembers::at_weights(const DiagramCounts& counts, double decay,
                                                      const std::vector<double>& places) const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> rows(n * places.size());
    StatePicking picking(diagram_, middle_);
    double passed = 0;
    std::size_t next = 0;
    for (std::uint32_t s = 0; s < counts.state_weights.size() && next < places.size(); ++s) {
        const double weight = counts.state_weights[s];
        const bool is_last = s + 1 == counts.state_weights.size();  // in spite of rounding
        std::vector<double> own;
        const std::size_t begin = next;
        for (; next < places.size() && (is_last || places[next] < passed + weight); ++next) {
            own.push_back(std::clamp((places[next] - passed) / weight, 0.0, 1.0));
        }
        if (!own.empty()) picking.by_weight(s, std::move(own), decay, rows.data() + begin * n);
        passed += weight;
    }
    return rows;
}

std::vector<std::uint32_t> DiagramMembers::costliest(const DiagramCounts& counts) const {
    std::vector<std::uint32_t> row(diagram_.variables());
    StatePicking(diagram_, middle_)
        .with_lengths(static_cast<std::uint32_t>(counts.costliest_state), counts.costliest_before,
                      counts.costliest_after, row.data());
    return row;
}

// A queue has, for each arc taken so far, the best way to go on from there and the next best
// instead of it: arcs of a state are in the order of their shortest paths, so no path is missed.
BestMembers DiagramMembers::best(std::size_t most) const {
    const std::size_t n = diagram_.variables();
    BestMembers found;
    found.variables = n;
    std::vector<BestNode> nodes;
    const auto later = [&](std::size_t a, std::size_t b) {
        if (nodes[a].bound != nodes[b].bound) return nodes[a].bound > nodes[b].bound;
        if (nodes[a].layer != nodes[b].layer) return nodes[a].layer < nodes[b].layer;
        return a > b;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> open(later);
    const auto add = [&](std::uint32_t layer, std::size_t arc, std::size_t before, Ticks length) {
        const DiagramLayer& arcs = diagram_.layers[layer];
        const Ticks bound =
            length + arcs.length[arc] + diagram_.layers[layer + 1].after[arcs.to[arc]];
        if (bound > diagram_.limit) return;
        nodes.push_back({bound, layer, static_cast<std::uint32_t>(arc), before, length});
        open.push(nodes.size() - 1);
    };
    add(0, 0, kNoNode, 0);
    while (!open.empty() && found.ticks.size() < most) {
        const std::size_t at = open.top();
        const BestNode node = nodes[at];
        open.pop();
        ++found.nodes;
        const DiagramLayer& arcs = diagram_.layers[node.layer];
        if (node.arc + 1 < arcs.first_out[arcs.from[node.arc] + 1]) {
            add(node.layer, node.arc + 1, node.before, node.length);
        }
        if (node.layer + 1 < n) {
            const std::uint32_t to = arcs.to[node.arc];
            add(node.layer + 1, diagram_.layers[node.layer + 1].first_out[to], at,
                node.length + arcs.length[node.arc]);
            continue;
        }
        const std::size_t row = found.choices.size();
        found.choices.resize(row + n);
        for (std::size_t i = at; i != kNoNode; i = nodes[i].before) {
            const std::uint32_t family = diagram_.layers[nodes[i].layer].family[nodes[i].arc];
            found.choices[row + diagram_.child_of[family]] = family;
        }
        found.ticks.push_back(node.bound);
    }
    return found;
}

// Child by child, the first family that a shortest path still has; then paths with others of that
// child are left out.
std::vector<std::uint32_t> DiagramMembers::first() const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> chosen(n, UINT32_MAX);
    std::vector<std::vector<std::uint32_t>> arcs(n);  // of shortest paths, by layer
    for (std::size_t i = 0; i < n; ++i) {
        const DiagramLayer& layer = diagram_.layers[i];
        for (std::uint32_t a = 0; a < layer.arcs(); ++a) {
            const Ticks path = layer.before[layer.from[a]] + layer.length[a] +
                               diagram_.layers[i + 1].after[layer.to[a]];
            if (path == diagram_.shortest()) arcs[i].push_back(a);
        }
    }
    for (std::uint32_t child = 0; child < n; ++child) {
        for (std::size_t i = 0; i < n; ++i) {
            for (const std::uint32_t a : arcs[i]) {
                const std::uint32_t family = diagram_.layers[i].family[a];
                if (diagram_.child_of[family] == child) {
                    chosen[child] = std::min(chosen[child], family);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            std::erase_if(arcs[i], [&](std::uint32_t a) {
                const std::uint32_t family = diagram_.layers[i].family[a];
                return diagram_.child_of[family] == child && family != chosen[child];
            });
        }
        keep_paths(diagram_, arcs);
    }
    return chosen;
}

void DiagramMembers::stream(MemberStream& to, Ticks lower_bound) const {
    if (diagram_.empty()) return;
    HalfPaths<Half::kAfter> paths(diagram_, 0, to.closed());
    std::vector<std::uint32_t> choice(diagram_.variables());
    paths.list(0, diagram_.limit, [&](Ticks length) {
        paths.put(diagram_, choice.data());
        to.add(choice, lower_bound + length);
    });
}

}  // namespace noisyor
