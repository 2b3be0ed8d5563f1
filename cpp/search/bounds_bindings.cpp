// The Python face of the search's bounds kernels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/class_separation.hpp"
#include "search/cut_arrays.hpp"
#include "search/cut_system.hpp"
#include "search/families.hpp"
#include "search/greedy_network.hpp"
#include "search/halving.hpp"
#include "search/order_search.hpp"
#include "search/reduced_costs.hpp"
#include "search/separation.hpp"
#include "search/undominated.hpp"

namespace noisyor {
namespace {

auto reduced_costs_py(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks,
                      Matrix<Word> members, Vector1<std::int32_t> needs,
                      Vector1<std::int64_t> first_class, Matrix<Word> classes,
                      Vector1<Ticks> weights) {
    const ClusterArrays cuts = cluster_arrays(members, needs, first_class, classes);
    ReducedCosts out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return reduced_costs<W>(first.data(), first.shape(0) - 1, parents.data(), ticks.data(),
                                    load_cuts<W>(cuts, weights.data()));
        });
    }
    return std::make_pair(to_numpy(std::move(out.pi)), to_numpy(std::move(out.rc)));
}

auto undominated_py(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks) {
    std::vector<std::uint8_t> marks;
    {
        nb::gil_scoped_release release;
        marks = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return undominated(FamilyTable<W>::load(first.data(), first.shape(0) - 1,
                                                    parents.data(), ticks.data()));
        });
    }
    return to_numpy(std::move(marks));
}

auto greedy_network_py(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<double> costs) {
    GreedyNetwork found;
    {
        nb::gil_scoped_release release;
        found = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return GreedyPlacement<W>(first.data(), first.shape(0) - 1, parents.data(),
                                      costs.data())
                .run();
        });
    }
    return std::make_pair(to_numpy(std::move(found.chosen)), std::move(found.stuck));
}

class OrderSearchHandle {
  public:
    OrderSearchHandle(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks) {
        nb::gil_scoped_release release;
        with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            search_.emplace<OrderSearch<W>>(FamilyTable<W>::load(first.data(), first.shape(0) - 1,
                                                                 parents.data(), ticks.data()));
        });
    }

    std::vector<int> stuck() const {
        return std::visit(
            [](const auto& search) -> std::vector<int> {
                if constexpr (requires { search.stuck(); }) return search.stuck();
                return {};
            },
            search_);
    }

    void improve(Matrix<std::int32_t> starts, int perturbations, std::size_t most_looks,
                 std::uint64_t seed, const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        std::visit(
            [&](auto& search) {
                if constexpr (requires { search.best(); }) {
                    for (std::size_t i = 0; i < starts.shape(0); ++i) {
                        const std::int32_t* start = starts.data() + i * starts.shape(1);
                        search.improve({start, start + starts.shape(1)}, perturbations, most_looks,
                                       seed + i, cancellation.flag());
                    }
                }
            },
            search_);
    }

    using Found = std::tuple<Ticks, Owned<std::int64_t, 1>, Owned<std::int32_t, 1>>;

    std::optional<Found> best() const {
        return std::visit(
            [](const auto& search) -> std::optional<Found> {
                if constexpr (requires { search.best(); }) {
                    if (!search.best()) return std::nullopt;
                    auto found = *search.best();
                    return Found{found.ticks, to_numpy(std::move(found.chosen)),
                                 to_numpy(std::vector<std::int32_t>(found.order.begin(),
                                                                    found.order.end()))};
                }
                return std::nullopt;
            },
            search_);
    }

  private:
    std::variant<std::monostate, OrderSearch<1>, OrderSearch<2>, OrderSearch<4>, OrderSearch<16>>
        search_;
};

