// The Python face of inference: a network and what was found out in, probabilities out.
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "inference/propagation.hpp"

namespace noisyor {
namespace {

using Offsets = Vector1<std::int64_t>;
using Numbers = Vector1<std::int32_t>;
using Bytes = Vector1<std::uint8_t>;
using Doubles = Vector1<double>;

// A network, kept for any number of questions. It refers to the arrays, and keeps them alive.
struct FlatNetwork {
    Numbers states;
    Offsets parent_offsets;
    Numbers parents;
    Bytes relations;
    Offsets parameter_offsets;
    Doubles parameters;

    NetworkView view() const {
        return {static_cast<int>(states.shape(0)),
                states.data(),
                parent_offsets.data(),
                parents.data(),
                relations.data(),
                parameter_offsets.data(),
                parameters.data()};
    }
};

// Ends the work on a keyboard interrupt.
void hear_interruption() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Findings findings_of(const std::uint8_t* observed, std::size_t count, const Numbers& soft,
                     const Doubles& likelihoods) {
    return {{observed, count}, {soft.data(), soft.shape(0)}, likelihoods.data()};
}

auto size_tuple(const Answer& answer) {
    return std::make_tuple(answer.refused, answer.size.entries, answer.size.bytes);
}

auto marginals_py(const FlatNetwork& network, Matrix<std::uint8_t> observed, Numbers soft,
                  Doubles likelihoods, Bytes targets, double most_entries, double most_bytes) {
    const NetworkView view = network.view();
    const std::size_t rows = observed.shape(0), count = observed.shape(1);
    std::size_t width = 0;
    for (std::size_t v = 0; v < count; ++v) width += static_cast<std::size_t>(view.states[v]);
    std::vector<double> chances, log_evidence;
    Answer answer{};
    {
        nb::gil_scoped_release release;
        const std::span targeted(reinterpret_cast<const char*>(targets.data()), count);
        chances.reserve(rows * width);
        double entries = 0;  // since the last check for interrupts
        for (std::size_t row = 0; row < rows && !answer.refused; ++row) {
            answer = marginals(view,
                               findings_of(observed.data() + row * count, count, soft, likelihoods),
                               targeted, {most_entries, most_bytes}, hear_interruption);
            chances.insert(chances.end(), answer.values.begin(), answer.values.end());
            log_evidence.push_back(answer.log_evidence);
            entries += answer.size.entries;
            if (entries > 1 << 20) {
                hear_interruption();
                entries = 0;
            }
        }
        chances.resize(rows * width);
        log_evidence.resize(rows);
    }
    return std::make_tuple(to_numpy<double, 2>(std::move(chances), {rows, width}),
                           to_numpy(std::move(log_evidence)), size_tuple(answer));
}

auto marginals_size_py(const FlatNetwork& network, Bytes observed, Numbers soft,
                       Doubles likelihoods, Bytes targets, double most_entries, double most_bytes) {
    const std::size_t count = observed.shape(0);
    const std::span targeted(reinterpret_cast<const char*>(targets.data()), count);
    const Size size =
        marginals_size(network.view(), findings_of(observed.data(), count, soft, likelihoods),
                       targeted, {most_entries, most_bytes});
    return std::make_tuple(size.entries, size.bytes);
}

auto joint_py(const FlatNetwork& network, Bytes observed, Numbers soft, Doubles likelihoods,
              Numbers variables, double most_entries, double most_bytes) {
    Answer answer{};
    {
        nb::gil_scoped_release release;
        answer = joint(
            network.view(), findings_of(observed.data(), observed.shape(0), soft, likelihoods),
            {variables.data(), variables.shape(0)}, {most_entries, most_bytes}, hear_interruption);
    }
    const auto size = size_tuple(answer);
    return std::make_tuple(to_numpy(std::move(answer.values)), answer.log_evidence, size);
}

auto most_probable_py(const FlatNetwork& network, Bytes observed, Numbers soft, Doubles likelihoods,
                      double most_entries, double most_bytes) {
    Answer answer{};
    {
        nb::gil_scoped_release release;
        answer = most_probable(network.view(),
                               findings_of(observed.data(), observed.shape(0), soft, likelihoods),
                               {most_entries, most_bytes}, hear_interruption);
    }
    const auto size = size_tuple(answer);
    return std::make_tuple(to_numpy(std::move(answer.values)), answer.log_evidence, size);
}

auto draws_py(const FlatNetwork& network, Matrix<std::uint8_t> observed, Offsets points,
              Vector1<std::uint64_t> keys, double most_entries, double most_bytes) {
    const NetworkView view = network.view();
    const std::size_t rows = observed.shape(0), count = observed.shape(1);
    std::vector<std::uint8_t> states;
    std::vector<std::int64_t> counts, ends;
    std::vector<double> log_evidence;
    Answer answer{};
    {
        nb::gil_scoped_release release;
        double entries = 0;  // since the last check for interrupts
        for (std::size_t row = 0; row < rows && !answer.refused; ++row) {
            const Findings findings{{observed.data() + row * count, count}, {}, nullptr};
            const DrawPoints own{keys.data()[row], static_cast<std::uint64_t>(points.data()[row])};
            Draws found = draws(view, findings, own, {most_entries, most_bytes}, hear_interruption);
            answer = std::move(found.answer);
            states.insert(states.end(), found.states.begin(), found.states.end());
            counts.insert(counts.end(), found.counts.begin(), found.counts.end());
            ends.push_back(static_cast<std::int64_t>(counts.size()));
            log_evidence.push_back(answer.log_evidence);
            entries += answer.size.entries;
            if (entries > 1 << 20) {
                hear_interruption();
                entries = 0;
            }
        }
        ends.resize(rows);
        log_evidence.resize(rows);
    }
    const std::size_t found = counts.size();
    return std::make_tuple(to_numpy<std::uint8_t, 2>(std::move(states), {found, count}),
                           to_numpy(std::move(counts)), to_numpy(std::move(ends)),
                           to_numpy(std::move(log_evidence)), size_tuple(answer));
}

}  // namespace

void bind_inference(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<FlatNetwork>(m, "FlatNetwork", "A network with parameters, as arrays.")
        .def(nb::init<Numbers, Offsets, Numbers, Bytes, Offsets, Doubles>(), "states"_a,
             "parent_offsets"_a, "parents"_a, "relations"_a, "parameter_offsets"_a, "parameters"_a);
    m.def("marginals", &marginals_py, "network"_a, "observed"_a, "soft"_a, "likelihoods"_a,
          "targets"_a, "most_entries"_a, "most_bytes"_a,
          "Find the chances of each state of the targets, a row for each row of observations (a "
          "state, or 255 for unknown); the logarithm of each row's probability; and whether a row "
          "was refused, with its tables' entries and bytes.");
    m.def("marginals_size", &marginals_size_py, "network"_a, "observed"_a, "soft"_a,
          "likelihoods"_a, "targets"_a, "most_entries"_a, "most_bytes"_a,
          "Find the entries and bytes of the tables that `marginals` needs for one row.");
    m.def("joint", &joint_py, "network"_a, "observed"_a, "soft"_a, "likelihoods"_a, "variables"_a,
          "most_entries"_a, "most_bytes"_a,
          "Find the joint distribution of some variables, the first of which varies fastest; the "
          "logarithm of the probability of the findings; and whether it was refused, with the "
          "tables' entries and bytes.");
    m.def("most_probable", &most_probable_py, "network"_a, "observed"_a, "soft"_a, "likelihoods"_a,
          "most_entries"_a, "most_bytes"_a,
          "Find the likeliest states of all variables; the logarithm of their probability; and "
          "whether it was refused, with the tables' entries and bytes.");
    m.def("draws", &draws_py, "network"_a, "observed"_a, "points"_a, "keys"_a, "most_entries"_a,
          "most_bytes"_a,
          "Draw the states of all variables given each row of observations, as many times as it "
          "has points; return the distinct draws, their counts, where those of each row end, the "
          "logarithm of each row's probability, and whether a row was refused, with its tables' "
          "entries and bytes.");
}

}  // namespace noisyor
