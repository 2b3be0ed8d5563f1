// The Python face of the scoring search: a handle per child that threads work on together.
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "cancellation.hpp"
#include "scoring/child_search.hpp"

namespace noisyor {
namespace {

// A search copies what it needs of the arrays.
class ChildSearchHandle {
  public:
    ChildSearchHandle(Matrix<Word> rows, Vector1<std::int64_t> weights, int variables, int child,
                      const std::vector<int>& candidates, const std::vector<int>& required,
                      int max_parents, const std::vector<std::vector<double>>& penalties,
                      double slack, double tolerance, double gap, double relative_gap,
                      std::uint32_t rules, bool bit_columns, double price_base,
                      const std::vector<std::tuple<std::vector<int>, int, double>>& cuts) {
        const RecordsView view{rows.data(), weights.data(), rows.shape(0), rows.shape(1),
                               variables};
        SearchSettings settings;
        settings.slack = slack;
        settings.tolerance = tolerance;
        settings.price_base = price_base;
        for (const auto& [members, need, weight] : cuts) {
            settings.cuts.push_back({members, need, weight});
        }
        settings.candidates = candidates;
        settings.required = required;
        settings.max_parents = max_parents;
        settings.penalties = penalties;
        settings.rules = rules;
        settings.gap = gap;
        settings.relative_gap = relative_gap;
        settings.counts = bit_columns ? CountsBy::kBitColumns : CountsBy::kConfigurations;
        word_count_ = rows.shape(1);
        nb::gil_scoped_release release;
        search_ = ChildSearch::make(view, child, settings);
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
        const SearchCounters& c = out.counters;
        std::vector<std::int64_t> evaluated(c.evaluated, c.evaluated + kRelations);
        std::vector<std::int64_t> bounds(c.bounds, c.bounds + kRelations);
        return std::make_tuple(to_numpy<Word, 2>(std::move(out.parents), {size, word_count_}),
                               to_numpy(std::move(out.relations)), to_numpy(std::move(out.costs)),
                               to_numpy(std::move(out.gaps)), to_numpy(std::move(out.offsets)),
                               to_numpy(std::move(out.q)), to_numpy(std::move(out.counters.cuts)),
                               to_numpy(std::move(evaluated)), to_numpy(std::move(bounds)),
                               c.newton_steps, c.refits, c.unconverged);
    }

    std::size_t tasks() const { return search_->tasks(); }
    std::size_t tasks_done() const { return search_->tasks_done(); }
    std::int64_t decided() const { return search_->decided(); }

  private:
    std::size_t word_count_ = 1;
    std::unique_ptr<ChildSearch> search_;
};

}  // namespace

void bind_scoring(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ChildSearchHandle>(m, "ChildSearch", "The search for one child's families.")
        .def(nb::init<Matrix<Word>, Vector1<std::int64_t>, int, int, const std::vector<int>&,
                      const std::vector<int>&, int, const std::vector<std::vector<double>>&, double,
                      double, double, double, std::uint32_t, bool, double,
                      const std::vector<std::tuple<std::vector<int>, int, double>>&>(),
             "rows"_a, "weights"_a, "variables"_a, "child"_a, "candidates"_a, "required"_a,
             "max_parents"_a, "penalties"_a, "slack"_a, "tolerance"_a, "gap"_a, "relative_gap"_a,
             "rules"_a, "bit_columns"_a, "price_base"_a, "cuts"_a)
        .def("work", &ChildSearchHandle::work, "cancellation"_a,
             "Take subtrees until none is left; any number of threads may do so at once.")
        .def("result", &ChildSearchHandle::result,
             "Parents, relations, costs, gaps, offsets, q, cuts, evaluated, bounds, Newton steps, "
             "final fits, those not converged; once all subtrees are done.")
        .def_prop_ro("tasks", &ChildSearchHandle::tasks, "Subtrees in all.")
        .def_prop_ro("tasks_done", &ChildSearchHandle::tasks_done, "Subtrees done.")
        .def_prop_ro("decided", &ChildSearchHandle::decided, "Families decided so far.");
}

}  // namespace noisyor
