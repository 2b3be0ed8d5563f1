// The Python face of the enumeration.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/count_words.hpp"
#include "search/cut_arrays.hpp"
#include "search/members.hpp"

namespace noisyor {
namespace {

// The ticks of members, and whether these are all.
struct MemberTicks {
    std::vector<Ticks> ticks;
    bool complete = false;
};

class MembersHandle {
  public:
    MembersHandle(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks,
                  Vector1<Ticks> rc, Matrix<Word> sets, Vector1<std::int32_t> needs,
                  Vector1<std::int64_t> first_class, Matrix<Word> classes,
                  Vector1<std::int64_t> first_part, Vector1<std::int64_t> parts,
                  Vector1<Ticks> weights, Ticks limit, Ticks lower_bound, bool groups,
                  bool merges) {
        const CutArrays cuts = cut_arrays(sets, needs, first_class, classes, first_part, parts);
        nb::gil_scoped_release release;
        search_ = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            MemberProblem<W> problem;
            problem.table = FamilyTable<W>::load(first.data(), first.shape(0) - 1, parents.data(),
                                                 ticks.data());
            problem.take_cuts(CutSystem<W>::load(cuts), weights.data());
            problem.rc.assign(rc.data(), rc.data() + rc.shape(0));
            problem.limit = limit;
            problem.budget = limit - lower_bound;
            problem.rules = {groups, merges};
            return make_member_search<W>(std::move(problem));
        });
    }

    std::size_t subtrees() const {
        nb::gil_scoped_release release;
        return search_->subtrees();
    }

    CountedSubtrees count(Vector1<Ticks> sums, Matrix<Word> counts, Vector1<double> weights,
                          Ticks optimum, double tick, std::int64_t large, std::int64_t most_nodes,
                          std::size_t begin, std::size_t end, int threads,
                          const Cancellation& cancellation) const {
        const Outside outside = load_outside(sums, counts, weights);
        nb::gil_scoped_release release;
        return search_->count(outside, optimum, tick, large, most_nodes, begin, end, threads,
                              cancellation.flag());
    }

    MemberTicks all_ticks(std::size_t most, int threads, const Cancellation& cancellation) const {
        nb::gil_scoped_release release;
        MemberTicks out;
        out.complete = search_->all_ticks(most, threads, cancellation.flag(), out.ticks);
        return out;
    }

    BestMembers best(std::size_t most, int threads, const Cancellation& cancellation) const {
        nb::gil_scoped_release release;
        BestMembers out = search_->best(most, threads, cancellation.flag());
        out.variables = static_cast<std::size_t>(search_->variables());
        return out;
    }

    auto first(const Cancellation& cancellation) const {
        std::vector<std::uint32_t> choice;
        {
            nb::gil_scoped_release release;
            choice = search_->first(cancellation.flag());
        }
        return to_numpy(std::move(choice));
    }

    auto used(Vector1<std::uint8_t> known, std::int64_t most_nodes, int threads,
              const Cancellation& cancellation) const {
        std::vector<std::uint8_t> marks(known.data(), known.data() + known.shape(0));
        {
            nb::gil_scoped_release release;
            marks = search_->used(marks, most_nodes, threads, cancellation.flag());
        }
        return to_numpy(std::move(marks));
    }

    RankedMembers at_ranks(Matrix<Word> ranks, bool by_weight, Vector1<Ticks> sums,
                           Matrix<Word> counts, Vector1<double> weights, Ticks optimum, double tick,
                           const MemberMarks& marks, int threads) const {
        const Outside outside = load_outside(sums, counts, weights);
        const std::vector<Count> wanted = from_words(ranks);
        nb::gil_scoped_release release;
        RankedMembers out =
            search_->at_ranks(wanted, by_weight, outside, optimum, tick, marks, threads);
        out.variables = static_cast<std::size_t>(search_->variables());
        return out;
    }

    std::unique_ptr<MemberStream> stream(std::size_t batch_size, std::size_t most_waiting) const {
        auto stream = std::make_unique<MemberStream>(batch_size, most_waiting);
        stream->start([search = search_](MemberStream& to) { search->stream(to); });
        return stream;
    }

  private:
    static Outside load_outside(Vector1<Ticks> sums, Matrix<Word> counts, Vector1<double> weights) {
        return {{sums.data(), sums.data() + sums.shape(0)},
                from_words(counts),
                {weights.data(), weights.data() + weights.shape(0)}};
    }

    std::shared_ptr<MemberSearch> search_;
};

