#include "search/members.hpp"

#include <limits>
#include <mutex>
#include <stdexcept>

#include "search/count_visitor.hpp"
#include "search/member_visitors.hpp"
#include "search/rank_visitor.hpp"
#include "search/share_turns.hpp"

namespace noisyor {
namespace {

constexpr std::size_t kEnoughTasks = 256;
constexpr int kDeepestSplit = 16;
constexpr std::int64_t kMostSplitNodes = 1024;

constexpr int kAnyDepth = std::numeric_limits<int>::max();

template <int W>
class MemberSearchOf final : public MemberSearch {
  public:
    explicit MemberSearchOf(MemberProblem<W> problem) : problem_(std::move(problem)) {
        problem_.index_cuts();
    }

    int variables() const override { return problem_.table.variables(); }

    std::size_t subtrees() const override { return tasks().size(); }

    CountedSubtrees count(const Outside& outside, Ticks optimum, double tick, std::int64_t large,
                          std::int64_t most_nodes, std::size_t begin, std::size_t end, int threads,
                          const std::atomic<bool>& cancelled) const override {
        if (begin > end || end > tasks().size()) throw std::out_of_range("no such subtrees");
        const std::size_t families = problem_.table.ticks.size();
        const std::size_t positions = outside.sums.size() + 1;
        std::vector<CountedSubtrees> parts(threads, CountedSubtrees(families, positions));
        std::atomic<std::int64_t> nodes{0};
        share_turns(
            static_cast<std::size_t>(threads), end - begin,
            [&](std::size_t thread, std::size_t turn) {
                CountedSubtrees& own = parts[thread];
                MemberWalk<W> walk(problem_, cancelled);
                walk.stop_after(most_nodes - nodes);
                CountVisitor<W> visitor(problem_, outside, optimum, tick, large, cancelled,
                                        own.histogram, own.weight_histogram);
                walk.run(tasks()[begin + turn], kAnyDepth, visitor);
                // Subtrees that run at once may have more together: the last one says so.
                const bool too_many = (nodes += walk.nodes()) > most_nodes;
                own.subtrees.push_back({.number = begin + turn,
                                        .total = visitor.total,
                                        .weight = visitor.weight,
                                        .counts = std::move(visitor.counts),
                                        .weights = std::move(visitor.weights),
                                        .least = std::move(visitor.least),
                                        .marks = visitor.marks(),
                                        .any = visitor.any,
                                        .costliest = visitor.costliest,
                                        .costliest_choice = std::move(visitor.costliest_choice),
                                        .costliest_outside = visitor.costliest_outside,
                                        .nodes = walk.nodes(),
                                        .complete = !walk.stopped() && !too_many});
            });
        CountedSubtrees all(families, positions);
        for (CountedSubtrees& part : parts) all.take(std::move(part));
        return all;
    }

    bool all_ticks(std::size_t most, int threads, const std::atomic<bool>& cancelled,
                   std::vector<Ticks>& ticks) const override {
        std::vector<std::vector<Ticks>> parts(tasks().size());
        std::atomic<std::size_t> found{0};
        std::atomic<bool> complete{true};
        share_turns(
            static_cast<std::size_t>(threads), tasks().size(), [&](std::size_t, std::size_t task) {
                MemberWalk<W> walk(problem_, cancelled);
                EachVisitor visitor(problem_, [&](const std::vector<std::uint32_t>&, Ticks t) {
                    parts[task].push_back(t);
                    return ++found <= most && !cancelled.load(std::memory_order_relaxed);
                });
                walk.run(tasks()[task], kAnyDepth, visitor);
                if (walk.stopped()) complete = false;
            });
        for (const auto& part : parts) ticks.insert(ticks.end(), part.begin(), part.end());
        return complete;
    }

    BestMembers best(std::size_t most, int threads,
                     const std::atomic<bool>& cancelled) const override {
        std::atomic<Ticks> bound{problem_.limit};
        std::vector<std::vector<Candidate>> parts(tasks().size());
        std::atomic<std::int64_t> nodes{0};
        std::atomic<bool> complete{true};
        share_turns(static_cast<std::size_t>(threads), tasks().size(),
                    [&](std::size_t, std::size_t task) {
                        MemberWalk<W> walk(problem_, cancelled);
                        BestVisitor<W> visitor(problem_, most, walk, bound, cancelled);
                        walk.run(tasks()[task], kAnyDepth, visitor);
                        parts[task] = std::move(visitor.heap);
                        nodes += walk.nodes();
                        if (walk.stopped()) complete = false;
                    });
        std::vector<Candidate> all;
        for (auto& part : parts) {
            all.insert(all.end(), std::make_move_iterator(part.begin()),
                       std::make_move_iterator(part.end()));
        }
        std::sort(all.begin(), all.end());
        if (all.size() > most) all.resize(most);
        BestMembers result;
        for (const Candidate& candidate : all) {
            result.choices.insert(result.choices.end(), candidate.choice.begin(),
                                  candidate.choice.end());
            result.ticks.push_back(candidate.ticks);
        }
        result.nodes = nodes;
        result.complete = complete;
        return result;
    }

