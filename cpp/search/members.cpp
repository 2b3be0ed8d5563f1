#include "search/members.hpp"

#include <exception>
#include <limits>

namespace noisyor {
namespace {

constexpr std::size_t kEnoughTasks = 256;
constexpr int kDeepestSplit = 16;
constexpr std::int64_t kMostSplitNodes = 1024;
constexpr double kWeightScale = 0x1p60;  // weights at most 1 add up exactly as whole numbers

struct NoMarks {
    void enter(int) {}
    void leave(int, const std::vector<Decision>&) {}
    void frontier(const std::vector<Decision>&) {}
};

// Splits the walk into subtrees: the same ones for any number of threads.
template <int W>
class TaskVisitor : public NoMarks {
  public:
    bool leaf(const MemberWalk<W>& walk) {
        tasks.push_back(walk.path());
        return true;
    }
    void frontier(const std::vector<Decision>& path) {
        tasks.push_back(path);
        deeper = true;
    }

    std::vector<std::vector<Decision>> tasks;
    bool deeper = false;  // whether some task is not a leaf
};

template <int W>
class CountVisitor {
  public:
    CountVisitor(const MemberProblem<W>& problem, const Outside& outside, Ticks optimum,
                 double tick, std::vector<Count>& histogram, std::vector<Count>& weight_histogram)
        : problem_(problem),
          outside_(outside),
          optimum_(optimum),
          tick_(tick),
          histogram_(histogram),
          weight_histogram_(weight_histogram) {
        counts.assign(problem.table.ticks.size(), 0);
        weights.assign(problem.table.ticks.size(), 0);
        least.assign(problem.table.ticks.size(), kNoMember);
        marks_.resize(problem.table.variables() + 2);
    }

    void enter(int depth) {
        marks_[depth] = {{total, weight}, least_here_};
        least_here_ = kNoMember;
    }
    void leave(int depth, const std::vector<Decision>& decided) {
        const Mark& mark = marks_[depth];
        for (const Decision& d : decided) {
            credit(d.family, total - mark.ways.count, weight - mark.ways.weight, least_here_);
        }
        least_here_ = std::min(least_here_, mark.least);
    }
    void frontier(const std::vector<Decision>&) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        base_weight_ = std::exp(-tick_ * static_cast<double>(product_.base() - optimum_));
        prepare_weights();
        // The last list is only looked up in: the sums outside, or else the longest list here.
        inner_ = product_.size();
        if (outside_.is_trivial() && inner_ > 0) --inner_;
        const Ways ways = visit(0, product_.room(), 1.0);
        if (inner_ < product_.size()) {
            spread_last();
            histogram_[1] += ways.count;  // all of them fit with the one way outside
            weight_histogram_[1] += static_cast<Count>(base_weight_ * ways.weight * kWeightScale);
        }
        for (std::uint32_t family : product_.settled()) {
            credit(family, ways.count, base_weight_ * ways.weight, product_.base());
        }
        least_here_ = std::min(least_here_, product_.base());
        total += ways.count;
        weight += base_weight_ * ways.weight;
        return true;
    }

    Count total = 0;
    double weight = 0;
    std::vector<Count> counts;
    std::vector<double> weights;
    std::vector<Ticks> least;
    bool any = false;
    Ticks costliest = 0;
    std::vector<std::uint32_t> costliest_choice;
    std::size_t costliest_outside = 0;

  private:
    struct Ways {
        Count count;
        double weight;
    };
    struct Mark {
        Ways ways;
        Ticks least;
    };

    void credit(std::uint32_t family, Count count, double by, Ticks ticks) {
        counts[family] += count;
        weights[family] += by;
        least[family] = std::min(least[family], ticks);
    }

    void prepare_weights() {
        option_weights_.resize(std::max(option_weights_.size(), product_.size()));
        picked_.assign(product_.size(), 0);
        for (std::size_t i = 0; i < product_.size(); ++i) {
            const LeafList& list = product_.list(i);
            option_weights_[i].clear();
            for (Ticks e : list.excess) {
                option_weights_[i].push_back(std::exp(-tick_ * static_cast<double>(e)));
            }
        }
        if (product_.size() > 0) {
            const auto& last = option_weights_[product_.size() - 1];
            last_counts_.assign(last.size() + 1, 0);
            last_weights_.assign(last.size() + 1, 0.0);
            cumulated_.assign(1, 0.0);
            for (double w : last) cumulated_.push_back(cumulated_.back() + w);
        }
    }