auto next_batch(MemberStream& stream, std::size_t variables) {
    MemberStream::Batch batch;
    {
        nb::gil_scoped_release release;
        stream.next(batch);
    }
    const std::size_t size = batch.ticks.size();
    return std::make_pair(to_numpy<std::uint32_t, 2>(std::move(batch.choices), {size, variables}),
                          to_numpy(std::move(batch.ticks)));
}

// A getter for the families of a struct's members, a row each.
template <class Struct>
auto choices_of(std::size_t (*count)(const Struct&)) {
    return [count](const Struct& one) {
        return to_numpy<std::uint32_t, 2>(std::vector<std::uint32_t>(one.choices),
                                          {count(one), one.variables});
    };
}

}  // namespace

void bind_members(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<MemberTicks>(m, "MemberTicks", "The ticks of members.")
        .def_prop_ro("ticks", array_of(&MemberTicks::ticks), nb::rv_policy::move)
        .def_ro("complete", &MemberTicks::complete, "Whether these are all members.");
    nb::class_<BestMembers>(m, "BestMembers", "The members of least ticks, in their order.")
        .def_prop_ro("choices",
                     choices_of<BestMembers>([](const auto& one) { return one.ticks.size(); }),
                     "Families (members, variables).", nb::rv_policy::move)
        .def_prop_ro("ticks", array_of(&BestMembers::ticks), nb::rv_policy::move)
        .def_ro("nodes", &BestMembers::nodes)
        .def_ro("complete", &BestMembers::complete);
    nb::class_<RankedMembers>(m, "RankedMembers", "Members of given ranks.")
        .def_prop_ro("choices",
                     choices_of<RankedMembers>([](const auto& one) { return one.outside.size(); }),
                     "Families (members, variables).", nb::rv_policy::move)
        .def_prop_ro(
            "outside", [](const RankedMembers& one) { return to_words(one.outside); },
            "Their ranks outside, in words.", nb::rv_policy::move);
    nb::class_<MemberStream>(m, "MemberStream", "Members in batches, made ahead by a thread.")
        .def("next", &next_batch, "variables"_a,
             "Families (members, variables) and ticks of the next batch; empty at the end.")
        .def(
            "close",
            [](MemberStream& stream) {
                nb::gil_scoped_release release;
                stream.close();
            },
            "End the stream and its thread.");
    nb::class_<MembersHandle>(m, "Members", "The acyclic choices of a family per child in a limit.")
        .def(nb::init<Vector1<std::int64_t>, Matrix<Word>, Vector1<Ticks>, Vector1<Ticks>,
                      Matrix<Word>, Vector1<std::int32_t>, Vector1<std::int64_t>, Matrix<Word>,
                      Vector1<std::int64_t>, Vector1<std::int64_t>, Vector1<Ticks>, Ticks, Ticks,
                      bool, bool>(),
             "first"_a, "parents"_a, "ticks"_a, "rc"_a, "sets"_a, "needs"_a, "first_class"_a,
             "classes"_a, "first_part"_a, "parts"_a, "weights"_a, "limit"_a, "lower_bound"_a,
             "groups"_a, "merges"_a)
        .def_prop_ro("subtrees", &MembersHandle::subtrees,
                     "How many subtrees the walk is divided into, always the same.")
        .def("count", &MembersHandle::count, "sums"_a, "counts"_a, "weights"_a, "optimum"_a,
             "tick"_a, "large"_a, "most_nodes"_a, "begin"_a, "end"_a, "threads"_a, "cancellation"_a,
             "What the subtrees from `begin` to before `end` have, not complete above so many "
             "nodes.")
        .def("all_ticks", &MembersHandle::all_ticks, "most"_a, "threads"_a, "cancellation"_a,
             "The ticks of every member.")
        .def("best", &MembersHandle::best, "most"_a, "threads"_a, "cancellation"_a,
             "The members of least ticks.")
        .def("first", &MembersHandle::first, "cancellation"_a,
             "The member whose families come first, child by child; empty if none.")
        .def("used", &MembersHandle::used, "known"_a, "most_nodes"_a, "threads"_a, "cancellation"_a,
             "Per family whether some member has it: 0 no, 1 yes, 2 not known (yet).")
        .def("at_ranks", &MembersHandle::at_ranks, "ranks"_a, "by_weight"_a, "sums"_a, "counts"_a,
             "weights"_a, "optimum"_a, "tick"_a, "marks"_a, "threads"_a,
             "The members of these ascending ranks; by weight, ranks are below marks.total(True), "
             "and `outside` gives the place of the sum outside.")
        .def("stream", &MembersHandle::stream, "batch_size"_a, "most_waiting"_a,
             "All members, each once, unordered.");
}

}  // namespace noisyor
