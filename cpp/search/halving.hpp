// Cuts rounded from half the sum of others that a fractional solution violates.
//
// Half of a sum of cuts and of equations (the values of a child add up to 1) can be rounded up in
// every coefficient and on the right. That gains 1/2 on the right if the sum there is odd, and
// loses half the value of each family whose coefficient is odd, and half of what the cuts exceed
// their needs by. So look for sets of rows, modulo 2, with an odd right side and little of both:
// elimination over GF(2) makes the columns of large value even, one after the other (Caprara and
// Fischetti 1996; Koster, Zymolka and Kutschka 2009). Other orders of elimination find other cuts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "search/cut_system.hpp"
#include "search/random.hpp"

namespace noisyor {

// The cuts to add up, by their rows, and the children whose equations are subtracted.
struct HalvedSum {
    std::vector<std::size_t> rows;
    std::vector<int> children;
    double violation = 0;
    double depth = 0;                 // the distance by which the solution is cut off
    std::vector<Coefficient> values;  // coefficients in the support
};

struct HalvingSettings {
    int tries = 10;             // orders of elimination
    std::size_t most_rows = 0;  // in a sum
    double least_violation = 1e-3;
    double most_parallel = 0.9;  // the cosine of the angle between two cuts that are both kept
    std::uint64_t seed = 0;
};

// The rows of the program on the support of its solution.
struct SupportRows {
    int variables = 0;
    std::vector<Coefficient> coefficients;  // shape (rows, support)
    std::vector<Coefficient> needs;
    std::vector<int> children;   // of the families in the support
    std::vector<double> values;  // of the families in the support
};

class Halving {
  public:
    Halving(SupportRows rows, const HalvingSettings& settings)
        : given_(std::move(rows)),
          settings_(settings),
          random_(settings.seed),
          support_(given_.values.size()) {
        constexpr double kTooFar = 0.9;  // a row that exceeds its need by 1 cannot help
        for (std::size_t row = 0; row < given_.needs.size(); ++row) {
            double left = 0;
            for (std::size_t f = 0; f < support_; ++f) left += at(row, f) * given_.values[f];
            const double slack = left - given_.needs[row];
            if (slack > kTooFar) continue;
            rows_.push_back(row);
            slack_.push_back(std::max(0.0, slack));
        }
        slack_.resize(size(), 0.0);  // equations have none
        column_words_ = (support_ + kWordBits - 1) / kWordBits;
        width_ = column_words_ + (size() + kWordBits - 1) / kWordBits;
        fill();
    }

    // At most `limit` violated cuts, the deepest first, none nearly parallel to another.
    std::vector<HalvedSum> run(std::size_t limit, const std::atomic<bool>& cancelled) {
        for (int i = 0; i < settings_.tries && !cancelled; ++i) {
            eliminate(i);
            collect();
        }
        return deepest(limit);
    }

  private:
    std::size_t size() const { return rows_.size() + static_cast<std::size_t>(given_.variables); }
    Coefficient at(std::size_t row, std::size_t f) const {
        return given_.coefficients[row * support_ + f];
    }

    // Row i: bits of odd coefficients, then bits of the rows that were added up to it.
    void fill() {
        start_.assign(size() * width_, 0);
        odd_start_.assign(size(), 0);
        for (std::size_t i = 0; i < size(); ++i) {
            Word* own = &start_[i * width_];
            for (std::size_t f = 0; f < support_; ++f) {
                const bool odd = i < rows_.size()
                                     ? (at(rows_[i], f) & 1) != 0
                                     : given_.children[f] == static_cast<int>(i - rows_.size());
                if (odd) set(own, f);
            }
            set(own, column_words_ * kWordBits + i);
            odd_start_[i] = i < rows_.size() ? given_.needs[rows_[i]] & 1 : 1;
        }
    }

    static void set(Word* bits, std::size_t i) { bits[i / kWordBits] |= Word{1} << i % kWordBits; }
    static bool has(const Word* bits, std::size_t i) {
        return (bits[i / kWordBits] >> i % kWordBits & 1) != 0;
    }
    double chance() {
        constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
        return static_cast<double>(random_.next() >> 11) * kUnit;
    }

