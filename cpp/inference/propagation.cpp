#include "inference/propagation.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "inference/cluster_tree.hpp"

namespace noisyor {
namespace {

// Below this many entries a second order of elimination takes longer than it can save.
constexpr double few_entries = 1 << 14;

// With more variables, an elimination ends once its tables are above the limit. With fewer it goes
// on to its end, which does not take long and gives the size that a refusal tells.
constexpr std::size_t many_variables = 2000;

// To plan one question takes about as long as so many entries per variable.
constexpr double entries_per_plan = 2000;

constexpr double impossible = -std::numeric_limits<double>::infinity();

struct Plan {
    Factors factors;
    Elimination elimination;
    Size size;
    bool refused = false;
};

std::size_t at(int v) { return static_cast<std::size_t>(v); }

// The tables of one elimination: those of the messages both ways, and the factors.
Size size_of(const Elimination& elimination, const Factors& factors) {
    const double stored = 2 * elimination.messages + static_cast<double>(factors.entries());
    return {elimination.entries, sizeof(double) * stored};
}

// Finds the factors and the clusters; `together` are variables that some cluster must contain.
Plan plan_for(const NetworkView& network, const Findings& findings,
              std::span<const std::uint8_t> known, std::span<const char> relevant,
              Decomposition decomposition, std::span<const int> together, const Size& limit) {
    Plan plan{
        reduce(network, findings, known, relevant, decomposition, together, limit.bytes), {}, {}};
    const Factors& factors = plan.factors;
    const auto too_large = [&](const Size& size) {
        return size.entries > limit.entries || size.bytes > limit.bytes;
    };
    plan.size = {std::max(factors.least_entries, factors.least_bytes / sizeof(double)),
                 factors.least_bytes};
    if (too_large(plan.size)) {
        plan.refused = true;
        return plan;
    }
    Graph graph(static_cast<int>(factors.states.size()));
    for (std::size_t i = 0; i < factors.size(); ++i) graph.connect(factors.scope(i));
    graph.connect(together);
    graph.finish();
    const double most = factors.states.size() > many_variables
                            ? limit.entries
                            : std::numeric_limits<double>::infinity();
    plan.elimination = factors.order.empty()
                           ? eliminate_all(graph, factors.states, Next::fewest_edges, most)
                           : eliminate_in(factors.order, graph, factors.states);
    const auto try_order = [&](Next next) {
        if (plan.elimination.entries <= few_entries) return;
        Elimination other = eliminate_all(graph, factors.states, next, plan.elimination.entries);
        if (other.entries < plan.elimination.entries) plan.elimination = std::move(other);
    };
    if (!factors.order.empty()) try_order(Next::fewest_edges);
    try_order(Next::smallest_table);
    plan.size = size_of(plan.elimination, factors);
    plan.refused = plan.elimination.ended_early || too_large(plan.size);
    return plan;
}

// Calls read(tree) on a tree after the first pass, with probabilities, or with those of any size if
// a product became too small for a number, or a ratio of such products too large. Returns the
// logarithm of the factors' sum.
template <class Read>
double propagate(const Plan& plan, const Pause& pause, Read&& read) {
    const auto run = [&](auto tree) {
        tree.collect();
        if (tree.log_total() > impossible) read(tree);
        return tree.log_total();
    };
    std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
    const double log_total = run(ClusterTree<Linear>(plan.elimination, plan.factors, pause));
    if (!std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW)) return log_total;
    return run(ClusterTree<Scaled>(plan.elimination, plan.factors, pause));
}

// Writes values, in proportion, as numbers that sum to one.
template <class Algebra>
void write_shares(std::span<const typename Algebra::Value> values, double* into) {
    typename Algebra::Value total = Algebra::zero;
    for (const auto value : values) total = Algebra::plus(total, value);
    for (const auto value : values) *into++ = Algebra::number(Algebra::ratio(value, total));
}

// The largest logarithm of a probability; likelihoods may be above 1.
double highest_log(const Findings& findings) {
    return findings.soft.empty() ? 0.0 : std::numeric_limits<double>::infinity();
}

// Variables that are asked for in one tree.
struct Question {
    std::vector<int> asked;
    std::size_t relevant;  // how many variables matter
    Plan plan;
};

Question question_of(const NetworkView& network, const Findings& findings,
                     std::span<const std::uint8_t> known, std::vector<int> asked,
                     std::span<const char> targets, const Size& limit) {
    const std::vector<char> relevant = relevant_variables(network, findings, targets);
    const auto count = static_cast<std::size_t>(std::count(relevant.begin(), relevant.end(), 1));
    return {std::move(asked), count,
            plan_for(network, findings, known, relevant, Decomposition::small_tables, {}, limit)};
}

// All entries that are computed, and the most bytes that are stored at a time: the factors of all
// questions, and the messages of one.
Size size_of(std::span<const Question> questions) {
    Size size;
    double most_messages = -std::numeric_limits<double>::infinity();
    for (const Question& one : questions) {
        const double factors = sizeof(double) * static_cast<double>(one.plan.factors.entries());
        size.entries += one.plan.size.entries;
        size.bytes += factors;
        most_messages = std::max(most_messages, one.plan.size.bytes - factors);
    }
    size.bytes += most_messages;
    return size;
}

// Replaces one question by one for each variable, if these have fewer entries together: for each of
// them fewer others matter. Tried only where finding their plans takes a small part of the time.
void ask_apart(const NetworkView& network, const Findings& findings,
               std::span<const std::uint8_t> known, const Size& limit,
               std::vector<Question>& questions) {
    const Question& all = questions[0];
    const auto count = static_cast<double>(all.asked.size());
    const auto relevant = static_cast<double>(all.relevant);
    if (count < 2 || all.plan.size.entries < entries_per_plan * count * relevant) return;
    const double most = all.plan.refused ? limit.entries : 0.9 * all.plan.size.entries;
    std::vector<Question> apart;
    double entries = 0, stored = 0;
    // Those that come last in the network have the largest tables, and end a vain trial at once.
    for (auto v = all.asked.rbegin(); v != all.asked.rend(); ++v) {
        std::vector<char> target(at(network.variables));
        target[at(*v)] = 1;
        apart.push_back(question_of(network, findings, known, {*v}, target, limit));
        entries += apart.back().plan.size.entries;
        stored += sizeof(double) * static_cast<double>(apart.back().plan.factors.entries());
        if (apart.back().plan.refused || entries > most || stored > limit.bytes) return;
    }
    if (size_of(apart).bytes > limit.bytes) return;
    questions = std::move(apart);
}

// The trees that give the chances of all targets.
std::vector<Question> questions_for(const NetworkView& network, const Findings& findings,
                                    std::span<const std::uint8_t> known,
                                    std::span<const char> targets, const Size& limit) {
    std::vector<int> asked;
    for (int v = 0; v < network.variables; ++v)
        if (targets[at(v)] && known[at(v)] == Findings::unknown) asked.push_back(v);
    std::vector<Question> questions;
    questions.push_back(question_of(network, findings, known, std::move(asked), targets, limit));
    ask_apart(network, findings, known, limit, questions);
    return questions;
}

}  // namespace

