// Binary records as bitsets, and distinct records with their counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variable_set.hpp"

namespace noisyor {

struct CountedRecords {
    std::vector<Word> rows;  // `word_count` words a record, ascending in numeric order, distinct
    std::vector<std::int64_t> counts;
};

// Packs bytes (0 or 1, one array a variable) into one bitset a record and counts equal records.
CountedRecords count_records(const std::vector<const std::uint8_t*>& columns, std::size_t records,
                             std::size_t word_count);

// Adds up the counts of equal rows.
CountedRecords merge_records(const Word* rows, const std::int64_t* counts, std::size_t records,
                             std::size_t word_count);

}  // namespace noisyor
