// How useful each candidate is as a parent. The search numbers its candidates from the least to the
// most useful, so that what may still be added to a set is of little use, and its bounds bite
// early. The order decides how long a search takes and never what it finds.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "scoring/records_view.hpp"
#include "scoring/settings.hpp"

namespace noisyor {

// The candidates from the least to the most useful; nothing if it was cancelled. Adds the fits that
// it has made to `fits`.
template <int W>
std::optional<std::vector<int>> candidates_by_use(const RecordsView& view, int child,
                                                  const SearchSettings& settings,
                                                  const std::atomic<bool>& cancel,
                                                  std::int64_t& fits);

}  // namespace noisyor
