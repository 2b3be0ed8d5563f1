// Products and sums of tables over the axes of a large one, which is never written down as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace noisyor {

// Called now and then during long work; may throw.
using Pause = std::function<void()>;

// Adds an axis to places in a table: each state is a step further.
inline void extend_places(std::vector<std::uint32_t>& places, std::size_t size, std::size_t step) {
    const std::size_t before = places.size();
    places.resize(before * size);
    for (std::size_t state = 1; state < size; ++state)
        for (std::size_t i = 0; i < before; ++i)
            places[state * before + i] = places[i] + static_cast<std::uint32_t>(state * step);
}

// Walks over the entries of a large table in blocks that fit into the fastest cache. Smaller tables
// take part in it: each has some of the large one's axes, in the same order.
//
// Axes are numbered; those of every table descend, and the first varies fastest. So the axes that a
// small table shares with the large one are mostly next to each other in both.
template <class Algebra>
class BlockWalk {
  public:
    using Value = typename Algebra::Value;

    // Begins a walk over a table with these axes; `sizes` has the states of each axis by number.
    void start(std::span<const int> axes, std::span<const int> sizes) {
        axes_ = axes;
        sizes_ = sizes;
        parts_ = 0;
        block_ = 1;
        inner_ = 0;
        while (inner_ < axes.size()) {
            const std::size_t size = block_ * size_of(inner_);
            if (size > most_block && inner_) break;
            block_ = size;
            ++inner_;
        }
        outer_steps_ = 1;
        for (std::size_t k = inner_; k < axes.size(); ++k) outer_steps_ *= size_of(k);
        spare_.resize(std::max(spare_.size(), block_));
    }

    // Lets a table take part; returns its number.
    std::size_t add(std::span<const int> axes, Value* values) {
        if (parts_ == tables_.size()) tables_.emplace_back();
        Part& part = tables_[parts_];
        part.values = values;
        // Both lists descend: the axes within a block are side by side if they are the first ones.
        std::size_t shared = 0;
        for (std::size_t k = 0; k < inner_ && shared < axes.size(); ++k)
            shared += axes[shared] == axes_[k];
        part.kind = shared == inner_ ? Kind::contiguous : shared ? Kind::scattered : Kind::constant;
        std::size_t stride = 1, next = 0;
        if (part.kind == Kind::scattered) {
            part.places.assign(1, 0);
            for (std::size_t k = 0; k < inner_; ++k) {
                const bool has = next < shared && axes[next] == axes_[k];
                extend_places(part.places, size_of(k), has ? stride : 0);
                if (has) stride *= size_of(k), ++next;
            }
        } else if (part.kind == Kind::contiguous) {
            stride = block_;
            next = inner_;
        }
        part.steps.clear();
        std::ptrdiff_t rewind = 0;
        for (std::size_t k = inner_; k < axes_.size(); ++k) {
            const bool has = next < axes.size() && axes[next] == axes_[k];
            const auto step = static_cast<std::ptrdiff_t>(has ? stride : 0);
            part.steps.push_back(step - rewind);
            rewind += step * static_cast<std::ptrdiff_t>(size_of(k) - 1);
            if (has) stride *= size_of(k), ++next;
        }
        return parts_++;
    }

    // Calls each(offset) for every block, at whose place all tables then are.
    template <class Each>
    void run(const Pause& pause, Each&& each) {
        std::vector<std::size_t>& counter = counter_;
        counter.assign(axes_.size() - inner_, 0);
        std::size_t until_pause = most_entries_without_pause / block_ + 1;
        for (std::size_t step = 0; step < outer_steps_; ++step) {
            each(step * block_);
            if (step + 1 == outer_steps_) break;
            if (--until_pause == 0) {
                pause();
                until_pause = most_entries_without_pause / block_ + 1;
            }
            std::size_t k = 0;
            while (++counter[k] == size_of(inner_ + k)) counter[k++] = 0;
            for (std::size_t p = 0; p < parts_; ++p) tables_[p].values += tables_[p].steps[k];
        }
    }

