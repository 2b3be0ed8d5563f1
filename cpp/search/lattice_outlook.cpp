#include "search/lattice_outlook.hpp"

#include <algorithm>
#include <limits>

namespace noisyor {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kChunkWords = std::size_t{1} << 16;
constexpr std::size_t kHeaderWords = 4;
// Families between two checks of which parents can still improve.
constexpr std::size_t kFamiliesALook = 16;

}  // namespace

template <int W>
OutlookMemory<W>::OutlookMemory(const LatticeProblem<W>& problem, std::size_t max_bytes)
    : problem_(problem),
      max_bytes_(max_bytes),
      key_(problem.cut_words),
      least_with_(static_cast<std::size_t>(problem.variables)) {
    forget();
}

template <int W>
void OutlookMemory<W>::forget() {
    tables_.assign(static_cast<std::size_t>(problem_.variables), {});
    for (Table& table : tables_) table.slots.resize(kFirstSlots);
    latest_.assign(tables_.size(), nullptr);
    chunks_.clear();
    chunk_left_ = 0;
    bytes_ = 0;
}

template <int W>
void OutlookMemory<W>::make_room() {
    if (bytes_ > max_bytes_) forget();
}

template <int W>
Outlook<W> OutlookMemory<W>::of(int child, const CutBits& saturated, Ticks most) {
    const LatticeChild<W>& about = problem_.children[static_cast<std::size_t>(child)];
    const std::int64_t*& latest = latest_[static_cast<std::size_t>(child)];
    for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = saturated[i] & about.cuts[i];
    if (latest == nullptr || !is_of(latest) || latest[0] < most) {
        latest = find(tables_[static_cast<std::size_t>(child)], about, most);
    }
    return view(latest);
}

template <int W>
const std::int64_t* OutlookMemory<W>::find(Table& table, const LatticeChild<W>& child, Ticks most) {
    std::size_t hash = 0;
    for (const Word word : key_) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
    }
    if (2 * (table.used + 1) > table.slots.size()) grow(table);
    const std::size_t mask = table.slots.size() - 1;
    std::size_t at = hash & mask;
    for (; table.slots[at].record != nullptr; at = (at + 1) & mask) {
        Slot& slot = table.slots[at];
        if (slot.hash != hash || !is_of(slot.record)) continue;
        if (slot.record[0] < most) slot.record = look(child, most + most / 2);
        return slot.record;
    }
    ++table.used;
    bytes_ += 2 * sizeof(Slot);
    table.slots[at] = {hash, look(child, most + most / 2)};
    return table.slots[at].record;
}

template <int W>
void OutlookMemory<W>::grow(Table& table) {
    std::vector<Slot> slots(2 * table.slots.size());
    const std::size_t mask = slots.size() - 1;
    for (const Slot& slot : table.slots) {
        if (slot.record == nullptr) continue;
        std::size_t at = slot.hash & mask;
        while (slots[at].record != nullptr) at = (at + 1) & mask;
        slots[at] = slot;
    }
    table.slots = std::move(slots);
}

template <int W>
bool OutlookMemory<W>::is_of(const std::int64_t* record) const {
    Word differing = 0;
    for (std::size_t i = 0; i < key_.size(); ++i) {
        differing |= key_[i] ^ static_cast<Word>(record[kHeaderWords + i]);
    }
    return differing == 0;
}

template <int W>
Outlook<W> OutlookMemory<W>::view(const std::int64_t* record) const {
    const auto steps = static_cast<std::size_t>(record[3]);
    const std::int64_t* q = record + kHeaderWords + key_.size();
    // Signed and unsigned words may stand for each other in memory.
    return {record[0], record[1], record[2], steps, q, reinterpret_cast<const Word*>(q + steps)};
}

template <int W>
std::int64_t* OutlookMemory<W>::allocate(std::size_t words) {
    if (chunk_left_ < words) {
        chunk_left_ = std::max(words, kChunkWords);
        chunks_.push_back(std::make_unique_for_overwrite<std::int64_t[]>(chunk_left_));
        bytes_ += chunk_left_ * sizeof(std::int64_t);
    }
    const std::size_t size = std::max(kChunkWords, chunk_left_);
    std::int64_t* at = chunks_.back().get() + (size - chunk_left_);
    chunk_left_ -= words;
    return at;
}

template <int W>
const std::int64_t* OutlookMemory<W>::look(const LatticeChild<W>& child, Ticks most) {
    const Ticks least = find_least_with(child, most);
    find_steps(most);
    std::int64_t* record =
        allocate(kHeaderWords + key_.size() + steps_.size() * (1 + static_cast<std::size_t>(W)));
    record[0] = most;
    record[1] = least;
    record[2] =
        problem_.weight_of(child.cuts.data(), key_.data(), std::numeric_limits<Ticks>::max());
    record[3] = static_cast<std::int64_t>(steps_.size());
    std::int64_t* at = std::copy(key_.begin(), key_.end(), record + kHeaderWords);
    for (const Step& step : steps_) *at++ = step.q;
    for (const Step& step : steps_) {
        for (const Word word : step.parents.words) *at++ = static_cast<std::int64_t>(word);
    }
    return record;
}

// Sets, for every parent, the least q of a family that has it; returns that of any family.
template <int W>
Ticks OutlookMemory<W>::find_least_with(const LatticeChild<W>& child, Ticks most) {
    Ticks least = most + 1;
    std::fill(least_with_.begin(), least_with_.end(), most + 1);
    const auto& families = child.by_rc;
    Set open;  // parents whose least q is above the rc of the families to come
    for (std::size_t f = 0; f < families.rc.size() && families.rc[f] <= most; ++f) {
        const Ticks rc = families.rc[f];
        if (f % kFamiliesALook == 0) {
            open = {};
            for (int p = 0; p < problem_.variables; ++p) {
                if (least_with_[static_cast<std::size_t>(p)] > rc) open.insert(p);
            }
            if (!child.parents.meets(open) && least <= rc) break;
        }
        if (least <= rc && !families.parents[f].meets(open)) continue;
        const Word* counted = families.counted.data() + f * problem_.cut_words;
        const Ticks q = rc + problem_.weight_of(counted, key_.data(), most - rc);
        if (q > most) continue;
        least = std::min(least, q);
        families.parents[f].for_each([&](int p) {
            Ticks& known = least_with_[static_cast<std::size_t>(p)];
            known = std::min(known, q);
        });
    }
    return least;
}

template <int W>
void OutlookMemory<W>::find_steps(Ticks most) {
    steps_.clear();
    for (int p = 0; p < problem_.variables; ++p) {
        const Ticks q = least_with_[static_cast<std::size_t>(p)];
        if (q <= most) steps_.push_back({q, Set::single(p)});
    }
    std::sort(steps_.begin(), steps_.end(), [](const auto& a, const auto& b) { return a.q < b.q; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < steps_.size(); ++i) {
        const Set parents = steps_[last].parents | steps_[i].parents;
        if (steps_[i].q != steps_[last].q) ++last;
        steps_[last] = {steps_[i].q, parents};
    }
    if (!steps_.empty()) steps_.resize(last + 1);
}

template class OutlookMemory<1>;
template class OutlookMemory<2>;
template class OutlookMemory<4>;
template class OutlookMemory<16>;

}  // namespace noisyor
