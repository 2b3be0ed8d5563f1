#include "fitting/noisy_or.hpp"

#include <algorithm>
#include <bit>

namespace noisyor {

template <int W>
void PresentRows<W>::merge_equal(std::vector<std::uint32_t>& slots) {
    const std::size_t capacity = std::bit_ceil(2 * rows.size() + 1);
    slots.assign(capacity, 0);
    std::size_t distinct = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::size_t slot = rows[r].hash() & (capacity - 1);
        while (slots[slot] != 0 && !(rows[slots[slot] - 1] == rows[r])) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (slots[slot] != 0) {
            counts[slots[slot] - 1] += counts[r];
        } else {
            rows[distinct] = rows[r];
            counts[distinct] = counts[r];
            slots[slot] = static_cast<std::uint32_t>(++distinct);
        }
    }
    rows.resize(distinct);
    counts.resize(distinct);
}

template <int W>
auto NoisyOrFitter<W>::load(const PresentRows<W>& data, const VariableSet<W>& parents,
                            const std::vector<double>& absent, double absent_total, bool leak)
    -> Load {
    certain_ = VariableSet<W>{};
    parents.for_each([&](int v) {
        if (absent[v] == 0) certain_.insert(v);
    });
    const bool certain_leak = leak && absent_total == 0;
    position_.assign(absent.size(), -1);
    columns_.clear();
    rows_.clear();
    leak_lambda_ = certain_leak ? kInfinity : 0;
    VariableSet<W> useful, occurring;
    for (std::size_t r = 0; r < data.rows.size(); ++r) {
        const Record<W> row = data.rows[r].restricted_to(parents);
        if (row.empty() && !leak) return Load::kInfeasible;
        occurring = occurring | row.ones();
        if (certain_leak || row.meets(certain_)) continue;
        useful = useful | row.ones();
        rows_.add(row, data.counts[r]);
    }
    certain_ = certain_ & occurring;  // a parent that never occurs has no effect: q = 1
    solver_.problem.variables = 0;
    if (rows_.rows.empty()) return Load::kNothingLeft;
    rows_.merge_equal(slots_);

    useful.for_each([&](int v) {
        position_[v] = static_cast<int>(columns_.size());
        columns_.push_back(v);
    });
    NoisyOrProblem& p = solver_.problem;
    const std::size_t size = rows_.rows.size();
    p.make_room(columns_.size() + (leak ? 1 : 0), size);
    double* x = reinterpret_cast<double*>(p.columns.data());
    const std::size_t stride = p.blocks * kLanes;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        p.absent[j] = absent[columns_[j]];
        const int word = columns_[j] / kWordBits, bit = columns_[j] % kWordBits;
        double* column = x + j * stride;
        for (std::size_t r = 0; r < size; ++r) {
            column[r] = static_cast<double>((rows_.rows[r].words[word] >> bit) & 1);
        }
    }
    p.has_leak = leak;
    if (leak) {
        p.absent.back() = absent_total;
        std::fill_n(x + columns_.size() * stride, size, 1.0);
        if (parent_of_ != nullptr) find_partitions();
    }
    for (std::size_t r = 0; r < size; ++r) p.counts[r / kLanes][r % kLanes] = rows_.counts[r];
    return Load::kReady;
}

// A state that no row has is in no column, and a row with a certain cause is not in the problem: so
// the columns that are left of a parent are a partition of the rows that are left.
template <int W>
void NoisyOrFitter<W>::find_partitions() {
    int parent = -1;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const int own = (*parent_of_)[static_cast<std::size_t>(columns_[j])];
        if (own != parent) solver_.problem.partitions.push_back({j, j});
        solver_.problem.partitions.back().end = j + 1;
        parent = own;
    }
}

template <int W>
const double* NoisyOrFitter<W>::near_columns(const std::vector<double>* near, bool leak) {
    if (near == nullptr) return nullptr;
    near_.clear();
    for (const int v : columns_) near_.push_back((*near)[v]);
    if (leak) near_.push_back(near->back());
    return near_.data();
}

template <int W>
template <class Minimise>
FitOutcome NoisyOrFitter<W>::fit_with(const PresentRows<W>& data, const VariableSet<W>& parents,
                                      const std::vector<double>& absent, double absent_total,
                                      bool leak, Minimise&& minimise) {
    switch (load(data, parents, absent, absent_total, leak)) {
        case Load::kInfeasible:
            return {};
        case Load::kNothingLeft:
            return {FitEnd::kConverged, 0, 0, 0};
        case Load::kReady:
            break;
    }
    const FitOutcome out = minimise();
    if (leak) leak_lambda_ = solver_.lambda().back();
    return out;
}

template <int W>
FitOutcome NoisyOrFitter<W>::fit(const PresentRows<W>& data, const VariableSet<W>& parents,
                                 const std::vector<double>& absent, double absent_total, bool leak,
                                 const FitLimits& limits, const std::vector<double>* near) {
    return fit_with(data, parents, absent, absent_total, leak,
                    [&] { return solver_.minimise(limits, near_columns(near, leak)); });
}

template <int W>
FitOutcome NoisyOrFitter<W>::fit_by(ClassicalFitter& method, const PresentRows<W>& data,
                                    const VariableSet<W>& parents,
                                    const std::vector<double>& absent, double absent_total,
                                    bool leak, const std::vector<double>* near) {
    return fit_with(data, parents, absent, absent_total, leak,
                    [&] { return method.minimise(solver_, near_columns(near, leak)); });
}

template <int W>
double NoisyOrFitter<W>::lambda_of(int variable) const {
    if (certain_.contains(variable)) return kInfinity;
    return position_[variable] < 0 ? 0 : solver_.lambda()[position_[variable]];
}

template <int W>
void NoisyOrFitter<W>::remember(std::vector<double>& near) const {
    near.assign(position_.size() + 1, 0);
    for (std::size_t j = 0; j < columns_.size(); ++j) near[columns_[j]] = solver_.lambda()[j];
    if (columns_.size() < solver_.problem.variables) near.back() = solver_.lambda().back();
}

template struct PresentRows<1>;
template struct PresentRows<2>;
template struct PresentRows<4>;
template struct PresentRows<16>;
template struct PresentRows<64>;
template class NoisyOrFitter<1>;
template class NoisyOrFitter<2>;
template class NoisyOrFitter<4>;
template class NoisyOrFitter<16>;
template class NoisyOrFitter<64>;

}  // namespace noisyor
