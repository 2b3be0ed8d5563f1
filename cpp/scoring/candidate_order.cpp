#include "scoring/candidate_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scoring/relation_spec.hpp"
#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

// How the two measures of use are weighed; found by experiment on the paper's data sets.
constexpr double kWeightAlone = 0.1;
// With more distinct records than kManyRows, a sample of kSampleSize records is enough to rank.
constexpr std::size_t kManyRows = 1 << 15;
constexpr double kSampleSize = 1 << 14;
// What the fits may take, in rows times columns squared: below a second.
constexpr double kMostWork = 1 << 28;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// The information of each variable alone about the child, in nats; negative where both are binary
// and its presence makes the child less likely.
std::vector<double> signed_information(const RecordsView& view, int child) {
    const int children = view.states[index(child)];
    std::vector<std::vector<std::int64_t>> joint;  // by variable: its state, then the child's
    for (const int own : view.states) joint.emplace_back(index(own * children), 0);
    for (std::size_t r = 0; r < view.size; ++r) {
        const std::uint8_t* codes = view.row(r);
        for (std::size_t v = 0; v < joint.size(); ++v) {
            joint[v][index(codes[v] * children + codes[child])] += view.weights[r];
        }
    }
    std::vector<std::int64_t> alone(index(children), 0);
    for (std::size_t cell = 0; cell < joint[0].size(); ++cell) {
        alone[cell % alone.size()] += joint[0][cell];
    }
    const EntropyTerms terms(0);
    std::vector<double> information;
    for (std::size_t v = 0; v < joint.size(); ++v) {
        double gain = terms.cell(alone.data(), children);
        for (int state = view.states[v] - 1; state >= 0; --state) {
            gain -= terms.cell(&joint[v][index(state * children)], children);
        }
        const bool pair = view.states[v] == 2 && children == 2;
        const bool lowers =
            pair && static_cast<double>(joint[v][3]) * static_cast<double>(alone[0]) <=
                        static_cast<double>(joint[v][2]) * static_cast<double>(alone[1]);
        information.push_back(lowers ? -gain : gain);
    }
    return information;
}

// Records evenly spaced among all of them, in the order of the rows.
class EvenSample {
  public:
    EvenSample(const RecordsView& all, std::int64_t size) {
        const std::int64_t total =
            std::accumulate(all.weights, all.weights + all.size, std::int64_t{0});
        std::int64_t before = 0;
        for (std::size_t r = 0; r < all.size; ++r) {
            const std::int64_t after = before + all.weights[r];
            const std::int64_t taken = place(after, size, total) - place(before, size, total);
            before = after;
            if (taken == 0) continue;
            codes_.insert(codes_.end(), all.row(r), all.row(r + 1));
            weights_.push_back(taken);
        }
        view_ = {codes_.data(), weights_.data(), weights_.size(), all.variables, all.states};
        scale_ = static_cast<double>(total) / static_cast<double>(size);
    }

    const RecordsView& view() const { return view_; }
    double scale() const { return scale_; }  // records for each one in the sample

  private:
    static std::int64_t place(std::int64_t records, std::int64_t size, std::int64_t total) {
        return static_cast<std::int64_t>(static_cast<unsigned __int128>(records) *
                                         static_cast<unsigned __int128>(size) /
                                         static_cast<unsigned __int128>(total));
    }

    std::vector<std::uint8_t> codes_;
    std::vector<std::int64_t> weights_;
    RecordsView view_;
    double scale_ = 1;
};

// What a family of all candidates would lose without each one. A sample stands for very many
// records, and a single fit for refits that would take long.
template <int W>
std::vector<double> loss_without(const RelationKind<W>& kind, const RecordsView& view, int child,
                                 const std::vector<int>& order, const SearchSettings& settings,
                                 const std::atomic<bool>& cancel, std::int64_t& fits) {
    const auto columns = static_cast<double>(settings.candidates.size() + settings.required.size());
    const auto rows = static_cast<double>(view.size);
    const double sampled = view.size <= kManyRows ? rows : kSampleSize;
    const bool refits = sampled * columns * columns * columns <= kMostWork;
    const double affordable = refits ? sampled : std::floor(kMostWork / (columns * columns));
    const auto size = static_cast<std::int64_t>(std::min(sampled, affordable));
    const auto losses = [&](const RecordsView& records) {
        CandidateLosses found = kind.losses(records, child, order, settings, refits, cancel);
        fits += found.fits;
        return std::move(found.losses);
    };
    if (static_cast<double>(size) >= rows) return losses(view);
    const EvenSample sample(view, size);
    std::vector<double> found = losses(sample.view());
    for (double& one : found) one *= sample.scale();
    return found;
}

}  // namespace

// By default the information counts, whichever way it points. To some relations a candidate that
// makes the child less likely is of no use, and to some the one that cannot be replaced matters
// most. Where a relation has a use for both directions, its search is by far the longest, and goes
// by the information: by what cannot be replaced it takes up to a hundred times the fits. Where no
// set of two candidates is visited, no order is better than another, and no fit is
// made for one.
template <int W>
std::optional<std::vector<int>> candidates_by_use(const RecordsView& view, int child,
                                                  const SearchSettings& settings,
                                                  const std::atomic<bool>& cancel,
                                                  std::int64_t& fits) {
    const int room = settings.max_parents - static_cast<int>(settings.required.size());
    if (std::min(room, static_cast<int>(settings.candidates.size())) < 2)
        return settings.candidates;
    std::vector<int> same(index(view.variables));
    std::iota(same.begin(), same.end(), 0);
    std::vector<double> use = signed_information(view, child);
    std::vector<double> loss;
    bool raising = false, lowering = false;
    const RelationKind<W>* judge = nullptr;  // the first to which irreplaceable ones are useful
    for (const RelationSpec& spec : settings.relations) {
        const UsefulCandidates useful = spec.kind<W>().useful_candidates();
        raising |= useful.raising;
        lowering |= useful.lowering;
        if (useful.irreplaceable && judge == nullptr) judge = &spec.kind<W>();
    }
    if (judge != nullptr && !lowering) {
        loss = loss_without<W>(*judge, view, child, same, settings, cancel, fits);
    }
    if (cancel) return std::nullopt;
    for (std::size_t v = 0; v < use.size(); ++v) {
        if (!loss.empty()) {
            use[v] = kWeightAlone * use[v] + loss[v];
        } else if (!raising || lowering) {
            use[v] = std::abs(use[v]);
        }
    }
    std::vector<int> order = settings.candidates;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return use[index(a)] < use[index(b)]; });
    return order;
}

template std::optional<std::vector<int>> candidates_by_use<1>(const RecordsView&, int,
                                                              const SearchSettings&,
                                                              const std::atomic<bool>&,
                                                              std::int64_t&);
template std::optional<std::vector<int>> candidates_by_use<2>(const RecordsView&, int,
                                                              const SearchSettings&,
                                                              const std::atomic<bool>&,
                                                              std::int64_t&);
template std::optional<std::vector<int>> candidates_by_use<4>(const RecordsView&, int,
                                                              const SearchSettings&,
                                                              const std::atomic<bool>&,
                                                              std::int64_t&);
template std::optional<std::vector<int>> candidates_by_use<16>(const RecordsView&, int,
                                                               const SearchSettings&,
                                                               const std::atomic<bool>&,
                                                               std::int64_t&);
template std::optional<std::vector<int>> candidates_by_use<64>(const RecordsView&, int,
                                                               const SearchSettings&,
                                                               const std::atomic<bool>&,
                                                               std::int64_t&);

}  // namespace noisyor
