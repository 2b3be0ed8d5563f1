// Values by sets of parents, kept within a number of bytes and shared between threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

// A key is a set and its `paid` variables (see cause_fits.hpp). The entries are in parts, each with
// its own lock. When the bytes of a part are used up, new entries replace old ones. Value needs
// heap_bytes(), the bytes that it holds on the heap.
template <int W, class Value>
class SetMemory {
  public:
    explicit SetMemory(std::size_t bytes) : most_bytes_(bytes / kParts) {}

    // Calls f with the value, if there is one; returns whether there is.
    template <class F>
    bool look(const VariableSet<W>& set, const VariableSet<W>& paid, F&& f) {
        const std::size_t hash = hash_of(set, paid);
        Part& part = parts_[hash % kParts];
        std::scoped_lock lock(part.mutex);
        const Entry* entry = part.find(set, paid, hash / kParts);
        if (entry != nullptr) f(entry->value);
        return entry != nullptr;
    }

    void note(const VariableSet<W>& set, const VariableSet<W>& paid, Value value) {
        const std::size_t hash = hash_of(set, paid);
        Part& part = parts_[hash % kParts];
        std::scoped_lock lock(part.mutex);
        if (4 * (part.used + 1) > 3 * part.entries.size()) grow(part);
        if (part.entries.empty()) return;
        Entry* entry = part.find(set, paid, hash / kParts);
        if (entry == nullptr) entry = &part.place(hash / kParts);
        const std::size_t bytes = part.bytes - entry->value.heap_bytes() + value.heap_bytes();
        if (bytes > most_bytes_) return;
        part.used += entry->set.empty();
        *entry = {set, paid, std::move(value)};
        bytes_ += bytes - part.bytes;
        part.bytes = bytes;
    }

    std::size_t bytes() const { return bytes_; }

  private:
    struct Entry {
        VariableSet<W> set;  // empty where there is no entry
        VariableSet<W> paid;
        Value value;
    };
    static constexpr std::size_t kParts = 32;
    static constexpr std::size_t kWindow = 8;  // places that an entry may be in

    struct Part {
        std::mutex mutex;
        std::vector<Entry> entries;  // a power of two of them
        std::size_t used = 0, bytes = 0;

        Entry& at(std::size_t place) { return entries[place & (entries.size() - 1)]; }
        Entry* find(const VariableSet<W>& set, const VariableSet<W>& paid, std::size_t hash) {
            for (std::size_t i = 0; i < kWindow && !entries.empty(); ++i) {
                Entry& entry = at(hash + i);
                if (entry.set == set && entry.paid == paid) return &entry;
            }
            return nullptr;
        }
        // A free place if there is one, else that of some other entry.
        Entry& place(std::size_t hash) {
            for (std::size_t i = 0; i < kWindow; ++i) {
                if (at(hash + i).set.empty()) return at(hash + i);
            }
            return at(hash + used % kWindow);
        }
    };

    static std::size_t hash_of(const VariableSet<W>& set, const VariableSet<W>& paid) {
        Word h = set.hash() ^ (paid.hash() * 0xd6e8feb86659fd93ULL);
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ULL;
        return static_cast<std::size_t>(h ^ (h >> 32));
    }

    // Doubles the places of a part, if there is room for them.
    void grow(Part& part) {
        const std::size_t size = std::max(2 * part.entries.size(), std::size_t{kWindow});
        const std::size_t more = (size - part.entries.size()) * sizeof(Entry);
        if (part.bytes + more > most_bytes_) return;
        std::vector<Entry> old(size);
        old.swap(part.entries);
        part.used = 0;
        part.bytes += more;
        bytes_ += more;
        for (Entry& entry : old) {
            if (entry.set.empty()) continue;
            Entry& to = part.place(hash_of(entry.set, entry.paid) / kParts);
            part.used += to.set.empty();
            part.bytes -= to.value.heap_bytes();
            bytes_ -= to.value.heap_bytes();
            to = std::move(entry);
        }
    }

    std::size_t most_bytes_;  // of a part
    std::atomic<std::size_t> bytes_{0};
    std::array<Part, kParts> parts_;
};

}  // namespace noisyor
