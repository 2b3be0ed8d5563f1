#include "scoring/dirichlet.hpp"

namespace noisyor {

LogRising::LogRising(double x, double log_x) : x_(x), log_x_(log_x) {
    // By the recurrence from where the series is exact: the gamma function at x + 1 + kFew.
    double product = 1;
    for (std::int64_t i = 1; i <= kFew; ++i) product *= x_ + static_cast<double>(i);
    at_one_ = product < std::numeric_limits<double>::max()
                  ? log_gamma_of_large(x_ + 1 + static_cast<double>(kFew)) - std::log(product)
                  : log_gamma_of_large(x_ + 1);
}

double DirichletCells::log_pseudo_count(const DirichletPrior& prior, int child_states,
                                        double configurations, std::size_t observed) {
    const double size = std::log(prior.size);
    if (prior.divided_by == DividedBy::kNothing) return size;
    const double parts =
        prior.divided_by == DividedBy::kObserved ? static_cast<double>(observed) : configurations;
    return size - std::log(child_states) - std::log(parts);
}

}  // namespace noisyor
