#include "scoring/relations.hpp"

#include <algorithm>
#include <variant>

#include "scoring/cause_search.hpp"
#include "scoring/evaluated_search.hpp"
#include "scoring/full_table_search.hpp"

namespace noisyor {
namespace {

template <int W>
struct Maker {
    const SearchContext<W>& context;
    const RelationSpec& spec;
    std::size_t number, memory;

    using Made = std::unique_ptr<const ChildRelation<W>>;
    Made operator()(const FullTableKind&) const {
        return std::make_unique<FullTableRelation<W>>(context, spec, number);
    }
    Made operator()(const CausesKind& kind) const {
        return std::make_unique<CauseRelation<W>>(context, spec, number, kind.leak, memory);
    }
    Made operator()(const EvaluatedKind& kind) const {
        return std::make_unique<EvaluatedRelation<W>>(context, spec, number, kind.evaluate);
    }
};

bool has_causes(const RelationSpec& spec) { return std::holds_alternative<CausesKind>(spec.kind); }

}  // namespace

// The memory is divided between those that remember their fits.
template <int W>
ChildRelations<W> make_relations(const SearchContext<W>& context) {
    const std::vector<RelationSpec>& specs = context.settings.relations;
    const auto remembering = std::count_if(specs.begin(), specs.end(), has_causes);
    const std::size_t memory =
        context.settings.memory / static_cast<std::size_t>(std::max<long>(1, remembering));
    ChildRelations<W> made;
    for (const RelationSpec& spec : specs) {
        made.push_back(std::visit(Maker<W>{context, spec, made.size(), memory}, spec.kind));
    }
    return made;
}

UsefulCandidates useful_candidates(const std::vector<RelationSpec>& relations) {
    UsefulCandidates useful;
    for (const RelationSpec& spec : relations) {
        if (!has_causes(spec)) continue;
        const bool leak = std::get<CausesKind>(spec.kind).leak;
        useful.irreplaceable |= !leak;
        useful.raising |= leak;
    }
    return useful;
}

template ChildRelations<1> make_relations(const SearchContext<1>&);
template ChildRelations<2> make_relations(const SearchContext<2>&);
template ChildRelations<4> make_relations(const SearchContext<4>&);

}  // namespace noisyor
