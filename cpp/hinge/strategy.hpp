// The ways to solve a hinge program; hinge.cpp says which serves which shape.
#pragma once

#include <functional>

#include "hinge/program.hpp"

namespace planetree {

// All of these leave z and slopes in the answer; `price` has one entry an unknown.
void solve_by_simplex(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch);
void solve_tall(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch);
// True if some z gives every constraint the margin 1.
// `pulse`, if given, is called some times a second and may throw.
bool solve_by_least_norm(const Tiles& tiles, HingeAnswer& answer,
                         const std::function<void()>& pulse = {});
void solve_in_span(const Tiles& tiles, HingeAnswer& answer, Watch& watch);
void solve_by_features(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch);
// Picks one of the above.
void solve_by_shape(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch);

// Where every row that is charged is on its own side of z, and size costs less than the error,
// makes the error exactly 0.
void enlarge_to_unit_margin(const Tiles& tiles, const Prices& price, std::vector<double>& z);

Certificate certify(const Tiles& tiles, const Prices& price, const std::vector<double>& z,
                    const std::vector<double>& slopes);

}  // namespace planetree
