// An undirected graph, and an order in which to eliminate its variables.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace noisyor {

// Neighbours of all variables are in one array, each with room to grow.
class Graph {
  public:
    explicit Graph(int variables)
        : lists_(static_cast<std::size_t>(variables)),
          contained_(static_cast<std::size_t>(variables)) {}

    int variables() const { return static_cast<int>(lists_.size()); }
    // Makes the variables a clique; a single one becomes part of the graph. `finish` comes last.
    void connect(std::span<const int> variables);
    // Sorts the neighbours, each once.
    void finish();
    bool contains(int v) const { return contained_[static_cast<std::size_t>(v)] != 0; }
    bool adjacent(int a, int b) const;
    // The neighbours of v, ascending.
    std::span<const int> neighbours(int v) const {
        const List& list = lists_[static_cast<std::size_t>(v)];
        return {pool_.data() + list.begin, list.size};
    }
    int degree(int v) const { return static_cast<int>(neighbours(v).size()); }
    void add_edge(int a, int b);
    // Takes v out, with its edges.
    void remove(int v);
    // Makes v one with another variable, which gets its neighbours.
    void merge(int v, int into);

  private:
    struct List {
        std::size_t begin = 0, size = 0, room = 0;
    };

    void insert(int v, int neighbour);
    void erase(int v, int neighbour);

    std::vector<List> lists_;
    std::vector<int> pool_;
    std::vector<char> contained_;
    std::vector<std::pair<int, int>> edges_;  // until `finish`
};

// Variables in the order of their elimination; each with its neighbours at that time. A table of a
// variable and its neighbours has as many entries as these have states together: `entries` is the
// sum over all variables, and `messages` that without the variable itself. They are at least so
// large if the elimination ended early.
struct Elimination {
    std::vector<int> order;
    std::vector<int> all_neighbours;
    std::vector<std::size_t> ends;  // of each variable's neighbours
    double entries = 0;
    double messages = 0;
    bool ended_early = false;

    std::span<const int> neighbours(std::size_t t) const {
        const std::size_t begin = t ? ends[t - 1] : 0;
        return {all_neighbours.data() + begin, ends[t] - begin};
    }
};

// What to eliminate next: the variable that adds the fewest edges, or that of the smallest table.
enum class Next { fewest_edges, smallest_table };

// Eliminates all variables that something was connected to. On a tie the other measure decides,
// then the first variable. Ends early once the tables have more than `most` entries.
Elimination eliminate_all(Graph graph, std::span<const int> states, Next next, double most);

// Eliminates variables in a given order, which has all that something was connected to.
Elimination eliminate_in(std::span<const int> order, const Graph& graph,
                         std::span<const int> states);

// A number of neighbours that some variable has at its elimination, whatever the order: the
// treewidth is at least the least degree of any minor, and one edge after another is contracted, of
// a variable of least degree (Bodlaender, Koster, Wolle, 2004: contraction degeneracy).
int least_neighbours(Graph graph);

}  // namespace noisyor
