#include "scoring/search_context.hpp"

#include <algorithm>

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// The candidates, then the required parents, then the rest.
std::vector<int> search_order(const std::vector<int>& by_use, const SearchSettings& settings,
                              int variables) {
    std::vector<int> order = by_use;
    order.insert(order.end(), settings.required.begin(), settings.required.end());
    std::vector<bool> listed(index(variables), false);
    for (const int v : order) listed[index(v)] = true;
    for (int v = 0; v < variables; ++v) {
        if (!listed[index(v)]) order.push_back(v);
    }
    return order;
}

}  // namespace

template <int W>
SearchContext<W>::SearchContext(const RecordsView& records_view, int child_variable,
                                const SearchSettings& given, const std::vector<int>& by_use)
    : view(records_view),
      child(child_variable),
      settings(given),
      order(search_order(by_use, given, view.variables)),
      candidates(static_cast<int>(given.candidates.size())),
      table(view, child_variable, order),
      terms(table.total) {
    const std::vector<int> number = numbers();
    for (const int v : settings.required) required.insert(number[index(v)]);
}

template <int W>
std::vector<int> SearchContext<W>::numbers() const {
    std::vector<int> number(order.size());
    for (std::size_t t = 0; t < order.size(); ++t) number[index(order[t])] = static_cast<int>(t);
    return number;
}

template <int W>
std::vector<int> SearchContext<W>::callers_variables(const VariableSet<W>& set) const {
    std::vector<int> members;
    set.for_each([&](int t) { members.push_back(order[index(t)]); });
    std::sort(members.begin(), members.end());
    return members;
}

template struct SearchContext<1>;
template struct SearchContext<2>;
template struct SearchContext<4>;
template struct SearchContext<16>;
template struct SearchContext<64>;

}  // namespace noisyor
