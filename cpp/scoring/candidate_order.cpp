#include "scoring/candidate_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scoring/cpt_counts.hpp"
#include "scoring/relations.hpp"

namespace noisyor {
namespace {

// How the two measures of use are weighed; found by experiment on the paper's data sets.
constexpr double kWeightAlone = 0.1;
constexpr double kOnlyCause = 1e12;  // nats: in place of infinity
constexpr double kRoughGap = 1e-4;
// Of more distinct records than that, so many records say well enough what is useful.
constexpr std::size_t kManyRows = 1 << 15;
constexpr double kSampleSize = 1 << 14;
// What the fits may take, in rows times columns squared: below a second.
constexpr double kMostWork = 1 << 28;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// What each candidate says about the child on its own, as a full table, in nats; negative where it
// makes the child less likely.
template <int W>
std::vector<double> signed_information(const ChildRecords<W>& records) {
    std::vector<std::int64_t> with_child(records.absent.size(), 0);
    for (std::size_t r = 0; r < records.present.rows.size(); ++r) {
        records.present.rows[r].for_each([&](int v) {
            with_child[index(v)] += static_cast<std::int64_t>(records.present.counts[r]);
        });
    }
    const auto absent = static_cast<std::int64_t>(records.absent_total);
    const auto present = static_cast<std::int64_t>(records.present_total);
    const EntropyTerms terms(0);
    std::vector<double> information;
    for (std::size_t v = 0; v < with_child.size(); ++v) {
        const auto n0 = static_cast<std::int64_t>(records.absent[v]);
        const std::int64_t n1 = with_child[v];
        const double gain = terms.cell(absent, present) - terms.cell(n0, n1) -
                            terms.cell(absent - n0, present - n1);
        const bool raises = static_cast<double>(n1) * records.absent_total >
                            static_cast<double>(n0) * records.present_total;
        information.push_back(raises ? gain : -gain);
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
            rows_.insert(rows_.end(), all.rows + r * all.word_count,
                         all.rows + (r + 1) * all.word_count);
            weights_.push_back(taken);
        }
        view_ = {rows_.data(), weights_.data(), weights_.size(), all.word_count, all.variables};
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

    std::vector<Word> rows_;
    std::vector<std::int64_t> weights_;
    RecordsView view_;
    double scale_ = 1;
};

// What a noisy-OR of all candidates would lose without each one; empty where not even that one
// could compete with the child on its own, and once it is cancelled.
template <int W>
class LossWithout {
  public:
    LossWithout(const ChildRecords<W>& records, const SearchSettings& settings,
                const std::atomic<bool>& cancel)
        : records_(records), settings_(settings), cancel_(cancel) {
        for (const int v : settings.candidates) everyone_.insert(v);
        for (const int v : settings.required) everyone_.insert(v);
    }

    // With a fit for each candidate, the others making up for it as well as they can.
    std::vector<double> by_refits() {
        const double all = cost_of(everyone_);
        if (!competes(all)) return {};
        std::vector<double> loss(records_.absent.size(), 0);
        for (const int v : settings_.candidates) {
            if (cancel_) return {};
            VariableSet<W> others = everyone_;
            others.erase(v);
            loss[index(v)] = std::min(cost_of(others) - all, kOnlyCause);
        }
        return loss;
    }

