// How many states a set of parents has, in the two ways that numbers of parameters depend on.
#pragma once

#include <algorithm>
#include <limits>

namespace noisyor {

struct ParentStates {
    double beyond_first = 0;    // the sum of r - 1 over the parents, r being their states
    double configurations = 1;  // the product of r, or the largest number where that is larger

    void add(int states) {
        beyond_first += states - 1;
        configurations = std::min(configurations * states, std::numeric_limits<double>::max());
    }
};

}  // namespace noisyor