Size marginals_size(const NetworkView& network, const Findings& findings,
                    std::span<const char> targets, const Size& limit) {
    const std::vector<std::uint8_t> known = known_states(network, findings);
    return size_of(questions_for(network, findings, known, targets, limit));
}

Answer marginals(const NetworkView& network, const Findings& findings,
                 std::span<const char> targets, const Size& limit, const Pause& pause) {
    const std::vector<std::uint8_t> known = known_states(network, findings);
    const std::vector<Question> questions = questions_for(network, findings, known, targets, limit);
    std::vector<std::size_t> offsets{0};
    for (int v = 0; v < network.variables; ++v)
        offsets.push_back(offsets.back() + at(network.states[v]));
    Answer answer{impossible, size_of(questions), questions[0].plan.refused,
                  std::vector<double>(offsets.back())};
    if (answer.refused || questions[0].plan.factors.log_constant == impossible) return answer;
    for (const Question& one : questions) {
        answer.log_evidence = propagate(one.plan, pause, [&](auto& tree) {
            using Algebra = typename std::remove_cvref_t<decltype(tree)>::Numbers;
            tree.distribute(one.asked);
            for (const int v : one.asked)
                write_shares<Algebra>(tree.distribution(v), answer.values.data() + offsets[at(v)]);
        });
        if (answer.log_evidence == impossible) return answer;
    }
    answer.log_evidence = std::min(highest_log(findings), answer.log_evidence);  // despite rounding
    for (int v = 0; v < network.variables; ++v)
        if (targets[at(v)] && known[at(v)] != Findings::unknown)
            answer.values[offsets[at(v)] + known[at(v)]] = 1;
    return answer;
}