    // With one fit: the others stay as they are.
    std::vector<double> at_one_fit() {
        if (!competes(cost_of(everyone_)) || cancel_) return {};
        std::vector<double> lambda(records_.absent.size(), 0), loss(records_.absent.size(), 0);
        VariableSet<W> certain;
        everyone_.for_each([&](int v) {
            lambda[index(v)] = fitter_.lambda_of(v);
            if (lambda[index(v)] == kInfinity) certain.insert(v);
            if (lambda[index(v)] < kInfinity) {
                loss[index(v)] = -records_.absent[index(v)] * lambda[index(v)];
            }
        });
        for (std::size_t r = 0; r < records_.present.rows.size(); ++r) {
            const VariableSet<W> row = records_.present.rows[r].ones() & everyone_;
            const VariableSet<W> sure = row & certain;
            if (sure.size() > 1) continue;  // another explains it as well
            double others = 0;
            (row - certain).for_each([&](int v) { others += lambda[index(v)]; });
            const double count = records_.present.counts[r];
            const auto minus_log = [](double s) { return -std::log(-std::expm1(-s)); };
            const double now = sure.empty() ? minus_log(others) : 0;
            (sure.empty() ? row : sure).for_each([&](int v) {
                const double own = sure.empty() ? lambda[index(v)] : 0;
                if (sure.empty() && own == 0) return;
                const double left = std::max(0.0, others - own);
                loss[index(v)] += left > 0 ? count * (minus_log(left) - now) : kOnlyCause;
            });
        }
        for (double& one : loss) one = std::clamp(one, 0.0, kOnlyCause);
        return loss;
    }

    std::int64_t fits = 0;

  private:
    double cost_of(const VariableSet<W>& parents) {
        ++fits;
        return fitter_
            .fit(records_.present, parents, records_.absent, records_.absent_total, false,
                 {.gap = kRoughGap, .cancel = &cancel_})
            .upper;
    }
    // Whether it fits better than the child on its own, which has no more parameters.
    bool competes(double cost) const {
        return cost <= EntropyTerms(0).cell(static_cast<std::int64_t>(records_.absent_total),
                                            static_cast<std::int64_t>(records_.present_total));
    }

    const ChildRecords<W>& records_;
    const SearchSettings& settings_;
    const std::atomic<bool>& cancel_;
    VariableSet<W> everyone_;
    NoisyOrFitter<W> fitter_;
};

// The same for a whole table: of very many records a sample is judged, and where the refits would
// take long, one fit must do.
template <int W>
std::vector<double> loss_without(const RecordsView& view, int child, const std::vector<int>& order,
                                 const SearchSettings& settings, const std::atomic<bool>& cancel,
                                 std::int64_t& fits) {
    const auto columns = static_cast<double>(settings.candidates.size() + settings.required.size());
    const auto rows = static_cast<double>(view.size);
    const double sampled = view.size <= kManyRows ? rows : kSampleSize;
    const bool refits = sampled * columns * columns * columns <= kMostWork;
    const double affordable = refits ? sampled : std::floor(kMostWork / (columns * columns));
    const auto size = static_cast<std::int64_t>(std::min(sampled, affordable));
    const auto losses = [&](const RecordsView& records) {
        const ChildRecords<W> own(records, child, order);
        LossWithout<W> loss(own, settings, cancel);
        std::vector<double> found = refits ? loss.by_refits() : loss.at_one_fit();
        fits += loss.fits;
        return found;
    };
    if (static_cast<double>(size) >= rows) return losses(view);
    const EvenSample sample(view, size);
    std::vector<double> found = losses(sample.view());
    for (double& one : found) one *= sample.scale();
    return found;
}

}  // namespace

// To a full table, the information counts, whichever way it points. To a noisy-OR, a cause that
// makes the child less likely is of no use, and one that cannot be replaced matters most. Where
// sets of two candidates are not looked at, no order is better than another, and no fit is made for
// one.
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
    std::vector<double> use = signed_information(ChildRecords<W>(view, child, same));
    std::vector<double> loss;
    const UsefulCandidates useful = useful_candidates(settings.relations);
    if (useful.irreplaceable) {
        loss = loss_without<W>(view, child, same, settings, cancel, fits);
    }
    if (cancel) return std::nullopt;
    for (std::size_t v = 0; v < use.size(); ++v) {
        if (!loss.empty()) {
            use[v] = kWeightAlone * use[v] + loss[v];
        } else if (!useful.raising) {
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

}  // namespace noisyor
