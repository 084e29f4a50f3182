// This folder alone knows Python: every function of the core as planetree._core sees it.
#include "bindings/module.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of planetree.";
    nanobind::set_leak_warnings(false);  // the core never prints
    planetree::bind_columns(module);
    planetree::bind_proofs(module);
    planetree::bind_hinge(module);
    planetree::bind_max_norm(module);
    planetree::bind_neighbors(module);
    planetree::bind_c45(module);
    planetree::bind_grading(module);
    planetree::bind_changes(module);
}
