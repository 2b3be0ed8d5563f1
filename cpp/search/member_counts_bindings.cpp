// The Python face of what was counted. Subtrees that a worker has counted come over the wire, from
// kernels made for another processor maybe: they are taken apart into arrays, and put together
// here.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "search/count_words.hpp"
#include "search/member_counts.hpp"

namespace noisyor {
namespace {

template <class T>
std::vector<T> from_numpy(Vector1<T> values) {
    return {values.data(), values.data() + values.shape(0)};
}

// Number, total, weight, counts, weights, least; of the marks their numbers, shares and ends;
// whether any, the costliest's ticks, families and place outside; nodes, whether complete.
using SubtreeState =
    std::tuple<std::size_t, Matrix<Word>, double, Matrix<Word>, Vector1<double>, Vector1<Ticks>,
               Matrix<Word>, Matrix<Word>, Vector1<std::size_t>, bool, Ticks,
               Vector1<std::uint32_t>, std::size_t, std::int64_t, bool>;

auto state_of(const SubtreeCounts& one) {
    std::vector<Count> numbers;
    std::vector<Count> shares;
    std::vector<std::size_t> ends;
    for (const Mark& mark : one.marks) {
        numbers.push_back(mark.number);
        shares.push_back(mark.shares);
        ends.push_back(mark.end);
    }
    return nb::make_tuple(one.number, to_words({one.total}), one.weight, to_words(one.counts),
                          to_numpy(std::vector(one.weights)), to_numpy(std::vector(one.least)),
                          to_words(numbers), to_words(shares), to_numpy(std::move(ends)), one.any,
                          one.costliest, to_numpy(std::vector(one.costliest_choice)),
                          one.costliest_outside, one.nodes, one.complete);
}

SubtreeCounts subtree_from(const SubtreeState& state) {
    const auto& [number, total, weight, counts, weights, least, numbers, shares, ends, any,
                 costliest, choice, outside, nodes, complete] = state;
    SubtreeCounts one{.number = number,
                      .total = from_words(total).at(0),
                      .weight = weight,
                      .counts = from_words(counts),
                      .weights = from_numpy(weights),
                      .least = from_numpy(least),
                      .marks = {},
                      .any = any,
                      .costliest = costliest,
                      .costliest_choice = from_numpy(choice),
                      .costliest_outside = outside,
                      .nodes = nodes,
                      .complete = complete};
    const std::vector<Count> number_of = from_words(numbers);
    const std::vector<Count> share_of = from_words(shares);
    const std::vector<std::size_t> end_of = from_numpy(ends);
    for (std::size_t i = 0; i < number_of.size(); ++i) {
        one.marks.push_back({number_of[i], share_of.at(i), end_of.at(i)});
    }
    return one;
}

// Of the histograms, which may be long, only what is not zero.
auto state_of(const CountedSubtrees& counted) {
    nb::list subtrees;
    for (const SubtreeCounts& one : counted.subtrees) subtrees.append(state_of(one));
    std::vector<std::size_t> places;
    std::vector<Count> choices;
    std::vector<Count> weights;
    for (std::size_t i = 0; i < counted.histogram.size(); ++i) {
        if (counted.histogram[i] == 0) continue;
        places.push_back(i);
        choices.push_back(counted.histogram[i]);
        weights.push_back(counted.weight_histogram[i]);
    }
    return nb::make_tuple(counted.families(), counted.histogram.size(), to_numpy(std::move(places)),
                          to_words(choices), to_words(weights), subtrees);
}

using CountedState = std::tuple<std::size_t, std::size_t, Vector1<std::size_t>, Matrix<Word>,
                                Matrix<Word>, std::vector<SubtreeState>>;

CountedSubtrees put_together(const CountedState& state) {
    const auto& [families, positions, places, choices, weights, subtrees] = state;
    CountedSubtrees into(families, positions);
    const std::vector<Count> choice_counts = from_words(choices);
    const std::vector<Count> weight_counts = from_words(weights);
    for (std::size_t i = 0; i < places.shape(0); ++i) {
        into.histogram.at(places.data()[i]) = choice_counts.at(i);
        into.weight_histogram.at(places.data()[i]) = weight_counts.at(i);
    }
    for (const SubtreeState& state_of_one : subtrees) {
        SubtreeCounts one = subtree_from(state_of_one);
        if (one.counts.size() != families || one.weights.size() != families ||
            one.least.size() != families || one.marks.empty()) {
            throw std::invalid_argument("a subtree lacks some of its families");
        }
        into.subtrees.push_back(std::move(one));
    }
    return into;
}

auto add_up(const CountedSubtrees& counted) {
    MemberCounts out;
    {
        nb::gil_scoped_release release;
        out = counted.add_up();
    }
    return std::make_tuple(to_words({out.total}), out.weight, to_words(out.counts),
                           to_numpy(std::move(out.weights)), to_numpy(std::move(out.least)),
                           to_words(out.histogram), to_numpy(std::move(out.weight_histogram)),
                           std::move(out.marks), to_numpy(std::move(out.costliest_choice)),
                           out.costliest_outside, out.nodes);
}

}  // namespace

void bind_member_counts(nb::module_& m) {
    using namespace nb::literals;
    m.attr("NO_MEMBER") = kNoMember;
    nb::class_<MemberMarks>(m, "MemberMarks", "How much lies below the larger parts of a walk.")
        .def(
            "total",
            [](const MemberMarks& marks, bool by_weight) {
                return to_words({marks.total(by_weight)});
            },
            "by_weight"_a, "How many ranks there are.")
        .def_prop_ro(
            "size",
            [](const MemberMarks& marks) {
                std::size_t sum = 0;
                for (const auto& own : marks.tasks) sum += own.size();
                return sum;
            },
            "The number of marks.");
    nb::class_<CountedSubtrees>(m, "CountedSubtrees", "What subtrees of a walk have.")
        .def(
            "take",
            [](CountedSubtrees& counted, const CountedSubtrees& others) {
                counted.take(CountedSubtrees(others));
            },
            "others"_a, "Take other subtrees of the same walk.")
        .def("complete", &CountedSubtrees::complete, "expected"_a,
             "Whether so many subtrees are there, each complete.")
        .def("add_up", &add_up,
             "Total, weight, counts, weights and least ticks per family, histograms over the sums "
             "outside, marks for at_ranks, the costliest's families and place outside, nodes.")
        .def(
            "apart", [](const CountedSubtrees& counted) { return state_of(counted); },
            nb::sig("def apart(self) -> tuple[object, ...]"), "The subtrees as arrays.")
        .def_static("of", &put_together, "apart"_a, "Subtrees that were taken apart.",
                    nb::sig("def of(apart: tuple[object, ...]) -> CountedSubtrees"));
}

}  // namespace noisyor
