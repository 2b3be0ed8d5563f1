// Each part of the kernels adds its own functions to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace noisyor {

void bind_fitting(nanobind::module_& m);
void bind_scoring(nanobind::module_& m);
void bind_climbing(nanobind::module_& m);
void bind_bounds(nanobind::module_& m);
void bind_lattice(nanobind::module_& m);
void bind_diagram(nanobind::module_& m);
void bind_member_counts(nanobind::module_& m);
void bind_members(nanobind::module_& m);
void bind_chains(nanobind::module_& m);
void bind_inference(nanobind::module_& m);

}  // namespace noisyor
