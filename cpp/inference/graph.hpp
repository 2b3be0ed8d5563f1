// An undirected graph, and an order in which to eliminate its variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace noisyor {

class Graph {
  public:
    explicit Graph(int variables)
        : words_((static_cast<std::size_t>(variables) + 63) / 64),
          rows_(words_ * static_cast<std::size_t>(variables)),
          contained_(static_cast<std::size_t>(variables)),
          variables_(variables) {}

    int variables() const { return variables_; }
    // Makes the variables a clique; a single one becomes part of the graph.
    void connect(std::span<const int> variables);
    bool contains(int v) const { return contained_[static_cast<std::size_t>(v)] != 0; }
    bool adjacent(int a, int b) const {
        return row(a)[static_cast<std::size_t>(b) / 64] >> (b % 64) & 1;
    }
    std::vector<int> neighbours(int v) const;
    int degree(int v) const;
    // Edges that are missing among the neighbours of v.
    std::int64_t fill(int v) const;
    // Makes the neighbours of v a clique and takes v out.
    void eliminate(int v);
    // Makes v one with another variable, which gets its neighbours.
    void merge(int v, int into);

  private:
    std::uint64_t* row(int v) { return rows_.data() + static_cast<std::size_t>(v) * words_; }
    const std::uint64_t* row(int v) const {
        return rows_.data() + static_cast<std::size_t>(v) * words_;
    }
    void set(int a, int b) { row(a)[static_cast<std::size_t>(b) / 64] |= 1ull << (b % 64); }
    void unset(int a, int b) { row(a)[static_cast<std::size_t>(b) / 64] &= ~(1ull << (b % 64)); }

    std::size_t words_;
    std::vector<std::uint64_t> rows_;
    std::vector<char> contained_;
    int variables_;
};

// Variables in the order of their elimination; each with its neighbours at that time.
struct Elimination {
    std::vector<int> order;
    std::vector<std::vector<int>> neighbours;
    bool too_large = false;
};

// Eliminates next the variable that adds the fewest edges; on a tie that of fewest neighbours, then
// the first. Leaves out those that nothing was connected to. Ends early, marked too large, at a
// variable with more than `most` neighbours.
Elimination eliminate_all(Graph graph, int most);

// A number of neighbours that some variable has at its elimination, whatever the order: the
// treewidth is at least the least degree of any minor, and one edge after another is contracted, of
// a variable of least degree (Bodlaender, Koster, Wolle, 2004: contraction degeneracy).
int least_neighbours(Graph graph);

}  // namespace noisyor
