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
};

// Calls fit(fitter, data, set) for each parent set and collects what came out.
template <class Fit>
Fits fit_each(const BitRecords& records, int child, const Matrix<Word>& parents, bool leak,
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

BitRecords records_of(const Matrix<Word>& rows, const Vector1<std::int64_t>& weights,
                      int variables) {
    return {rows.data(), weights.data(), rows.shape(0), rows.shape(1), variables};
}

Fits fit_noisy_or(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                  Matrix<Word> parents, bool leak, double gap, double relative_gap, int max_steps) {
    nb::gil_scoped_release release;
    const FitLimits limits{.gap = gap, .relative_gap = relative_gap, .max_steps = max_steps};
    return fit_each(records_of(rows, weights, variables), child, parents, leak,
                    [&](auto& fitter, const auto& data, const auto& set) {
                        return fitter.fit(data.present, set, data.absent, data.absent_total, leak,
                                          limits);
                    });
}

template <class Method>
Fits fit_classically(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                     Matrix<Word> parents, bool leak, double threshold, int max_iterations,
                     double gap, double relative_gap, Vector1<double> start) {
    nb::gil_scoped_release release;
    std::vector<double> near;
    for (std::size_t v = 0; v < start.shape(0); ++v) near.push_back(-std::log(start(v)));
    const BitRecords records = records_of(rows, weights, variables);
    const double total = static_cast<double>(
        std::accumulate(weights.data(), weights.data() + records.size, std::int64_t{0}));
    Method method({threshold, max_iterations, gap, relative_gap, total});
    return fit_each(
        records, child, parents, leak, [&](auto& fitter, const auto& data, const auto& set) {
            return fitter.fit_by(method, data.present, set, data.absent, data.absent_total, leak,
                                 near.empty() ? nullptr : &near);
        });
}

// The convex problem itself: rows of 0 and 1, the causes that are not held fast.
TangentFit fit_with_base(Matrix<double> rows, Vector1<double> counts, Vector1<double> absent,
                         Vector1<double> base, Vector1<double> near, double gap, int max_steps) {
    nb::gil_scoped_release release;
    NoisyOrSolver solver;
    const std::size_t size = rows.shape(0);
    NoisyOrProblem& problem = solver.problem;
    problem.make_room(rows.shape(1), size);
    for (std::size_t j = 0; j < problem.variables; ++j) problem.absent[j] = absent(j);
    for (std::size_t r = 0; r < size; ++r) {
        const std::size_t block = r / kLanes, lane = r % kLanes;
        problem.counts[block][lane] = counts(r);
        problem.base[block][lane] = base(r);
        for (std::size_t j = 0; j < problem.variables; ++j) {
            problem.columns[j * problem.blocks + block][lane] = rows(r, j);
        }
    }
    return solver.minimise_by_tangent(gap, max_steps, near.size() == 0 ? nullptr : near.data());
}

}  // namespace

void bind_fitting(nb::module_& m) {
    using namespace nb::literals;
    nb::enum_<FitEnd>(m, "FitEnd", nb::is_arithmetic(), "How a fit ended.")
        .value("CONVERGED", FitEnd::kConverged, "The gap is closed.")
        .value("REJECTED", FitEnd::kRejected, "The optimum is known to be too high.")
        .value("ACCEPTED", FitEnd::kAccepted, "The optimum is known to be low enough.")
        .value("INFEASIBLE", FitEnd::kInfeasible, "A record has the child present and no cause.")
        .value("STALLED", FitEnd::kStalled, "No progress in double precision, or no steps left.")
        .value("CANCELLED", FitEnd::kCancelled, "Cancelled by the caller.");
    nb::class_<Fits>(m, "NoisyOrFits", "The fits of one child's parent sets, in their order.")
        .def_prop_ro("upper", array_of(&Fits::upper), "Attained values of -ln L.",
                     nb::rv_policy::move)
        .def_prop_ro("lower", array_of(&Fits::lower), "What -ln L cannot be less than.",
                     nb::rv_policy::move)
        .def_prop_ro("q", array_of(&Fits::q), "Of the parents, ascending; the leak's last.",
                     nb::rv_policy::move)
        .def_prop_ro("offsets", array_of(&Fits::offsets), "Where the q's of each fit begin.",
                     nb::rv_policy::move)
        .def_prop_ro("ends", array_of(&Fits::ends), "Values of FitEnd.", nb::rv_policy::move)
        .def_prop_ro("steps", array_of(&Fits::steps), "Newton steps, or iterations.",
                     nb::rv_policy::move);
    nb::class_<TangentFit>(m, "FitWithBase", "Where minus the log-likelihood is least.")
        .def_prop_ro("rates", array_of(&TangentFit::lambda), "-ln q of each cause.",
                     nb::rv_policy::move)
        .def_ro("gap", &TangentFit::gap, "What it is above the minimum, at most.")
        .def_ro("steps", &TangentFit::steps, "Newton steps.");
    m.def("fit_with_base", &fit_with_base, "rows"_a, "counts"_a, "absent"_a, "base"_a, "near"_a,
          "gap"_a, "max_steps"_a,
          "Minimise absent . rates - counts . ln(1 - exp(-(base + rows rates))) over rates >= 0, "
          "rows being of 0 and 1. `near` is where to start, or nothing.");
    m.def("fit_noisy_or", &fit_noisy_or, "rows"_a, "weights"_a, "variables"_a, "child"_a,
          "parents"_a, "leak"_a, "gap"_a, "relative_gap"_a, "max_steps"_a,
          "Fit a noisy-OR to each parent set (sets, words).");
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
