// What the caller says about one relation: its number, what its parameters cost, and which kind it
// is, which decides how it is searched.
#pragma once

#include <functional>
#include <variant>
#include <vector>

namespace noisyor {

// A table with one distribution of the child for each configuration of the parents.
struct FullTableKind {};

// Independent causes, each present parent being one: a noisy-OR. With a leak, one more is always
// present.
struct CausesKind {
    bool leak = false;
};

// Bounds on the least -ln L of a family, the upper one attained by the parameters.
struct Evaluation {
    double lower = 0, upper = 0;
    std::vector<double> parameters;
};

// A relation of which only this function is known. It takes the parents, ascending, at least one,
// and may be called by several threads at once.
struct EvaluatedKind {
    std::function<Evaluation(const std::vector<int>&)> evaluate;
};

struct RelationSpec {
    int code = 0;                   // what it is called in the families found
    std::vector<double> penalties;  // by number of parents; they grow
    std::variant<FullTableKind, CausesKind, EvaluatedKind> kind;
};

}  // namespace noisyor
