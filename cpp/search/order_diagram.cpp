#include "search/order_diagram.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "search/lattice_first_family.hpp"
#include "search/lattice_outlook.hpp"
#include "search/share_turns.hpp"

namespace noisyor {
namespace {

// States that a thread takes at a time, and turns after which threads merge what they found.
constexpr std::size_t kStatesATurn = 256;
constexpr std::size_t kTurnsARound = 64;
constexpr std::size_t kShardBits = 4;
constexpr std::size_t kStateShards = std::size_t{1} << kShardBits;
// The share of the memory for outlooks, and as much as they can use, of all threads together.
constexpr std::size_t kOutlookShare = 4;
constexpr std::size_t kMostOutlookBytes = std::size_t{512} << 20;

std::size_t hash_of(std::span<const Word> key) {
    Word h = 0;
    for (const Word w : key) {
        h = (h ^ w) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
}

// A share of a layer's states by their keys, with open addressing.
class StateShard {
  public:
    std::vector<Ticks> before;

    std::span<const Word> key(std::size_t row) const {
        return std::span(words_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
    }

    // Records a path of this length to the state; returns its row.
    std::uint32_t arrive(std::span<const Word> key, std::size_t hash, Ticks length) {
        if (2 * (before.size() + 1) > slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash & mask;
        for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
            if (!std::ranges::equal(this->key(slots_[slot]), key)) continue;
            Ticks& known = before[slots_[slot]];
            known = std::min(known, length);
            return slots_[slot];
        }
        slots_[slot] = static_cast<std::uint32_t>(before.size());
        words_.insert(words_.end(), key.begin(), key.end());
        begins_.push_back(words_.size());
        before.push_back(length);
        return slots_[slot];
    }

    // Forgets how to find states; their keys stay.
    void close() { slots_ = {}; }

    std::size_t bytes() const {
        return words_.capacity() * sizeof(Word) + begins_.capacity() * sizeof(std::size_t) +
               before.capacity() * sizeof(Ticks) + slots_.capacity() * sizeof(std::uint32_t);
    }

  private:
    static constexpr std::uint32_t kFree = UINT32_MAX;

    void grow() {
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kFree);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t row = 0; row < before.size(); ++row) {
            std::size_t slot = hash_of(key(row)) & mask;
            while (slots_[slot] != kFree) slot = (slot + 1) & mask;
            slots_[slot] = static_cast<std::uint32_t>(row);
        }
    }

    std::vector<Word> words_;
    std::vector<std::size_t> begins_{0};
    std::vector<std::uint32_t> slots_;  // rows; the size is a power of two, half free
};

using StateLayer = std::array<StateShard, kStateShards>;

// Paths that one turn found to the states of a shard.
struct Arrivals {
    struct Arrival {
        std::uint32_t from;
        std::uint32_t words;    // of the key
        std::uint32_t options;  // arcs
        std::size_t hash;
        Ticks length;  // of the shortest of these paths
    };
    std::vector<Arrival> arrivals;
    std::vector<Word> words;
    std::vector<std::uint32_t> families;
    std::vector<Ticks> lengths;  // of arcs

    void clear() {
        arrivals.clear();
        words.clear();
        families.clear();
        lengths.clear();
    }
};

using TurnArrivals = std::array<Arrivals, kStateShards>;

// What a key says: the variables placed, those with a barrier, and for each of these, ascending,
// the parents that its families may have within its barrier.
template <int W>
struct KeyView {
    std::span<const Word> key;

    VariableSet<W> placed() const { return VariableSet<W>::load(key.data()); }
    VariableSet<W> barred() const { return VariableSet<W>::load(key.data() + W); }
    VariableSet<W> barrier(std::size_t i) const {
        return VariableSet<W>::load(key.data() + (2 + i) * W);
    }
};

// Finds the arcs that leave a state. One for each thread: it keeps scratch space.
template <int W>
class StateExpansion {
  public:
    using Set = VariableSet<W>;

    StateExpansion(const LatticeProblem<W>& problem, DiagramRules rules,
                   const std::vector<Set>& below, Ticks limit, std::size_t memory)
        : problem_(problem),
          rules_(rules),
          below_(below),
          limit_(limit),
          memory_(problem, memory),
          first_family_(problem),
          barrier_(below.size()),
          outlooks_(below.size()),
          least_(below.size()) {}

