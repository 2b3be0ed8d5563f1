// Clusters, and systems of cuts, as Python passes them.
#pragma once

#include "arrays.hpp"
#include "search/cut_system.hpp"

namespace noisyor {

inline ClusterArrays cluster_arrays(Matrix<Word> members, Vector1<std::int32_t> needs,
                                    Vector1<std::int64_t> first_class, Matrix<Word> classes) {
    return {needs.shape(0), members.data(), needs.data(), first_class.data(), classes.data()};
}

inline CutArrays cut_arrays(Matrix<Word> sets, Vector1<std::int32_t> needs,
                            Vector1<std::int64_t> first_class, Matrix<Word> classes,
                            Vector1<std::int64_t> first_part, Vector1<std::int64_t> parts) {
    return {cluster_arrays(sets, needs, first_class, classes), first_part.data(), parts.data()};
}

}  // namespace noisyor
