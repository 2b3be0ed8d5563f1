// The best families of a few variables while all others keep theirs, exactly.
//
// A path that leaves the window comes back, if at all, through variables whose families are fixed.
// So a parent outside stands for the variables of the window that it descends from by such paths:
// they must come before the child. With a family's parents replaced in this way, its network is
// acyclic if and only if the window's is: a small problem, solved over the subsets of the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fitting/objective.hpp"

namespace noisyor {

using WindowSet = std::uint32_t;  // of places in a window

class WindowSearch {
  public:
    static constexpr int kMost = 18;  // variables

    // Starts anew with variables whose places are their order here. `parents` is the network.
    void reset(std::span<const int> window, const std::vector<std::vector<int>>& parents);

    // The set of the window that must come before a child of these parents.
    WindowSet before(std::span<const int> parents) const;
    // Offers a family of the child at this place. The `id` comes back if it is chosen. Returns
    // whether it may be: not if it makes a cycle, or is no cheaper than another.
    bool offer(int place, WindowSet before, double cost, std::int32_t id);

    // For each place the family of the cheapest network; empty if there is none.
    std::vector<std::int32_t> solve();

  private:
    struct Cheapest {
        double cost = kInfinity;
        std::int32_t id = -1;
    };
    std::size_t subsets() const { return std::size_t{1} << size_; }

    std::size_t size_ = 0;
    std::vector<WindowSet> above_;     // by variable of the network
    std::vector<Cheapest> families_;   // by place and set before it
    std::vector<double> costs_;        // by set: of the cheapest networks of its members
    std::vector<std::uint8_t> sinks_;  // by set: the last of its members there
};

}  // namespace noisyor
