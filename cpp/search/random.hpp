// Random numbers that are the same on every machine, unlike the standard library's distributions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace noisyor {

// Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators": SplitMix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // A number from 0 to bound - 1, uniform but for a bias of bound / 2^64.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  private:
    std::uint64_t state_;
};

}  // namespace noisyor