    // The ways to choose from list i on; `prefix` is the weight of the choices before.
    Ways visit(std::size_t i, Ticks room, double prefix) {
        if (i == inner_) return look_up(room, prefix);
        const LeafList& list = product_.list(i);
        Ways all{0, 0};
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            picked_[i] = static_cast<std::uint32_t>(j);
            const double own = option_weights_[i][j];
            const Ways below = visit(i + 1, room - list.excess[j], prefix * own);
            credit(list.families[j], below.count, base_weight_ * prefix * own * below.weight,
                   product_.base() + list.excess[j]);
            all.count += below.count;
            all.weight += own * below.weight;
        }
        return all;
    }

    Ways look_up(Ticks room, double prefix) {
        if (inner_ < product_.size()) {
            const LeafList& last = product_.list(inner_);
            const std::size_t fitting = last.fitting(room);
            last_counts_[fitting] += 1;
            last_weights_[fitting] += prefix;
            picked_[inner_] = static_cast<std::uint32_t>(fitting - 1);
            note_costliest(room - last.excess[fitting - 1], 0);
            return {fitting, cumulated_[fitting]};
        }
        const std::size_t fitting =
            std::upper_bound(outside_.sums.begin(), outside_.sums.end(), room) -
            outside_.sums.begin();
        if (fitting == 0) return {0, 0};
        histogram_[fitting] += 1;
        weight_histogram_[fitting] += static_cast<Count>(base_weight_ * prefix * kWeightScale);
        note_costliest(room - outside_.sums[fitting - 1], fitting - 1);
        return {outside_.counts[fitting], outside_.weights[fitting]};
    }

    void note_costliest(Ticks left, std::size_t outside) {
        const Ticks ticks = problem_.limit - left;
        if (any && ticks <= costliest) return;
        any = true;
        costliest = ticks;
        costliest_outside = outside;
        costliest_choice = product_.choice();
        for (std::size_t i = 0; i < product_.size(); ++i) {
            costliest_choice[product_.list(i).child] = product_.list(i).families[picked_[i]];
        }
    }

    // An option of the last list is in as many members as there were rooms that it fits in.
    void spread_last() {
        const LeafList& last = product_.list(inner_);
        Count count = 0;
        double by = 0;
        for (std::size_t j = last.families.size(); j-- > 0;) {
            count += last_counts_[j + 1];
            by += last_weights_[j + 1];
            credit(last.families[j], count, base_weight_ * option_weights_[inner_][j] * by,
                   product_.base() + last.excess[j]);
        }
    }

    const MemberProblem<W>& problem_;
    const Outside& outside_;
    Ticks optimum_;
    double tick_;
    std::vector<Count>& histogram_;
    std::vector<Count>& weight_histogram_;
    LeafProduct<W> product_;
    std::vector<Mark> marks_;
    std::vector<std::vector<double>> option_weights_;
    std::vector<std::uint32_t> picked_;
    std::vector<Count> last_counts_;
    std::vector<double> last_weights_, cumulated_;
    Ticks least_here_ = kNoMember;
    double base_weight_ = 0;
    std::size_t inner_ = 0;
};

// Calls f(choice, ticks) for every member below.
template <int W, class F>
class EachVisitor : public NoMarks {
  public:
    EachVisitor(const MemberProblem<W>& problem, F f) : problem_(problem), f_(std::move(f)) {}
    bool leaf(const MemberWalk<W>& walk) {
        return !product_.build(walk, problem_, problem_.limit) || product_.for_each(f_);
    }

  private:
    const MemberProblem<W>& problem_;
    F f_;
    LeafProduct<W> product_;
};

struct Candidate {
    Ticks ticks;
    std::vector<std::uint32_t> choice;

    bool operator<(const Candidate& other) const {
        return ticks != other.ticks ? ticks < other.ticks : choice < other.choice;
    }
};

// Keeps the least members; what is no less than the worst of a full heap, anyone's, is passed by.
template <int W>
class BestVisitor : public NoMarks {
  public:
    BestVisitor(const MemberProblem<W>& problem, std::size_t most, MemberWalk<W>& walk,
                std::atomic<Ticks>& bound)
        : problem_(problem), most_(most), walk_(walk), bound_(bound) {}

