// The Python face of inference: a network and what was observed in, probabilities out.
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "inference/propagation.hpp"

namespace noisyor {
namespace {

using Offsets = Vector1<std::int64_t>;
using Bytes = Vector1<std::uint8_t>;

NetworkView view_of(const Offsets& parent_offsets, const Vector1<std::int32_t>& parents,
                    const Bytes& noisy_or, const Offsets& parameter_offsets,
                    const Vector1<double>& parameters) {
    return {static_cast<int>(noisy_or.shape(0)),
            parent_offsets.data(),
            parents.data(),
            noisy_or.data(),
            parameter_offsets.data(),
            parameters.data()};
}

// A question with larger tables takes longer than a check for interrupts.
constexpr std::uint64_t large_tables = 1 << 16;

// Ends the work, between two questions, on a keyboard interrupt.
void hear_interruption() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::span<const Observed> observed_in(const std::uint8_t* codes, std::size_t count) {
    return {reinterpret_cast<const Observed*>(codes), count};
}

auto marginals_py(Offsets parent_offsets, Vector1<std::int32_t> parents, Bytes noisy_or,
                  Offsets parameter_offsets, Vector1<double> parameters,
                  Matrix<std::uint8_t> observed, Bytes targets, std::uint64_t most_entries) {
    const NetworkView network =
        view_of(parent_offsets, parents, noisy_or, parameter_offsets, parameters);
    const std::size_t rows = observed.shape(0), count = noisy_or.shape(0);
    std::vector<double> chances, log_evidence;
    std::uint64_t entries = 0;
    {
        nb::gil_scoped_release release;
        const std::span targeted(reinterpret_cast<const char*>(targets.data()), count);
        for (std::size_t row = 0; row < rows && entries <= most_entries; ++row) {
            const Answer answer = marginals(
                network, observed_in(observed.data() + row * count, count), targeted, most_entries);
            chances.insert(chances.end(), answer.values.begin(), answer.values.end());
            log_evidence.push_back(answer.log_evidence);
            entries = std::max(entries, answer.entries);
            if (answer.entries > large_tables) hear_interruption();
        }
        chances.resize(2 * rows * count);
        log_evidence.resize(rows);
    }
    return std::make_tuple(to_numpy<double, 3>(std::move(chances), {rows, count, 2}),
                           to_numpy(std::move(log_evidence)), entries);
}

auto joint_py(Offsets parent_offsets, Vector1<std::int32_t> parents, Bytes noisy_or,
              Offsets parameter_offsets, Vector1<double> parameters, Bytes observed,
              Vector1<std::int32_t> variables, std::uint64_t most_entries) {
    const NetworkView network =
        view_of(parent_offsets, parents, noisy_or, parameter_offsets, parameters);
    Answer answer;
    {
        nb::gil_scoped_release release;
        answer = joint(network, observed_in(observed.data(), observed.shape(0)),
                       {variables.data(), variables.shape(0)}, most_entries);
    }
    return std::make_tuple(to_numpy(std::move(answer.values)), answer.log_evidence, answer.entries);
}

auto most_probable_py(Offsets parent_offsets, Vector1<std::int32_t> parents, Bytes noisy_or,
                      Offsets parameter_offsets, Vector1<double> parameters, Bytes observed,
                      std::uint64_t most_entries) {
    const NetworkView network =
        view_of(parent_offsets, parents, noisy_or, parameter_offsets, parameters);
    Answer answer;
    {
        nb::gil_scoped_release release;
        answer =
            most_probable(network, observed_in(observed.data(), observed.shape(0)), most_entries);
    }
    return std::make_tuple(to_numpy(std::move(answer.values)), answer.log_evidence, answer.entries);
}

}  // namespace

void bind_inference(nb::module_& m) {
    using namespace nb::literals;
    m.def("marginals", &marginals_py, "parent_offsets"_a, "parents"_a, "noisy_or"_a,
          "parameter_offsets"_a, "parameters"_a, "observed"_a, "targets"_a, "most_entries"_a,
          "Find the chances of absence and presence of the targets, a row for each row of "
          "observations (0, 1, or 2 for unknown); the logarithm of each row's probability; the "
          "largest tables' entries.");
    m.def("joint", &joint_py, "parent_offsets"_a, "parents"_a, "noisy_or"_a, "parameter_offsets"_a,
          "parameters"_a, "observed"_a, "variables"_a, "most_entries"_a,
          "Find the joint distribution of some variables, bit t of its index the t-th; the "
          "logarithm of the probability of what was observed; the tables' entries.");
    m.def("most_probable", &most_probable_py, "parent_offsets"_a, "parents"_a, "noisy_or"_a,
          "parameter_offsets"_a, "parameters"_a, "observed"_a, "most_entries"_a,
          "Find the likeliest states of all variables; the logarithm of their probability; the "
          "tables' entries.");
}

}  // namespace noisyor
