// Where the rows of a program stand at a point.
#pragma once

#include <vector>

#include "hinge/simplex.hpp"

namespace planetree {

// Residuals of all constraints at z, and the distance of each lane to its nearest kink.
struct Position {
    std::vector<double> residual;  // a constraint
    std::vector<double> distance;  // a lane; infinite for one without charge

    Position(const Tiles& tiles, const std::vector<double>& z);
};

// The objective of a program at z.
double value(const std::vector<double>& charge, const Prices& price, const std::vector<double>& z,
             const Position& at);

std::size_t count_rows(const Tiles& tiles);
Kinked kinked(const Tiles& tiles, const Prices& price);

}  // namespace planetree
