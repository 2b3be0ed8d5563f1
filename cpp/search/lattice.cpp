#include "search/lattice.hpp"

#include "search/lattice_dense.hpp"
#include "search/lattice_search.hpp"

namespace noisyor {
namespace {

// With this many families, and few variables, it costs less to reach more subsets than to look at
// families for reasons to leave some out.
constexpr std::size_t kManyFamilies = std::size_t{1} << 14;
constexpr std::size_t kSubsetsAFamily = 8;

template <int W>
bool has_many_families(const LatticeProblem<W>& problem) {
    std::size_t families = 0;
    for (const auto& child : problem.children) families += child.by_rc.rc.size();
    return families >= kManyFamilies && families * kSubsetsAFamily >= std::size_t{1}
                                                                          << problem.variables;
}

// Tables of all subsets take at most half of the memory.
template <int W>
bool has_room_for_tables(const LatticeProblem<W>& problem, const LatticeLimits& limits) {
    return problem.variables <= FirstFamily<W>::kMaxTabulated &&
           FirstFamily<W>::table_bytes(problem.variables) <= limits.bytes / 2;
}

// Whether all subsets may be reached, and there are no cuts that make arcs depend on them.
template <int W>
bool has_room_for_all(const LatticeSearch<W>& search) {
    const int variables = search.problem.variables;
    const LatticeLimits& limits = search.limits;
    return search.problem.cuts.empty() && std::size_t{1} << variables <= limits.subsets &&
           search.first_family.table_bytes() + dense_bytes(variables) <= limits.bytes;
}

// Without cuts nearly all subsets are reached. Filling the tables then pays unless lists are short.
template <int W>
bool reaches_most_subsets(const LatticeProblem<W>& problem) {
    constexpr std::size_t kSubsetsAFamily = 64;
    return problem.cuts.empty() && kSubsetsAFamily * problem.families >= std::size_t{1}
                                                                             << problem.variables;
}

}  // namespace

template <int W>
LatticeResult shortest_path(const LatticeProblem<W>& problem, LatticeRules rules,
                            const LatticeLimits& limits, std::size_t workers,
                            const std::atomic<bool>& cancel) {
    LatticeSearch<W> search{problem, rules, limits, workers, cancel, FirstFamily<W>(problem),
                            {},      {}};
    if (has_room_for_tables<W>(problem, limits)) {
        const bool many = has_many_families(problem);
        const bool tabulates = many || reaches_most_subsets(problem);
        if (tabulates) search.first_family.tabulate(workers, cancel);
        if (cancel) {
            search.result.status = LatticeStatus::kCancelled;
            return std::move(search.result);
        }
        if (tabulates && rules.whole && has_room_for_all(search)) {
            search_all_subsets(search);
            return std::move(search.result);
        }
        if (many) search.rules = {.strengthen = false, .persistent = false};
    }
    find_distances(search);
    if (search.result.status == LatticeStatus::kDone) find_networks(search);
    return std::move(search.result);
}

template LatticeResult shortest_path(const LatticeProblem<1>&, LatticeRules, const LatticeLimits&,
                                     std::size_t, const std::atomic<bool>&);
template LatticeResult shortest_path(const LatticeProblem<2>&, LatticeRules, const LatticeLimits&,
                                     std::size_t, const std::atomic<bool>&);
template LatticeResult shortest_path(const LatticeProblem<4>&, LatticeRules, const LatticeLimits&,
                                     std::size_t, const std::atomic<bool>&);
template LatticeResult shortest_path(const LatticeProblem<16>&, LatticeRules, const LatticeLimits&,
                                     std::size_t, const std::atomic<bool>&);

}  // namespace noisyor
