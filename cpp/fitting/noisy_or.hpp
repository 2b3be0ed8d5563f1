// The maximum-likelihood fit of one noisy-OR to the records of its child, with its certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fitting/classical.hpp"
#include "fitting/newton.hpp"
#include "variable_set.hpp"

namespace noisyor {

// Distinct configurations, among the records with the child present, and their numbers.
template <int W>
struct PresentRows {
    std::vector<Record<W>> rows;
    std::vector<double> counts;

    void clear() {
        rows.clear();
        counts.clear();
    }
    void add(const Record<W>& row, double count) {
        rows.push_back(row);
        counts.push_back(count);
    }
    // Merges equal rows; `slots` is memory to work in.
    void merge_equal(std::vector<std::uint32_t>& slots);
};

// Restricts rows to a set of parents and fits. Parents with a_j = 0 get q = 0, since they explain
// their records at no cost; parents with no record left to explain get q = 1.
template <int W>
class NoisyOrFitter {
  public:
    // `absent[v]`: records with v present and the child absent; `absent_total`: child absent.
    // `near`: lambda per variable, the leak's last, of a fit that this one may resemble.
    FitOutcome fit(const PresentRows<W>& data, const VariableSet<W>& parents,
                   const std::vector<double>& absent, double absent_total, bool leak,
                   const FitLimits& limits, const std::vector<double>* near = nullptr);

    // The same by a classical fitter; `near` may have NaN for what is not known.
    FitOutcome fit_by(ClassicalFitter& method, const PresentRows<W>& data,
                      const VariableSet<W>& parents, const std::vector<double>& absent,
                      double absent_total, bool leak, const std::vector<double>* near = nullptr);

    // Says that the variables are states of others, `parent_of` each, of which every row has
    // exactly one. With a leak some columns then follow from others, which saves work.
    void states_of(const std::vector<int>& parent_of) { parent_of_ = &parent_of; }

    // After a fit: lambda of the variable (infinite where q = 0), and of the leak.
    double lambda_of(int variable) const;
    double lambda_of_leak() const { return leak_lambda_; }
    // Notes the finite lambdas in `near`, by variable, the leak's last.
    void remember(std::vector<double>& near) const;

  private:
    enum class Load : std::uint8_t { kInfeasible, kNothingLeft, kReady };
    Load load(const PresentRows<W>& data, const VariableSet<W>& parents,
              const std::vector<double>& absent, double absent_total, bool leak);
    template <class Minimise>
    FitOutcome fit_with(const PresentRows<W>& data, const VariableSet<W>& parents,
                        const std::vector<double>& absent, double absent_total, bool leak,
                        Minimise&& minimise);
    void find_partitions();
    // The columns' part of `near`; null where there is none.
    const double* near_columns(const std::vector<double>* near, bool leak);

    NoisyOrSolver solver_;
    PresentRows<W> rows_;
    std::vector<std::uint32_t> slots_;
    std::vector<int> position_;  // of each variable among the problem's columns, or -1
    std::vector<int> columns_;   // the variable of each column but the leak's, which is the last
    std::vector<double> near_;
    const std::vector<int>* parent_of_ = nullptr;
    VariableSet<W> certain_;  // parents with a_j = 0
    double leak_lambda_ = 0;
};

}  // namespace noisyor
