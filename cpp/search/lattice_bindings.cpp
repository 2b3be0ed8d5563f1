// The Python face of the search's lattice kernels.
#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/cut_arrays.hpp"
#include "search/lattice.hpp"
#include "search/masked_ticks.hpp"

namespace noisyor {
namespace {

LatticeResult lattice_path(Vector1<std::int64_t> first, Matrix<Word> parents,
                           Vector1<std::int64_t> ticks, Matrix<Word> members,
                           Vector1<std::int32_t> needs, Vector1<std::int64_t> first_class,
                           Matrix<Word> classes, Vector1<std::int64_t> weights,
                           Vector1<std::int64_t> pi, Vector1<std::int64_t> rc,
                           std::int64_t length_limit, std::int64_t slack, std::size_t max_subsets,
                           std::size_t max_bytes, std::size_t jobs, bool strengthen,
                           bool persistent, bool whole, const Cancellation& cancellation) {
    const ClusterArrays given = cluster_arrays(members, needs, first_class, classes);
    nb::gil_scoped_release release;
    return with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
        const auto table =
            FamilyTable<W>::load(first.data(), first.shape(0) - 1, parents.data(), ticks.data());
        const auto problem = LatticeProblem<W>::prepare(table, load_cuts<W>(given, weights.data()),
                                                        pi.data(), rc.data(), length_limit);
        return shortest_path(problem, LatticeRules{strengthen, persistent, whole},
                             LatticeLimits{length_limit, slack, max_subsets, max_bytes}, jobs,
                             cancellation.flag());
    });
}

}  // namespace

void bind_lattice(nb::module_& m) {
    using namespace nb::literals;
    nb::enum_<LatticeStatus>(m, "LatticeStatus", "How the shortest path search ended.")
        .value("DONE", LatticeStatus::kDone)
        .value("NO_PATH", LatticeStatus::kNoPath)
        .value("TOO_MANY_SUBSETS", LatticeStatus::kTooManySubsets)
        .value("TOO_MUCH_MEMORY", LatticeStatus::kTooMuchMemory)
        .value("CANCELLED", LatticeStatus::kCancelled);
    nb::class_<LatticeResult>(m, "LatticeResult", "What the shortest path search found.")
        .def_ro("status", &LatticeResult::status)
        .def_ro("shortest", &LatticeResult::shortest,
                "The length of the shortest path; a lower bound if it is not done.")
        .def_prop_ro("best", array_of(&LatticeResult::best), "The family of each child.",
                     nb::rv_policy::move)
        .def_prop_ro("has_network", mask_of(&LatticeResult::best_with, kNoNetwork),
                     "Whether a network in the limit has each family.", nb::rv_policy::move)
        .def_prop_ro("best_with", masked(&LatticeResult::best_with, kNoNetwork),
                     "The length of the best path with each family, where there is one.",
                     nb::rv_policy::move)
        .def_ro("subsets", &LatticeResult::subsets, "Subsets reached.")
        .def_ro("kept_subsets", &LatticeResult::kept_subsets, "Subsets on a path in the limit.");
    m.def("lattice_path", &lattice_path, "first"_a, "parents"_a, "ticks"_a, "members"_a, "needs"_a,
          "first_class"_a, "classes"_a, "weights"_a, "pi"_a, "rc"_a, "length_limit"_a, "slack"_a,
          "max_subsets"_a, "max_bytes"_a, "jobs"_a, "strengthen"_a, "persistent"_a, "whole"_a,
          "cancellation"_a,
          "Find the shortest path, and per family the shortest path that has it.");
}

}  // namespace noisyor
