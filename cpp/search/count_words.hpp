// How counts of 128 bits cross between Python and the kernels: pairs of words, low and high.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "search/leaf_product.hpp"

namespace noisyor {

inline Owned<Word, 2> to_words(const std::vector<Count>& counts) {
    std::vector<Word> words;
    words.reserve(2 * counts.size());
    for (Count c : counts) {
        words.push_back(static_cast<Word>(c));
        words.push_back(static_cast<Word>(c >> kWordBits));
    }
    return to_numpy<Word, 2>(std::move(words), {counts.size(), 2});
}

inline std::vector<Count> from_words(Matrix<Word> words) {
    std::vector<Count> counts;
    for (std::size_t i = 0; i < words.shape(0); ++i) {
        counts.push_back(static_cast<Count>(words.data()[2 * i + 1]) << kWordBits |
                         words.data()[2 * i]);
    }
    return counts;
}

}  // namespace noisyor
