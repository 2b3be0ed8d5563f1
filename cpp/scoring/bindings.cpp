// The Python face of the scoring search: a handle per child that threads work on together.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "cancellation.hpp"
#include "scoring/child_search.hpp"

namespace noisyor {
namespace {

using Cuts = std::vector<std::tuple<std::vector<int>, int, double>>;
// Base, required, excluded, cuts.
using PriceTuple = std::tuple<double, std::vector<int>, std::vector<int>, Cuts>;

// Parents, relations, costs, what they cannot be less than.
using Found = std::tuple<Matrix<Word>, Vector1<std::uint8_t>, Vector1<double>, Vector1<double>>;

BranchPrice price_of(const PriceTuple& given) {
    const auto& [base, required, excluded, cuts] = given;
    BranchPrice price{base, required, excluded, {}};
    for (const auto& [members, need, weight] : cuts) price.cuts.push_back({members, need, weight});
    return price;
}

// Keeps the arrays that the search reads.
class ChildSearchHandle {
  public:
    ChildSearchHandle(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                      const std::vector<int>& candidates, const std::vector<int>& required,
                      const std::vector<int>& order, int max_parents,
                      const std::vector<std::vector<double>>& penalties, double tolerance,
                      double gap, double relative_gap, std::uint32_t rules, bool bit_columns,
                      std::size_t memory)
        : rows_(std::move(rows)), weights_(std::move(weights)), word_count_(rows_.shape(1)) {
        const RecordsView view{rows_.data(), weights_.data(), rows_.shape(0), word_count_,
                               variables};
        SearchSettings settings;
        settings.tolerance = tolerance;
        settings.candidates = candidates;
        settings.required = required;
        settings.order = order;
        settings.max_parents = max_parents;
        settings.penalties = penalties;
        settings.rules = rules;
        settings.gap = gap;
        settings.relative_gap = relative_gap;
        settings.counts = bit_columns ? CountsBy::kBitColumns : CountsBy::kConfigurations;
        settings.memory = memory;
        nb::gil_scoped_release release;
        search_ = ChildSearch::make(view, child, settings);
    }

    void begin(double slack, const std::vector<int>& relations,
               const std::vector<PriceTuple>& prices, std::optional<std::size_t> most, bool hasty,
               Matrix<Word> known_parents, Vector1<double> known_costs,
               const std::vector<Word>& first, const std::vector<Word>& end, const Found& found,
               bool fits) {
        PassSettings pass;
        pass.slack = slack;
        for (const int relation : relations) pass.wanted[relation] = true;
        for (const PriceTuple& price : prices) pass.prices.push_back(price_of(price));
        if (most) pass.most = *most;
        pass.hasty = hasty;
        pass.known_parents.assign(known_parents.data(),
                                  known_parents.data() + known_parents.size());
        pass.known_costs.assign(known_costs.data(), known_costs.data() + known_costs.size());
        pass.first = first;
        pass.end = end;
        const auto& [parents, found_relations, costs, lowers] = found;
        pass.found.parents.assign(parents.data(), parents.data() + parents.size());
        pass.found.relations.assign(found_relations.data(),
                                    found_relations.data() + found_relations.size());
        pass.found.costs.assign(costs.data(), costs.data() + costs.size());
        pass.found.lowers.assign(lowers.data(), lowers.data() + lowers.size());
        pass.fits = fits;
        nb::gil_scoped_release release;
        search_->begin(pass);
    }

    void work(const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        search_->work(cancellation.flag());
    }

    auto result() {
        SearchResult out;
        {
            nb::gil_scoped_release release;
            out = search_->result();
        }
        const std::size_t size = out.costs.size();
        return std::make_tuple(to_numpy<Word, 2>(std::move(out.parents), {size, word_count_}),
                               to_numpy(std::move(out.relations)), to_numpy(std::move(out.costs)),
                               to_numpy(std::move(out.gaps)), to_numpy(std::move(out.offsets)),
                               to_numpy(std::move(out.q)));
    }

