// The Python face of the fits: one child, many parent sets.
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "arrays.hpp"
#include "fitting/child_records.hpp"
#include "fitting/noisy_or.hpp"

namespace noisyor {
namespace {

// What the parent sets' fits gave, in their order; `q` and `offsets` as in a ragged array.
struct Fits {
    std::vector<double> upper, lower, q;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint8_t> ends;
    std::vector<std::int64_t> steps;

    auto to_python() && {
        return std::make_tuple(to_numpy(std::move(upper)), to_numpy(std::move(lower)),
                               to_numpy(std::move(q)), to_numpy(std::move(offsets)),
                               to_numpy(std::move(ends)), to_numpy(std::move(steps)));
    }
};

// Calls fit(fitter, data, set) for each parent set and collects what came out.
template <class Fit>
Fits fit_each(const RecordsView& records, int child, const Matrix<Word>& parents, bool leak,
              Fit&& fit) {
    Fits fits;
    with_set_type(records.word_count, [&]<int W>(VariableSet<W>) {
        std::vector<int> order(static_cast<std::size_t>(records.variables));
        std::iota(order.begin(), order.end(), 0);
        const ChildRecords<W> data(records, child, order);
        NoisyOrFitter<W> fitter;
        for (std::size_t r = 0; r < parents.shape(0); ++r) {
            const auto set = VariableSet<W>::load(parents.data() + r * W);
            const FitOutcome outcome = fit(fitter, data, set);
            fits.upper.push_back(outcome.upper);
            fits.lower.push_back(outcome.lower);
            fits.ends.push_back(static_cast<std::uint8_t>(outcome.end));
            fits.steps.push_back(outcome.steps);
            set.for_each([&](int v) { fits.q.push_back(std::exp(-fitter.lambda_of(v))); });
            if (leak) fits.q.push_back(std::exp(-fitter.lambda_of_leak()));
            fits.offsets.push_back(static_cast<std::int64_t>(fits.q.size()));
        }
    });
    return fits;
}

RecordsView view_of(const Matrix<Word>& rows, const Vector1<std::int64_t>& weights, int variables) {
    return {rows.data(), weights.data(), rows.shape(0), rows.shape(1), variables};
}

auto fit_noisy_or_py(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                     Matrix<Word> parents, bool leak, double gap, double relative_gap,
                     int max_steps) {
    Fits fits;
    {
        nb::gil_scoped_release release;
        fits = fit_each(view_of(rows, weights, variables), child, parents, leak,
                        [&](auto& fitter, const auto& data, const auto& set) {
                            return fitter.fit(
                                data.present, set, data.absent, data.absent_total, leak,
                                {.gap = gap, .relative_gap = relative_gap, .max_steps = max_steps});
                        });
    }
    return std::move(fits).to_python();
}

template <class Method>
auto fit_classically(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                     Matrix<Word> parents, bool leak, double threshold, int max_iterations,
                     double gap, double relative_gap, Vector1<double> start) {
    Fits fits;
    {
        nb::gil_scoped_release release;
        std::vector<double> near;
        for (std::size_t v = 0; v < start.shape(0); ++v) near.push_back(-std::log(start(v)));
        const RecordsView records = view_of(rows, weights, variables);
        const double total = static_cast<double>(
            std::accumulate(weights.data(), weights.data() + records.size, std::int64_t{0}));
        Method method({threshold, max_iterations, gap, relative_gap, total});
        fits = fit_each(
            records, child, parents, leak, [&](auto& fitter, const auto& data, const auto& set) {
                return fitter.fit_by(method, data.present, set, data.absent, data.absent_total,
                                     leak, near.empty() ? nullptr : &near);
            });
    }
    return std::move(fits).to_python();
}

}  // namespace

void bind_fitting(nb::module_& m) {
    using namespace nb::literals;
    m.def("fit_noisy_or", &fit_noisy_or_py, "rows"_a, "weights"_a, "variables"_a, "child"_a,
          "parents"_a, "leak"_a, "gap"_a, "relative_gap"_a, "max_steps"_a,
          "Fit a noisy-OR to each parent set (sets, words): upper and lower bounds of the optima, "
          "q's of the parents ascending (the leak's last) with their offsets, how each fit ended "
          "(FitEnd), Newton steps.");
    m.def("fit_noisy_or_by_gradient", &fit_classically<GradientDescent>, "rows"_a, "weights"_a,
          "variables"_a, "child"_a, "parents"_a, "leak"_a, "threshold"_a, "max_iterations"_a,
          "gap"_a, "relative_gap"_a, "start"_a,
          "The same by Algorithm 1. `start` has a q per variable, the leak's last, NaN where not "
          "known; or nothing.");
    m.def("fit_noisy_or_by_em", &fit_classically<ExpectationMaximisation>, "rows"_a, "weights"_a,
          "variables"_a, "child"_a, "parents"_a, "leak"_a, "threshold"_a, "max_iterations"_a,
          "gap"_a, "relative_gap"_a, "start"_a, "The same by expectation-maximisation.");
    m.def(
        "evaluate_lanes",
        [](double x) {
            Lanes present;
            const Lanes absent = exp_neg(splat(x), present);
            return std::make_tuple(present[0], absent[0], log_positive(splat(x))[0],
                                   log_complement(present, absent)[0]);
        },
        "x"_a,
        "For tests: 1 - exp(-x), exp(-x), ln x and ln(1 - exp(-x)) as the fits compute them, for "
        "normal x > 0.");
}

}  // namespace noisyor
