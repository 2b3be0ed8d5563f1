// Causes that act independently of each other, as factors.
#pragma once

#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "inference/factors.hpp"
#include "inference/graph.hpp"

namespace noisyor {

// Turns children of causes into factors. With S_t the product of the q's of level t of all causes
// that are there, a child is at level y with the chance
//
//     P(y) = (1 - S_y) * S_(y+1) * ... * S_m          (and 1 - S_0 is replaced by 1).
//
// So a child observed at its lowest level is a product of one factor per cause. One observed at y
// is such a product for the levels above y, times 1 - S_y, which is a noisy-OR whose effect is
// present. One that is not observed, and has many causes, gets auxiliary variables, "the highest
// level that these causes brought about", each of which depends on another one and on one more
// cause, or on two others. All terms are positive, so nothing cancels (Heckerman and Breese, 1996).
//
// Which causes are put together first is found with each such node as a star, its centre adjacent
// to its causes. The elimination of the stars is a tree, and levels are passed on along it. Where
// two branches meet that have the levels of many effects each, all of these are there twice until
// they are put together. Then a chain is better: all causes in one sequence, each added to the
// levels of its effects, of which few are to be remembered at a time.
class EffectFactors {
  public:
    // Adds to `result`, which must outlive this; nothing more once that would take more than
    // `most_bytes`.
    EffectFactors(const NetworkView& network, std::span<const std::uint8_t> known,
                  Decomposition decomposition, double most_bytes, Factors& result)
        : network_(network),
          known_(known),
          decomposition_(decomposition),
          most_bytes_(most_bytes),
          result_(result) {}

    void add(int child);

    // Adds the trees, whose shape depends on all other factors; `together` are variables that some
    // cluster must contain.
    void finish(std::span<const int> together);

  private:
    using Numbers = std::span<const double>;

    // A parent that is not known: its q's by state, then by level.
    struct Parent {
        int parent;
        Numbers q;
    };

    // What is to be turned into factors: an effect of levels 0 to m. `fixed` are the q's by level
    // of the leak and of each known cause; `stay` is their product and `act` is 1 minus it, which
    // is not found by subtraction: that would cancel where it is small. The effect is a variable of
    // the network, or -1 if it is known to be at its only level above 0.
    struct Node {
        int effect;
        int levels;
        bool reversed;
        std::vector<Parent> causes;
        std::vector<Numbers> fixed;
        std::vector<double> stay, act;
    };

    int states(int v) const { return result_.states[static_cast<std::size_t>(v)]; }
    std::uint8_t known(int v) const { return known_[static_cast<std::size_t>(v)]; }
    Numbers level_of(Numbers q, std::size_t level, std::size_t levels);
    Node node_of(int child) const;
    void add_observed(Node node, int level);
    void add_node(Node node);
    double table_entries(const Node& node) const;
    double least_chain_entries(const Node& node) const;
    bool is_small(const Node& node) const;
    void add_expanded(const Node& node);
    void add_failures(const Node& node, int effect, bool reversed);
    void add_failures_of(const Parent& cause, int levels, int effect, bool reversed);
    void add_failures_of(Numbers q, int effect, bool reversed);
    struct Part;
    void add_trees(const Elimination& stars, std::span<const int> centres);
    void add_chains(std::span<const int> sequence);
    std::vector<int> sequence_of(const Graph& graph, std::span<const int> states) const;
    double entries_in_order() const;
    int add_parts(Node& node, std::span<const Part> parts, bool all);
    int auxiliary(const Node& node);
    int known_level(Node& node);
    static void forget_known(Node& node);
    void add_link(Node& node, const Parent& cause, int before, int now, bool reversed);
    void add_maximum(const Node& node, int first, int second, int now, bool reversed);

    const NetworkView& network_;
    std::span<const std::uint8_t> known_;
    Decomposition decomposition_;
    double most_bytes_;
    Factors& result_;
    std::vector<Node> wide_;
    std::deque<std::vector<double>> levels_;  // q's of one level, which nodes refer to
};

}  // namespace noisyor