    void expand(std::uint32_t state, KeyView<W> key, Ticks distance, TurnArrivals& to) {
        memory_.make_room();
        placed_ = key.placed();
        barred_ = key.barred();
        unplaced_ = problem_.all - placed_;
        std::size_t next = 0;
        barred_.for_each([&](int u) { barrier_[at(u)] = key.barrier(next++); });
        problem_.saturated(placed_, saturated_);
        spare_ = limit_ - distance;
        unplaced_.for_each([&](int u) {
            outlooks_[at(u)] = memory_.of(u, saturated_, limit_);
            least_[at(u)] =
                least(outlooks_[at(u)], barred_.contains(u) ? &barrier_[at(u)] : nullptr);
            spare_ -= least_[at(u)];
        });
        unplaced_.for_each([&](int v) { place(state, v, distance, to); });
    }

  private:
    static std::size_t at(int v) { return static_cast<std::size_t>(v); }

    // What a variable costs at least, with a barrier or without.
    Ticks least(const Outlook<W>& seen, const Set* barrier) const {
        if (!rules_.strengthen) return 0;
        return barrier == nullptr ? seen.least : seen.least_beyond(*barrier);
    }

    // Adds the arcs that place v, which all lead to the same state.
    void place(std::uint32_t state, int v, Ticks distance, TurnArrivals& to) {
        const auto& families = problem_.children[at(v)].by_ticks;
        const std::size_t size = families.base.size();
        const Ticks weight = outlooks_[at(v)].saturated_weight;
        const Ticks room = spare_ + least_[at(v)] - weight;
        const auto fits = [&](std::size_t f) {
            return families.parents[f].is_subset_of(placed_) &&
                   !(barred_.contains(v) && families.parents[f].is_subset_of(barrier_[at(v)]));
        };
        std::size_t f = first_family_.find(v, placed_, room);
        while (f < size && families.base[f] <= room && !fits(f)) ++f;
        if (f >= size || families.base[f] > room) return;
        const Ticks shortest = families.base[f] + weight;
        const Ticks spare = spare_after(v, room - families.base[f]);
        if (spare < 0) return;

        write_key(v);
        const std::size_t hash = hash_of(key_);
        Arrivals& own = to[hash >> (8 * sizeof(hash) - kShardBits)];
        std::uint32_t options = 0;
        for (; f < size && families.base[f] + weight <= shortest + spare; ++f) {
            if (!fits(f)) continue;
            own.families.push_back(static_cast<std::uint32_t>(families.family[f]));
            own.lengths.push_back(families.base[f] + weight);
            ++options;
        }
        own.words.insert(own.words.end(), key_.begin(), key_.end());
        own.arrivals.push_back(
            {state, static_cast<std::uint32_t>(key_.size()), options, hash, distance + shortest});
    }

    // What is left of `spare` once v is placed, for then some of the others cost more: those that
    // v has passed, whose barrier is now what was placed before, and those that have other cuts
    // saturated.
    Ticks spare_after(int v, Ticks spare) {
        Set placed = placed_;
        placed.insert(v);
        Set others = unplaced_;
        others.erase(v);
        const Set passed = others & below_[at(v)];
        problem_.saturated(placed, saturated_after_);
        newly_.resize(saturated_.size());
        for (std::size_t i = 0; i < newly_.size(); ++i) {
            newly_[i] = saturated_after_[i] & ~saturated_[i];
        }
        const auto pay = [&](Set whom, auto&& barrier_of) {
            while (!whom.empty() && spare >= 0) {
                const int u = whom.lowest();
                whom.erase(u);
                const bool same = !changes(u);
                const Set* barrier = barrier_of(u);
                if (same && barrier != &placed_) continue;
                spare -= least(same ? outlooks_[at(u)] : memory_.of(u, saturated_after_, limit_),
                               barrier) -
                         least_[at(u)];
            }
        };
        pay(passed, [&](int) { return &placed_; });
        pay(others - passed,
            [&](int u) { return barred_.contains(u) ? &barrier_[at(u)] : nullptr; });
        return spare;
    }

    // Whether the cuts that are newly saturated are cuts of a child.
    bool changes(int child) const {
        const CutBits& own = problem_.children[at(child)].cuts;
        Word any = 0;
        for (std::size_t i = 0; i < newly_.size(); ++i) any |= newly_[i] & own[i];
        return any != 0;
    }

