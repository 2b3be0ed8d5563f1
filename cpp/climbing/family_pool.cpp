#include "climbing/family_pool.hpp"

#include <algorithm>
#include <tuple>

namespace noisyor {
namespace {

constexpr double kMuch = 25;  // nats: no network near the best has a family so much dearer
constexpr std::size_t kInAll = 1 << 19, kFewest = 256, kMost = 4096;

std::size_t at(int value) { return static_cast<std::size_t>(value); }

}  // namespace

FamilyPool::FamilyPool(int variables)
    : most_(std::clamp(kInAll / at(std::max(variables, 1)), kFewest, kMost)),
      children_(at(variables)) {}

void FamilyPool::add(int child, const std::vector<int>& parents, const CheapestFamily& cheapest) {
    Own& own = children_[at(child)];
    if (!cheapest.is_known() || cheapest.cost > own.least + kMuch) return;
    own.least = std::min(own.least, cheapest.cost);
    own.families.push_back({parents, cheapest});
    if (own.families.size() >= 4 * most_) tidy(own);
}

const std::vector<PooledFamily>& FamilyPool::of(int child) {
    Own& own = children_[at(child)];
    tidy(own);
    return own.families;
}

// By cost, then parents; the dearest go if there are too many.
void FamilyPool::tidy(Own& own) {
    if (own.tidy == own.families.size()) return;
    const auto key = [](const PooledFamily& family) {
        return std::tie(family.cheapest.cost, family.parents);
    };
    const auto before = [&](const auto& a, const auto& b) { return key(a) < key(b); };
    const auto middle = own.families.begin() + static_cast<std::ptrdiff_t>(own.tidy);
    std::sort(middle, own.families.end(), before);
    std::inplace_merge(own.families.begin(), middle, own.families.end(), before);
    const auto same = [](const auto& a, const auto& b) { return a.parents == b.parents; };
    own.families.erase(std::unique(own.families.begin(), own.families.end(), same),
                       own.families.end());
    if (own.families.size() > most_) own.families.resize(most_);
    while (own.families.back().cheapest.cost > own.least + kMuch) own.families.pop_back();
    own.tidy = own.families.size();
}

}  // namespace noisyor
