#include "inference/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace noisyor {
namespace {

std::size_t at(int v) { return static_cast<std::size_t>(v); }

// Calls each(v) for the variables of both lists, which ascend.
template <class Each>
void for_common(std::span<const int> a, std::span<const int> b, Each&& each) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j])
            each(a[i]), ++i, ++j;
        else if (a[i] < b[j])
            ++i;
        else
            ++j;
    }
}

// The graph during an elimination, with the measures by which the next variable is chosen.
class Eliminating {
  public:
    Eliminating(Graph graph, std::span<const int> states, Next next)
        : graph_(std::move(graph)),
          states_(states),
          next_(next),
          missing_(at(graph_.variables())),
          keys_(at(graph_.variables())),
          stale_(at(graph_.variables())),
          few_(graph_.variables() <= few_variables) {
        std::vector<int> seen(at(graph_.variables()), -1);
        for (int v = 0; v < graph_.variables(); ++v) {
            if (!graph_.contains(v)) continue;
            missing_[at(v)] = missing_among_neighbours(v, seen);
            refresh(v);
        }
    }

    // The variable to eliminate next, or -1 if none is left.
    int pick() {
        if (few_) {
            const Key best = *std::min_element(keys_.begin(), keys_.end());
            return best.variable;
        }
        while (!waiting_.empty()) {
            const Key key = waiting_.top();
            waiting_.pop();
            if (key == keys_[at(key.variable)]) return key.variable;
        }
        return -1;
    }

    std::span<const int> neighbours(int v) const { return graph_.neighbours(v); }

    // The entries of a table of v's neighbours.
    double size_of_neighbours(int v) const {
        double size = 1;
        for (const int u : graph_.neighbours(v)) size *= states_[at(u)];
        return size;
    }

    // Makes the neighbours of v a clique and takes v out.
    void eliminate(int v) {
        near_.assign(graph_.neighbours(v).begin(), graph_.neighbours(v).end());
        const std::vector<int>& near = near_;
        for (std::size_t i = 0; i < near.size() && missing_[at(v)] > 0; ++i)
            for (std::size_t j = i + 1; j < near.size(); ++j)
                if (!graph_.adjacent(near[i], near[j])) add_edge(near[i], near[j]);
        for (const int u : near) {
            // Of the edges that u's neighbours lack, those at v end: v lacks those to variables
            // that are not its own neighbours.
            missing_[at(u)] -= graph_.degree(u) - static_cast<int>(near.size());
            mark(u);
        }
        graph_.remove(v);
        keys_[at(v)] = Key{};
        for (const int u : changed_) {
            stale_[at(u)] = 0;
            if (u != v) refresh(u);
        }
        changed_.clear();
    }

  private:
    // With more, the next one is found by a heap instead of looking at all.
    static constexpr int few_variables = 150;

    struct Key {
        double first = std::numeric_limits<double>::infinity(), second = 0;
        int variable = -1;
        auto operator<=>(const Key&) const = default;
    };

    std::int64_t missing_among_neighbours(int v, std::vector<int>& seen) const {
        const std::span<const int> near = graph_.neighbours(v);
        for (const int u : near) seen[at(u)] = v;
        std::int64_t present = 0;
        for (const int u : near)
            for (const int t : graph_.neighbours(u)) present += seen[at(t)] == v;
        const auto degree = static_cast<std::int64_t>(near.size());
        return (degree * (degree - 1) - present) / 2;
    }

    void refresh(int v) {
        const auto edges = static_cast<double>(missing_[at(v)]);
        const double entries = size_of_neighbours(v) * states_[at(v)];
        keys_[at(v)] =
            next_ == Next::fewest_edges ? Key{edges, entries, v} : Key{entries, edges, v};
        if (!few_) waiting_.push(keys_[at(v)]);
    }

    void mark(int v) {
        if (stale_[at(v)]) return;
        stale_[at(v)] = 1;
        changed_.push_back(v);
    }

    void add_edge(int a, int b) {
        std::int64_t common = 0;
        for_common(graph_.neighbours(a), graph_.neighbours(b), [&](int c) {
            --missing_[at(c)];
            ++common;
            mark(c);
        });
        missing_[at(a)] += graph_.degree(a) - common;
        missing_[at(b)] += graph_.degree(b) - common;
        graph_.add_edge(a, b);
    }

    Graph graph_;
    std::span<const int> states_;
    Next next_;
    std::vector<std::int64_t> missing_;  // edges that are missing among the neighbours
    std::vector<Key> keys_;
    std::vector<char> stale_;
    std::vector<int> changed_, near_;
    bool few_;
    // Has old keys, too; only those that `keys_` has still count.
    std::priority_queue<Key, std::vector<Key>, std::greater<>> waiting_;
};

}  // namespace

void Graph::connect(std::span<const int> variables) {
    for (const int a : variables) {
        contained_[at(a)] = 1;
        for (const int b : variables)
            if (a != b) edges_.emplace_back(a, b);
    }
}

