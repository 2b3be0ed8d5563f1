#include "scoring/search_context.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace noisyor {
namespace {

// How the two measures of use are weighed; found by experiment on the paper's data sets.
constexpr double kWeightAlone = 0.1;
constexpr double kOnlyCause = 1e12;  // nats: in place of infinity
constexpr double kRoughGap = 1e-4;
// Of more distinct records than that, so many records say well enough what is useful.
constexpr std::size_t kManyRows = 1 << 15;
constexpr std::int64_t kSampleSize = 1 << 14;

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
// could compete with the child on its own.
template <int W>
std::vector<double> loss_without(const ChildRecords<W>& records, const SearchSettings& settings) {
    if (settings.candidates.empty()) return {};
    VariableSet<W> everyone;
    for (const int v : settings.candidates) everyone.insert(v);
    for (const int v : settings.required) everyone.insert(v);
    NoisyOrFitter<W> fitter;
    const auto cost_of = [&](const VariableSet<W>& parents) {
        return fitter
            .fit(records.present, parents, records.absent, records.absent_total, false,
                 {.gap = kRoughGap})
            .upper;
    };
    const double all = cost_of(everyone);
    const double alone = EntropyTerms(0).cell(static_cast<std::int64_t>(records.absent_total),
                                              static_cast<std::int64_t>(records.present_total));
    if (all > alone) return {};  // at least as many parameters, and a worse fit
    std::vector<double> loss(records.absent.size(), 0);
    for (const int v : settings.candidates) {
        VariableSet<W> others = everyone;
        others.erase(v);
        loss[index(v)] = std::min(cost_of(others) - all, kOnlyCause);
    }
    return loss;
}

// How useful a candidate is. To a full table, the information counts, whichever way it points. To a
// noisy-OR, a cause that makes the child less likely is of no use, and one that cannot be replaced
// matters most.
template <int W>
std::vector<double> usefulness(const RecordsView& view, int child, const SearchSettings& settings) {
    std::vector<int> order(index(view.variables));
    std::iota(order.begin(), order.end(), 0);
    const ChildRecords<W> records(view, child, order);
    std::vector<double> use = signed_information(records);
    std::vector<double> loss;
    if (!settings.penalties[kNoisyOr].empty() && view.size <= kManyRows) {
        loss = loss_without(records, settings);
    } else if (!settings.penalties[kNoisyOr].empty()) {
        const EvenSample sample(view, kSampleSize);
        loss = loss_without(ChildRecords<W>(sample.view(), child, order), settings);
        for (double& one : loss) one *= sample.scale();
    }
    const bool leaky = !settings.penalties[kLeakyNoisyOr].empty();
    for (std::size_t v = 0; v < use.size(); ++v) {
        if (!loss.empty()) {
            use[v] = kWeightAlone * use[v] + loss[v];
        } else if (!leaky) {
            use[v] = std::abs(use[v]);
        }
    }
    return use;
}

template <int W>
std::vector<int> by_use(const RecordsView& view, int child, const SearchSettings& settings) {
    const std::vector<double> use = usefulness<W>(view, child, settings);
    std::vector<int> order = settings.candidates;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return use[index(a)] < use[index(b)]; });
    return order;
}

// Candidates from the least to the most useful, then the required parents, then the rest. The tails
// of the search are then of little use, and its bounds bite early.
template <int W>
std::vector<int> search_order(const RecordsView& view, int child, const SearchSettings& settings) {
    std::vector<int> order = settings.order;
    if (order.empty()) order = by_use<W>(view, child, settings);
    order.insert(order.end(), settings.required.begin(), settings.required.end());
    for (int v = 0; v < view.variables; ++v) {
        if (std::find(order.begin(), order.end(), v) == order.end()) order.push_back(v);
    }
    return order;
}

}  // namespace

template <int W>
SearchContext<W>::SearchContext(const RecordsView& view, int child_variable,
                                const SearchSettings& given)
    : settings(given),
      order(search_order<W>(view, child_variable, given)),
      candidates(static_cast<int>(given.candidates.size())),
      records(view, child_variable, order),
      terms(records.absent_total + records.present_total) {
    const std::vector<int> number = numbers();
    for (const int v : settings.required) required.insert(number[index(v)]);
    std::vector<double> present(order.size(), 0);
    for (std::size_t r = 0; r < records.present.rows.size(); ++r) {
        records.present.rows[r].for_each(
            [&](int t) { present[index(t)] += records.present.counts[r]; });
    }
    for (std::size_t t = 0; t < order.size(); ++t) {
        strongest.push_back(present[t] > 0 ? std::log1p(present[t] / records.absent[t]) : 0);
    }
    for (int relation = kNoisyOr; relation < kRelations; ++relation) {
        if (uses(relation)) set_slopes(relation);
    }
}

template <int W>
void SearchContext<W>::set_slopes(int relation) {
    const std::vector<double>& penalty = settings.penalties[relation];
    double least = kInfinity;
    for (std::size_t k = 1; k < penalty.size(); ++k) {
        least = std::min(least, penalty[k] - penalty[k - 1]);
    }
    step[relation] = least < kInfinity ? least : 0;
    sloped[relation] = records.absent;
    for (std::size_t t = 0; t < strongest.size(); ++t) {
        // A parent that is never present with the child has no strength, and no say in a fit.
        if (strongest[t] > 0) sloped[relation][t] += step[relation] / strongest[t];
    }
}

template <int W>
std::vector<int> SearchContext<W>::numbers() const {
    std::vector<int> number(order.size());
    for (std::size_t t = 0; t < order.size(); ++t) number[index(order[t])] = static_cast<int>(t);
    return number;
}

template struct SearchContext<1>;
template struct SearchContext<2>;
template struct SearchContext<4>;

}  // namespace noisyor
