#include "data/records.hpp"

#include <algorithm>
#include <utility>

namespace noisyor {
namespace {

template <int W>
struct CountedRecord {
    VariableSet<W> row;
    std::int64_t count = 0;  // 0 marks a free slot of the table below
};

// Open addressing with linear probing; grows at half load. Few distinct records make it small
// enough for the cache, which is why the records are not simply sorted.
template <int W>
class RecordTable {
  public:
    RecordTable() : slots_(1024) {}

    void add(const VariableSet<W>& row, std::int64_t count) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        CountedRecord<W>& slot = find(row);
        if (slot.count == 0) {
            slot.row = row;
            ++used_;
        }
        slot.count += count;
    }

    CountedRecords sorted() && {
        std::erase_if(slots_, [](const CountedRecord<W>& s) { return s.count == 0; });
        std::sort(slots_.begin(), slots_.end(),
                  [](const auto& a, const auto& b) { return a.row < b.row; });
        CountedRecords out;
        out.rows.resize(slots_.size() * W);
        out.counts.resize(slots_.size());
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].row.store(&out.rows[i * W]);
            out.counts[i] = slots_[i].count;
        }
        return out;
    }

  private:
    CountedRecord<W>& find(const VariableSet<W>& row) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = row.hash() & mask;
        while (slots_[i].count != 0 && !(slots_[i].row == row)) i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        std::vector<CountedRecord<W>> old(slots_.size() * 2);
        old.swap(slots_);
        for (const CountedRecord<W>& s : old) {
            if (s.count != 0) find(s.row) = s;
        }
    }

    std::vector<CountedRecord<W>> slots_;
    std::size_t used_ = 0;
};

}  // namespace

CountedRecords count_records(const std::vector<const std::uint8_t*>& columns, std::size_t records,
                             std::size_t word_count) {
    return with_set_type(word_count, [&]<int W>(VariableSet<W>) {
        RecordTable<W> table;
        constexpr std::size_t kBlock = 1024;  // records packed at a time, to stay in the cache
        std::vector<VariableSet<W>> block(kBlock);
        for (std::size_t first = 0; first < records; first += kBlock) {
            const std::size_t size = std::min(kBlock, records - first);
            std::fill_n(block.begin(), size, VariableSet<W>{});
            for (std::size_t v = 0; v < columns.size(); ++v) {
                const std::uint8_t* column = columns[v] + first;
                const std::size_t word = v / kWordBits;
                const int shift = static_cast<int>(v % kWordBits);
                for (std::size_t r = 0; r < size; ++r) {
                    block[r].words[word] |= static_cast<Word>(column[r]) << shift;
                }
            }
            for (std::size_t r = 0; r < size; ++r) table.add(block[r], 1);
        }
        return std::move(table).sorted();
    });
}

CountedRecords merge_records(const Word* rows, const std::int64_t* counts, std::size_t records,
                             std::size_t word_count) {
    return with_set_type(word_count, [&]<int W>(VariableSet<W>) {
        RecordTable<W> table;
        for (std::size_t r = 0; r < records; ++r) {
            table.add(VariableSet<W>::load(rows + r * W), counts[r]);
        }
        return std::move(table).sorted();
    });
}

}  // namespace noisyor