Answer joint(const NetworkView& network, const Findings& findings,
             std::span<const std::int32_t> variables, const Size& limit, const Pause& pause) {
    const std::vector<std::uint8_t> known = known_states(network, findings);
    std::vector<char> targets(at(network.variables));
    for (const int v : variables) targets[at(v)] = 1;
    // Variables of a single state are in no table; they do not change the order of the entries.
    std::vector<int> left;
    for (const int v : variables)
        if (known[at(v)] == Findings::unknown) left.push_back(v);
    const std::vector<char> relevant = relevant_variables(network, findings, targets);
    const Plan plan =
        plan_for(network, findings, known, relevant, Decomposition::small_tables, left, limit);
    Answer answer{impossible, plan.size, plan.refused, {1.0}};
    if (plan.refused || plan.factors.log_constant == impossible) return answer;
    answer.log_evidence = propagate(plan, pause, [&](auto& tree) {
        using Algebra = typename std::remove_cvref_t<decltype(tree)>::Numbers;
        if (left.empty()) return;
        const auto values = tree.joint(left);
        answer.values.resize(values.size());
        write_shares<Algebra>(values, answer.values.data());
    });
    answer.log_evidence = std::min(highest_log(findings), answer.log_evidence);
    return answer;
}

Answer most_probable(const NetworkView& network, const Findings& findings, const Size& limit,
                     const Pause& pause) {
    const std::vector<std::uint8_t> known = known_states(network, findings);
    // Before anything is written down: many wide nodes of causes would fill the memory.
    const double entries = expanded_entries(network, known);
    const Size expanded{entries, 3 * sizeof(double) * entries};  // twice more on the way
    if (expanded.entries > limit.entries || expanded.bytes > limit.bytes)
        return {impossible, expanded, true, {}};
    const std::vector<char> everything(at(network.variables), 1);
    const Plan plan =
        plan_for(network, findings, known, everything, Decomposition::full_tables, {}, limit);
    Answer answer{impossible, plan.size, plan.refused, {}};
    if (plan.refused || plan.factors.log_constant == impossible) return answer;
    ClusterTree<Likeliest> tree(plan.elimination, plan.factors, pause);
    tree.collect();
    answer.log_evidence = std::min(highest_log(findings), tree.log_total());
    if (answer.log_evidence == impossible) return answer;
    std::vector<int> states(plan.factors.states.size());
    tree.trace(plan.elimination.order, states);
    for (std::size_t v = 0; v < known.size(); ++v)
        answer.values.push_back(known[v] == Findings::unknown ? states[v] : known[v]);
    return answer;
}

Draws draws(const NetworkView& network, const Findings& findings, const DrawPoints& points,
            const Size& limit, const Pause& pause) {
    const std::vector<std::uint8_t> known = known_states(network, findings);
    const std::vector<char> everything(at(network.variables), 1);
    const Plan plan =
        plan_for(network, findings, known, everything, Decomposition::small_tables, {}, limit);
    Draws found{{impossible, plan.size, plan.refused, {}}, {}, {}};
    if (plan.refused || plan.factors.log_constant == impossible) return found;
    std::vector<int> states(plan.factors.states.size());
    found.answer.log_evidence = propagate(plan, pause, [&](auto& tree) {
        found.states.clear();  // of a first try, whose products became too small
        found.counts.clear();
        tree.draw(plan.elimination.order, points, states, [&](std::uint64_t count) {
            for (std::size_t v = 0; v < known.size(); ++v)
                found.states.push_back(known[v] == Findings::unknown
                                           ? static_cast<std::uint8_t>(states[v])
                                           : known[v]);
            found.counts.push_back(static_cast<std::int64_t>(count));
        });
    });
    found.answer.log_evidence = std::min(highest_log(findings), found.answer.log_evidence);
    return found;
}

}  // namespace noisyor
