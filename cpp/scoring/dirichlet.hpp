// Marginal likelihoods of full tables under symmetric Dirichlet priors.
//
// A cell with n_s records of each state s of the child, N in all, has the marginal likelihood
//   product of (a)_{n_s} / (r a)_N,      (x)_n = x (x + 1) ... (x + n - 1),
// r being the states of the child and a the prior's pseudo-count of each state in each cell.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace noisyor {

// How a size of the prior is divided into pseudo-counts: each is the size itself, or a share of it
// for each state and each configuration of the parents, possible or observed.
enum class DividedBy : std::uint8_t { kNothing, kConfigurations, kObserved };

struct DirichletPrior {
    double size = 1;
    DividedBy divided_by = DividedBy::kNothing;
};

// ln (x)_n for one x, of which the logarithm is given, too: x may be too small to be a number.
class LogRising {
  public:
    LogRising(double x, double log_x);

    double operator()(std::int64_t n) const {
        if (n <= 1) return n == 0 ? 0 : log_x_;
        if (n > kFew) return log_x_ + log_gamma_of_large(x_ + static_cast<double>(n)) - at_one_;
        double product = 1;
        for (std::int64_t i = 1; i < n; ++i) product *= x_ + static_cast<double>(i);
        return log_x_ + std::log(product);
    }

  private:
    static constexpr std::int64_t kFew = 16;

    // Stirling's series, exact in double precision from kFew on.
    static double log_gamma_of_large(double x) {
        const double inverse = 1 / x, square = inverse * inverse;
        const double series =
            inverse *
            (1.0 / 12 + square * (-1.0 / 360 + square * (1.0 / 1260 + square * (-1.0 / 1680))));
        constexpr double kHalfLogTwoPi = 0.918938533204672741780;
        return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series;
    }

    const double x_, log_x_;
    double at_one_ = 0;  // ln of the gamma function at x + 1
};

// What the cells of one table cost: minus the logarithm of their marginal likelihood.
class DirichletCells {
  public:
    // A table of so many configurations, of which some are observed, for a child of so many states.
    DirichletCells(const DirichletPrior& prior, int child_states, double configurations,
                   std::size_t observed)
        : DirichletCells(child_states,
                         log_pseudo_count(prior, child_states, configurations, observed)) {}

    double cost(const std::int64_t* counts) const {
        std::int64_t total = 0;
        double chosen = 0;
        for (int s = 0; s < states_; ++s) {
            total += counts[s];
            chosen += each_(counts[s]);
        }
        return all_(total) - chosen;
    }

  private:
    DirichletCells(int child_states, double log_each)
        : states_(child_states),
          each_(std::exp(log_each), log_each),
          all_(child_states * std::exp(log_each), log_each + std::log(child_states)) {}
    static double log_pseudo_count(const DirichletPrior& prior, int child_states,
                                   double configurations, std::size_t observed);

    const int states_;
    const LogRising each_, all_;
};

}  // namespace noisyor
