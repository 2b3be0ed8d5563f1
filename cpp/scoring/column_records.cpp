#include "scoring/column_records.hpp"

namespace noisyor {

// The child keeps the columns that its own states would have, all of them zero, so that binary
// variables have one column each, numbered as they are.
template <int W>
ColumnRecords<W>::ColumnRecords(const RecordsView& view, int child, const std::vector<int>& order,
                                const ColumnForm& form)
    : first_{0}, minimum_(form.minimum) {
    for (std::size_t t = 0; t < order.size(); ++t) {
        const int states = view.states[static_cast<std::size_t>(order[t])];
        VariableSet<W> own;
        for (int s = 0; s < form.acting(states); ++s) {
            own.insert(static_cast<int>(variable_of_.size()));
            variable_of_.push_back(static_cast<int>(t));
        }
        one_each_ = one_each_ && form.acting(states) == 1;
        parameters_.push_back(states - 1);
        columns_.push_back(own);
        first_.push_back(variable_of_.size());
    }
    const int highest = view.states[static_cast<std::size_t>(child)] - 1;
    levels.resize(static_cast<std::size_t>(highest));
    // By level and column, the records that have both; the records below a level follow from it.
    std::vector<std::vector<double>> at_level(static_cast<std::size_t>(highest) + 1,
                                              std::vector<double>(column_count(), 0));
    std::vector<double> total(at_level.size(), 0);
    for (std::size_t r = 0; r < view.size; ++r) {
        const std::uint8_t* codes = view.row(r);
        const double weight = static_cast<double>(view.weights[r]);
        Record<W> row;
        for (std::size_t t = 0; t < order.size(); ++t) {
            if (order[t] == child) continue;
            const int place = codes[order[t]] - form.first_acting();
            const auto count = static_cast<int>(first_[t + 1] - first_[t]);
            if (place >= 0 && place < count) row.insert(static_cast<int>(first_[t]) + place);
        }
        const auto level =
            static_cast<std::size_t>(form.minimum ? highest - codes[child] : codes[child]);
        total[level] += weight;
        row.for_each([&](int c) { at_level[level][static_cast<std::size_t>(c)] += weight; });
        if (level > 0) levels[level - 1].present.add(row, weight);
    }
    std::vector<double> below(column_count(), 0);
    double below_total = 0;
    for (std::size_t level = 0; level < levels.size(); ++level) {
        for (std::size_t c = 0; c < below.size(); ++c) below[c] += at_level[level][c];
        below_total += total[level];
        LevelRecords<W>& own = levels[level];
        own.absent = below;
        own.absent_total = below_total;
        own.present_total = total[level + 1];
        for (std::size_t c = 0; c < below.size(); ++c) {
            if (below[c] == 0) own.certain.insert(static_cast<int>(c));
        }
    }
}

std::size_t columns_in_all(const std::vector<int>& states, const ColumnForm& form) {
    std::size_t columns = 0;
    for (const int own : states) columns += static_cast<std::size_t>(form.acting(own));
    return columns;
}

template class ColumnRecords<1>;
template class ColumnRecords<2>;
template class ColumnRecords<4>;
template class ColumnRecords<16>;
template class ColumnRecords<64>;

}  // namespace noisyor
