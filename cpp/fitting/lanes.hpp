// Four doubles at a time, with the two transcendental functions that a noisy-OR fit needs.
//
// The operations on a lane are the same plain multiplications and additions on every machine, and
// the order of a sum is fixed by the lanes, not by the register width. So every build of the
// kernels gives the same bits, and no bound depends on a system's mathematical library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace noisyor {

inline constexpr std::size_t kLanes = 4;
typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t IntLanes __attribute__((vector_size(32)));

inline Lanes splat(double x) { return Lanes{x, x, x, x}; }
inline double sum(const Lanes& v) { return (v[0] + v[1]) + (v[2] + v[3]); }
inline double smallest(const Lanes& v) {
    const double a = v[0] < v[1] ? v[0] : v[1];
    const double b = v[2] < v[3] ? v[2] : v[3];
    return a < b ? a : b;
}
inline Lanes lesser(const Lanes& a, const Lanes& b) { return a < b ? a : b; }
inline Lanes greater(const Lanes& a, const Lanes& b) { return a > b ? a : b; }

namespace detail {
inline constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
inline constexpr double kLn2High = 0x1.62e42fee00000p-1;  // the low bits are 0: products are exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
}  // namespace detail

// exp(-s) for s >= 0, and 1 - exp(-s) as `complement`, both with small relative error.
//
// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1) with x = n ln 2 + r, |r| <= ln(2)/2, and exp(r) - 1 by
// its Taylor series to r^13, whose remainder is below 1e-17 of r.
inline Lanes exp_neg(const Lanes& s, Lanes& complement) {
    using namespace detail;
    const Lanes x = -lesser(s, splat(700.0));
    const Lanes shifted = x * 0x1.71547652b82fep0 + kRound;
    const Lanes n = shifted - kRound;
    const Lanes r = (x - n * kLn2High) - n * kLn2Low;
    Lanes p = splat(1.0 / 6227020800.0);
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    const Lanes expm1_r = r + r * r * p;
    const IntLanes bits =
        (std::bit_cast<IntLanes>(shifted) << 52) + std::bit_cast<std::int64_t>(1.0);
    const Lanes scale = std::bit_cast<Lanes>(bits);
    complement = (1.0 - scale) - scale * expm1_r;
    return scale + scale * expm1_r;
}

inline Lanes one_minus_exp_neg(const Lanes& s) {
    Lanes result;
    exp_neg(s, result);
    return result;
}

// ln(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], with small relative error even where f is tiny.
//
// It is 2 artanh(f/(f + 2)), by the series to the 21st power, whose remainder is below 1e-17 of it.
inline Lanes log_one_plus(const Lanes& f) {
    const Lanes t = f / (f + 2.0);
    const Lanes z = t * t;
    Lanes q = splat(2.0 / 21.0);
    q = q * z + 2.0 / 19.0;
    q = q * z + 2.0 / 17.0;
    q = q * z + 2.0 / 15.0;
    q = q * z + 2.0 / 13.0;
    q = q * z + 2.0 / 11.0;
    q = q * z + 2.0 / 9.0;
    q = q * z + 2.0 / 7.0;
    q = q * z + 2.0 / 5.0;
    q = q * z + 2.0 / 3.0;
    return 2.0 * t + t * z * q;
}

namespace detail {
// p = 2^k (1 + f) for normal p > 0, with 1 + f in [sqrt(1/2), sqrt(2)).
inline Lanes split_exponent(const Lanes& p, Lanes& f) {
    constexpr std::int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
    const IntLanes bits = std::bit_cast<IntLanes>(p);
    const IntLanes offset = bits - kSqrtHalf;
    const IntLanes k = offset >> 52;
    const IntLanes m_bits = bits - (k << 52);
    const IntLanes k_shifted = k + std::bit_cast<std::int64_t>(kRound);
    f = std::bit_cast<Lanes>(m_bits) - 1.0;
    return std::bit_cast<Lanes>(k_shifted) - kRound;
}
}  // namespace detail

// ln(p) for normal p > 0.
inline Lanes log_positive(const Lanes& p) {
    Lanes f;
    const Lanes k = detail::split_exponent(p, f);
    return k * detail::kLn2High + (k * detail::kLn2Low + log_one_plus(f));
}

// ln(1 - e) with small relative error even where e is tiny, given p = 1 - e, normal and positive.
inline Lanes log_complement(const Lanes& p, const Lanes& e) {
    Lanes f;
    const Lanes k = detail::split_exponent(p, f);
    return k * detail::kLn2High + (k * detail::kLn2Low + log_one_plus(k == 0.0 ? -e : f));
}

}  // namespace noisyor
