// The Python face of the scoring search: its settings and results, and a handle per child that
// threads share.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "arrays.hpp"
#include "cancellation.hpp"
#include "scoring/cause_search.hpp"
#include "scoring/child_search.hpp"
#include "scoring/evaluated_search.hpp"
#include "scoring/full_table_search.hpp"
#include "scoring/table_losses.hpp"

namespace noisyor {
namespace {

// A Python function, as threads call it that do not hold the interpreter.
class PythonFunction {
  public:
    explicit PythonFunction(nb::callable function)
        : function_(new nb::callable(std::move(function)), [](nb::callable* last) {
              nb::gil_scoped_acquire acquire;
              delete last;
          }) {}

    // Calls it, and `use` with what it returned, while the interpreter is held.
    template <class Argument, class Use>
    auto operator()(const Argument& argument, Use&& use) const {
        nb::gil_scoped_acquire acquire;
        return use((*function_)(argument));
    }

  private:
    std::shared_ptr<nb::callable> function_;
};

EvaluationFunction evaluation_by(nb::callable function) {
    const auto evaluation_of = [](const nb::object& returned) {
        const auto values = nb::cast<nb::tuple>(returned);
        if (values.size() != 3) {
            throw std::invalid_argument(
                "the cost of a family must be a tuple (lower, upper, parameters)");
        }
        Evaluation shown{nb::cast<double>(values[0]), nb::cast<double>(values[1]),
                         nb::cast<std::vector<double>>(values[2])};
        if (!(shown.lower <= shown.upper)) {
            throw std::invalid_argument(
                "the lower bound of a family's cost is not below the upper");
        }
        return shown;
    };
    return [own = PythonFunction(std::move(function)),
            evaluation_of](const std::vector<int>& parents) { return own(parents, evaluation_of); };
}

double value_of(const nb::object& returned) { return nb::cast<double>(returned); }

PenaltySpec penalty_by(nb::callable function) {
    return {.function = [own = PythonFunction(std::move(function))](
                            const std::vector<int>& parents) { return own(parents, value_of); }};
}

// Sets of parents have few different numbers of configurations: each is asked for about once.
class AskedOnce {
  public:
    explicit AskedOnce(nb::callable function) : function_(std::move(function)) {}

    double operator()(double argument) {
        {
            std::scoped_lock lock(mutex_);
            const auto found = known_.find(argument);
            if (found != known_.end()) return found->second;
        }
        const double value = function_(argument, value_of);
        std::scoped_lock lock(mutex_);
        return known_.emplace(argument, value).first->second;
    }

  private:
    const PythonFunction function_;
    std::mutex mutex_;
    std::unordered_map<double, double> known_;
};

PenaltySpec penalty_by_configurations(nb::callable function) {
    return {.by_configurations = [own = std::make_shared<AskedOnce>(std::move(function))](
                                     double configurations) { return (*own)(configurations); }};
}

template <class T>
std::vector<T> copied(const Vector1<T>& array) {
    return {array.data(), array.data() + array.size()};
}

FamilyColumns family_columns(const Matrix<Word>& parents, const Vector1<std::uint8_t>& relations,
                             const Vector1<double>& costs, const Vector1<double>& lowers,
                             const Vector1<std::int64_t>& offsets,
                             const Vector1<double>& parameters) {
    return {.word_count = parents.shape(1),
            .parents = {parents.data(), parents.data() + parents.size()},
            .relations = copied(relations),
            .costs = copied(costs),
            .lowers = copied(lowers),
            .offsets = copied(offsets),
            .parameters = copied(parameters)};
}

// Keeps the arrays that the search reads.
class ChildSearchHandle {
  public:
    ChildSearchHandle(Matrix<std::uint8_t> codes, Vector1<std::int64_t> weights,
                      std::vector<int> states, int child, const SearchSettings& settings)
        : codes_(std::move(codes)), weights_(std::move(weights)) {
        const RecordsView view{codes_.data(), weights_.data(), codes_.shape(0),
                               static_cast<int>(codes_.shape(1)), std::move(states)};
        search_ = ChildSearch::make(view, child, settings);
    }