    // Makes the columns even in all rows but one each, in the order of their values. Orders after
    // the first are disturbed, and half of them prefer sums of few rows.
    void eliminate(int attempt) {
        constexpr double kDisturbance = 0.3;
        constexpr double kShort = 0.01;     // for each row in a sum
        constexpr double kMostSlack = 0.5;  // of a row that is added to many others
        bits_ = start_;
        odd_ = odd_start_;
        sums_ = slack_;
        std::vector<char> used(size(), 0);
        std::vector<double> merit(support_);
        for (std::size_t f = 0; f < support_; ++f) {
            merit[f] = given_.values[f] + (attempt > 0 ? kDisturbance * chance() : 0);
        }
        std::vector<std::size_t> order(support_);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return merit[a] > merit[b]; });
        for (std::size_t f : order) {
            std::size_t pivot = size();
            double least = 0;
            for (std::size_t i = 0; i < size(); ++i) {
                if (used[i] || sums_[i] > kMostSlack || !has(&bits_[i * width_], f)) continue;
                double price = sums_[i] + 1e-3 * chance();
                if (attempt % 2 == 1) price += kShort * static_cast<double>(length(i));
                if (pivot < size() && price >= least) continue;
                pivot = i;
                least = price;
            }
            if (pivot == size()) continue;
            used[pivot] = 1;
            const Word* from = &bits_[pivot * width_];
            for (std::size_t i = 0; i < size(); ++i) {
                Word* to = &bits_[i * width_];
                if (i == pivot || !has(to, f)) continue;
                for (std::size_t w = 0; w < width_; ++w) to[w] ^= from[w];
                odd_[i] ^= odd_[pivot];
                sums_[i] += sums_[pivot];
            }
        }
    }

    std::size_t length(std::size_t i) const {
        std::size_t sum = 0;
        for (std::size_t w = column_words_; w < width_; ++w) {
            sum += static_cast<std::size_t>(std::popcount(bits_[i * width_ + w]));
        }
        return sum;
    }

    void collect() {
        for (std::size_t i = 0; i < size(); ++i) {
            if (!odd_[i]) continue;
            const Word* own = &bits_[i * width_];
            double lost = 0;
            for (std::size_t f = 0; f < support_; ++f) {
                if (has(own, f)) lost += given_.values[f];
            }
            HalvedSum sum;
            for (std::size_t j = 0; j < size(); ++j) {
                if (!has(own, column_words_ * kWordBits + j)) continue;
                lost += slack_[j];
                if (j < rows_.size()) {
                    sum.rows.push_back(rows_[j]);
                } else {
                    sum.children.push_back(static_cast<int>(j - rows_.size()));
                }
            }
            if (lost > 1 - 2 * settings_.least_violation) continue;
            if (sum.rows.empty() || sum.rows.size() > settings_.most_rows) continue;
            if (!known_.insert({own + column_words_, own + width_}).second) continue;
            round(sum);
            if (sum.violation > settings_.least_violation) found_.push_back(std::move(sum));
        }
    }

    // Computes the coefficients, the violation and the depth of a cut.
    void round(HalvedSum& sum) const {
        std::vector<char> down(static_cast<std::size_t>(given_.variables), 0);
        for (int v : sum.children) down[static_cast<std::size_t>(v)] = 1;
        Coefficient need = 1 - static_cast<Coefficient>(sum.children.size());
        for (std::size_t row : sum.rows) need += given_.needs[row];
        need >>= 1;
        sum.values.assign(support_, 0);
        double left = 0;
        double squares = 0;
        for (std::size_t f = 0; f < support_; ++f) {
            Coefficient total = down[static_cast<std::size_t>(given_.children[f])] ? 0 : 1;
            for (std::size_t row : sum.rows) total += at(row, f);
            sum.values[f] = total >> 1;
            left += sum.values[f] * given_.values[f];
            squares += static_cast<double>(sum.values[f]) * sum.values[f];
        }
        sum.violation = need - left;
        sum.depth = sum.violation / std::sqrt(std::max(1.0, squares));
    }

    std::vector<HalvedSum> deepest(std::size_t limit) {
        std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return a.depth != b.depth ? a.depth > b.depth : a.rows.size() < b.rows.size();
        });
        std::vector<HalvedSum> chosen;
        for (auto& cut : found_) {
            if (chosen.size() >= limit) break;
            const bool copy = std::any_of(chosen.begin(), chosen.end(), [&](const auto& other) {
                return cosine(cut.values, other.values) > settings_.most_parallel;
            });
            if (!copy) chosen.push_back(std::move(cut));
        }
        return chosen;
    }

    static double cosine(const std::vector<Coefficient>& a, const std::vector<Coefficient>& b) {
        double product = 0;
        double of_a = 0;
        double of_b = 0;
        for (std::size_t f = 0; f < a.size(); ++f) {
            product += static_cast<double>(a[f]) * b[f];
            of_a += static_cast<double>(a[f]) * a[f];
            of_b += static_cast<double>(b[f]) * b[f];
        }
        return of_a == 0 || of_b == 0 ? (of_a == of_b ? 1.0 : 0.0)
                                      : product / std::sqrt(of_a * of_b);
    }

    SupportRows given_;
    HalvingSettings settings_;
    Random random_;
    std::size_t support_;
    std::vector<std::size_t> rows_;  // those near enough to their needs
    std::vector<double> slack_;      // of these rows, then of the equations
    std::size_t column_words_ = 0;
    std::size_t width_ = 0;
    std::vector<Word> start_, bits_;
    std::vector<char> odd_start_, odd_;  // right sides
    std::vector<double> sums_;           // an upper bound on the slack of a sum
    std::set<std::vector<Word>> known_;
    std::vector<HalvedSum> found_;
};

}  // namespace noisyor