    std::vector<std::uint32_t> first(const std::atomic<bool>& cancelled) const override {
        std::vector<Branching> prefix;
        const auto find = [&] {
            MemberWalk<W> walk(problem_, cancelled);
            FirstVisitor<W> visitor(problem_);
            walk.run(prefix, kAnyDepth, visitor);
            return visitor.found ? visitor.choice : std::vector<std::uint32_t>{};
        };
        std::vector<std::uint32_t> choice = find();
        for (int v = 0; v < variables() && !choice.empty(); ++v) {
            for (auto f = static_cast<std::uint32_t>(problem_.table.first[v]); f < choice[v]; ++f) {
                prefix.push_back({v, {f}});
                std::vector<std::uint32_t> earlier = find();
                prefix.pop_back();
                if (!earlier.empty()) choice = std::move(earlier);
            }
            prefix.push_back({v, {choice[v]}});
        }
        return choice;
    }

    std::vector<std::uint8_t> used(const std::vector<std::uint8_t>& known, std::int64_t most_nodes,
                                   int threads, const std::atomic<bool>& cancelled) const override {
        const FamilyTable<W>& table = problem_.table;
        std::vector<std::atomic<std::uint8_t>> marks(known.begin(), known.end());
        std::vector<int> child_of(table.ticks.size());
        for (int v = 0; v < table.variables(); ++v) {
            std::fill(child_of.begin() + table.first[v], child_of.begin() + table.first[v + 1], v);
        }
        share_turns(static_cast<std::size_t>(threads), marks.size(),
                    [&](std::size_t, std::size_t family) {
                        if (marks[family] != kUnknown || cancelled) return;
                        MemberWalk<W> walk(problem_, cancelled);
                        walk.stop_after(most_nodes);
                        UsedVisitor<W> visitor(problem_, marks);
                        walk.run({{child_of[family], {static_cast<std::uint32_t>(family)}}},
                                 kAnyDepth, visitor);
                        if (!walk.stopped()) marks[family] = kUnused;
                    });
        return {marks.begin(), marks.end()};
    }

    RankedMembers at_ranks(const std::vector<Count>& ranks, bool by_weight, const Outside& outside,
                           Ticks optimum, double tick, const MemberMarks& marks,
                           int threads) const override {
        return by_weight
                   ? at_ranks(ranks, true, marks, threads,
                              [&] { return ByWeight<W>(outside, optimum, tick); })
                   : at_ranks(ranks, false, marks, threads, [&] { return ByNumber<W>(outside); });
    }

    void stream(MemberStream& to) const override {
        MemberWalk<W> walk(problem_, to.closed());
        EachVisitor visitor(problem_, [&](const std::vector<std::uint32_t>& choice, Ticks ticks) {
            return to.add(choice, ticks);
        });
        walk.run({}, kAnyDepth, visitor);
    }

  private:
    template <class MakeMeasure>
    RankedMembers at_ranks(const std::vector<Count>& ranks, bool by_weight,
                           const MemberMarks& marks, int threads, MakeMeasure make_measure) const {
        std::vector<RankedMembers> parts(tasks().size());
        std::vector<Count> before(1, 0);
        for (const auto& own : marks.tasks) {
            before.push_back(before.back() + own.front().size(by_weight));
        }
        const std::atomic<bool> never{false};
        share_turns(
            static_cast<std::size_t>(threads), tasks().size(), [&](std::size_t, std::size_t task) {
                const auto first = std::lower_bound(ranks.begin(), ranks.end(), before[task]);
                const auto last = std::lower_bound(ranks.begin(), ranks.end(), before[task + 1]);
                if (first == last) return;
                MemberWalk<W> walk(problem_, never);
                RankVisitor<W, decltype(make_measure())> visitor(
                    problem_, make_measure(), &*first, &*first + (last - first),
                    MarkReader(marks.tasks[task], by_weight, before[task], variables()));
                walk.run(tasks()[task], kAnyDepth, visitor);
                parts[task] = std::move(visitor.found);
            });
        RankedMembers all;
        for (const RankedMembers& part : parts) {
            all.choices.insert(all.choices.end(), part.choices.begin(), part.choices.end());
            all.outside.insert(all.outside.end(), part.outside.begin(), part.outside.end());
        }
        return all;
    }

    // Goes deeper until there are enough subtrees, unless the next level is too wide to visit.
    static std::vector<std::vector<Branching>> split(const MemberProblem<W>& problem) {
        const std::atomic<bool> never{false};
        std::vector<std::vector<Branching>> tasks(1);
        for (int depth = 1; depth <= kDeepestSplit && tasks.size() < kEnoughTasks; ++depth) {
            MemberWalk<W> walk(problem, never);
            walk.stop_after(kMostSplitNodes);
            TaskVisitor<W> visitor;
            walk.run({}, depth, visitor);
            if (walk.stopped()) break;
            tasks = std::move(visitor.tasks);
            if (!visitor.deeper) break;
        }
        return tasks;
    }

    const std::vector<std::vector<Branching>>& tasks() const {
        std::call_once(split_once_, [this] { tasks_ = split(problem_); });
        return tasks_;
    }

    MemberProblem<W> problem_;
    mutable std::once_flag split_once_;
    mutable std::vector<std::vector<Branching>> tasks_;
};

}  // namespace

template <int W>
std::unique_ptr<MemberSearch> make_member_search(MemberProblem<W> problem) {
    return std::make_unique<MemberSearchOf<W>>(std::move(problem));
}

template std::unique_ptr<MemberSearch> make_member_search<1>(MemberProblem<1>);
template std::unique_ptr<MemberSearch> make_member_search<2>(MemberProblem<2>);
template std::unique_ptr<MemberSearch> make_member_search<4>(MemberProblem<4>);
template std::unique_ptr<MemberSearch> make_member_search<16>(MemberProblem<16>);

}  // namespace noisyor
