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
                      Matrix<Word> members, Vector1<std::int32_t> needs, Vector1<Ticks> weights) {
    ReducedCosts out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return reduced_costs<W>(
                first.data(), first.shape(0) - 1, parents.data(), ticks.data(),
                load_cuts<W>(needs.shape(0), members.data(), needs.data(), weights.data()));
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

auto separate_py(Vector1<std::int32_t> children, Matrix<Word> parents, Vector1<double> values,
                 int variables, Matrix<Word> starts, int max_need, int tries, int wander,
                 double least_violation, std::size_t limit, std::uint64_t seed,
                 const Cancellation& cancellation) {
    std::vector<Word> members;
    std::vector<std::int32_t> needs;
    std::vector<double> violations;
    {
        nb::gil_scoped_release release;
        with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            std::vector<VariableSet<W>> from;
            for (std::size_t i = 0; i < starts.shape(0); ++i) {
                from.push_back(VariableSet<W>::load(starts.data() + i * W));
            }
            Separation<W> separation(variables, children.shape(0), children.data(), parents.data(),
                                     values.data(),
                                     {max_need, tries, wander, least_violation, seed});
            const auto cuts = separation.run(from, limit, cancellation.flag());
            members.resize(cuts.size() * W);
            for (std::size_t c = 0; c < cuts.size(); ++c) {
                cuts[c].members.store(&members[c * W]);
                needs.push_back(cuts[c].need);
                violations.push_back(cuts[c].violation);
            }
        });
    }
    const std::size_t size = needs.size();
    return std::make_tuple(to_numpy<Word, 2>(std::move(members), {size, parents.shape(1)}),
                           to_numpy(std::move(needs)), to_numpy(std::move(violations)));
}

template <int W>
CutSystem<W> load_system(Matrix<Word> sets, Vector1<std::int32_t> needs,
                         Vector1<std::int64_t> first, Vector1<std::int64_t> parts) {
    return CutSystem<W>::load(needs.shape(0), sets.data(), needs.data(), first.data(),
                              parts.data());
}

auto cut_coefficients_py(Vector1<std::int32_t> children, Matrix<Word> parents, Matrix<Word> sets,
                         Vector1<std::int32_t> needs, Vector1<std::int64_t> first,
                         Vector1<std::int64_t> parts, Vector1<std::int64_t> wanted) {
    std::vector<Coefficient> out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return cut_coefficients<W>(load_system<W>(sets, needs, first, parts),
                                       {wanted.data(), wanted.data() + wanted.shape(0)},
                                       children.shape(0), children.data(), parents.data());
        });
    }
    return to_numpy<Coefficient, 2>(std::move(out), {wanted.shape(0), children.shape(0)});
}

auto system_reduced_costs_py(Vector1<std::int64_t> first, Matrix<Word> parents,
                             Vector1<Ticks> ticks, Matrix<Word> sets, Vector1<std::int32_t> needs,
                             Vector1<std::int64_t> part_first, Vector1<std::int64_t> parts,
                             Vector1<Ticks> weights) {
    ReducedCosts out;
    {
        nb::gil_scoped_release release;
        out = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            return system_reduced_costs<W>(FamilyTable<W>::load(first.data(), first.shape(0) - 1,
                                                                parents.data(), ticks.data()),
                                           load_system<W>(sets, needs, part_first, parts),
                                           weights.data());
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
    m.def("reduced_costs", &reduced_costs_py, "first"_a, "parents"_a, "ticks"_a, "cut_members"_a,
          "cut_needs"_a, "cut_weights"_a,
          "What weighted cuts leave of the families' ticks: pi (n,), rc (m,).");
    m.def("greedy_network", &greedy_network_py, "first"_a, "parents"_a, "costs"_a,
          "Place one by one the variable whose family costs least more than its cheapest: the "
          "families (n,), and the variables that could not be placed.");
    m.def("undominated", &undominated_py, "first"_a, "parents"_a, "ticks"_a,
          "Marks (m,): 0 where a family over a subset of the parents is not costlier.");
    m.def("separate", &separate_py, "children"_a, "parents"_a, "values"_a, "variables"_a,
          "starts"_a, "max_need"_a, "tries"_a, "wander"_a, "least_violation"_a, "limit"_a, "seed"_a,
          "cancellation"_a,
          "Cuts that a fractional solution violates: members (c, words), needs, violations.");
    m.def("cut_coefficients", &cut_coefficients_py, "children"_a, "parents"_a, "sets"_a, "needs"_a,
          "first"_a, "parts"_a, "wanted"_a,
          "Coefficients of families in the wanted cuts of a system, shape (wanted, families).");
    m.def("system_reduced_costs", &system_reduced_costs_py, "first"_a, "parents"_a, "ticks"_a,
          "sets"_a, "needs"_a, "part_first"_a, "parts"_a, "weights"_a,
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
