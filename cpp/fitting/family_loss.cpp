#include "fitting/family_loss.hpp"

#include "fitting/noisy_or.hpp"

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr double kGap = 1e-4;  // nats, of all levels together

class LossOfCauses final : public FamilyLoss {
  public:
    LossOfCauses(bool leak, bool minimum, bool any_state)
        : leak_(leak), minimum_(minimum), any_state_(any_state) {}

    double least(const FamilyCounts& counts, double reject_above) override {
        variable_of_.clear();
        first_column_.clear();
        for (std::size_t p = 0; p < counts.parents.size(); ++p) {
            first_column_.push_back(variable_of_.size());
            const int acting = any_state_ ? counts.parent_states[p] : counts.parent_states[p] - 1;
            variable_of_.insert(variable_of_.end(), index(acting), static_cast<int>(p));
        }
        return with_record_type(variable_of_.size(), [&]<int W>(VariableSet<W>) {
            return sum_of_levels<W>(counts, reject_above);
        });
    }

  private:
    // The levels are independent problems (docs/relations.md).
    template <int W>
    double sum_of_levels(const FamilyCounts& counts, double reject_above) {
        const int highest = counts.child_states - 1;
        const auto columns = VariableSet<W>::below(static_cast<int>(variable_of_.size()));
        NoisyOrFitter<W> fitter;
        if (any_state_) fitter.states_of(variable_of_);
        PresentRows<W> rows;
        std::vector<double> absent;
        double total = 0;
        for (int level = 1; level <= highest; ++level) {
            rows.clear();
            absent.assign(variable_of_.size(), 0);
            double absent_total = 0;
            for (std::size_t cell = 0; cell < counts.cells; ++cell) {
                const std::int64_t* own = &counts.counts[cell * index(counts.child_states)];
                double here = 0, below = 0;
                for (int state = 0; state <= level; ++state) {
                    const auto many = static_cast<double>(own[minimum_ ? highest - state : state]);
                    (state == level ? here : below) += many;
                }
                const Record<W> row = columns_in<W>(counts, cell);
                if (here > 0) rows.add(row, here);
                row.for_each([&](int c) { absent[index(c)] += below; });
                absent_total += below;
            }
            const FitOutcome out =
                fitter.fit(rows, columns, absent, absent_total, leak_,
                           {.gap = kGap / highest, .reject_above = reject_above - total});
            if (out.lower > reject_above - total) return kInfinity;
            total += out.upper;
        }
        return total;
    }

    template <int W>
    Record<W> columns_in(const FamilyCounts& counts, std::size_t cell) const {
        Record<W> row;
        const std::size_t size = counts.parents.size();
        for (std::size_t p = 0; p < size; ++p) {
            const int code = counts.codes[cell * size + p];
            const int place = minimum_ || any_state_ ? code : code - 1;
            const int acting = any_state_ ? counts.parent_states[p] : counts.parent_states[p] - 1;
            if (place >= 0 && place < acting) {
                row.insert(static_cast<int>(first_column_[p]) + place);
            }
        }
        return row;
    }

    const bool leak_, minimum_, any_state_;
    std::vector<int> variable_of_;           // of each column
    std::vector<std::size_t> first_column_;  // of each parent
};

}  // namespace

std::unique_ptr<FamilyLoss> loss_of_causes(bool leak, bool minimum, bool any_state) {
    return std::make_unique<LossOfCauses>(leak, minimum, any_state);
}

}  // namespace noisyor
