// The Python face of what was counted. Subtrees that a worker has counted come over the wire, from
// kernels made for another processor maybe: they are taken apart into arrays, and put together
// here.
#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "search/count_words.hpp"
#include "search/masked_ticks.hpp"
#include "search/member_counts.hpp"

namespace noisyor {
namespace {

template <class T>
std::vector<T> from_numpy(Vector1<T> values) {
    return {values.data(), values.data() + values.shape(0)};
}

template <class T>
T field(const nb::dict& state, const char* name) {
    return nb::cast<T>(state[name]);
}

nb::dict state_of(const SubtreeCounts& one) {
    std::vector<Count> numbers;
    std::vector<Count> shares;
    std::vector<std::size_t> ends;
    for (const Mark& mark : one.marks) {
        numbers.push_back(mark.number);
        shares.push_back(mark.shares);
        ends.push_back(mark.end);
    }
    nb::dict state;
    state["number"] = one.number;
    state["total"] = to_words({one.total});
    state["weight"] = one.weight;
    state["counts"] = to_words(one.counts);
    state["weights"] = to_numpy(std::vector(one.weights));
    state["least"] = to_numpy(std::vector(one.least));
    state["mark_numbers"] = to_words(numbers);
    state["mark_shares"] = to_words(shares);
    state["mark_ends"] = to_numpy(std::move(ends));
    state["any"] = one.any;
    state["costliest"] = one.costliest;
    state["costliest_choice"] = to_numpy(std::vector(one.costliest_choice));
    state["costliest_outside"] = one.costliest_outside;
    state["nodes"] = one.nodes;
    state["complete"] = one.complete;
    return state;
}

SubtreeCounts subtree_from(const nb::dict& state) {
    SubtreeCounts one{
        .number = field<std::size_t>(state, "number"),
        .total = from_words(field<Matrix<Word>>(state, "total")).at(0),
        .weight = field<double>(state, "weight"),
        .counts = from_words(field<Matrix<Word>>(state, "counts")),
        .weights = from_numpy(field<Vector1<double>>(state, "weights")),
        .least = from_numpy(field<Vector1<Ticks>>(state, "least")),
        .marks = {},
        .any = field<bool>(state, "any"),
        .costliest = field<Ticks>(state, "costliest"),
        .costliest_choice = from_numpy(field<Vector1<std::uint32_t>>(state, "costliest_choice")),
        .costliest_outside = field<std::size_t>(state, "costliest_outside"),
        .nodes = field<std::int64_t>(state, "nodes"),
        .complete = field<bool>(state, "complete")};
    const std::vector<Count> numbers = from_words(field<Matrix<Word>>(state, "mark_numbers"));
    const std::vector<Count> shares = from_words(field<Matrix<Word>>(state, "mark_shares"));
    const auto ends = from_numpy(field<Vector1<std::size_t>>(state, "mark_ends"));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        one.marks.push_back({numbers[i], shares.at(i), ends.at(i)});
    }
    return one;
}

// Of the histograms, which may be long, only what is not zero.
nb::dict state_of(const CountedSubtrees& counted) {
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
    nb::dict state;
    state["families"] = counted.families();
    state["positions"] = counted.histogram.size();
    state["places"] = to_numpy(std::move(places));
    state["choices"] = to_words(choices);
    state["weights"] = to_words(weights);
    state["subtrees"] = subtrees;
    return state;
}

CountedSubtrees put_together(const nb::dict& state) {
    const auto families = field<std::size_t>(state, "families");
    CountedSubtrees into(families, field<std::size_t>(state, "positions"));
    const auto places = field<Vector1<std::size_t>>(state, "places");
    const std::vector<Count> choices = from_words(field<Matrix<Word>>(state, "choices"));
    const std::vector<Count> weights = from_words(field<Matrix<Word>>(state, "weights"));
    for (std::size_t i = 0; i < places.shape(0); ++i) {
        into.histogram.at(places.data()[i]) = choices.at(i);
        into.weight_histogram.at(places.data()[i]) = weights.at(i);
    }
    for (const nb::handle subtree : field<nb::list>(state, "subtrees")) {
        SubtreeCounts one = subtree_from(nb::cast<nb::dict>(subtree));
        if (one.counts.size() != families || one.weights.size() != families ||
            one.least.size() != families || one.marks.empty()) {
            throw std::invalid_argument("a subtree lacks some of its families");
        }
        into.subtrees.push_back(std::move(one));
    }
    return into;
}

}  // namespace

void bind_member_counts(nb::module_& m) {
    using namespace nb::literals;
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
    nb::class_<MemberCounts>(m, "MemberCounts", "What all subtrees of a walk have together.")
        .def_prop_ro(
            "total", [](const MemberCounts& all) { return to_words({all.total}); },
            "The number of members, in words.", nb::rv_policy::move)
        .def_ro("weight", &MemberCounts::weight)
        .def_prop_ro(
            "counts", [](const MemberCounts& all) { return to_words(all.counts); },
            "The members that have each family, in words.", nb::rv_policy::move)
        .def_prop_ro("weights", array_of(&MemberCounts::weights), "The weight of each family.",
                     nb::rv_policy::move)
        .def_prop_ro("has_member", mask_of(&MemberCounts::least, kNoMember),
                     "Whether a member has each family.", nb::rv_policy::move)
        .def_prop_ro("least", masked(&MemberCounts::least, kNoMember),
                     "The least ticks of a member with each family, where there is one.",
                     nb::rv_policy::move)
        .def_prop_ro(
            "histogram", [](const MemberCounts& all) { return to_words(all.histogram); },
            "Choices that fit with the first i sums outside, in words.", nb::rv_policy::move)
        .def_prop_ro("weight_histogram", array_of(&MemberCounts::weight_histogram),
                     nb::rv_policy::move)
        .def_ro("marks", &MemberCounts::marks, "For at_ranks.")
        .def_prop_ro("costliest_choice", array_of(&MemberCounts::costliest_choice),
                     "The families of a costliest member.", nb::rv_policy::move)
        .def_ro("costliest_outside", &MemberCounts::costliest_outside,
                "The place of its sum outside.")
        .def_ro("nodes", &MemberCounts::nodes);
    nb::class_<CountedSubtrees>(m, "CountedSubtrees", "What subtrees of a walk have.")
        .def(
            "take",
            [](CountedSubtrees& counted, const CountedSubtrees& others) {
                counted.take(CountedSubtrees(others));
            },
            "others"_a, "Take other subtrees of the same walk.")
        .def("complete", &CountedSubtrees::complete, "expected"_a,
             "Whether all the expected subtrees are there, each complete.")
        .def("add_up", &CountedSubtrees::add_up, nb::call_guard<nb::gil_scoped_release>(),
             "What the subtrees have together.")
        .def(
            "apart", [](const CountedSubtrees& counted) { return state_of(counted); },
            nb::sig("def apart(self) -> dict[str, object]"), "The subtrees as named arrays.")
        .def_static("of", &put_together, "apart"_a, "Subtrees that were taken apart.",
                    nb::sig("def of(apart: dict[str, object]) -> CountedSubtrees"));
}

}  // namespace noisyor
