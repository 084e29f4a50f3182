// Newton's method on the smoothed program: near the exact optimum in a handful of passes.
//
// The hinge max(0, -r) is replaced by a parabola for |r| < h, the absolute value likewise. The
// Hessian is then the Gram matrix of the constraints inside the band |r| < h alone, which shrinks
// with h. The steps are damped; a Levenberg term grows whenever a line search fails.
#pragma once

#include <vector>

#include "hinge/simplex.hpp"

namespace planetree {

// Improves z by steps with smoothing `from`, shrinking to `to`; returns the number of steps. The
// last width is left when a step would gain less than `least_gain` times that width's charge.
int smooth_newton(const Kinked& program, double from, double to, double least_gain,
                  std::vector<double>& z, Watch& watch);

}  // namespace planetree
