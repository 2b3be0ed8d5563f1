// What fits have shown, kept within a number of bytes: for a set of parents, bounds on its -ln L.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "fitting/noisy_or.hpp"
#include "variable_set.hpp"

namespace noisyor {

// The optimum of a fit lies between these; both are infinite where no fit is possible.
struct Interval {
    double lower = -kInfinity;
    double upper = kInfinity;
};

// A fit is named by its set of parents and by those among them that are `paid`, which the penalty
// counts in full (see SearchContext::sloped). Safe to share between threads: the entries are in
// parts, each behind its own lock. When its bytes are used up, new entries replace old ones.
template <int W>
class FitMemory {
  public:
    explicit FitMemory(std::size_t bytes) : most_entries_(bytes / sizeof(Entry) / kParts) {}

    Interval look(const VariableSet<W>& set, const VariableSet<W>& paid) {
        const std::size_t hash = hash_of(set, paid);
        Part& part = parts_[hash % kParts];
        std::scoped_lock lock(part.mutex);
        const Entry* entry = part.find(set, paid, hash / kParts);
        return entry == nullptr ? Interval{} : entry->interval;
    }

    // Takes note that the optimum is in the interval, too.
    void note(const VariableSet<W>& set, const VariableSet<W>& paid, const Interval& interval) {
        if (most_entries_ < kWindow) return;
        const std::size_t hash = hash_of(set, paid);
        Part& part = parts_[hash % kParts];
        std::scoped_lock lock(part.mutex);
        if (Entry* entry = part.find(set, paid, hash / kParts)) {
            entry->interval.lower = std::max(entry->interval.lower, interval.lower);
            entry->interval.upper = std::min(entry->interval.upper, interval.upper);
            return;
        }
        if (4 * (part.used + 1) > 3 * part.entries.size()) grow(part);
        part.insert({set, paid, interval}, hash / kParts);
    }

    std::size_t bytes() const { return entries_ * sizeof(Entry); }

  private:
    struct Entry {
        VariableSet<W> set;  // never empty in use
        VariableSet<W> paid;
        Interval interval;
    };
    static constexpr std::size_t kParts = 32;
    static constexpr std::size_t kWindow = 8;  // places that an entry may be in

    struct Part {
        std::mutex mutex;
        std::vector<Entry> entries;  // a power of two of them
        std::size_t used = 0;

        Entry& at(std::size_t place) { return entries[place & (entries.size() - 1)]; }
        Entry* find(const VariableSet<W>& set, const VariableSet<W>& paid, std::size_t hash) {
            if (entries.empty()) return nullptr;
            for (std::size_t i = 0; i < kWindow; ++i) {
                Entry& entry = at(hash + i);
                if (entry.set == set && entry.paid == paid) return &entry;
            }
            return nullptr;
        }
        void insert(const Entry& added, std::size_t hash) {
            for (std::size_t i = 0; i < kWindow; ++i) {
                Entry& entry = at(hash + i);
                if (!entry.set.empty()) continue;
                entry = added;
                ++used;
                return;
            }
            at(hash + used % kWindow) = added;
        }
    };

    static std::size_t hash_of(const VariableSet<W>& set, const VariableSet<W>& paid) {
        Word h = set.hash() ^ (paid.hash() * 0xd6e8feb86659fd93ULL);
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ULL;
        return static_cast<std::size_t>(h ^ (h >> 32));
    }

    void grow(Part& part) {
        const std::size_t size = std::max(2 * part.entries.size(), std::size_t{kWindow});
        if (size > most_entries_) return;
        std::vector<Entry> old(size);
        old.swap(part.entries);
        entries_ += size - old.size();
        part.used = 0;
        for (const Entry& entry : old) {
            if (!entry.set.empty()) part.insert(entry, hash_of(entry.set, entry.paid) / kParts);
        }
    }

    std::size_t most_entries_;  // of a part
    std::atomic<std::size_t> entries_{0};
    std::array<Part, kParts> parts_;
};

}  // namespace noisyor
