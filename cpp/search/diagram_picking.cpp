#include <numeric>
#include <utility>

#include "search/diagram_members.hpp"
#include "search/diagram_paths.hpp"

namespace noisyor {
namespace {

// Finds members through one state, in the order of the first halves, as listed, and of the second
// halves by length.
class StatePicking {
  public:
    StatePicking(const OrderDiagram& diagram, std::size_t middle)
        : diagram_(diagram),
          layer_(diagram.layers[middle]),
          before_(diagram, middle, never_),
          after_(diagram, middle, never_) {}

    // The members at ascending ranks, a row of families each.
    void by_number(std::uint32_t state, const std::vector<Count>& ranks, std::uint32_t* rows) {
        list_ends(state);
        pick<Count>(
            state, ranks, rows, [&](Ticks, std::size_t fitting) { return Count{fitting}; },
            [](Ticks, std::size_t, Count left) { return static_cast<std::size_t>(left); });
    }

    // The same at ascending places in [0, 1), of which a member takes up its share of the weight.
    void by_weight(std::uint32_t state, std::vector<double> places, double decay,
                   std::uint32_t* rows) {
        list_ends(state);
        ends_.weigh(decay, layer_.after[state]);
        const auto own = [&](Ticks length) {
            return std::exp(-decay * static_cast<double>(length - layer_.before[state]));
        };
        const auto amount = [&](Ticks length, std::size_t fitting) {
            return own(length) * ends_.weights[fitting];
        };
        double all = 0;  // added up as in `pick`, so that no place is beyond the last half
        before_.list(state, diagram_.limit - layer_.after[state], [&](Ticks length) {
            all += amount(length, ends_.fitting(diagram_.limit - length));
        });
        for (double& place : places) place = std::min(place * all, std::nextafter(all, 0.0));
        pick<double>(state, places, rows, amount,
                     [&](Ticks length, std::size_t fitting, double left) {
                         const auto first = ends_.weights.begin() + 1;
                         const auto end = first + static_cast<std::ptrdiff_t>(fitting);
                         const auto place = std::upper_bound(first, end, left / own(length));
                         return std::min(fitting - 1, static_cast<std::size_t>(place - first));
                     });
    }

    // A member of these lengths before and after the state.
    void with_lengths(std::uint32_t state, Ticks length_before, Ticks length_after,
                      std::uint32_t* row) {
        before_.list(state, length_before, [&](Ticks length) {
            if (length == length_before) before_.put(diagram_, row);
        });
        after_.list(state, length_after, [&](Ticks length) {
            if (length == length_after) after_.put(diagram_, row);
        });
    }

  private:
    void list_ends(std::uint32_t state) {
        std::vector<Ticks> lengths;
        after_.list(state, diagram_.limit - layer_.before[state],
                    [&](Ticks length) { lengths.push_back(length); });
        order_.resize(lengths.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return lengths[a] != lengths[b] ? lengths[a] < lengths[b] : a < b;
        });
        ends_.lengths.clear();
        for (const std::size_t i : order_) ends_.lengths.push_back(lengths[i]);
    }

    // `amount` says how much a first half takes up, given how many second halves fit with it, and
    // `second` which of these a place within that amount is of.
    template <class Place, class AmountOf, class Second>
    void pick(std::uint32_t state, const std::vector<Place>& places, std::uint32_t* rows,
              AmountOf&& amount, Second&& second) {
        const std::size_t n = diagram_.variables();
        std::vector<std::pair<std::size_t, std::size_t>> ends;  // of a row: as listed, and the row
        Place passed{};
        std::size_t next = 0;
        before_.list(state, diagram_.limit - layer_.after[state], [&](Ticks length) {
            const std::size_t fitting = ends_.fitting(diagram_.limit - length);
            const Place here = amount(length, fitting);
            for (; next < places.size() && places[next] < passed + here; ++next) {
                before_.put(diagram_, rows + next * n);
                ends.emplace_back(order_[second(length, fitting, places[next] - passed)], next);
            }
            passed += here;
        });
        std::sort(ends.begin(), ends.end());
        std::size_t listed = 0;
        std::size_t found = 0;
        after_.list(state, diagram_.limit - layer_.before[state], [&](Ticks) {
            for (; found < ends.size() && ends[found].first == listed; ++found) {
                after_.put(diagram_, rows + ends[found].second * n);
            }
            ++listed;
        });
    }

    const OrderDiagram& diagram_;
    const DiagramLayer& layer_;
    const std::atomic<bool> never_{false};
    HalfPaths<Half::kBefore> before_;
    HalfPaths<Half::kAfter> after_;
    SortedLengths ends_;
    std::vector<std::size_t> order_;  // of the second halves by length: their places as listed
};

}  // namespace

std::vector<std::uint32_t> DiagramMembers::at_ranks(const DiagramCounts& counts,
                                                    const std::vector<Count>& ranks) const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> rows(n * ranks.size());
    StatePicking picking(diagram_, middle_);
    Count passed = 0;
    std::size_t next = 0;
    for (std::uint32_t s = 0; s < counts.state_counts.size() && next < ranks.size(); ++s) {
        std::vector<Count> own;
        const std::size_t begin = next;
        for (; next < ranks.size() && ranks[next] < passed + counts.state_counts[s]; ++next) {
            own.push_back(ranks[next] - passed);
        }
        if (!own.empty()) picking.by_number(s, own, rows.data() + begin * n);
        passed += counts.state_counts[s];
    }
    return rows;
}

std::vector<std::uint32_t> DiagramMembers::at_weights(const DiagramCounts& counts, double decay,
                                                      const std::vector<double>& places) const {
    const std::size_t n = diagram_.variables();
    std::vector<std::uint32_t> rows(n * places.size());
    StatePicking picking(diagram_, middle_);
    double passed = 0;
    std::size_t next = 0;
    for (std::uint32_t s = 0; s < counts.state_weights.size() && next < places.size(); ++s) {
        const double weight = counts.state_weights[s];
        const bool is_last = s + 1 == counts.state_weights.size();  // in spite of rounding
        std::vector<double> own;
        const std::size_t begin = next;
        for (; next < places.size() && (is_last || places[next] < passed + weight); ++next) {
            own.push_back(std::clamp((places[next] - passed) / weight, 0.0, 1.0));
        }
        if (!own.empty()) picking.by_weight(s, std::move(own), decay, rows.data() + begin * n);
        passed += weight;
    }
    return rows;
}

std::vector<std::uint32_t> DiagramMembers::costliest(const DiagramCounts& counts) const {
    std::vector<std::uint32_t> row(diagram_.variables());
    StatePicking(diagram_, middle_)
        .with_lengths(static_cast<std::uint32_t>(counts.costliest_state), counts.costliest_before,
                      counts.costliest_after, row.data());
    return row;
}

}  // namespace noisyor
