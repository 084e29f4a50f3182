// Planes with w = 0 decide nothing. Where they are optimal, another optimum may have w other than
// 0; with the charges of the robust program it always does (Bennett 1993, Theorems 3.8 and 5.6).
//
// The optima are a face of the epigraph. A reward for some direction of w, too small to pay for
// leaving the face, leads to a corner of it; one for the opposite direction to another corner. A
// direction that is generic in the span of the rows finds w = 0 at both only if the face has no
// other w.
#pragma once

#include "hinge/program.hpp"

namespace planetree {

// From an optimum with w = 0 to one with another w, if there is one.
void find_normal(const Kinked& program, HingeAnswer& answer, Watch& watch);

}  // namespace planetree
