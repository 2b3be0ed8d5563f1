// The Python face of order diagrams and their members.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/count_words.hpp"
#include "search/cut_arrays.hpp"
#include "search/diagram_members.hpp"
#include "search/masked_ticks.hpp"

namespace noisyor {
namespace {

// A diagram, or why there is none. Streams keep it alive.
class DiagramHandle {
  public:
    DiagramHandle(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks,
                  Matrix<Word> members, Vector1<std::int32_t> needs,
                  Vector1<std::int64_t> first_class, Matrix<Word> classes,
                  Vector1<Ticks> cut_weights, Vector1<Ticks> pi, Vector1<Ticks> rc,
                  Vector1<std::int32_t> numbers, Ticks limit, Ticks lower_bound,
                  std::size_t max_bytes, std::size_t threads, bool strengthen,
                  const Cancellation& cancellation)
        : lower_bound_(lower_bound) {
        const ClusterArrays given = cluster_arrays(members, needs, first_class, classes);
        const std::vector<int> order(numbers.data(), numbers.data() + numbers.shape(0));
        nb::gil_scoped_release release;
        DiagramResult result = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            const auto table = FamilyTable<W>::load(first.data(), first.shape(0) - 1,
                                                    parents.data(), ticks.data());
            const Ticks length = limit - lower_bound;
            const auto problem = LatticeProblem<W>::prepare(
                table, load_cuts<W>(given, cut_weights.data()), pi.data(), rc.data(), length);
            return make_order_diagram<W>(problem, {strengthen}, order, length, max_bytes, threads,
                                         cancellation.flag());
        });
        status_ = result.status;
        reached_ = result.reached;
        if (status_ == DiagramStatus::kDone) {
            members_ = std::make_shared<DiagramMembers>(std::move(result.diagram));
        }
    }

    DiagramStatus status() const { return status_; }
    std::size_t reached() const { return reached_; }
    bool empty() const { return members().diagram().empty(); }
    Ticks optimum() const { return members().diagram().shortest() + lower_bound_; }
    double expected() const { return members().expected(); }

    DiagramCounts count(double decay, std::size_t threads, const Cancellation& cancellation) const {
        nb::gil_scoped_release release;
        DiagramCounts counts = members().count(decay, threads, cancellation.flag());
        for (Ticks& least : counts.least) {
            if (least != kNoMember) least += lower_bound_;
        }
        return counts;
    }

    auto at_ranks(const DiagramCounts& counts, Matrix<Word> ranks) const {
        const std::vector<Count> wanted = from_words(ranks);
        return rows([&] { return members().at_ranks(counts, wanted); });
    }

    auto at_weights(const DiagramCounts& counts, double decay, Vector1<double> places) const {
        const std::vector<double> wanted(places.data(), places.data() + places.shape(0));
        return rows([&] { return members().at_weights(counts, decay, wanted); });
    }

    auto costliest(const DiagramCounts& counts) const {
        return to_numpy(members().costliest(counts));
    }

    BestMembers best(std::size_t most) const {
        nb::gil_scoped_release release;
        BestMembers found = members().best(most);
        for (Ticks& ticks : found.ticks) ticks += lower_bound_;
        return found;
    }

    auto first() const {
        std::vector<std::uint32_t> choice;
        {
            nb::gil_scoped_release release;
            choice = members().first();
        }
        return to_numpy(std::move(choice));
    }

    std::unique_ptr<MemberStream> stream(std::size_t batch_size, std::size_t most_waiting) const {
        auto stream = std::make_unique<MemberStream>(batch_size, most_waiting);
        stream->start([members = members_, lower_bound = lower_bound_](MemberStream& to) {
            members->stream(to, lower_bound);
        });
        return stream;
    }

  private:
    const DiagramMembers& members() const { return *members_; }

    template <class F>
    Owned<std::uint32_t, 2> rows(F&& pick) const {
        const std::size_t n = members().diagram().variables();
        std::vector<std::uint32_t> choices;
        {
            nb::gil_scoped_release release;
            choices = pick();
        }
        const std::size_t count = choices.size() / n;
        return to_numpy<std::uint32_t, 2>(std::move(choices), {count, n});
    }