    void begin(const PassSettings& pass) {
        nb::gil_scoped_release release;
        search_->begin(pass);
    }
    void work(const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        search_->work(cancellation.flag());
    }
    FamilyColumns result() {
        nb::gil_scoped_release release;
        return search_->result();
    }
    FamilyColumns found() const {
        nb::gil_scoped_release release;
        return search_->found();
    }
    SearchCounters counters() const { return search_->counters(); }
    std::vector<Word> reached() const { return search_->reached(); }
    std::vector<int> order() const { return search_->order(); }

    bool finished() const { return search_->finished(); }
    std::size_t waiting() const { return search_->waiting(); }
    double share_done() const { return search_->share_done(); }
    std::int64_t decided() const { return search_->decided(); }
    std::size_t memory_bytes() const { return search_->memory_bytes(); }

  private:
    const Matrix<std::uint8_t> codes_;
    const Vector1<std::int64_t> weights_;
    std::unique_ptr<ChildSearch> search_;
};

void bind_relations(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PenaltySpec>(m, "Penalty", "What families cost besides their fit.")
        .def_static(
            "of_parameters",
            [](double price, double constant, double per_state, double per_configuration) {
                return PenaltySpec{.price = price,
                                   .constant = constant,
                                   .per_state = per_state,
                                   .per_configuration = per_configuration};
            },
            "price"_a, "constant"_a, "per_state"_a, "per_configuration"_a,
            "The price of each of constant + per_state * (sum of r - 1) + per_configuration * "
            "(product of r) parameters, r being the numbers of states of the parents.")
        .def_static("by", &penalty_by, "function"_a,
                    nb::sig("def by(function: collections.abc.Callable[[list[int]], float]) -> "
                            "Penalty"),
                    "What a function of the parents, ascending, returns. It must not fall as "
                    "parents are added.")
        .def_static("by_configurations", &penalty_by_configurations, "function"_a,
                    nb::sig("def by_configurations(function: "
                            "collections.abc.Callable[[float], float]) -> Penalty"),
                    "What a function of the number of the parents' configurations returns. It must "
                    "not fall as the number grows.")
        .def(
            "adding",
            [](const PenaltySpec& own, std::vector<double> by_size, std::vector<double> weights) {
                PenaltySpec more = own;
                more.by_size = std::move(by_size);
                more.weights = std::move(weights);
                return more;
            },
            "by_size"_a, "weights"_a,
            "The same, and what the number of parents costs, concave from one parent on, and each "
            "variable as a parent. Both may be negative, and empty for nothing.");
    nb::enum_<DividedBy>(m, "DividedBy", "How the size of a Dirichlet prior is divided.")
        .value("NOTHING", DividedBy::kNothing)
        .value("CONFIGURATIONS", DividedBy::kConfigurations)
        .value("OBSERVED", DividedBy::kObserved);
    nb::class_<DirichletPrior>(m, "DirichletPrior", "A symmetric prior of a table's rows.")
        .def(
            "__init__",
            [](DirichletPrior* own, double size, DividedBy by) {
                new (own) DirichletPrior{size, by};
            },
            "size"_a, "divided_by"_a,
            "Each state has a pseudo-count: the size, or its share of the size in each possible or "
            "observed configuration of the parents.");
    nb::class_<RelationSpec>(m, "RelationSpec", "How a relation is to be searched.")
        .def_static(
            "full_table",
            [](int code, PenaltySpec penalty, const std::optional<DirichletPrior>& prior) {
                return RelationSpec::of<FullTableKind>(code, std::move(penalty), prior);
            },
            "code"_a, "penalty"_a, "prior"_a.none() = nb::none(),
            "A full table, by its largest likelihood or by its marginal likelihood under a prior.")
        .def_static(
            "causes",
            [](int code, PenaltySpec penalty, int least_parents, bool leak, bool minimum,
               bool any_state, std::optional<int> narrower) {
                RelationSpec spec = RelationSpec::of<CausesKind>(
                    code, std::move(penalty), ColumnForm{leak, minimum, any_state});
                spec.least_parents = least_parents;
                spec.narrower = narrower;
                return spec;
            },
            "code"_a, "penalty"_a, "least_parents"_a, "leak"_a, "minimum"_a, "any_state"_a,
            "narrower"_a.none(),
            "Independent causes, and with a leak one more that is always there. The highest of "
            "their effects decides, or the minimum. All states of a parent act but its first, or "
            "its last for the minimum; or any but one. `narrower`: the code of the same causes "
            "without `any_state`, if they compete, too.")
        .def_static(
            "evaluated",
            [](int code, PenaltySpec penalty, nb::callable evaluate) {
                return RelationSpec::of<EvaluatedKind>(code, std::move(penalty),
                                                       evaluation_by(std::move(evaluate)));
            },
            "code"_a, "penalty"_a, "evaluate"_a,
            nb::sig("def evaluated(code: int, penalty: Penalty, evaluate: "
                    "collections.abc.Callable[[list[int]], tuple[float, float, list[float]]]) -> "
                    "RelationSpec"),
            "A relation of which only a function is known: it takes the parents, ascending, at "
            "least one, and returns bounds on the least -ln L, the upper one attained, and the "
            "parameters: (lower, upper, parameters). No -ln L is below that of the full table.")
        .def_ro("code", &RelationSpec::code, "What it is called in the families found.");
}

void bind_prices(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PriceCut>(m, "PriceCut",
                         "A cut of which a family earns the weight times its coefficient.")
        .def_static(
            "cluster",
            [](std::vector<int> variables, int need, double weight, std::vector<int> own,
               std::vector<std::vector<int>> classes) {
                return PriceCut{std::move(variables), need, weight, {}, false, std::move(own),
                                std::move(classes)};
            },
            "variables"_a, "need"_a, "weight"_a, "own"_a, "classes"_a,
            "The coefficient is 1 while none of the parents is in the child's own class, and fewer "
            "than `need` classes of the variables have one; classes of one are not listed.")
        .def_static(
            "rounded",
            [](std::vector<std::size_t> parts, bool up, double weight) {
                return PriceCut{{}, 1, weight, std::move(parts), up, {}, {}};
            },
            "parts"_a, "up"_a, "weight"_a,
            "The coefficient is half the sum of those of the parts, numbers of earlier cuts.");
    nb::class_<BranchPrice>(m, "Price",
                            "What a family may cost at most that has the required parents, none of "
                            "the excluded, and from `least` to `most` parents, any number if "
                            "`most` is None: the base plus what it earns in the cuts.")
        .def(
            "__init__",
            [](BranchPrice* self, double base, std::vector<int> required, std::vector<int> excluded,
               std::vector<PriceCut> cuts, int least, std::optional<int> most) {
                new (self) BranchPrice{base, std::move(required), std::move(excluded),
                                       std::move(cuts), least};
                if (most) self->most = *most;
            },
            "base"_a, "required"_a, "excluded"_a, "cuts"_a, "least"_a = 0, "most"_a = nb::none())
        .def_ro("base", &BranchPrice::base)
        .def_ro("required", &BranchPrice::required)
        .def_ro("excluded", &BranchPrice::excluded)
        .def_ro("cuts", &BranchPrice::cuts);
}

// A column of `columns`, which lives as long as the array does.
template <class T>
View<T, 1> column(nb::handle columns, const std::vector<T>& values) {
    return view_of(values, {values.size()}, columns);
}

void bind_families(nb::module_& m) {
    using namespace nb::literals;
    const auto self = [](nb::handle h) -> const FamilyColumns& {
        return nb::cast<const FamilyColumns&>(h);
    };
    nb::class_<FamilyColumns>(m, "FamilyColumns", "Families of one child, column by column.")
        .def(nb::new_(&family_columns), "parents"_a, "relations"_a, "costs"_a, "lowers"_a,
             "offsets"_a, "parameters"_a)
        .def_prop_ro(
            "parents",
            [self](nb::handle h) {
                const FamilyColumns& one = self(h);
                return view_of<Word, 2>(one.parents, {one.size(), one.word_count}, h);
            },
            "Sets in words (families, words).")
        .def_prop_ro(
            "relations", [self](nb::handle h) { return column(h, self(h).relations); },
            "Codes of the relations.")
        .def_prop_ro(
            "costs", [self](nb::handle h) { return column(h, self(h).costs); }, "Attained costs.")
        .def_prop_ro(
            "lowers", [self](nb::handle h) { return column(h, self(h).lowers); },
            "What no fit can cost less than.")
        .def_prop_ro(
            "offsets", [self](nb::handle h) { return column(h, self(h).offsets); },
            "Where the parameters of each family begin, and the end.")
        .def_prop_ro("parameters", [self](nb::handle h) { return column(h, self(h).parameters); });
}

void bind_settings(nb::module_& m) {
    nb::enum_<CountsBy>(m, "CountsBy", "How the records of a full table are counted.")
        .value("BIT_COLUMNS", CountsBy::kBitColumns)
        .value("CONFIGURATIONS", CountsBy::kConfigurations);
    nb::class_<SearchSettings>(m, "SearchSettings", "What stays the same over all passes.")
        .def(nb::init<>())
        .def_rw("tolerance", &SearchSettings::tolerance, "Costs within it are equal.")
        .def_rw("candidates", &SearchSettings::candidates, "Parents other than the required ones.")
        .def_rw("required", &SearchSettings::required, "Parents that each family has.")
        .def_rw("order", &SearchSettings::order,
                "The candidates from the least to the most useful; empty: by their use.")
        .def_rw("max_parents", &SearchSettings::max_parents)
        .def_rw("relations", &SearchSettings::relations,
                "Those in use; on a tie the earlier one is preferred.")
        .def_rw("rules", &SearchSettings::rules, "Bits of the pruning rules.")
        .def_rw("gap", &SearchSettings::gap, "Of a final fit, in nats.")
        .def_rw("relative_gap", &SearchSettings::relative_gap, "The same, relative to its cost.")
        .def_rw("counts", &SearchSettings::counts)
        .def_rw("memory", &SearchSettings::memory, "Bytes for what fits have shown.");
    nb::class_<PassSettings>(m, "PassSettings", "What one pass searches for.")
        .def(nb::init<>())
        .def_rw("slack", &PassSettings::slack)
        .def_rw("relations", &PassSettings::relations, "Codes of those wanted.")
        .def_rw("prices", &PassSettings::prices)
        .def_prop_rw(
            "most",
            [](const PassSettings& pass) -> std::optional<std::size_t> {
                if (pass.most == std::numeric_limits<std::size_t>::max()) return std::nullopt;
                return pass.most;
            },
            [](PassSettings& pass, std::optional<std::size_t> most) {
                pass.most = most.value_or(std::numeric_limits<std::size_t>::max());
            },
            nb::for_setter(nb::arg("most").none()),
            "At most this many families, those furthest below their price; None: all.")
        .def_rw("quick", &PassSettings::quick,
                "Whether the families that the quick heuristic finds are enough.")
        .def_rw("known", &PassSettings::known, "Families whose costs count for m(P).")
        .def_rw("first", &PassSettings::first,
                "Words of the first set of the range, numbered by the search's order.")
        .def_rw("end", &PassSettings::end, "Words of the first set after the range.")
        .def_rw("found", &PassSettings::found, "By searches of other sets.")
        .def_rw("fits", &PassSettings::fits, "Whether it ends with the final fits.");
}

void bind_counters(nb::module_& m) {
    const auto counts = [](nb::handle h, std::vector<std::int64_t> SearchCounters::* member) {
        return column(h, nb::cast<const SearchCounters&>(h).*member);
    };
    nb::class_<SearchCounters>(m, "SearchCounters", "How much work a pass has done so far.")
        .def_prop_ro(
            "cuts",
            [](const SearchCounters& counters) {
                std::vector<std::int64_t> list = counters.cut_list();
                const std::size_t rows = list.size() / 5;
                return to_numpy<std::int64_t, 2>(std::move(list), {rows, 5});
            },
            "Subtrees cut, a row each: relation in use, rule, number of parents, size of the tail, "
            "and how many.",
            nb::rv_policy::move)
        .def_prop_ro(
            "evaluated", [counts](nb::handle h) { return counts(h, &SearchCounters::evaluated); },
            "Families counted or fitted, by relation in use.")
        .def_prop_ro(
            "bounds", [counts](nb::handle h) { return counts(h, &SearchCounters::bounds); },
            "Fits and counts that only bounded a subtree, by relation in use.")
        .def_ro("order_fits", &SearchCounters::order_fits, "Fits to find the order.")
        .def_ro("fits", &SearchCounters::fits, "Fits of the search.")
        .def_ro("remembered", &SearchCounters::remembered, "Fits that the memory saved.")
        .def_ro("newton_steps", &SearchCounters::newton_steps, "Of the search.")
        .def_ro("refits", &SearchCounters::refits, "Final fits.")
        .def_ro("unconverged", &SearchCounters::unconverged,
                "Final fits that did not close their gap.");
}

}  // namespace

void bind_scoring(nb::module_& m) {
    using namespace nb::literals;
    bind_relations(m);
    bind_prices(m);
    bind_families(m);
    bind_settings(m);
    bind_counters(m);
    m.def("are_few_sets", &are_few_sets, "candidates"_a, "room"_a,
          "Whether sets of at most `room` candidates are few enough to look at each one's table.");
    nb::class_<ChildSearchHandle>(m, "ChildSearch", "The search for one child's families.")
        .def(nb::init<Matrix<std::uint8_t>, Vector1<std::int64_t>, std::vector<int>, int,
                      const SearchSettings&>(),
             "codes"_a, "weights"_a, "states"_a, "child"_a, "settings"_a)
        .def("begin", &ChildSearchHandle::begin, "settings"_a,
             "Start a pass; no thread may be at work.")
        .def("work", &ChildSearchHandle::work, "cancellation"_a,
             "Work on pieces of the pass until none is available; threads may share the work.")
        .def("result", &ChildSearchHandle::result,
             "The families of a finished pass, ascending by cost; can be called once.")
        .def("found", &ChildSearchHandle::found,
             "What a pass without final fits has found so far, excluding what it was given.")
        .def_prop_ro("counters", &ChildSearchHandle::counters, "The work of the pass so far.")
        .def_prop_ro("reached", &ChildSearchHandle::reached,
                     "The first set that may not have been visited, in words.")
        .def_prop_ro("order", &ChildSearchHandle::order,
                     "The candidates from the least to the most useful; empty until some work has "
                     "found it.")
        .def_prop_ro("finished", &ChildSearchHandle::finished, "Whether the pass has finished.")
        .def_prop_ro("waiting", &ChildSearchHandle::waiting, "Pieces that no thread has taken.")
        .def_prop_ro("share_done", &ChildSearchHandle::share_done, "The share of pieces done.")
        .def_prop_ro("decided", &ChildSearchHandle::decided, "Families decided so far.")
        .def_prop_ro("memory_bytes", &ChildSearchHandle::memory_bytes,
                     "Bytes taken by what fits have shown.");
}

}  // namespace noisyor
