// The parts of planetree._core, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace planetree {

void bind_columns(nanobind::module_& module);
void bind_proofs(nanobind::module_& module);
void bind_hinge(nanobind::module_& module);
void bind_max_norm(nanobind::module_& module);
void bind_neighbors(nanobind::module_& module);
void bind_c45(nanobind::module_& module);
void bind_grading(nanobind::module_& module);
void bind_changes(nanobind::module_& module);

}  // namespace planetree
