// Products of vectors in lanes.
#pragma once

#include <cstddef>

#include "fitting/lanes.hpp"

namespace noisyor {

inline double dot(const Lanes* a, const Lanes* b, std::size_t blocks) {
    Lanes total = splat(0);
    for (std::size_t i = 0; i < blocks; ++i) total += a[i] * b[i];
    return sum(total);
}

// The products of one vector with several columns. Four at a time: each sum is a chain of additions
// that must wait for one another, but the chains run side by side.
template <class Column, class Store>
void dots(const Lanes* vector, std::size_t blocks, std::size_t columns, Column column,
          Store store) {
    std::size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        const Lanes *x0 = column(j), *x1 = column(j + 1), *x2 = column(j + 2), *x3 = column(j + 3);
        Lanes t0 = splat(0), t1 = splat(0), t2 = splat(0), t3 = splat(0);
        for (std::size_t i = 0; i < blocks; ++i) {
            const Lanes v = vector[i];
            t0 += v * x0[i];
            t1 += v * x1[i];
            t2 += v * x2[i];
            t3 += v * x3[i];
        }
        store(j, sum(t0));
        store(j + 1, sum(t1));
        store(j + 2, sum(t2));
        store(j + 3, sum(t3));
    }
    for (; j < columns; ++j) store(j, dot(vector, column(j), blocks));
}

}  // namespace noisyor