// The cuts found, with their classes in one list: members, needs, the first class of each, classes,
// violations.
template <int W>
auto to_arrays(const std::vector<ViolatedCut<W>>& cuts) {
    std::vector<Word> members(cuts.size() * W), classes;
    std::vector<std::int32_t> needs;
    std::vector<std::int64_t> first{0};
    std::vector<double> violations;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        cuts[c].members.store(&members[c * W]);
        needs.push_back(cuts[c].need);
        for (const VariableSet<W>& one : cuts[c].classes) {
            classes.insert(classes.end(), one.words.begin(), one.words.end());
        }
        first.push_back(static_cast<std::int64_t>(classes.size() / W));
        violations.push_back(cuts[c].violation);
    }
    const std::size_t listed = classes.size() / W;
    return std::make_tuple(
        to_numpy<Word, 2>(std::move(members), {cuts.size(), static_cast<std::size_t>(W)}),
        to_numpy(std::move(needs)), to_numpy(std::move(first)),
        to_numpy<Word, 2>(std::move(classes), {listed, static_cast<std::size_t>(W)}),
        to_numpy(std::move(violations)));
}

auto separate_py(Vector1<std::int32_t> children, Matrix<Word> parents, Vector1<double> values,
                 int variables, Matrix<Word> starts, int max_need, int tries, int wander,
                 double least_violation, std::size_t limit, std::uint64_t seed, bool classes,
                 const Cancellation& cancellation) {
    return with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
        std::vector<ViolatedCut<W>> cuts;
        {
            nb::gil_scoped_release release;
            std::vector<VariableSet<W>> from;
            for (std::size_t i = 0; i < starts.shape(0); ++i) {
                from.push_back(VariableSet<W>::load(starts.data() + i * W));
            }
            const FractionalPoint<W> point(variables, children.shape(0), children.data(),
                                           parents.data(), values.data());
            const SeparationSettings settings{max_need, tries, wander, least_violation, seed};
            cuts = classes
                       ? ClassSeparation<W>(point, settings).run(from, limit, cancellation.flag())
                       : Separation<W>(point, settings).run(from, limit, cancellation.flag());
        }
        return to_arrays<W>(cuts);
    });
}

auto cut_coefficients_py(Vector1<std::int32_t> children, Matrix<Word> parents, Matrix<Word> sets,
                         Vector1<std::int32_t> needs, Vector1<std::int64_t> first_class,
                         Matrix<Word> classes, Vector1<std::int64_t> first_part,
                         Vector1<std::int64_t> parts, Vector1<std::int64_t> wanted) {
    const CutArrays cuts = cut_arrays(sets, needs, first_class, classes, first_part, parts);
    std::vector<Coefficient> out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return cut_coefficients<W>(CutSystem<W>::load(cuts),
                                       {wanted.data(), wanted.data() + wanted.shape(0)},
                                       children.shape(0), children.data(), parents.data());
        });
    }
    return to_numpy<Coefficient, 2>(std::move(out), {wanted.shape(0), children.shape(0)});
}

auto system_reduced_costs_py(Vector1<std::int64_t> first, Matrix<Word> parents,
                             Vector1<Ticks> ticks, Matrix<Word> sets, Vector1<std::int32_t> needs,
                             Vector1<std::int64_t> first_class, Matrix<Word> classes,
                             Vector1<std::int64_t> first_part, Vector1<std::int64_t> parts,
                             Vector1<Ticks> weights) {
    const CutArrays cuts = cut_arrays(sets, needs, first_class, classes, first_part, parts);
    ReducedCosts out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return system_reduced_costs<W>(FamilyTable<W>::load(first.data(), first.shape(0) - 1,
                                                                parents.data(), ticks.data()),
                                           CutSystem<W>::load(cuts), weights.data());
        });
    }
    return std::make_pair(to_numpy(std::move(out.pi)), to_numpy(std::move(out.rc)));
}