    DiagramStatus status_;
    std::size_t reached_ = 0;
    Ticks lower_bound_;
    std::shared_ptr<const DiagramMembers> members_;
};

}  // namespace

void bind_diagram(nb::module_& m) {
    using namespace nb::literals;
    nb::enum_<DiagramStatus>(m, "DiagramStatus", "How the making of a diagram ended.")
        .value("DONE", DiagramStatus::kDone)
        .value("TOO_MUCH_MEMORY", DiagramStatus::kTooMuchMemory)
        .value("CANCELLED", DiagramStatus::kCancelled);
    nb::class_<DiagramCounts>(m, "DiagramCounts", "What the members of a diagram have.")
        .def_ro("complete", &DiagramCounts::complete, "Whether all were counted.")
        .def_prop_ro(
            "total", [](const DiagramCounts& one) { return to_words({one.total}); },
            "The number of members, as words.", nb::rv_policy::move)
        .def_ro("weight", &DiagramCounts::weight)
        .def_prop_ro(
            "counts", [](const DiagramCounts& one) { return to_words(one.counts); },
            "Per family, the members with it, as words.", nb::rv_policy::move)
        .def_prop_ro("weights", array_of(&DiagramCounts::weights), "Per family, their weight.",
                     nb::rv_policy::move)
        .def_prop_ro("has_member", mask_of(&DiagramCounts::least, kNoMember),
                     "Whether a member has each family.", nb::rv_policy::move)
        .def_prop_ro("least", masked(&DiagramCounts::least, kNoMember),
                     "Per family, the ticks of the best member with it.", nb::rv_policy::move)
        .def_ro("listed", &DiagramCounts::listed, "Paths that were listed.");
    nb::class_<DiagramHandle>(m, "OrderDiagram",
                              "The acyclic choices of a family per child in a limit, as paths.")
        .def(nb::init<Vector1<std::int64_t>, Matrix<Word>, Vector1<Ticks>, Matrix<Word>,
                      Vector1<std::int32_t>, Vector1<std::int64_t>, Matrix<Word>, Vector1<Ticks>,
                      Vector1<Ticks>, Vector1<Ticks>, Vector1<std::int32_t>, Ticks, Ticks,
                      std::size_t, std::size_t, bool, const Cancellation&>(),
             "first"_a, "parents"_a, "ticks"_a, "members"_a, "needs"_a, "first_class"_a,
             "classes"_a, "cut_weights"_a, "pi"_a, "rc"_a, "numbers"_a, "limit"_a, "lower_bound"_a,
             "max_bytes"_a, "threads"_a, "strengthen"_a, "cancellation"_a)
        .def_prop_ro("status", &DiagramHandle::status)
        .def_prop_ro("reached", &DiagramHandle::reached, "States, on a path in the limit or not.")
        .def_prop_ro("empty", &DiagramHandle::empty, "Whether there is no member.")
        .def_prop_ro("optimum", &DiagramHandle::optimum, "The ticks of the best member.")
        .def_prop_ro("expected", &DiagramHandle::expected,
                     "About how many paths counting will list.")
        .def("count", &DiagramHandle::count, "decay"_a, "threads"_a, "cancellation"_a,
             "Count the members; the weight of one falls by `decay` with each tick.")
        .def("at_ranks", &DiagramHandle::at_ranks, "counts"_a, "ranks"_a,
             "The members of these ascending ranks.", nb::rv_policy::move)
        .def("at_weights", &DiagramHandle::at_weights, "counts"_a, "decay"_a, "places"_a,
             "The members at ascending places below the weight of all.", nb::rv_policy::move)
        .def("costliest", &DiagramHandle::costliest, "counts"_a, "A member of most ticks.",
             nb::rv_policy::move)
        .def("best", &DiagramHandle::best, "most"_a, "The members of least ticks.")
        .def("first", &DiagramHandle::first,
             "The best member whose families come first, child by child.", nb::rv_policy::move)
        .def("stream", &DiagramHandle::stream, "batch_size"_a, "most_waiting"_a,
             "All members, each once, unordered.");
}

}  // namespace noisyor
