// The Python face of the enumeration.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/count_words.hpp"
#include "search/members.hpp"

namespace noisyor {
namespace {

class MembersHandle {
  public:
    MembersHandle(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks,
                  Vector1<Ticks> rc, Matrix<Word> cut_members, Vector1<std::int32_t> cut_needs,
                  Vector1<Ticks> cut_weights, Ticks limit, Ticks lower_bound) {
        nb::gil_scoped_release release;
        search_ = with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            MemberProblem<W> problem;
            problem.table = FamilyTable<W>::load(first.data(), first.shape(0) - 1, parents.data(),
                                                 ticks.data());
            problem.cuts = load_cuts<W>(cut_needs.shape(0), cut_members.data(), cut_needs.data(),
                                        cut_weights.data());
            problem.rc.assign(rc.data(), rc.data() + rc.shape(0));
            problem.limit = limit;
            problem.budget = limit - lower_bound;
            return make_member_search<W>(std::move(problem));
        });
    }

    std::size_t subtrees() const {
        nb::gil_scoped_release release;
        return search_->subtrees();
    }

    CountedSubtrees count(Vector1<Ticks> sums, Matrix<Word> counts, Vector1<double> weights,
                          Ticks optimum, double tick, std::int64_t large, std::size_t begin,
                          std::size_t end, int threads, const Cancellation& cancellation) const {
        const Outside outside = load_outside(sums, counts, weights);
        nb::gil_scoped_release release;
        return search_->count(outside, optimum, tick, large, begin, end, threads,
                              cancellation.flag());
    }

    auto all_ticks(std::size_t most, int threads, const Cancellation& cancellation) const {
        std::vector<Ticks> ticks;
        bool complete = false;
        {
            nb::gil_scoped_release release;
            complete = search_->all_ticks(most, threads, cancellation.flag(), ticks);
        }
        return std::make_tuple(to_numpy(std::move(ticks)), complete);
    }

    auto best(std::size_t most, int threads, const Cancellation& cancellation) const {
        BestMembers out;
        {
            nb::gil_scoped_release release;
            out = search_->best(most, threads, cancellation.flag());
        }
        const std::size_t size = out.ticks.size();
        return std::make_tuple(rows(std::move(out.choices), size), to_numpy(std::move(out.ticks)),
                               out.nodes, out.complete);
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

    auto at_ranks(Matrix<Word> ranks, bool by_weight, Vector1<Ticks> sums, Matrix<Word> counts,
                  Vector1<double> weights, Ticks optimum, double tick, const MemberMarks& marks,
                  int threads) const {
        const Outside outside = load_outside(sums, counts, weights);
        const std::vector<Count> wanted = from_words(ranks);
        RankedMembers out;
        {
            nb::gil_scoped_release release;
            out = search_->at_ranks(wanted, by_weight, outside, optimum, tick, marks, threads);
        }
        const std::size_t size = out.outside.size();
        return std::make_tuple(rows(std::move(out.choices), size), to_words(out.outside));
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

    Owned<std::uint32_t, 2> rows(std::vector<std::uint32_t>&& choices, std::size_t size) const {
        return to_numpy<std::uint32_t, 2>(std::move(choices),
                                          {size, static_cast<std::size_t>(search_->variables())});
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
    return std::make_tuple(to_numpy<std::uint32_t, 2>(std::move(batch.choices), {size, variables}),
                           to_numpy(std::move(batch.ticks)));
}

}  // namespace

void bind_members(nb::module_& m) {
    using namespace nb::literals;
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
                      Matrix<Word>, Vector1<std::int32_t>, Vector1<Ticks>, Ticks, Ticks>(),
             "first"_a, "parents"_a, "ticks"_a, "rc"_a, "cut_members"_a, "cut_needs"_a,
             "cut_weights"_a, "limit"_a, "lower_bound"_a)
        .def_prop_ro("subtrees", &MembersHandle::subtrees,
                     "How many subtrees the walk falls into, always the same.")
        .def("count", &MembersHandle::count, "sums"_a, "counts"_a, "weights"_a, "optimum"_a,
             "tick"_a, "large"_a, "begin"_a, "end"_a, "threads"_a, "cancellation"_a,
             "What the subtrees from `begin` to before `end` have.")
        .def("all_ticks", &MembersHandle::all_ticks, "most"_a, "threads"_a, "cancellation"_a,
             "The ticks of every member, and whether these are all.")
        .def("best", &MembersHandle::best, "most"_a, "threads"_a, "cancellation"_a,
             "Families and ticks of the least members, nodes, whether complete.")
        .def("first", &MembersHandle::first, "cancellation"_a,
             "The member whose families come first, child by child; empty if none.")
        .def("used", &MembersHandle::used, "known"_a, "most_nodes"_a, "threads"_a, "cancellation"_a,
             "Per family whether some member has it: 0 none, 1 some, 2 not known (so far).")
        .def("at_ranks", &MembersHandle::at_ranks, "ranks"_a, "by_weight"_a, "sums"_a, "counts"_a,
             "weights"_a, "optimum"_a, "tick"_a, "marks"_a, "threads"_a,
             "Families of the members of these ascending ranks, and their ranks outside; by "
             "weight, ranks are below marks.total(True), and what is outside is told by its sum.")
        .def("stream", &MembersHandle::stream, "batch_size"_a, "most_waiting"_a,
             "All members, each once, unordered.");
}

}  // namespace noisyor
