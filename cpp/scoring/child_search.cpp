#include "scoring/child_search.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "scoring/candidate_order.hpp"
#include "scoring/family_lists.hpp"
#include "scoring/final_fits.hpp"
#include "scoring/relations.hpp"
#include "scoring/scout.hpp"
#include "scoring/subtree_search.hpp"

namespace noisyor {
namespace {

// Rounds of a pass for the best few that may turn out short before one searches everything.
constexpr int kShortRounds = 4;

template <int W>
class Search final : public ChildSearch {
  public:
    Search(const RecordsView& records, int child, const SearchSettings& settings)
        : records_(records),
          child_(child),
          given_(settings),
          set_words_(set_words(records.variables)),
          candidates_(static_cast<int>(settings.candidates.size())) {}

    void begin(const PassSettings& settings) override {
        settings_ = settings;
        counters_ = new_counters();
        decided_ = 0;
        final_.clear();
        found_.clear();
        range_ = {VariableSet<W>::load(settings.first.data(), set_words_),
                  VariableSet<W>::load(settings.end.data(), set_words_)};
        list_subtrees();
        round_ = 0;
        inside_ = 0;
        root_done_ = false;
        next_task_ = tasks_done_ = 0;
        stops_.clear();
        stage_ = Stage::kSetUp;
    }

    void work(const std::atomic<bool>& cancel) override {
        while (!cancel) {
            Stage stage;
            {
                std::scoped_lock lock(mutex_);
                stage = stage_;
                if (stage == Stage::kDone) return;
                if (stage == Stage::kSetUp && inside_ > 0) return;  // one thread is enough for that
                ++inside_;
            }
            if (stage == Stage::kSetUp) {
                set_up(cancel);
            } else if (stage == Stage::kSubtrees) {
                search_subtrees(cancel);
            } else {
                fits_->work(cancel);
            }
            std::scoped_lock lock(mutex_);
            --inside_;
            if (stage == Stage::kSetUp) continue;
            if (inside_ > 0 || !advance()) return;  // the last one starts the next stage
        }
    }

    FamilyColumns result() override {
        return sorted_families(std::move(final_), relations_, set_words_);
    }
    FamilyColumns found() const override {
        if (!context_) return {.word_count = set_words_};
        return found_families(found_, settings_.found.size(), relations_, *context_);
    }
    const SearchCounters& counters() const override { return counters_; }
    std::vector<int> order() const override {
        if (!context_) return {};
        return {context_->order.begin(), context_->order.begin() + candidates_};
    }

    std::vector<Word> reached() const override {
        VariableSet<W> least = range_.end;
        for (const VariableSet<W>& stop : stops_) least = std::min(least, stop);
        if (!root_done_) {
            least = range_.first;
        } else if (next_task_ < subtrees_.size()) {
            least =
                std::min(least, root_of(subtrees_[next_task_].first, subtrees_[next_task_].second));
        }
        std::vector<Word> words;
        append_words(words, std::max(least, range_.first), set_words_);
        return words;
    }

    bool finished() const override { return stage_ == Stage::kDone; }

    std::size_t waiting() const override {
        std::scoped_lock lock(mutex_);
        if (stage_ == Stage::kSetUp) return inside_ == 0 ? 1 : 0;
        if (stage_ == Stage::kFits) return fits_->waiting();
        const std::size_t next = next_task_;
        const bool any = stage_ == Stage::kSubtrees && !settings_.quick;
        return any && next < subtrees_.size() ? subtrees_.size() - next : 0;
    }

    double share_done() const override {
        std::scoped_lock lock(mutex_);
        if (stage_ == Stage::kDone) return 1;
        const std::size_t fits = stage_ == Stage::kFits ? fits_->size() : 0;
        const std::size_t fitted = stage_ == Stage::kFits ? fits_->done() : 0;
        return static_cast<double>(tasks_done_ + fitted) /
               static_cast<double>(subtrees_.size() + fits + 1);
    }

    std::size_t memory_bytes() const override {
        std::scoped_lock lock(mutex_);
        std::size_t bytes = 0;
        for (const auto& relation : relations_) bytes += relation->memory_bytes();
        return bytes;
    }

  private:
    enum class Stage : std::uint8_t { kSetUp, kSubtrees, kFits, kDone };

    // No subtree is searched where no set of two candidates is allowed. Most passes are over all
    // sets, and comparing each of half a million pairs of 1,024 variables with a range takes long.
    void list_subtrees() {
        subtrees_.clear();
        if (given_.max_parents - static_cast<int>(given_.required.size()) < 2) return;
        const bool all =
            range_.first.empty() && !(range_.end < VariableSet<W>::single(candidates_));
        for (int high = 0; high < candidates_; ++high) {
            for (int low = 0; low < high; ++low) {
                if (all || range_.meets_subtree(root_of(high, low), low)) {
                    subtrees_.push_back({high, low});
                }
            }
        }
    }

