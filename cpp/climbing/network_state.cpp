// The network that a climber stands at.
#include <algorithm>
#include <utility>

#include "climbing/climber.hpp"

namespace noisyor {

void Climber::set_family(int child, std::vector<int> parents, const CheapestFamily& family) {
    now_.cost += family.cost - now_.families[at(child)].cost;
    now_.families[at(child)] = family;
    now_.parents[at(child)] = std::move(parents);
    freshness_[at(child)] = Freshness::kStale;
}

void Climber::set_parents(int child, std::vector<int> parents) {
    const CheapestFamily family = costs_.of(child, parents);
    set_family(child, std::move(parents), family);
}

void Climber::restore(const ClimbedNetwork& network) {
    for (int child = 0; child < n_; ++child) {
        if (now_.parents[at(child)] == network.parents[at(child)]) continue;
        set_family(child, network.parents[at(child)], network.families[at(child)]);
    }
    now_.cost = network.cost;
    find_ancestors();
}

void Climber::keep_best() {
    if (now_.cost >= best_.cost - kWorthwhile) return;
    best_.cost = 0;  // summed afresh: differences add up
    for (int child = 0; child < n_; ++child) {
        const CheapestFamily& family = now_.families[at(child)];
        best_.cost += family.cost;
        best_.families[at(child)] = family;
        if (now_.parents[at(child)] == best_.parents[at(child)]) continue;
        best_.parents[at(child)] = now_.parents[at(child)];
        pool_.add(child, best_.parents[at(child)], family);
    }
    now_.cost = best_.cost;
}

void Climber::adopt(std::vector<std::vector<int>> parents) {
    for (int child = 0; child < n_; ++child) {
        if (parents[at(child)] != now_.parents[at(child)]) {
            set_parents(child, std::move(parents[at(child)]));
        }
    }
    keep_best();
    restore(best_);
}

bool Climber::is_ancestor(int above, int below) const {
    return (ancestors_[at(below)][at(above) / kWordBits] >> (above % kWordBits)) & 1;
}

// Whether there is a directed path besides the edge itself.
bool Climber::has_other_path(int from, int to) const {
    return std::any_of(now_.parents[at(to)].begin(), now_.parents[at(to)].end(),
                       [&](int parent) { return parent != from && is_ancestor(from, parent); });
}

void Climber::find_ancestors() {
    const std::size_t words = (at(n_) + kWordBits - 1) / kWordBits;
    std::vector<int> waiting(at(n_), 0), ready;
    std::vector<std::vector<int>> children(at(n_));
    for (int child = 0; child < n_; ++child) {
        for (const int parent : now_.parents[at(child)]) children[at(parent)].push_back(child);
        waiting[at(child)] = static_cast<int>(now_.parents[at(child)].size());
        if (waiting[at(child)] == 0) ready.push_back(child);
    }
    ancestors_.resize(at(n_));
    for (auto& own : ancestors_) own.assign(words, 0);
    while (!ready.empty()) {
        const int v = ready.back();
        ready.pop_back();
        for (const int child : children[at(v)]) {
            std::vector<Word>& above = ancestors_[at(child)];
            for (std::size_t w = 0; w < words; ++w) above[w] |= ancestors_[at(v)][w];
            above[at(v) / kWordBits] |= Word{1} << (v % kWordBits);
            if (--waiting[at(child)] == 0) ready.push_back(child);
        }
    }
}

// For an edge that was added.
void Climber::add_ancestors(int from, int to) {
    std::vector<Word> above = ancestors_[at(from)];
    above[at(from) / kWordBits] |= Word{1} << (from % kWordBits);
    for (int v = 0; v < n_; ++v) {
        if (v != to && !is_ancestor(to, v)) continue;
        for (std::size_t w = 0; w < above.size(); ++w) ancestors_[at(v)][w] |= above[w];
    }
}

// Its parents, its children and their other parents, ascending.
std::vector<int> Climber::neighbours(int variable) const {
    std::vector<int> all = now_.parents[at(variable)];
    for (int child = 0; child < n_; ++child) {
        const std::vector<int>& parents = now_.parents[at(child)];
        if (!std::binary_search(parents.begin(), parents.end(), variable)) continue;
        all.push_back(child);
        all.insert(all.end(), parents.begin(), parents.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase(all, variable);
    return all;
}

}  // namespace noisyor
