#include "data/records.hpp"

#include <algorithm>
#include <utility>

namespace noisyor {
namespace {

// The packed codes of a record. It compares as a number, the highest word first.
template <int W>
struct PackedRecord : BitWords<W, PackedRecord<W>> {};

template <int W>
struct CountedRecord {
    PackedRecord<W> row;
    std::int64_t count = 0;  // 0 marks a free slot of the table below
};

// Calls f with the narrowest record type, as PackedRecord<W>{}, that holds `word_count` words.
template <class F>
decltype(auto) with_packed_type(std::size_t word_count, F&& f) {
    static_assert(kMaxRecordWords <= 128);
    if (word_count <= 1) return f(PackedRecord<1>{});
    if (word_count <= 2) return f(PackedRecord<2>{});
    if (word_count <= 4) return f(PackedRecord<4>{});
    if (word_count <= 8) return f(PackedRecord<8>{});
    if (word_count <= 16) return f(PackedRecord<16>{});
    if (word_count <= 32) return f(PackedRecord<32>{});
    return f(PackedRecord<128>{});
}

// The records as arrays of `word_count` words; a record type may have more, which are zero.
template <int W>
CountedRecords as_arrays(const std::vector<CountedRecord<W>>& records, std::size_t word_count) {
    CountedRecords out;
    out.rows.resize(records.size() * word_count);
    out.counts.resize(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        std::copy_n(records[i].row.words.data(), word_count, &out.rows[i * word_count]);
        out.counts[i] = records[i].count;
    }
    return out;
}

// Open addressing with linear probing, at most half full and small enough for the cache. Tables
// with few distinct records never fill it; others leave it as sorted runs, to be merged.
template <int W>
class RecordTable {
  public:
    RecordTable() : slots_(kSlots) {}

    void add(const PackedRecord<W>& row, std::int64_t count) {
        CountedRecord<W>& slot = find(row);
        if (slot.count == 0) {
            slot.row = row;
            ++used_;
        }
        slot.count += count;
        if (2 * used_ > kSlots) flush();
    }

    // The runs of records so far, each strictly ascending; a row may be in several.
    std::vector<CountedRecord<W>> runs() && {
        flush();
        return std::move(runs_);
    }

  private:
    static constexpr std::size_t kSlots = std::size_t{1} << (W <= 16 ? 15 : 12);

    CountedRecord<W>& find(const PackedRecord<W>& row) {
        std::size_t i = row.hash() & (kSlots - 1);
        while (slots_[i].count != 0 && !(slots_[i].row == row)) i = (i + 1) & (kSlots - 1);
        return slots_[i];
    }
    void flush() {
        const auto start = static_cast<std::ptrdiff_t>(runs_.size());
        for (CountedRecord<W>& slot : slots_) {
            if (slot.count != 0) runs_.push_back(std::exchange(slot, {}));
        }
        std::sort(runs_.begin() + start, runs_.end(),
                  [](const auto& a, const auto& b) { return a.row < b.row; });
        used_ = 0;
    }

    std::vector<CountedRecord<W>> slots_;
    std::vector<CountedRecord<W>> runs_;
    std::size_t used_ = 0;
};

// Appends the union of two strictly ascending runs [first, middle) and [middle, last).
template <int W>
void merge_pair(const CountedRecord<W>* first, const CountedRecord<W>* middle,
                const CountedRecord<W>* last, std::vector<CountedRecord<W>>& out) {
    const CountedRecord<W>* a = first;
    const CountedRecord<W>* b = middle;
    while (a != middle && b != last) {
        if (a->row < b->row) {
            out.push_back(*a++);
        } else if (b->row < a->row) {
            out.push_back(*b++);
        } else {
            out.push_back({a->row, a->count + b->count});
            ++a, ++b;
        }
    }
    out.insert(out.end(), a, middle);
    out.insert(out.end(), b, last);
}

// Natural merge sort that adds up equal rows. Counted batches come as few long ascending runs, so
// that this is linear where hashing and sorting again would not be.
template <int W>
std::vector<CountedRecord<W>> merge_runs(std::vector<CountedRecord<W>> records) {
    std::vector<std::size_t> starts;  // of the strictly ascending runs; the end of the last
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (i == 0 || !(records[i - 1].row < records[i].row)) starts.push_back(i);
    }
    starts.push_back(records.size());
    std::vector<CountedRecord<W>> merged;
    while (starts.size() > 2) {
        merged.clear();
        merged.reserve(records.size());
        std::vector<std::size_t> merged_starts;
        for (std::size_t run = 0; run + 1 < starts.size(); run += 2) {
            merged_starts.push_back(merged.size());
            const CountedRecord<W>* data = records.data();
            const std::size_t last = starts[std::min(run + 2, starts.size() - 1)];
            merge_pair(data + starts[run], data + starts[run + 1], data + last, merged);
        }
        merged_starts.push_back(merged.size());
        records.swap(merged);
        starts.swap(merged_starts);
    }
    return records;
}

}  // namespace

CountedRecords count_records(const std::vector<const std::uint8_t*>& columns,
                             const std::vector<std::size_t>& places, std::size_t records,
                             std::size_t word_count) {
    return with_packed_type(word_count, [&]<int W>(PackedRecord<W>) {
        RecordTable<W> table;
        constexpr std::size_t kBlock = 1024;  // records packed at a time, to stay in the cache
        std::vector<PackedRecord<W>> block(kBlock);
        for (std::size_t first = 0; first < records; first += kBlock) {
            const std::size_t size = std::min(kBlock, records - first);
            std::fill_n(block.begin(), size, PackedRecord<W>{});
            for (std::size_t v = 0; v < columns.size(); ++v) {
                const std::uint8_t* column = columns[v] + first;
                const std::size_t word = places[v] / kWordBits;
                const int shift = static_cast<int>(places[v] % kWordBits);
                for (std::size_t r = 0; r < size; ++r) {
                    block[r].words[word] |= static_cast<Word>(column[r]) << shift;
                }
            }
            for (std::size_t r = 0; r < size; ++r) table.add(block[r], 1);
        }
        return as_arrays<W>(merge_runs<W>(std::move(table).runs()), word_count);
    });
}

CountedRecords merge_records(const Word* rows, const std::int64_t* counts, std::size_t records,
                             std::size_t word_count) {
    return with_packed_type(word_count, [&]<int W>(PackedRecord<W>) {
        std::vector<CountedRecord<W>> all(records);
        for (std::size_t r = 0; r < records; ++r) {
            all[r] = {PackedRecord<W>::load(rows + r * word_count, word_count), counts[r]};
        }
        return as_arrays<W>(merge_runs<W>(std::move(all)), word_count);
    });
}

}  // namespace noisyor