    // Ends the pass. The list of subtrees is long with many variables, and there is a search for
    // each of them.
    void finish() {
        std::vector<std::pair<int, int>>().swap(subtrees_);
        stage_ = Stage::kDone;
    }

    SearchCounters new_counters() const {
        return {given_.relations.size(), static_cast<std::size_t>(records_.variables)};
    }

    // Finds the order of the candidates, for all passes, and begins the pass. With many variables
    // that takes so long that it is a part of the work.
    void set_up(const std::atomic<bool>& cancel) {
        if (!context_) {
            std::optional<std::vector<int>> order = given_.order;
            if (order->empty()) {
                order =
                    candidates_by_use<W>(records_, child_, given_, cancel, counters_.order_fits);
            }
            if (!order) return;
            auto context =
                std::make_unique<const SearchContext<W>>(records_, child_, given_, *order);
            ChildRelations<W> relations = make_relations(*context);
            std::scoped_lock lock(mutex_);
            context_ = std::move(context);
            relations_ = std::move(relations);
        }
        known_ = known_families(settings_.known, *context_);
        std::scoped_lock lock(mutex_);
        begin_round(0);
    }

    // The first round lowers its ceiling as it finds families; later ones, for which some were
    // found that proved to be worth it, take what is at or below theirs.
    void begin_round(double ceiling) {
        const bool few =
            !settings_.prices.empty() && settings_.most < std::numeric_limits<std::size_t>::max();
        const bool first = few && round_ == 0;
        pass_ = std::make_unique<Pass<W>>(first ? settings_.most : 0, ceiling);
        pass_->slack = settings_.slack;
        pass_->tolerance = given_.tolerance;
        for (const auto& relation : relations_) {
            const std::vector<int>& wanted = settings_.relations;
            pass_->wanted.push_back(std::find(wanted.begin(), wanted.end(), relation->code()) !=
                                    wanted.end());
        }
        pass_->prices = Prices<W>(settings_.prices, context_->numbers());
        pass_->known = known_;
        pass_->range = range_;
        pass_->found_count = !(few && pass_->prices.may_rise());
        scouted_ = !(first || settings_.quick);
        root_done_ = range_.empty();
        next_task_ = tasks_done_ = 0;
        stops_.clear();
        found_ = candidates_of(settings_.found, relations_, *context_);
        fits_.reset();
        stage_ = Stage::kSubtrees;
    }

    void search_subtrees(const std::atomic<bool>& cancel) {
        scout(cancel);
        if (settings_.quick || range_.empty()) return;
        SubtreeSearch<W> search(*context_, relations_, *pass_, cancel);
        if (!search.search_root()) return;
        std::size_t known = join(search);
        while (!cancel) {
            const std::size_t task = next_task_++;
            if (task >= subtrees_.size()) break;
            search.search_below(subtrees_[task].first, subtrees_[task].second);
            exchange(search, known);
            if (search.stopped_at) break;
            ++tasks_done_;
        }
        std::scoped_lock lock(mutex_);
        if (search.stopped_at) stops_.push_back(*search.stopped_at);
        search.count_followers();
        counters_.add(search.counters);
    }

    // One thread runs the quick heuristic where only the best families are wanted.
    void scout(const std::atomic<bool>& cancel) {
        {
            std::scoped_lock lock(mutex_);
            if (std::exchange(scouted_, true)) return;
        }
        Scout<W> scout(*context_, relations_, *pass_, cancel);
        scout.look();
        std::scoped_lock lock(mutex_);
        found_.insert(found_.end(), scout.found.begin(), scout.found.end());
        counters_.add(scout.counters);
    }

    // Takes over what the root gave, unless another thread was first, and gives the search what
    // others have found. Returns how much of found_ the search then knows.
    std::size_t join(SubtreeSearch<W>& search) {
        std::scoped_lock lock(mutex_);
        if (root_done_) {
            search.found.clear();
            search.counters = new_counters();
        }
        for (const Candidate<W>& other : found_) search.learn(other);
        found_.insert(found_.end(), search.found.begin(), search.found.end());
        search.found.clear();
        decided_ += search.counters.take_recent();
        root_done_ = true;
        return found_.size();
    }

