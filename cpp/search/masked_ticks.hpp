// Ticks that some entries lack, as Python sees them: a mask, and zeros where there are none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "search/families.hpp"

namespace noisyor {

// A getter for the entries of a bound struct's vector that are not `none`, as an array of flags.
template <class Struct>
auto mask_of(std::vector<Ticks> Struct::* field, Ticks none) {
    return [field, none](const Struct& one) {
        const std::vector<Ticks>& ticks = one.*field;
        auto flags = std::make_unique<bool[]>(ticks.size());
        std::transform(ticks.begin(), ticks.end(), flags.get(),
                       [none](Ticks value) { return value != none; });
        bool* data = flags.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
        return Owned<bool, 1>(data, {ticks.size()}, owner);
    };
}

// A getter for the vector itself, with `none` replaced by 0.
template <class Struct>
auto masked(std::vector<Ticks> Struct::* field, Ticks none) {
    return [field, none](const Struct& one) {
        std::vector<Ticks> ticks = one.*field;
        std::replace(ticks.begin(), ticks.end(), none, Ticks{0});
        return to_numpy(std::move(ticks));
    };
}

}  // namespace noisyor
