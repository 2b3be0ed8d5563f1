// Ways to add and multiply: with probabilities, with probabilities of any size, and for what is
// likeliest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace noisyor {

// Probabilities as they are. Products may become too small for a number; the processor notes it.
struct Linear {
    using Value = double;
    static constexpr Value zero = 0.0;
    static constexpr Value one = 1.0;
    static Value from(double probability) { return probability; }
    static Value times(Value a, Value b) { return a * b; }
    static Value plus(Value a, Value b) { return a + b; }
    static Value ratio(Value a, Value b) { return b > 0 ? a / b : 0.0; }
    static Value larger(Value a, Value b) { return a < b ? b : a; }
    static bool is_zero(Value a) { return a == 0; }
    static double logarithm(Value a) { return std::log(a); }
    static double number(Value a) { return a; }
    // A power of two that brings a value close to 1: to divide by it rounds nothing.
    static Value scale(Value a) { return std::ldexp(1.0, std::ilogb(a)); }
};

// A number times a power of 2^256: slower, and never too small.
struct Scaled {
    struct Value {
        double number;
        std::int64_t power;
    };
    static constexpr double step = 0x1p256;
    static constexpr double most = 0x1p128, least = 0x1p-128;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min() / 4;
    static constexpr Value zero{0.0, never};
    static constexpr Value one{1.0, 0};
    static Value normal(double number, std::int64_t power) {
        if (number == 0) return zero;
        while (number < least) number *= step, --power;
        while (number >= most) number /= step, ++power;
        return {number, power};
    }
    static Value from(double probability) { return normal(probability, 0); }
    static Value times(Value a, Value b) { return normal(a.number * b.number, a.power + b.power); }
    static Value plus(Value a, Value b) {
        if (a.power < b.power) std::swap(a, b);
        if (b.number == 0 || a.power - b.power > 1) return a;  // b is nothing but rounding
        return normal(a.number + (a.power == b.power ? b.number : b.number / step), a.power);
    }
    static Value ratio(Value a, Value b) {
        return b.number > 0 ? normal(a.number / b.number, a.power - b.power) : zero;
    }
    static Value larger(Value a, Value b) {
        return a.power < b.power || (a.power == b.power && a.number < b.number) ? b : a;
    }
    static bool is_zero(Value a) { return a.number == 0; }
    static double logarithm(Value a) {
        return std::log(a.number) + 256 * std::numbers::ln2 * static_cast<double>(a.power);
    }
    static double number(Value a) {
        const std::int64_t bounded = std::clamp<std::int64_t>(a.power, -8, 8);
        return std::ldexp(a.number, static_cast<int>(256 * bounded));
    }
    static Value scale(Value a) { return {std::ldexp(1.0, std::ilogb(a.number)), a.power}; }
};

// Logarithms, and instead of a sum the largest term.
struct Likeliest {
    using Value = double;
    static constexpr Value zero = -std::numeric_limits<double>::infinity();
    static constexpr Value one = 0.0;
    static Value from(double probability) { return std::log(probability); }
    static Value times(Value a, Value b) { return a + b; }
    static Value plus(Value a, Value b) { return a < b ? b : a; }
    static Value ratio(Value a, Value b) { return b == zero ? zero : a - b; }
    static Value larger(Value a, Value b) { return plus(a, b); }
    static bool is_zero(Value a) { return a == zero; }
    static double logarithm(Value a) { return a; }
    static Value scale(Value a) { return a; }
};

}  // namespace noisyor