void Graph::finish() {
    for (const auto& [a, b] : edges_) ++lists_[at(a)].room;
    std::size_t end = 0;
    for (List& list : lists_) {
        list.begin = end;
        list.room += 4;
        end += list.room;
    }
    pool_.resize(end);
    for (const auto& [a, b] : edges_) {
        List& list = lists_[at(a)];
        pool_[list.begin + list.size++] = b;
    }
    for (List& list : lists_) {
        int* const first = pool_.data() + list.begin;
        std::sort(first, first + list.size);
        list.size = static_cast<std::size_t>(std::unique(first, first + list.size) - first);
    }
    edges_.clear();
}

bool Graph::adjacent(int a, int b) const {
    const bool fewer = degree(a) < degree(b);
    const std::span<const int> list = neighbours(fewer ? a : b);
    return std::binary_search(list.begin(), list.end(), fewer ? b : a);
}

void Graph::insert(int v, int neighbour) {
    List& list = lists_[at(v)];
    if (list.size == list.room) {  // move to where there is room for twice as many
        const std::size_t begin = pool_.size();
        pool_.resize(begin + 2 * list.room);
        std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(list.begin), list.size,
                    pool_.begin() + static_cast<std::ptrdiff_t>(begin));
        list.begin = begin;
        list.room *= 2;
    }
    int* const first = pool_.data() + list.begin;
    int* const place = std::lower_bound(first, first + list.size, neighbour);
    std::copy_backward(place, first + list.size, first + list.size + 1);
    *place = neighbour;
    ++list.size;
}

void Graph::erase(int v, int neighbour) {
    List& list = lists_[at(v)];
    int* const first = pool_.data() + list.begin;
    int* const place = std::lower_bound(first, first + list.size, neighbour);
    std::copy(place + 1, first + list.size, place);
    --list.size;
}

void Graph::add_edge(int a, int b) {
    insert(a, b);
    insert(b, a);
}

void Graph::remove(int v) {
    for (const int u : neighbours(v)) erase(u, v);
    lists_[at(v)].size = 0;
}

void Graph::merge(int v, int into) {
    const std::vector<int> old(neighbours(v).begin(), neighbours(v).end());
    remove(v);
    for (const int u : old)
        if (u != into && !adjacent(u, into)) add_edge(u, into);
}

Elimination eliminate_all(Graph graph, std::span<const int> states, Next next, double most) {
    Eliminating work(std::move(graph), states, next);
    Elimination result;
    for (int v = work.pick(); v >= 0; v = work.pick()) {
        const double size = work.size_of_neighbours(v);
        result.messages += size;
        result.entries += size * states[at(v)];
        if (result.entries > most) {
            result.ended_early = true;
            return result;
        }
        result.order.push_back(v);
        const std::span<const int> near = work.neighbours(v);
        result.all_neighbours.insert(result.all_neighbours.end(), near.begin(), near.end());
        result.ends.push_back(result.all_neighbours.size());
        work.eliminate(v);
    }
    return result;
}

Elimination eliminate_in(std::span<const int> order, const Graph& graph,
                         std::span<const int> states) {
    Elimination result;
    std::vector<int> place(at(graph.variables())), seen(at(graph.variables()), -1);
    for (std::size_t t = 0; t < order.size(); ++t) place[at(order[t])] = static_cast<int>(t);
    // The neighbours of v at its turn are its own and those of the variables whose first later
    // neighbour it is, as far as they come later.
    std::vector<std::vector<int>> below(order.size());
    for (std::size_t t = 0; t < order.size(); ++t) {
        const int now = static_cast<int>(t);
        int first = static_cast<int>(order.size());
        double size = 1;
        const auto add = [&](std::span<const int> variables) {
            for (const int v : variables) {
                if (place[at(v)] <= now || seen[at(v)] == now) continue;
                seen[at(v)] = now;
                result.all_neighbours.push_back(v);
                size *= states[at(v)];
                first = std::min(first, place[at(v)]);
            }
        };
        const std::size_t begin = result.all_neighbours.size();
        for (const int v : graph.neighbours(order[t])) add({&v, 1});
        for (const int earlier : below[t]) {
            const std::vector<int> theirs(result.neighbours(at(earlier)).begin(),
                                          result.neighbours(at(earlier)).end());
            add(theirs);
        }
        result.order.push_back(order[t]);
        result.ends.push_back(result.all_neighbours.size());
        if (result.all_neighbours.size() > begin) below[at(first)].push_back(now);
        result.messages += size;
        result.entries += size * states[at(order[t])];
    }
    return result;
}

int least_neighbours(Graph graph) {
    using Key = std::pair<int, int>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> waiting;
    std::vector<char> left(at(graph.variables()), 1);
    for (int v = 0; v < graph.variables(); ++v) waiting.emplace(graph.degree(v), v);
    int bound = 0;
    while (!waiting.empty()) {
        const auto [degree, v] = waiting.top();
        waiting.pop();
        if (!left[at(v)] || degree != graph.degree(v)) continue;  // an old key
        left[at(v)] = 0;
        bound = std::max(bound, degree);
        if (!degree) continue;
        const std::vector<int> near(graph.neighbours(v).begin(), graph.neighbours(v).end());
        const int into = *std::min_element(near.begin(), near.end(), [&](int a, int b) {
            return graph.degree(a) < graph.degree(b);
        });
        graph.merge(v, into);
        for (const int u : near) waiting.emplace(graph.degree(u), u);
    }
    return bound;
}

}  // namespace noisyor