    auto found() const {
        FoundFamilies out;
        {
            nb::gil_scoped_release release;
            out = search_->found();
        }
        const std::size_t size = out.costs.size();
        return std::make_tuple(to_numpy<Word, 2>(std::move(out.parents), {size, word_count_}),
                               to_numpy(std::move(out.relations)), to_numpy(std::move(out.costs)),
                               to_numpy(std::move(out.lowers)));
    }

    auto counters() const {
        const SearchCounters& c = search_->counters();
        std::vector<std::int64_t> evaluated(c.evaluated, c.evaluated + kRelations);
        std::vector<std::int64_t> bounds(c.bounds, c.bounds + kRelations);
        return std::make_tuple(to_numpy(std::vector<std::int64_t>(c.cuts)),
                               to_numpy(std::move(evaluated)), to_numpy(std::move(bounds)), c.fits,
                               c.remembered, c.newton_steps, c.refits, c.unconverged, c.order_fits);
    }

    std::vector<Word> reached() const { return search_->reached(); }
    std::vector<int> order() const { return search_->order(); }

    bool finished() const { return search_->finished(); }
    std::size_t waiting() const { return search_->waiting(); }
    double share_done() const { return search_->share_done(); }
    std::int64_t decided() const { return search_->decided(); }
    std::size_t memory_bytes() const { return search_->memory_bytes(); }

  private:
    const Matrix<Word> rows_;
    const Vector1<std::int64_t> weights_;
    const std::size_t word_count_;
    std::unique_ptr<ChildSearch> search_;
};

}  // namespace

void bind_scoring(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ChildSearchHandle>(m, "ChildSearch", "The search for one child's families.")
        .def(nb::init<Matrix<Word>, Vector1<std::int64_t>, int, int, const std::vector<int>&,
                      const std::vector<int>&, const std::vector<int>&, int,
                      const std::vector<std::vector<double>>&, double, double, double,
                      std::uint32_t, bool, std::size_t>(),
             "rows"_a, "weights"_a, "variables"_a, "child"_a, "candidates"_a, "required"_a,
             "order"_a, "max_parents"_a, "penalties"_a, "tolerance"_a, "gap"_a, "relative_gap"_a,
             "rules"_a, "bit_columns"_a, "memory"_a)
        .def("begin", &ChildSearchHandle::begin, "slack"_a, "relations"_a, "prices"_a,
             "most"_a.none(), "hasty"_a, "known_parents"_a, "known_costs"_a, "first"_a, "end"_a,
             "found"_a, "fits"_a,
             "Start a pass, while no thread is at work. A price is (base, required, excluded, "
             "cuts), a cut (members, need, weight). Only sets from first up to end are searched, "
             "by their numbers in the search's order.")
        .def("work", &ChildSearchHandle::work, "cancellation"_a,
             "Take pieces of the pass until none can be taken; any number of threads may do so.")
        .def("result", &ChildSearchHandle::result,
             "Parents, relations, costs, gaps, offsets, q; once, of a finished pass.")
        .def("found", &ChildSearchHandle::found,
             "What a pass without final fits has found so far, besides what it was given: parents, "
             "relations, costs, what they cannot be less than.")
        .def("counters", &ChildSearchHandle::counters,
             "Cuts, evaluated, bounds, fits, fits remembered, Newton steps, final fits, those not "
             "converged, fits to find the order, so far in the pass.")
        .def_prop_ro("reached", &ChildSearchHandle::reached,
                     "The first set that may not have been looked at, in words.")
        .def_prop_ro("order", &ChildSearchHandle::order,
                     "The candidates from the least to the most useful; empty until some work has "
                     "found it.")
        .def_prop_ro("finished", &ChildSearchHandle::finished, "Whether the pass is.")
        .def_prop_ro("waiting", &ChildSearchHandle::waiting, "Pieces that nobody has taken.")
        .def_prop_ro("share_done", &ChildSearchHandle::share_done, "The share of pieces done.")
        .def_prop_ro("decided", &ChildSearchHandle::decided, "Families decided so far.")
        .def_prop_ro("memory_bytes", &ChildSearchHandle::memory_bytes,
                     "Bytes taken by what fits have shown.");
}

}  // namespace noisyor
