// The Python face of the climber.
#include "bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "cancellation.hpp"
#include "climbing/climber.hpp"

namespace noisyor {
namespace {

// Keeps no arrays: the climber copies the records.
std::unique_ptr<Climber> make_climber(Matrix<std::uint8_t> codes, Vector1<std::int64_t> weights,
                                      std::vector<int> states,
                                      std::vector<std::vector<RelationSpec>> relations,
                                      std::vector<std::vector<int>> candidates,
                                      std::vector<std::vector<int>> required, int max_parents,
                                      std::uint64_t seed) {
    const RecordsView view{codes.data(), weights.data(), codes.shape(0),
                           static_cast<int>(codes.shape(1)), std::move(states)};
    nb::gil_scoped_release release;
    return std::make_unique<Climber>(
        view, ClimbSettings{std::move(relations), std::move(candidates), std::move(required),
                            max_parents, seed});
}

using Families = std::tuple<std::vector<std::vector<int>>, std::vector<int>, std::vector<double>>;

Families families_of(Climber& climber, int child) {
    Families all;
    auto& [parents, relations, costs] = all;
    for (const PooledFamily& family : climber.families_of(child)) {
        parents.push_back(family.parents);
        relations.push_back(family.cheapest.relation);
        costs.push_back(family.cheapest.cost);
    }
    return all;
}

std::pair<std::vector<int>, std::vector<double>> families_over(
    Climber& climber, int child, const std::vector<std::vector<int>>& sets) {
    std::pair<std::vector<int>, std::vector<double>> all;
    for (const auto& parents : sets) {
        const CheapestFamily cheapest = climber.family_over(child, parents);
        all.first.push_back(cheapest.relation);
        all.second.push_back(cheapest.cost);
    }
    return all;
}

}  // namespace

void bind_climbing(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Climber>(m, "Climber", "A heuristic search for a good network.")
        .def(nb::new_(&make_climber), "codes"_a, "weights"_a, "states"_a, "relations"_a,
             "candidates"_a, "required"_a, "max_parents"_a, "seed"_a,
             "Relations, candidates and required parents are lists by child.")
        .def(
            "climb",
            [](Climber& climber, std::int64_t turns, const Cancellation& cancellation) {
                nb::gil_scoped_release release;
                climber.climb(turns, cancellation.flag());
            },
            "turns"_a, "cancellation"_a,
            "Improve the best network for so many turns, or until cancelled.")
        .def("adopt", &Climber::adopt, "parents"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Go on from this acyclic network if it is better.")
        .def("families_of", &families_of, "child"_a,
             "Return the good families of a child that were met: parents, relations, costs.")
        .def("families_over", &families_over, "child"_a, "sets"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Return the cheapest family over each set of parents, ascending: relations, costs.")
        .def_prop_ro("cost", [](const Climber& climber) { return climber.best().cost; })
        .def_prop_ro("parents", [](const Climber& climber) { return climber.best().parents; })
        .def_prop_ro("relations",
                     [](const Climber& climber) {
                         std::vector<int> places;
                         for (const auto& one : climber.best().families) {
                             places.push_back(one.relation);
                         }
                         return places;
                     })
        .def_prop_ro("steps", &Climber::steps)
        .def_prop_ro("turns", &Climber::turns)
        .def_prop_ro("evaluated", &Climber::evaluated);
}

}  // namespace noisyor
