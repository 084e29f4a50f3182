// Planes for a program whose time ended before any step.
#pragma once

#include "hinge/simplex.hpp"

namespace planetree {

// The best of some points on the way of steepest descent from z = 0. Where w = 0 is not optimal,
// they are planes with a normal that are better than it.
std::vector<double> first_planes(const Tiles& tiles, const Prices& price);

}  // namespace planetree
