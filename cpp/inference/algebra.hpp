// Ways to add and multiply: with probabilities, with their logarithms, and for what is likeliest.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace noisyor {

// Probabilities as they are. Products may become too small for a number; the processor notes it.
struct Linear {
    static constexpr double zero = 0.0;
    static constexpr double one = 1.0;
    static double from(double probability) { return probability; }
    static double times(double a, double b) { return a * b; }
    static double plus(double a, double b) { return a + b; }
    static double ratio(double a, double b) { return b > 0 ? a / b : 0.0; }
    static double logarithm(double a) { return std::log(a); }
    static double number(double a) { return a; }
    static double share(double part, double other) { return part / (part + other); }
};

// Logarithms: slower, and never too small.
struct Logarithmic {
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0.0;
    static double from(double probability) { return std::log(probability); }
    static double times(double a, double b) { return a + b; }
    static double plus(double a, double b) {
        const double larger = std::max(a, b);
        return larger == zero ? zero : larger + std::log1p(std::exp(std::min(a, b) - larger));
    }
    static double ratio(double a, double b) { return b == zero ? zero : a - b; }
    static double logarithm(double a) { return a; }
    static double number(double a) { return std::exp(a); }
    static double share(double part, double other) { return 1 / (1 + std::exp(other - part)); }
};

// Logarithms, and instead of a sum the largest term.
struct Likeliest : Logarithmic {
    static double plus(double a, double b) { return std::max(a, b); }
};

}  // namespace noisyor
