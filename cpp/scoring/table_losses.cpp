#include "scoring/table_losses.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "scoring/table_counts.hpp"

namespace noisyor {
namespace {

constexpr double kFewSets = 1 << 16;
// With room for more parents other bounds are better, however few candidates there are.
constexpr int kLittleRoom = 3;

template <int W, class Counts>
class CountedLosses final : public TableLosses<W> {
  public:
    explicit CountedLosses(const SearchContext<W>& context)
        : context_(context), levels_(static_cast<std::size_t>(context.candidates) + 2) {}

    void enter(std::size_t depth, int variable) override {
        levels_[depth].variable = variable;
        levels_[depth].counted = false;
    }

    double with(std::size_t depth, int variable, double limit) override {
        const typename Counts::Node& node = counted(depth);
        return counts_->cost_with(node, variable, limit);
    }

  private:
    struct Level {
        int variable = 0;
        bool counted = false;
        typename Counts::Node node;
    };

    const typename Counts::Node& counted(std::size_t depth) {
        Level& level = levels_[depth];
        if (level.counted) return level.node;
        level.counted = true;
        if (depth == 0) {
            count_required(level.node);
        } else {
            const typename Counts::Node& above = counted(depth - 1);
            counts_->descend(above, level.variable, level.variable, level.node);
        }
        return level.node;
    }

    void count_required(typename Counts::Node& root) {
        typename Counts::Node next;
        counts_.emplace(context_.table, context_.terms);
        counts_->make_root(root);
        context_.required.for_each([&](int v) {
            counts_->descend(root, v, static_cast<int>(context_.order.size()), next);
            std::swap(root, next);
        });
    }

    const SearchContext<W>& context_;
    std::optional<Counts> counts_;  // many searches never ask
    std::vector<Level> levels_;
};

template <int W, bool kBinary>
std::unique_ptr<TableLosses<W>> make(const SearchContext<W>& context) {
    if (context.settings.counts == CountsBy::kBitColumns) {
        return std::make_unique<CountedLosses<W, BitColumns<W, kBinary>>>(context);
    }
    return std::make_unique<CountedLosses<W, Configurations<W, kBinary>>>(context);
}

}  // namespace

bool are_few_sets(int candidates, int room) {
    if (room > kLittleRoom) return false;
    double sets = 0, of_size = 1;
    for (int added = 1; added <= std::min(room, candidates); ++added) {
        of_size = of_size * (candidates - added + 1) / added;
        sets += of_size;
    }
    return sets <= kFewSets;
}

template <int W>
std::unique_ptr<TableLosses<W>> table_losses(const SearchContext<W>& context) {
    return context.table.is_binary ? make<W, true>(context) : make<W, false>(context);
}

template std::unique_ptr<TableLosses<1>> table_losses(const SearchContext<1>&);
template std::unique_ptr<TableLosses<2>> table_losses(const SearchContext<2>&);
template std::unique_ptr<TableLosses<4>> table_losses(const SearchContext<4>&);
template std::unique_ptr<TableLosses<16>> table_losses(const SearchContext<16>&);
template std::unique_ptr<TableLosses<64>> table_losses(const SearchContext<64>&);

}  // namespace noisyor