    // The key of the state after v is placed.
    void write_key(int v) {
        Set placed = placed_;
        placed.insert(v);
        Set others = unplaced_;
        others.erase(v);
        const Set passed = others & below_[at(v)];
        const Set barred = passed | (barred_ & others);
        key_.resize(2 * W);
        placed.store(key_.data());
        barred.store(key_.data() + W);
        barred.for_each([&](int u) {
            const Set barrier =
                passed.contains(u) ? placed_ & problem_.children[at(u)].parents : barrier_[at(u)];
            key_.resize(key_.size() + W);
            barrier.store(key_.data() + key_.size() - W);
        });
    }

    const LatticeProblem<W>& problem_;
    DiagramRules rules_;
    const std::vector<Set>& below_;
    Ticks limit_;
    OutlookMemory<W> memory_;
    FirstFamily<W> first_family_;
    // Of the state that is expanded; by variable, of those unplaced.
    Set placed_, unplaced_, barred_;
    Ticks spare_ = 0;  // the limit less the distance and what the unplaced cost at least
    CutBits saturated_;
    std::vector<Set> barrier_;
    std::vector<Outlook<W>> outlooks_;
    std::vector<Ticks> least_;
    // Of the state that an arc leads to.
    CutBits saturated_after_, newly_;
    std::vector<Word> key_;
};

template <int W>
class DiagramMaking {
  public:
    DiagramMaking(const LatticeProblem<W>& problem, DiagramRules rules,
                  std::span<const int> numbers, Ticks limit, std::size_t max_bytes,
                  std::size_t workers, const std::atomic<bool>& cancel)
        : problem_(problem), workers_(workers), cancel_(cancel), below_(numbers.size()) {
        VariableSet<W> lower;
        for (const int v : numbers) {
            below_[static_cast<std::size_t>(v)] = lower;
            lower.insert(v);
        }
        const std::size_t outlooks = std::min(max_bytes / kOutlookShare, kMostOutlookBytes);
        max_bytes_ = max_bytes - outlooks;
        for (std::size_t w = 0; w < workers; ++w) {
            expansions_.emplace_back(problem, rules, below_, limit, outlooks / workers);
        }
        diagram().limit = limit;
        diagram().child_of.resize(problem.families);
        for (std::uint32_t v = 0; v < problem.children.size(); ++v) {
            for (const std::size_t f : problem.children[v].by_ticks.family) {
                diagram().child_of[f] = v;
            }
        }
    }

    DiagramResult run() {
        const auto n = static_cast<std::size_t>(problem_.variables);
        diagram().layers.resize(n + 1);
        StateLayer layer, next;
        const std::vector<Word> nothing(2 * W);
        layer[0].arrive(nothing, hash_of(nothing), 0);
        diagram().layers[0].before = {0};
        for (std::size_t size = 0; size < n; ++size) {
            if (!expand(layer, next, size)) break;
            layer = std::move(next);
            next = {};
        }
        if (result_.status == DiagramStatus::kDone && !trim(diagram(), cancel_)) {
            result_.status = DiagramStatus::kCancelled;
        }
        return std::move(result_);
    }

  private:
    OrderDiagram& diagram() { return result_.diagram; }

    // Finds the arcs from a layer to the next; false if a limit was hit.
    bool expand(StateLayer& layer, StateLayer& next, std::size_t size) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;  // shard and first row
        std::array<std::uint32_t, kStateShards> offset{};
        std::uint32_t states = 0;
        for (std::uint32_t s = 0; s < kStateShards; ++s) {
            offset[s] = states;
            states += static_cast<std::uint32_t>(layer[s].before.size());
            for (std::uint32_t row = 0; row < layer[s].before.size(); row += kStatesATurn) {
                turns.emplace_back(s, row);
            }
        }
        std::array<DiagramLayer, kStateShards> arcs;
        std::vector<TurnArrivals> found(std::min(turns.size(), kTurnsARound));
        for (std::size_t begin = 0; begin < turns.size(); begin += kTurnsARound) {
            const std::size_t count = std::min(kTurnsARound, turns.size() - begin);
            share_turns(workers_, count, [&](std::size_t worker, std::size_t turn) {
                const auto [s, row] = turns[begin + turn];
                for (Arrivals& one : found[turn]) one.clear();
                expand(layer[s], row, offset[s], expansions_[worker], found[turn]);
            });
            share_turns(workers_, kStateShards, [&](std::size_t, std::size_t s) {
                for (std::size_t turn = 0; turn < count; ++turn) {
                    merge(found[turn][s], next[s], arcs[s]);
                }
            });
            if (limit_hit(layer, next, arcs)) return false;
        }
        gather(next, arcs, size);
        return true;
    }