auto halve_py(Matrix<std::int32_t> coefficients, Vector1<std::int32_t> needs,
              Vector1<std::int32_t> children, Vector1<double> values, int variables, int tries,
              std::size_t most_rows, double least_violation, std::size_t limit, std::uint64_t seed,
              const Cancellation& cancellation) {
    std::vector<std::vector<std::size_t>> rows;
    std::vector<std::vector<int>> subtracted;
    nb::gil_scoped_release release;
    SupportRows given;
    given.variables = variables;
    given.coefficients.assign(coefficients.data(), coefficients.data() + coefficients.size());
    given.needs.assign(needs.data(), needs.data() + needs.shape(0));
    given.children.assign(children.data(), children.data() + children.shape(0));
    given.values.assign(values.data(), values.data() + values.shape(0));
    HalvingSettings settings;
    settings.tries = tries;
    settings.most_rows = most_rows;
    settings.least_violation = least_violation;
    settings.seed = seed;
    Halving halving(std::move(given), settings);
    for (HalvedSum& sum : halving.run(limit, cancellation.flag())) {
        rows.push_back(std::move(sum.rows));
        subtracted.push_back(std::move(sum.children));
    }
    return std::make_pair(std::move(rows), std::move(subtracted));
}

}  // namespace

void bind_bounds(nb::module_& m) {
    using namespace nb::literals;
    m.def("reduced_costs", &reduced_costs_py, "first"_a, "parents"_a, "ticks"_a, "members"_a,
          "needs"_a, "first_class"_a, "classes"_a, "weights"_a,
          "What weighted cuts leave of the families' ticks: pi (n,), rc (m,).");
    m.def("greedy_network", &greedy_network_py, "first"_a, "parents"_a, "costs"_a,
          "Place one by one the variable whose family costs least more than its cheapest: the "
          "families (n,), and the variables that could not be placed.");
    m.def("undominated", &undominated_py, "first"_a, "parents"_a, "ticks"_a,
          "Marks (m,): 0 where a family over a subset of the parents is not costlier.");
    m.def(
        "separate", &separate_py, "children"_a, "parents"_a, "values"_a, "variables"_a, "starts"_a,
        "max_need"_a, "tries"_a, "wander"_a, "least_violation"_a, "limit"_a, "seed"_a, "classes"_a,
        "cancellation"_a,
        "Clusters that a fractional solution violates, with or without classes: members (c, words),"
        " needs, the first class of each (c + 1,), classes, violations.");
    m.def("cut_coefficients", &cut_coefficients_py, "children"_a, "parents"_a, "sets"_a, "needs"_a,
          "first_class"_a, "classes"_a, "first_part"_a, "parts"_a, "wanted"_a,
          "Coefficients of families in the wanted cuts of a system, shape (wanted, families).");
    m.def("system_reduced_costs", &system_reduced_costs_py, "first"_a, "parents"_a, "ticks"_a,
          "sets"_a, "needs"_a, "first_class"_a, "classes"_a, "first_part"_a, "parts"_a, "weights"_a,
          "What weights on the cuts of a system leave of the families' ticks: pi (n,), rc (m,).");
    m.def("halve", &halve_py, "coefficients"_a, "needs"_a, "children"_a, "values"_a, "variables"_a,
          "tries"_a, "most_rows"_a, "least_violation"_a, "limit"_a, "seed"_a, "cancellation"_a,
          "Violated cuts, each half a sum: the rows in it, and the children subtracted.");
    nb::class_<OrderSearchHandle>(m, "OrderSearch", "Local search over orders of the variables.")
        .def(nb::init<Vector1<std::int64_t>, Matrix<Word>, Vector1<Ticks>>(), "first"_a,
             "parents"_a, "ticks"_a)
        .def("stuck", &OrderSearchHandle::stuck,
             "Variables that have no family in any acyclic network; search only if none.")
        .def("improve", &OrderSearchHandle::improve, "starts"_a, "perturbations"_a, "most_looks"_a,
             "seed"_a, "cancellation"_a,
             "Search from each start (a row, an order of all variables) and its perturbations.")
        .def("best", &OrderSearchHandle::best,
             "Ticks, the family of each variable, an order; None before a search.");
}

}  // namespace noisyor
