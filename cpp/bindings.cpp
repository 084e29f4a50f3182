// The only file that knows Python: every function of the core as planetree._core sees it.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, module) { module.doc() = "The compiled core of planetree."; }
