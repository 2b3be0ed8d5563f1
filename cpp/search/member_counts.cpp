#include "search/member_counts.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "search/leaf_weights.hpp"

namespace noisyor {

void CountedSubtrees::take(CountedSubtrees&& others) {
    if (others.families_ != families_ || others.histogram.size() != histogram.size()) {
        throw std::invalid_argument("these are subtrees of another walk");
    }
    std::move(others.subtrees.begin(), others.subtrees.end(), std::back_inserter(subtrees));
    for (std::size_t i = 0; i < histogram.size(); ++i) {
        histogram[i] += others.histogram[i];
        weight_histogram[i] += others.weight_histogram[i];
    }
}

bool CountedSubtrees::complete(std::size_t expected) const {
    std::vector<bool> seen(expected);
    for (const SubtreeCounts& one : subtrees) {
        if (one.number >= expected || seen[one.number]) return false;
        seen[one.number] = true;
    }
    return subtrees.size() == expected && std::all_of(subtrees.begin(), subtrees.end(),
                                                      [](const auto& one) { return one.complete; });
}

MemberCounts CountedSubtrees::add_up() const {
    std::vector<const SubtreeCounts*> ordered;
    for (const SubtreeCounts& one : subtrees) ordered.push_back(&one);
    std::sort(ordered.begin(), ordered.end(),
              [](const auto* a, const auto* b) { return a->number < b->number; });
    MemberCounts all;
    all.counts.assign(families_, 0);
    all.weights.assign(families_, 0);
    all.least.assign(families_, kNoMember);
    for (const SubtreeCounts* one : ordered) {
        all.total += one->total;
        all.weight += one->weight;
        for (std::size_t f = 0; f < families_; ++f) {
            all.counts[f] += one->counts[f];
            all.weights[f] += one->weights[f];
            all.least[f] = std::min(all.least[f], one->least[f]);
        }
        all.marks.tasks.push_back(one->marks);
        all.nodes += one->nodes;
        if (one->any && (!all.any || one->costliest > all.costliest)) {
            all.any = true;
            all.costliest = one->costliest;
            all.costliest_choice = one->costliest_choice;
            all.costliest_outside = one->costliest_outside;
        }
    }
    all.histogram = histogram;
    for (Count w : weight_histogram) {
        all.weight_histogram.push_back(static_cast<double>(w) / kWeightScale);
    }
    return all;
}

}  // namespace noisyor