    // Room for a block, the same for each.
    Value* spare_block() { return spare_.data(); }

    // Writes the product of the first tables at the current block.
    void write_product(std::size_t first, Value* block) const {
        if (!first) {
            std::fill_n(block, block_, Algebra::one);
            return;
        }
        copy(block, tables_[0]);
        for (std::size_t p = 1; p < first; ++p) multiply(block, p);
    }

    // Multiplies a block by a table.
    void multiply(Value* block, std::size_t number) const {
        const Part& part = tables_[number];
        const Value* const from = part.values;
        switch (part.kind) {
            case Kind::contiguous:
                for (std::size_t i = 0; i < block_; ++i)
                    block[i] = Algebra::times(block[i], from[i]);
                break;
            case Kind::constant:
                for (std::size_t i = 0; i < block_; ++i)
                    block[i] = Algebra::times(block[i], from[0]);
                break;
            case Kind::scattered:
                for (std::size_t i = 0; i < block_; ++i)
                    block[i] = Algebra::times(block[i], from[part.places[i]]);
                break;
        }
    }

    // Adds a block to a table, over the axes that this does not have.
    void sum_into(std::size_t number, const Value* block) const {
        const Part& part = tables_[number];
        Value* const into = part.values;
        switch (part.kind) {
            case Kind::contiguous:
                for (std::size_t i = 0; i < block_; ++i) into[i] = Algebra::plus(into[i], block[i]);
                break;
            case Kind::constant:
                into[0] = Algebra::plus(into[0], total(block));
                break;
            case Kind::scattered:
                for (std::size_t i = 0; i < block_; ++i) {
                    Value& one = into[part.places[i]];
                    one = Algebra::plus(one, block[i]);
                }
                break;
        }
    }

  private:
    static constexpr std::size_t most_block = 1024;
    static constexpr std::size_t most_entries_without_pause = std::size_t{1} << 24;

    // How the entries of a table lie along a block: side by side as there, at places, or one for
    // all.
    enum class Kind { contiguous, scattered, constant };

    struct Part {
        Value* values = nullptr;
        Kind kind = Kind::constant;
        std::vector<std::uint32_t> places;  // of each entry of a block
        std::vector<std::ptrdiff_t> steps;  // to the next block, by the outer axis that advances
    };

    std::size_t size_of(std::size_t axis) const {
        return static_cast<std::size_t>(sizes_[static_cast<std::size_t>(axes_[axis])]);
    }

    void copy(Value* block, const Part& part) const {
        const Value* const from = part.values;
        switch (part.kind) {
            case Kind::contiguous:
                std::copy_n(from, block_, block);
                break;
            case Kind::constant:
                std::fill_n(block, block_, from[0]);
                break;
            case Kind::scattered:
                for (std::size_t i = 0; i < block_; ++i) block[i] = from[part.places[i]];
                break;
        }
    }

    // The sum of a block, over four lanes in a fixed order: fast, and the same in every build.
    Value total(const Value* block) const {
        Value lanes[4] = {Algebra::zero, Algebra::zero, Algebra::zero, Algebra::zero};
        std::size_t i = 0;
        for (; i + 4 <= block_; i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane)
                lanes[lane] = Algebra::plus(lanes[lane], block[i + lane]);
        for (; i < block_; ++i) lanes[0] = Algebra::plus(lanes[0], block[i]);
        return Algebra::plus(Algebra::plus(lanes[0], lanes[1]), Algebra::plus(lanes[2], lanes[3]));
    }

    std::span<const int> axes_, sizes_;
    std::size_t inner_ = 0;  // axes within a block
    std::size_t block_ = 1, outer_steps_ = 1, parts_ = 0;
    std::vector<Part> tables_;
    std::vector<Value> spare_;
    std::vector<std::size_t> counter_;
};

}  // namespace noisyor