    // After a subtree: what it found becomes known to all, and what others found to it.
    void exchange(SubtreeSearch<W>& search, std::size_t& known) {
        std::scoped_lock lock(mutex_);
        for (; known < found_.size(); ++known) search.learn(found_[known]);
        found_.insert(found_.end(), search.found.begin(), search.found.end());
        known = found_.size();
        search.found.clear();
        decided_ += search.counters.take_recent();
    }

    // Starts the next stage if this one is over; returns whether it did. The caller holds the lock.
    bool advance() {
        const bool searched = settings_.quick || (root_done_ && tasks_done_ == subtrees_.size());
        if (stage_ == Stage::kSubtrees && searched && !settings_.fits) {
            finish();
            return true;
        }
        if (stage_ == Stage::kSubtrees && searched) {
            fits_ =
                std::make_unique<FinalFits<W>>(*context_, relations_, *pass_, std::move(found_));
            stage_ = Stage::kFits;
            return true;
        }
        if (stage_ == Stage::kFits && fits_->finished()) {
            end_round();
            return true;
        }
        return false;
    }

    void end_round() {
        final_ = fits_->decide();
        counters_.refits += static_cast<std::int64_t>(fits_->fitted());
        counters_.unconverged += static_cast<std::int64_t>(fits_->unconverged());
        sort_by_excess();
        if (!settings_.quick && pass_->ceiling.lowest() < 0 && is_short()) {
            const bool enough = ++round_ < kShortRounds && final_.size() >= settings_.most;
            const double ceiling = enough ? final_[settings_.most - 1].excess : 0;
            for (const FinalFamily<W>& family : final_) {
                if (!pass_->found_count) break;
                known_.push_back({family.parents - context_->required, family.cost});
            }
            begin_round(std::min(0.0, ceiling));
            return;
        }
        if (final_.size() > settings_.most && !settings_.prices.empty()) {
            final_.resize(settings_.most);
        }
        for (FinalFamily<W>& family : final_) {
            family.parents = renumbered(family.parents, context_->order);
        }
        finish();
    }

    void sort_by_excess() {
        std::sort(final_.begin(), final_.end(), [&](const auto& a, const auto& b) {
            if (a.excess != b.excess) return a.excess < b.excess;
            if (!(a.parents == b.parents)) {
                return renumbered(a.parents, context_->order) <
                       renumbered(b.parents, context_->order);
            }
            return a.relation < b.relation;
        });
    }

    // The search has found all families at or below the lowest ceiling that it had. That is enough
    // for the best few, unless some that it counted on the way down turned out to be dominated by
    // others found later: then the round was too short.
    bool is_short() const {
        return final_.size() < settings_.most ||
               (settings_.most > 0 &&
                final_[settings_.most - 1].excess > pass_->ceiling.lowest() + 2 * given_.tolerance);
    }

    static VariableSet<W> root_of(int high, int low) {
        VariableSet<W> set = VariableSet<W>::single(high);
        set.insert(low);
        return set;
    }

    const RecordsView records_;
    const int child_;
    const SearchSettings given_;
    const std::size_t set_words_;  // of the caller's sets
    const int candidates_;
    std::unique_ptr<const SearchContext<W>> context_;  // once it was found
    ChildRelations<W> relations_;
    PassSettings settings_;
    SetRange<W> range_;
    std::vector<std::pair<int, int>> subtrees_;  // of the range, by their two highest candidates
    std::vector<KnownFamily<W>> known_;
    int round_ = 0;
    std::unique_ptr<Pass<W>> pass_;
    std::atomic<Stage> stage_{Stage::kDone};
    std::atomic<std::size_t> next_task_{0}, tasks_done_{0};
    mutable std::mutex mutex_;  // guards the rest while threads work
    int inside_ = 0;            // threads at work on the stage, which does not change meanwhile
    bool root_done_ = false, scouted_ = false;
    std::vector<VariableSet<W>> stops_;  // where threads were cancelled
    std::vector<Candidate<W>> found_;
    std::unique_ptr<FinalFits<W>> fits_;
    SearchCounters counters_;
    std::vector<FinalFamily<W>> final_;
};

}  // namespace

std::unique_ptr<ChildSearch> ChildSearch::make(const RecordsView& records, int child,
                                               const SearchSettings& settings) {
    std::size_t bits =
        std::max(static_cast<std::size_t>(records.variables), packed_bits(records.states));
    for (const RelationSpec& spec : settings.relations) {
        bits = std::max(bits, spec.kind<1>().record_bits(records.states));
    }
    return with_record_type(bits, [&]<int W>(VariableSet<W>) -> std::unique_ptr<ChildSearch> {
        return std::make_unique<Search<W>>(records, child, settings);
    });
}

}  // namespace noisyor
