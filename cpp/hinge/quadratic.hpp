// Piecewise-quadratic programs:
//
//     min over z   1/2 sum_c charge_c max(0, 1 - s_c z)^2  +  l2/2 sum_a |w_a - mean of all w|^2
//
// where s_c holds a row against a rival class (tiles.hpp) and a runs over all classes, the one with
// its block fixed at zero too. The function is convex and its slope continuous; on the z that leave
// the same constraints violated it is a quadratic. Newton's method minimizes that quadratic,
// searches the line exactly, and has found the minimum as soon as a full step leaves the violated
// constraints the same. Unknowns beyond a few hundred take conjugate gradients in place of a
// factorization; more features than rows are first written in a basis of the rows' span.
//
// For any a >= 0, since max(0, v)^2 charge/2 >= a v - a^2 / (2 charge), with u = sum_c a_c s_c,
//
//     f(z)  >=  sum_c (a_c - a_c^2 / (2 charge_c))  -  u z  +  l2/2 sum_a |w_a - mean|^2
//
// which bounds the minimum: the last two terms are least at -|u|^2 / (2 l2), or must balance. They
// balance exactly or the bound is not one: quadratic_bound.cpp proves that multipliers which do are
// so near to those known that the bound loses next to nothing. It is rounded down by more than its
// rounding, and holds for the exact rows of which the tiles are a rounding.
#pragma once

#include "hinge/program.hpp"

namespace planetree {

// answer.z is where it starts, and where it ends. At most `max_steps` steps are taken.
void solve_quadratic(const Tiles& tiles, double l2, long max_steps, HingeAnswer& answer,
                     Watch& watch);

// The gradient of 1/2 sum_a |w_a - mean|^2, without the blocks that are fixed at zero.
std::vector<double> centered(const Shape& shape, const double* z);

// The value at z, and the bound that the multipliers a_c = charge_c max(0, 1 - s_c z) prove; 0 if
// time runs out. Without a penalty, multipliers that balance some `unknowns` balance all, where the
// others are their exact combinations in the violated constraints; none named means all.
Certificate certify_quadratic(const Tiles& tiles, double l2, const std::vector<double>& z,
                              const std::vector<int>& unknowns, Watch& watch);

}  // namespace planetree
