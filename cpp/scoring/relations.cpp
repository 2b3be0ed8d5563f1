#include "scoring/relations.hpp"

#include <algorithm>

namespace noisyor {

// The memory is divided equally between those that remember their fits.
template <int W>
ChildRelations<W> make_relations(const SearchContext<W>& context) {
    const std::vector<RelationSpec>& specs = context.settings.relations;
    const auto remembering = std::count_if(specs.begin(), specs.end(), [](const auto& spec) {
        return spec.template kind<W>().remembers_fits();
    });
    const std::size_t memory =
        context.settings.memory / static_cast<std::size_t>(std::max<long>(1, remembering));
    ChildRelations<W> made;
    for (const RelationSpec& spec : specs) {
        made.push_back(spec.kind<W>().make(context, spec, made.size(), memory));
    }
    return made;
}

template ChildRelations<1> make_relations(const SearchContext<1>&);
template ChildRelations<2> make_relations(const SearchContext<2>&);
template ChildRelations<4> make_relations(const SearchContext<4>&);
template ChildRelations<16> make_relations(const SearchContext<16>&);
template ChildRelations<64> make_relations(const SearchContext<64>&);

}  // namespace noisyor
