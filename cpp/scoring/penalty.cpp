#include "scoring/penalty.hpp"

#include <limits>

namespace noisyor {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

template <int W>
Penalty<W>::Penalty(const PenaltySpec& spec, const SearchContext<W>& context)
    : spec_(spec),
      context_(context),
      fewest_{std::numeric_limits<int>::max()},
      most_{0},
      least_added_{kInfinity},
      saved_by_weights_{0},
      saved_by_steps_{0} {
    if (!spec.weights.empty()) {
        for (const int v : context.order) weights_.push_back(spec.weights[index(v)]);
    }
    SetNode<W> root;
    root.parents = context.required;
    root.size = context.required.size();
    root.states = context.table.states_of(root.parents);
    root.tail = context.candidates;
    const int largest = root.size + room(root);
    if (!spec.by_size.empty() && largest > 1) {
        size_step_ = std::max(0.0, spec.of_size(largest) - spec.of_size(largest - 1));
    }
    double least_weight = weights_.empty() ? 0 : kInfinity;
    for (int t = 0; t < context.candidates; ++t) {
        const int own = context.table.states[index(t)];
        const double weight = weights_.empty() ? 0 : weights_[index(t)];
        fewest_.push_back(std::min(fewest_.back(), own));
        most_.push_back(std::max(most_.back(), own));
        least_weight = std::min(least_weight, weight);
        saved_by_weights_.push_back(saved_by_weights_.back() + std::min(0.0, weight));
        least_added_.push_back(least_weight < 0 ? saved_by_weights_.back() : least_weight);
        saved_by_steps_.push_back(saved_by_steps_.back() + std::min(0.0, step_of(t)));
    }
    least_ = of(root);
    if (room(root) > 0) least_ = std::min(least_, below(root));
}

template <int W>
double Penalty<W>::of_function(const VariableSet<W>& parents) const {
    return spec_.function(context_.callers_variables(parents));
}

template <int W>
double Penalty<W>::of(const VariableSet<W>& parents) const {
    const double parameters =
        spec_.function ? of_function(parents) : spec_.of_states(context_.table.states_of(parents));
    return parameters + spec_.of_size(parents.size()) + weight_of(parents);
}

template <int W>
VariableSet<W> Penalty<W>::affordable(const SetNode<W>& node, const VariableSet<W>& candidates,
                                      double limit) const {
    if (spec_.function) return candidates;
    const double others =
        least_size_below(node) + weight_of(node.parents) + saved_by_weights_[index(node.tail)];
    if (weights_.empty() && with(node, most_[index(node.tail)]) + others <= limit) {
        return candidates;
    }
    VariableSet<W> left = candidates;
    candidates.for_each([&](int v) {
        // A weight below 0 is among those of the others already.
        const double weight = weights_.empty() ? 0 : std::max(0.0, weights_[index(v)]);
        if (with(node, context_.table.states[index(v)]) + others + weight > limit) left.erase(v);
    });
    return left;
}

// The parameters grow by as much, at least, as they do with the variable as the first parent.
template <int W>
double Penalty<W>::step_of(int variable) const {
    const double parameters =
        (spec_.per_state + spec_.per_configuration) * (context_.table.states[index(variable)] - 1);
    const bool priced = !spec_.function && !spec_.by_configurations;
    return (priced ? spec_.price * parameters : 0) + size_step_ +
           (weights_.empty() ? 0 : weights_[index(variable)]);
}

template <int W>
std::vector<double> Penalty<W>::least_steps() const {
    std::vector<double> steps;
    for (std::size_t t = 0; t < context_.table.states.size(); ++t) {
        steps.push_back(std::max(0.0, step_of(static_cast<int>(t))));
    }
    return steps;
}

template <int W>
double Penalty<W>::base(const SetNode<W>& node) const {
    double saved = saved_by_steps_[index(node.tail)];
    const int most = room(node);
    if (!spec_.by_size.empty() && most > 0) {
        const double own = spec_.of_size(node.size);
        const auto grown = [&](int parents) {
            return spec_.of_size(node.size + parents) - own - size_step_ * parents;
        };
        saved += std::min({0.0, grown(1), grown(most)});
    }
    return of(node) + saved;
}

template class Penalty<1>;
template class Penalty<2>;
template class Penalty<4>;
template class Penalty<16>;
template class Penalty<64>;

}  // namespace noisyor
