// The random numbers of draws: a function of a key, so that they depend on no order of work.
#pragma once

#include <cmath>
#include <cstdint>

namespace noisyor {

// Points at equal distances between 0 and 1, at an offset that the key gives: point i is at
// (i + offset) / count.
struct DrawPoints {
    std::uint64_t key;
    std::uint64_t count;

    // How many points are below a number.
    std::uint64_t below(double number) const {
        const double place = std::ceil(number * static_cast<double>(count) - offset());
        return place > 0 ? static_cast<std::uint64_t>(place) : 0;
    }

    double distance() const { return 1.0 / static_cast<double>(count); }

    // The number between 0 and 1 that a point has for a variable.
    double uniform(std::uint64_t point, int variable) const {
        return as_number(mixed(mixed(key + point) + static_cast<std::uint64_t>(variable)));
    }

  private:
    double offset() const { return as_number(mixed(~key)); }
    static double as_number(std::uint64_t bits) {
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }
    // One step of SplitMix64 (Steele, Lea and Flood, 2014).
    static std::uint64_t mixed(std::uint64_t bits) {
        bits += 0x9E3779B97F4A7C15;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }
};

}  // namespace noisyor
