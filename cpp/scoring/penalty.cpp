#include "scoring/penalty.hpp"

#include <algorithm>
#include <limits>

namespace noisyor {

template <int W>
Penalty<W>::Penalty(const PenaltySpec& spec, const SearchContext<W>& context)
    : spec_(spec), context_(context), fewest_{std::numeric_limits<int>::max()}, most_{0} {
    for (int t = 0; t < context.candidates; ++t) {
        const int own = context.table.states[static_cast<std::size_t>(t)];
        fewest_.push_back(std::min(fewest_.back(), own));
        most_.push_back(std::max(most_.back(), own));
    }
}

template <int W>
double Penalty<W>::of(const VariableSet<W>& parents) const {
    if (!spec_.function) return of_states(context_.table.states_of(parents));
    return spec_.function(context_.callers_variables(parents));
}

template <int W>
VariableSet<W> Penalty<W>::affordable(const SetNode<W>& node, const VariableSet<W>& candidates,
                                      double limit) const {
    if (spec_.function || with(node, most_[static_cast<std::size_t>(node.tail)]) <= limit) {
        return candidates;
    }
    VariableSet<W> left = candidates;
    candidates.for_each([&](int v) {
        if (with(node, context_.table.states[static_cast<std::size_t>(v)]) > limit) left.erase(v);
    });
    return left;
}

template <int W>
std::vector<double> Penalty<W>::least_steps() const {
    std::vector<double> steps;
    for (const int own : context_.table.states) {
        const double parameters = (spec_.per_state + spec_.per_configuration) * (own - 1);
        steps.push_back(spec_.function ? 0 : spec_.price * parameters);
    }
    return steps;
}

template class Penalty<1>;
template class Penalty<2>;
template class Penalty<4>;
template class Penalty<16>;
template class Penalty<64>;

}  // namespace noisyor