    void expand(const StateShard& shard, std::size_t row, std::uint32_t offset,
                StateExpansion<W>& expansion, TurnArrivals& to) {
        const std::size_t end = std::min(row + kStatesATurn, shard.before.size());
        for (; row < end && !cancel_.load(std::memory_order_relaxed); ++row) {
            expansion.expand(offset + static_cast<std::uint32_t>(row), {shard.key(row)},
                             shard.before[row], to);
        }
    }

    static void merge(const Arrivals& found, StateShard& shard, DiagramLayer& arcs) {
        const Word* key = found.words.data();
        std::size_t option = 0;
        for (const auto& one : found.arrivals) {
            const std::uint32_t to = shard.arrive({key, one.words}, one.hash, one.length);
            key += one.words;
            for (const std::size_t end = option + one.options; option < end; ++option) {
                arcs.from.push_back(one.from);
                arcs.to.push_back(to);
                arcs.family.push_back(found.families[option]);
                arcs.length.push_back(found.lengths[option]);
            }
        }
    }

    bool limit_hit(const StateLayer& layer, const StateLayer& next,
                   const std::array<DiagramLayer, kStateShards>& arcs) {
        std::size_t bytes = held_;
        for (const StateShard& one : layer) bytes += one.bytes();
        for (const StateShard& one : next) bytes += one.bytes();
        for (const DiagramLayer& one : arcs) bytes += 2 * one.arcs() * kArcBytes;
        if (cancel_.load(std::memory_order_relaxed)) {
            result_.status = DiagramStatus::kCancelled;
        } else if (bytes > max_bytes_) {
            result_.status = DiagramStatus::kTooMuchMemory;
        }
        return result_.status != DiagramStatus::kDone;
    }

    // Puts together the arcs of all shards, and the distances of the states that they lead to.
    void gather(StateLayer& next, std::array<DiagramLayer, kStateShards>& arcs, std::size_t size) {
        DiagramLayer& here = diagram().layers[size];
        DiagramLayer& there = diagram().layers[size + 1];
        std::size_t all = 0;
        for (const DiagramLayer& own : arcs) all += own.arcs();
        here.from.reserve(all);
        here.to.reserve(all);
        here.family.reserve(all);
        here.length.reserve(all);
        for (std::size_t s = 0; s < kStateShards; ++s) {
            const auto offset = static_cast<std::uint32_t>(there.before.size());
            for (const std::uint32_t to : arcs[s].to) here.to.push_back(offset + to);
            append(here.from, arcs[s].from);
            append(here.family, arcs[s].family);
            append(here.length, arcs[s].length);
            append(there.before, next[s].before);
            next[s].close();
            arcs[s] = {};
        }
        result_.reached += there.states();
        held_ += here.arcs() * kArcBytes + there.states() * sizeof(Ticks);
    }

    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    static constexpr std::size_t kArcBytes = 3 * sizeof(std::uint32_t) + sizeof(Ticks);

    const LatticeProblem<W>& problem_;
    std::size_t workers_;
    const std::atomic<bool>& cancel_;
    std::vector<VariableSet<W>> below_;  // per variable, those of lower numbers
    std::vector<StateExpansion<W>> expansions_;
    std::size_t max_bytes_ = 0;  // for states and arcs
    std::size_t held_ = 0;       // bytes in the layers found
    DiagramResult result_;
};

}  // namespace

template <int W>
DiagramResult make_order_diagram(const LatticeProblem<W>& problem, DiagramRules rules,
                                 std::span<const int> numbers, Ticks limit, std::size_t max_bytes,
                                 std::size_t workers, const std::atomic<bool>& cancel) {
    return DiagramMaking<W>(problem, rules, numbers, limit, max_bytes, workers, cancel).run();
}

template DiagramResult make_order_diagram(const LatticeProblem<1>&, DiagramRules,
                                          std::span<const int>, Ticks, std::size_t, std::size_t,
                                          const std::atomic<bool>&);
template DiagramResult make_order_diagram(const LatticeProblem<2>&, DiagramRules,
                                          std::span<const int>, Ticks, std::size_t, std::size_t,
                                          const std::atomic<bool>&);
template DiagramResult make_order_diagram(const LatticeProblem<4>&, DiagramRules,
                                          std::span<const int>, Ticks, std::size_t, std::size_t,
                                          const std::atomic<bool>&);
template DiagramResult make_order_diagram(const LatticeProblem<16>&, DiagramRules,
                                          std::span<const int>, Ticks, std::size_t, std::size_t,
                                          const std::atomic<bool>&);

}  // namespace noisyor