    void enter(int) { walk_.tighten(problem_.limit - bound_.load(std::memory_order_relaxed)); }

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, bound_.load(std::memory_order_relaxed))) return true;
        choice_ = product_.choice();
        visit(0, product_.base());
        return true;
    }

    std::vector<Candidate> heap;  // the worst in front

  private:
    // Adds the choices from list i on; the bound falls on the way.
    void visit(std::size_t i, Ticks ticks) {
        if (i == product_.size()) {
            add(choice_, ticks);
            return;
        }
        const LeafList& list = product_.list(i);
        for (std::size_t j = 0; j < list.excess.size(); ++j) {
            if (ticks + list.excess[j] > bound_.load(std::memory_order_relaxed)) break;
            choice_[list.child] = list.families[j];
            visit(i + 1, ticks + list.excess[j]);
        }
        choice_[list.child] = list.families[0];
    }

    void add(const std::vector<std::uint32_t>& choice, Ticks ticks) {
        if (ticks > bound_.load(std::memory_order_relaxed)) return;
        Candidate candidate{ticks, choice};
        if (heap.size() == most_) {
            if (!(candidate < heap.front())) return;
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.push_back(std::move(candidate));
        std::push_heap(heap.begin(), heap.end());
        if (heap.size() < most_) return;
        // As many as wanted are at most this: others of the same ticks are no better.
        const Ticks worth = heap.front().ticks - 1;
        Ticks seen = bound_.load();
        while (worth < seen && !bound_.compare_exchange_weak(seen, worth)) {
        }
    }

    const MemberProblem<W>& problem_;
    std::size_t most_;
    MemberWalk<W>& walk_;
    std::atomic<Ticks>& bound_;
    LeafProduct<W> product_;
    std::vector<std::uint32_t> choice_;
};

// Looks for one member.
template <int W>
class FirstVisitor : public NoMarks {
  public:
    explicit FirstVisitor(const MemberProblem<W>& problem) : problem_(problem) {}

    bool leaf(const MemberWalk<W>& walk) {
        found = product_.build(walk, problem_, problem_.limit);
        if (found) choice = product_.choice();
        return !found;
    }

    bool found = false;
    std::vector<std::uint32_t> choice;

  private:
    const MemberProblem<W>& problem_;
    LeafProduct<W> product_;
};

// Looks for one member, and marks what all the members in its leaf have.
template <int W>
class UsedVisitor : public NoMarks {
  public:
    UsedVisitor(const MemberProblem<W>& problem, std::vector<std::atomic<std::uint8_t>>& used)
        : problem_(problem), used_(used) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        for (std::uint32_t family : product_.choice()) used_[family] = kUsed;
        for (std::size_t i = 0; i < product_.size(); ++i) {
            for (std::uint32_t family : product_.list(i).families) used_[family] = kUsed;
        }
        return false;
    }

  private:
    const MemberProblem<W>& problem_;
    std::vector<std::atomic<std::uint8_t>>& used_;
    LeafProduct<W> product_;
};

// Finds the members of given ranks, counted as CountVisitor counts them.
template <int W>
class RankVisitor : public NoMarks {
  public:
    RankVisitor(const MemberProblem<W>& problem, const Outside& outside, const Count* next,
                const Count* end, Count seen)
        : problem_(problem), outside_(outside), next_(next), end_(end), seen_(seen) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (next_ == end_) return false;
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        const Count here = ways(0, product_.room());
        for (; next_ != end_ && *next_ < seen_ + here; ++next_) pick(*next_ - seen_);
        seen_ += here;
        return next_ != end_;
    }

    std::vector<std::uint32_t> choices;
    std::vector<Count> outside_ranks;

  private:
    Count ways(std::size_t i, Ticks room) const {
        if (outside_.is_trivial()) return product_.count_from(i, room);
        if (i == product_.size()) {
            const auto fitting = std::upper_bound(outside_.sums.begin(), outside_.sums.end(), room);
            return outside_.counts[fitting - outside_.sums.begin()];
        }
        const LeafList& list = product_.list(i);
        Count total = 0;
        for (std::size_t j = 0; j < list.excess.size() && list.excess[j] <= room; ++j) {
            total += ways(i + 1, room - list.excess[j]);
        }
        return total;
    }

    void pick(Count rank) {
        std::vector<std::uint32_t> choice = product_.choice();
        Ticks room = product_.room();
        for (std::size_t i = 0; i < product_.size(); ++i) {
            const LeafList& list = product_.list(i);
            for (std::size_t j = 0; j < list.excess.size(); ++j) {
                const Count below = ways(i + 1, room - list.excess[j]);
                if (rank < below) {
                    choice[list.child] = list.families[j];
                    room -= list.excess[j];
                    break;
                }
                rank -= below;
            }
        }
        choices.insert(choices.end(), choice.begin(), choice.end());
        outside_ranks.push_back(rank);
    }

    const MemberProblem<W>& problem_;
    const Outside& outside_;
    const Count *next_, *end_;
    Count seen_;
    LeafProduct<W> product_;
};

