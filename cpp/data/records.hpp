// Records of coded states packed into words, and distinct records with their counts.
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

// The most words of a record: 1,024 variables of 64 states, ten fields of six bits in a word.
inline constexpr std::size_t kMaxRecordWords = 103;

// Packs codes (one array of bytes a variable) into one row a record and counts equal rows. The
// code of variable v is in the bits from places[v] on. A field is wide enough for its codes and
// does not cross the end of a word.
CountedRecords count_records(const std::vector<const std::uint8_t*>& columns,
                             const std::vector<std::size_t>& places, std::size_t records,
                             std::size_t word_count);

// Adds up the counts of equal rows.
CountedRecords merge_records(const Word* rows, const std::int64_t* counts, std::size_t records,
                             std::size_t word_count);

}  // namespace noisyor
