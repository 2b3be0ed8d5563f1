#include "scoring/child_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "scoring/subtree_search.hpp"

namespace noisyor {
namespace {

template <int W, class Counts>
class Search final : public ChildSearch {
  public:
    Search(const RecordsView& records, int child, const SearchSettings& settings)
        : context_(records, child, settings) {
        for (int high = 0; high < context_.candidates; ++high) {
            for (int low = 0; low < high; ++low) subtrees_.emplace_back(high, low);
        }
        tasks_ = subtrees_.size();
    }

    // Always runs the root, also where there is no subtree to take.
    void work(const std::atomic<bool>& cancel) override {
        SubtreeSearch<W, Counts> search(context_, cancel);
        search.search_root();
        std::size_t known = begin(search);
        while (!cancel) {
            const std::size_t task = next_task_++;
            if (task >= subtrees_.size()) break;
            if (!search.search_below(subtrees_[task].first, subtrees_[task].second)) break;
            exchange(search, known);
            ++tasks_done_;
        }
        std::scoped_lock lock(mutex_);
        counters_.add(search.counters);
    }

    SearchResult result() override {
        decide();
        SearchResult out;
        out.counters = counters_;
        out.offsets.push_back(0);
        std::sort(final_.begin(), final_.end(), [](const Family& a, const Family& b) {
            if (a.cost != b.cost) return a.cost < b.cost;
            if (!(a.parents == b.parents)) return a.parents < b.parents;
            return a.relation < b.relation;
        });
        for (const Family& family : final_) {
            Word words[W];
            family.parents.store(words);
            out.parents.insert(out.parents.end(), words, words + W);
            out.relations.push_back(family.relation);
            out.costs.push_back(family.cost);
            out.gaps.push_back(family.cost - family.lower);
            out.q.insert(out.q.end(), family.q.begin(), family.q.end());
            out.offsets.push_back(static_cast<std::int64_t>(out.q.size()));
        }
        return out;
    }

  private:
    struct Family {
        VariableSet<W> parents;  // in the caller's numbering
        double cost, lower;
        std::uint8_t relation;
        std::vector<double> q;
    };

    // Takes what the root gave, unless another thread was first, and tells the search what others
    // have found; returns how much of found_ it knows then.
    std::size_t begin(SubtreeSearch<W, Counts>& search) {
        std::scoped_lock lock(mutex_);
        if (root_done_) {
            search.found.clear();
            search.counters.reset();
            for (const Candidate<W>& other : found_) {
                if ((other.parents - context_.required).size() > 1) search.learn(other);
            }
        } else {
            found_.swap(search.found);
            decided_ += search.counters.take_recent();
            root_done_ = true;
        }
        return found_.size();
    }

    // After a subtree: what it found becomes known to all, and what others found to it.
    void exchange(SubtreeSearch<W, Counts>& search, std::size_t& known) {
        std::scoped_lock lock(mutex_);
        for (; known < found_.size(); ++known) search.learn(found_[known]);
        found_.insert(found_.end(), search.found.begin(), search.found.end());
        known = found_.size();
        search.found.clear();
        decided_ += search.counters.take_recent();
    }

    // Goes through the candidates in numeric order, so that m(P) is known from its subsets.
    void decide() {
        const SearchSettings& settings = context_.settings;
        std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return a.parents == b.parents ? a.relation < b.relation : a.parents < b.parents;
        });
        Survivors<W> survivors(std::max(1, context_.candidates));
        NoisyOrFitter<W> fitter;
        const FitLimits limits{.gap = settings.gap, .relative_gap = settings.relative_gap};
        double root_best = kInfinity;
        for (std::size_t i = 0; i < found_.size();) {
            const VariableSet<W> set = found_[i].parents;
            const VariableSet<W> free = set - context_.required;
            std::vector<Family> here;
            for (; i < found_.size() && found_[i].parents == set; ++i) {
                here.push_back(refit(fitter, found_[i], limits));
            }
            double best = free.empty() ? kInfinity : cheapest_subset(survivors, free, root_best);
            for (const Family& family : here) best = std::min(best, family.cost);
            if (free.empty()) root_best = best;
            const double threshold = context_.threshold(set, best, 1);
            for (Family& family : here) {
                if (family.lower > threshold) continue;
                survivors.add(free, family.cost);
                final_.push_back(std::move(family));
            }
        }
        found_.clear();
    }

    // m(P) over proper subsets: one bucket for each member that could be the lowest.
    static double cheapest_subset(const Survivors<W>& survivors, const VariableSet<W>& free,
                                  double best) {
        free.for_each([&](int lowest) { best = survivors.cheapest(free, lowest, best); });
        return best;
    }

    Family refit(NoisyOrFitter<W>& fitter, const Candidate<W>& candidate, const FitLimits& limits) {
        VariableSet<W> named;
        std::vector<std::pair<int, int>> members;  // the caller's number and ours
        candidate.parents.for_each([&](int t) {
            const int v = context_.order[static_cast<std::size_t>(t)];
            named.insert(v);
            members.emplace_back(v, t);
        });
        if (candidate.relation == kCpt) {
            return {named, candidate.upper, candidate.lower, candidate.relation, {}};
        }
        const bool leak = candidate.relation == kLeakyNoisyOr;
        const FitOutcome fit =
            fitter.fit(context_.records.present, candidate.parents, context_.records.absent,
                       context_.records.absent_total, leak, limits);
        ++counters_.refits;
        counters_.unconverged += fit.end != FitEnd::kConverged;
        const double penalty = context_.settings.penalties[candidate.relation][members.size()];
        Family family{named, fit.upper + penalty, fit.lower + penalty, candidate.relation, {}};
        std::sort(members.begin(), members.end());
        for (const auto& [v, t] : members) family.q.push_back(std::exp(-fitter.lambda_of(t)));
        if (leak) family.q.push_back(std::exp(-fitter.lambda_of_leak()));
        return family;
    }

    const SearchContext<W> context_;
    std::vector<std::pair<int, int>> subtrees_;  // by their two highest candidates
    std::mutex mutex_;                           // guards the rest while threads work
    bool root_done_ = false;
    std::vector<Candidate<W>> found_;
    SearchCounters counters_;
    std::vector<Family> final_;
};

}  // namespace

std::unique_ptr<ChildSearch> ChildSearch::make(const RecordsView& records, int child,
                                               const SearchSettings& settings) {
    return with_set_type(
        records.word_count, [&]<int W>(VariableSet<W>) -> std::unique_ptr<ChildSearch> {
            if (settings.counts == CountsBy::kBitColumns) {
                return std::make_unique<Search<W, BitColumns<W>>>(records, child, settings);
            }
            return std::make_unique<Search<W, Configurations<W>>>(records, child, settings);
        });
}

}  // namespace noisyor
