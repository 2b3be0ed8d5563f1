// The Python face of the kernels. Callers have validated what they pass: shapes, ranges, dtypes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <numeric>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "data/records.hpp"
#include "watchdog.hpp"

namespace noisyor {
namespace {

bool cpu_supports_x86_64_v3() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

using Records = std::pair<Owned<Word, 2>, Owned<std::int64_t, 1>>;

Records to_python(CountedRecords&& records, std::size_t word_count) {
    const std::size_t size = records.counts.size();
    return {to_numpy<Word, 2>(std::move(records.rows), {size, word_count}),
            to_numpy(std::move(records.counts))};
}

Records count_records_py(const std::vector<Vector1<std::uint8_t>>& columns, std::size_t word_count,
                         std::optional<std::vector<std::size_t>> places) {
    std::vector<const std::uint8_t*> pointers;
    for (const auto& column : columns) pointers.push_back(column.data());
    if (!places) {
        places.emplace(columns.size());
        std::iota(places->begin(), places->end(), std::size_t{0});
    }
    CountedRecords counted;
    {
        nb::gil_scoped_release release;
        counted = count_records(pointers, *places, columns.at(0).shape(0), word_count);
    }
    return to_python(std::move(counted), word_count);
}

Records merge_records_py(Matrix<Word> rows, Vector1<std::int64_t> counts) {
    CountedRecords merged;
    {
        nb::gil_scoped_release release;
        merged = merge_records(rows.data(), counts.data(), rows.shape(0), rows.shape(1));
    }
    return to_python(std::move(merged), rows.shape(1));
}

}  // namespace
}  // namespace noisyor

NB_MODULE(NOISYOR_MODULE, m) {
    using namespace nanobind::literals;
    using namespace noisyor;

    // What is still in use when Python ends, such as by the frame of an interrupted call, is freed
    // by the system. Only tests want to know of it, to find what is never freed.
    nb::set_leak_warnings(std::getenv("NOISYOR_LEAK_WARNINGS") != nullptr);
    m.doc() = "Compiled kernels. They take arrays, give arrays, hold no state, release the GIL.";
    m.def("cpu_supports_x86_64_v3", &cpu_supports_x86_64_v3,
          "Whether this machine runs the build for AVX2, BMI2 and POPCNT.");
    m.def("count_records", &count_records_py, "columns"_a, "word_count"_a, "places"_a = nb::none(),
          "Count equal records of columns of codes: rows (distinct, words) ascending, counts. The "
          "code of column v is packed into the bits from places[v] on; by default, it is bit v.");
    m.def("merge_records", &merge_records_py, "rows"_a, "counts"_a,
          "Add up the counts of equal rows: rows (distinct, words) ascending, counts.");
    nb::class_<Cancellation>(m, "Cancellation", "A flag that ends the work of kernels early.")
        .def(nb::init<>())
        .def("cancel", &Cancellation::cancel, "Ask all work under this flag to end.")
        .def_prop_ro("cancelled", &Cancellation::cancelled, "Whether `cancel` was called.");
    nb::class_<Watchdog>(m, "Watchdog",
                         "Ends the process if it goes on after SIGINT or SIGTERM, whatever runs.")
        .def(nb::init<int, double, double>(), "descriptor"_a, "grace"_a, "last_grace"_a,
             "Read numbers of signals, as bytes, and wait so many seconds; after a second signal, "
             "at most `last_grace`.")
        .def("extend", &Watchdog::extend, "seconds"_a,
             "Give the process so many seconds from now, once, because a signal has come.")
        .def("mute", &Watchdog::mute, "The message has been printed.");
    bind_fitting(m);
    bind_scoring(m);
    bind_climbing(m);
    bind_bounds(m);
    bind_lattice(m);
    bind_diagram(m);
    bind_member_counts(m);
    bind_members(m);
    bind_chains(m);
    bind_inference(m);
}
