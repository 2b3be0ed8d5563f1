#include "search/lattice_dense.hpp"

#include <algorithm>
#include <bit>

#include "search/share_turns.hpp"

namespace noisyor {
namespace {

// Subsets that agree on the last variables, as many as this, are done by one thread.
constexpr int kSharedVariables = 8;
// More than any length, and twice as much is still a number.
constexpr Ticks kFar = Ticks{1} << 61;

template <int W>
class DenseLattice {
  public:
    explicit DenseLattice(LatticeSearch<W>& search)
        : search_(search),
          n_(search.problem.variables),
          low_(std::max(0, n_ - kSharedVariables)),
          workers_(search.workers) {
        for (const auto& child : search.problem.children) {
            lengths_.push_back(child.by_ticks.base);
            lengths_.back().push_back(kFar);  // of no family
        }
    }

    void run() {
        LatticeResult& result = search_.result;
        from_start_.assign(std::size_t{1} << n_, kFar);
        from_start_[0] = 0;
        for (int size = 0; size <= n_ - low_; ++size) {
            share_blocks(size, [&](std::size_t worker, Word block) { forward(block, worker); });
        }
        if (was_cancelled()) return;
        for (const Worker& worker : workers_) result.subsets += worker.reached;
        const Ticks shortest = from_start_.back();
        if (shortest == kFar) {
            result.status = LatticeStatus::kNoPath;
            return;
        }
        result.shortest = shortest;
        limit_ = shortest + search_.limits.slack;
        for (Worker& worker : workers_) worker.best_with.assign(problem().families, kNoNetwork);
        to_end_.assign(from_start_.size(), kFar);
        to_end_.back() = 0;
        for (int size = n_ - low_; size >= 0; --size) {
            share_blocks(size, [&](std::size_t worker, Word block) { backward(block, worker); });
        }
        if (was_cancelled()) return;
        combine_workers();
        walk();
    }

  private:
    struct Worker {
        std::size_t reached = 0;
        std::size_t kept = 0;
        std::vector<Ticks> best_with;
    };

    const LatticeProblem<W>& problem() const { return search_.problem; }
    bool cancelled() const { return search_.cancel.load(std::memory_order_relaxed); }
    bool was_cancelled() {
        if (cancelled()) search_.result.status = LatticeStatus::kCancelled;
        return cancelled();
    }

    // Calls f for the blocks of subsets that hold this many of the last variables: a step changes
    // the number of these, or stays within a block.
    template <class F>
    void share_blocks(int size, F&& f) {
        std::vector<Word> blocks;
        for (Word block = 0; block < Word{1} << (n_ - low_); ++block) {
            if (std::popcount(block) == size) blocks.push_back(block);
        }
        share_turns(workers_.size(), blocks.size(),
                    [&](std::size_t worker, std::size_t turn) { f(worker, blocks[turn]); });
    }

    // The length of the arc from a subset to the one with the variable: that of its first family.
    Ticks length(int v, Word subset) const {
        return lengths_[static_cast<std::size_t>(v)][search_.first_family.tabulated(v, subset)];
    }

    void forward(Word block, std::size_t worker) {
        const Word begin = block << low_;
        std::size_t reached = 0;
        for (Word subset = begin; subset < begin + (Word{1} << low_); ++subset) {
            if (cancelled()) return;
            Ticks least = subset == 0 ? 0 : kFar;
            for (Word left = subset; left != 0; left &= left - 1) {
                const int v = std::countr_zero(left);
                const Word before = subset & ~(Word{1} << v);
                least = std::min(least, from_start_[before] + length(v, before));
            }
            const bool is_reached = least <= search_.limits.length;
            from_start_[subset] = is_reached ? least : kFar;
            reached += is_reached;
        }
        workers_[worker].reached += reached;
    }

    // Also notes the families on the paths through the subsets.
    void backward(Word block, std::size_t worker) {
        const Word begin = block << low_;
        for (Word subset = begin + (Word{1} << low_); subset-- > begin;) {
            if (cancelled()) return;
            const Ticks before = from_start_[subset];
            Ticks least = to_end_[subset];
            for (Word left = problem().all.words[0] & ~subset; left != 0; left &= left - 1) {
                const int v = std::countr_zero(left);
                const Ticks after = to_end_[subset | Word{1} << v];
                if (before + after > limit_) continue;
                const Ticks own = length(v, subset);
                if (before + own + after > limit_) continue;
                least = std::min(least, own + after);
                note_families(v, subset, before + after, workers_[worker].best_with);
            }
            to_end_[subset] = least;
            workers_[worker].kept += least != kFar;
        }
    }

    // Notes a path with each family of v within the subset that fits with the rest of the path.
    void note_families(int v, Word subset, Ticks rest, std::vector<Ticks>& best_with) const {
        const auto& families = problem().children[static_cast<std::size_t>(v)].by_ticks;
        for (std::size_t f = search_.first_family.tabulated(v, subset);
             f < families.base.size() && families.base[f] + rest <= limit_; ++f) {
            if ((families.parents[f].words[0] & ~subset) != 0) continue;
            Ticks& known = best_with[families.family[f]];
            known = std::min(known, families.base[f] + rest);
        }
    }

    void combine_workers() {
        LatticeResult& result = search_.result;
        result.best_with.assign(problem().families, kNoNetwork);
        for (const Worker& worker : workers_) {
            result.kept_subsets += worker.kept;
            for (std::size_t f = 0; f < result.best_with.size(); ++f) {
                result.best_with[f] = std::min(result.best_with[f], worker.best_with[f]);
            }
        }
    }

    // Follows a shortest path, always to the least variable that is on one.
    void walk() {
        search_.result.best.resize(static_cast<std::size_t>(n_));
        const Word all = problem().all.words[0];
        for (Word subset = 0; subset != all;) {
            Word left = all & ~subset;
            int v = std::countr_zero(left);
            while (length(v, subset) + to_end_[subset | Word{1} << v] != to_end_[subset]) {
                left &= left - 1;
                v = std::countr_zero(left);
            }
            const auto& families = problem().children[static_cast<std::size_t>(v)].by_ticks;
            search_.result.best[static_cast<std::size_t>(v)] = static_cast<std::int64_t>(
                families.family[search_.first_family.tabulated(v, subset)]);
            subset |= Word{1} << v;
        }
    }

    LatticeSearch<W>& search_;
    int n_;
    int low_;  // a block has the subsets of this many variables
    Ticks limit_ = 0;
    std::vector<Worker> workers_;
    std::vector<std::vector<Ticks>> lengths_;  // per child, by rank of the family
    std::vector<Ticks> from_start_, to_end_;   // by subset
};

}  // namespace

template <int W>
void search_all_subsets(LatticeSearch<W>& search) {
    DenseLattice<W>(search).run();
}

template void search_all_subsets(LatticeSearch<1>&);
template void search_all_subsets(LatticeSearch<2>&);
template void search_all_subsets(LatticeSearch<4>&);
template void search_all_subsets(LatticeSearch<16>&);

}  // namespace noisyor