// Runs work(thread, task) for every task on several threads; the first failure is thrown here.
template <class F>
void for_each_task(std::size_t tasks, int threads, F&& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto run = [&](int thread) {
        try {
            for (std::size_t task; (task = next++) < tasks;) work(thread, task);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = tasks;
        }
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
    run(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

constexpr int kAnyDepth = std::numeric_limits<int>::max();

template <int W>
class MemberSearchOf final : public MemberSearch {
  public:
    explicit MemberSearchOf(MemberProblem<W> problem) : problem_(std::move(problem)) {
        problem_.index_cuts();
    }

    int variables() const override { return problem_.table.variables(); }

    MemberCounts count(const Outside& outside, Ticks optimum, double tick, int threads,
                       const std::atomic<bool>& cancelled) const override {
        const std::size_t positions = outside.sums.size() + 1;
        std::vector<std::vector<Count>> histograms(threads, std::vector<Count>(positions));
        std::vector<std::vector<Count>> weighted(threads, std::vector<Count>(positions));
        std::vector<MemberCounts> parts(tasks().size());
        for_each_task(tasks().size(), threads, [&](int thread, std::size_t task) {
            MemberWalk<W> walk(problem_, cancelled);
            CountVisitor<W> visitor(problem_, outside, optimum, tick, histograms[thread],
                                    weighted[thread]);
            walk.run(tasks()[task], kAnyDepth, visitor);
            MemberCounts& part = parts[task];
            part.total = visitor.total;
            part.weight = visitor.weight;
            part.counts = std::move(visitor.counts);
            part.weights = std::move(visitor.weights);
            part.least = std::move(visitor.least);
            part.any = visitor.any;
            part.costliest = visitor.costliest;
            part.costliest_choice = std::move(visitor.costliest_choice);
            part.costliest_outside = visitor.costliest_outside;
            part.nodes = walk.nodes();
            part.complete = !walk.stopped();
        });
        MemberCounts all = add_up(parts);
        all.histogram.assign(positions, 0);
        std::vector<Count> weights(positions);
        for (int t = 0; t < threads; ++t) {
            for (std::size_t i = 0; i < positions; ++i) {
                all.histogram[i] += histograms[t][i];
                weights[i] += weighted[t][i];
            }
        }
        for (Count w : weights) {
            all.weight_histogram.push_back(static_cast<double>(w) / kWeightScale);
        }
        return all;
    }

    bool all_ticks(std::size_t most, int threads, const std::atomic<bool>& cancelled,
                   std::vector<Ticks>& ticks) const override {
        std::vector<std::vector<Ticks>> parts(tasks().size());
        std::atomic<std::size_t> found{0};
        std::atomic<bool> complete{true};
        for_each_task(tasks().size(), threads, [&](int, std::size_t task) {
            MemberWalk<W> walk(problem_, cancelled);
            EachVisitor visitor(problem_, [&](const std::vector<std::uint32_t>&, Ticks t) {
                parts[task].push_back(t);
                return ++found <= most;
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
        for_each_task(tasks().size(), threads, [&](int, std::size_t task) {
            MemberWalk<W> walk(problem_, cancelled);
            BestVisitor<W> visitor(problem_, most, walk, bound);
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
        std::vector<Decision> prefix;
        const auto find = [&] {
            MemberWalk<W> walk(problem_, cancelled);
            FirstVisitor<W> visitor(problem_);
            walk.run(prefix, kAnyDepth, visitor);
            return visitor.found ? visitor.choice : std::vector<std::uint32_t>{};
        };
        std::vector<std::uint32_t> choice = find();
        for (int v = 0; v < variables() && !choice.empty(); ++v) {
            for (auto f = static_cast<std::uint32_t>(problem_.table.first[v]); f < choice[v]; ++f) {
                prefix.push_back({v, f});
                std::vector<std::uint32_t> earlier = find();
                prefix.pop_back();
                if (!earlier.empty()) choice = std::move(earlier);
            }
            prefix.push_back({v, choice[v]});
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
        for_each_task(marks.size(), threads, [&](int, std::size_t family) {
            if (marks[family] != kUnknown || cancelled) return;
            MemberWalk<W> walk(problem_, cancelled);
            walk.stop_after(most_nodes);
            UsedVisitor<W> visitor(problem_, marks);
            walk.run({{child_of[family], static_cast<std::uint32_t>(family)}}, kAnyDepth, visitor);
            if (!walk.stopped()) marks[family] = kUnused;
        });
        return {marks.begin(), marks.end()};
    }

    RankedMembers at_ranks(const std::vector<Count>& ranks, const Outside& outside,
                           const std::vector<Count>& task_counts, int threads) const override {
        std::vector<RankedMembers> parts(tasks().size());
        std::vector<Count> before(1, 0);
        for (Count c : task_counts) before.push_back(before.back() + c);
        const std::atomic<bool> never{false};
        for_each_task(tasks().size(), threads, [&](int, std::size_t task) {
            const auto first = std::lower_bound(ranks.begin(), ranks.end(), before[task]);
            const auto last = std::lower_bound(ranks.begin(), ranks.end(), before[task + 1]);
            if (first == last) return;
            MemberWalk<W> walk(problem_, never);
            RankVisitor<W> visitor(problem_, outside, &*first, &*first + (last - first),
                                   before[task]);
            walk.run(tasks()[task], kAnyDepth, visitor);
            parts[task] = {std::move(visitor.choices), std::move(visitor.outside_ranks)};
        });
        RankedMembers all;
        for (const RankedMembers& part : parts) {
            all.choices.insert(all.choices.end(), part.choices.begin(), part.choices.end());
            all.outside_ranks.insert(all.outside_ranks.end(), part.outside_ranks.begin(),
                                     part.outside_ranks.end());
        }
        return all;
    }

    void stream(MemberStream& to) const override {
        MemberWalk<W> walk(problem_, to.closed());
        EachVisitor visitor(problem_, [&](const std::vector<std::uint32_t>& choice, Ticks ticks) {
            return to.add(choice, ticks);
        });
        walk.run({}, kAnyDepth, visitor);
    }

  private:
    // Goes deeper until there are enough subtrees, unless the next level is too wide to look at.
    static std::vector<std::vector<Decision>> split(const MemberProblem<W>& problem) {
        const std::atomic<bool> never{false};
        std::vector<std::vector<Decision>> tasks(1);
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

    const std::vector<std::vector<Decision>>& tasks() const {
        std::call_once(split_once_, [this] { tasks_ = split(problem_); });
        return tasks_;
    }

    MemberCounts add_up(const std::vector<MemberCounts>& parts) const {
        MemberCounts all;
        all.counts.assign(problem_.table.ticks.size(), 0);
        all.weights.assign(problem_.table.ticks.size(), 0);
        all.least.assign(problem_.table.ticks.size(), kNoMember);
        for (const MemberCounts& part : parts) {
            all.total += part.total;
            all.weight += part.weight;
            for (std::size_t f = 0; f < part.counts.size(); ++f) {
                all.counts[f] += part.counts[f];
                all.weights[f] += part.weights[f];
                all.least[f] = std::min(all.least[f], part.least[f]);
            }
            all.task_counts.push_back(part.total);
            all.nodes += part.nodes;
            all.complete = all.complete && part.complete;
            if (part.any && (!all.any || part.costliest > all.costliest)) {
                all.any = true;
                all.costliest = part.costliest;
                all.costliest_choice = part.costliest_choice;
                all.costliest_outside = part.costliest_outside;
            }
        }
        return all;
    }

    MemberProblem<W> problem_;
    mutable std::once_flag split_once_;
    mutable std::vector<std::vector<Decision>> tasks_;
};

}  // namespace

void MemberStream::start(std::function<void(MemberStream&)> produce) {
    thread_ = std::thread([this, produce = std::move(produce)] {
        produce(*this);
        flush();
        const std::lock_guard lock(mutex_);
        finished_ = true;
        changed_.notify_all();
    });
}

bool MemberStream::add(const std::vector<std::uint32_t>& choice, Ticks ticks) {
    filling_.choices.insert(filling_.choices.end(), choice.begin(), choice.end());
    filling_.ticks.push_back(ticks);
    return filling_.ticks.size() < batch_size_ || flush();
}

bool MemberStream::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || waiting_.size() < most_waiting_; });
    if (closed_) return false;
    if (!filling_.ticks.empty()) waiting_.push_back(std::move(filling_));
    filling_ = {};
    changed_.notify_all();
    return true;
}

bool MemberStream::next(Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished_ || closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return false;
    batch = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    changed_.notify_all();
    return true;
}

void MemberStream::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

template <int W>
std::unique_ptr<MemberSearch> make_member_search(MemberProblem<W> problem) {
    return std::make_unique<MemberSearchOf<W>>(std::move(problem));
}

template std::unique_ptr<MemberSearch> make_member_search<1>(MemberProblem<1>);
template std::unique_ptr<MemberSearch> make_member_search<2>(MemberProblem<2>);
template std::unique_ptr<MemberSearch> make_member_search<4>(MemberProblem<4>);

}  // namespace noisyor
