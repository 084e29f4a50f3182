// Gram matrices of the constraints of tiles: what Newton's methods have for a Hessian.
#pragma once

#include <functional>
#include <vector>

#include "hinge/tiles.hpp"

namespace planetree {

// sum += sum over constraints of weight[c] s_c s_c', the upper triangle of a matrix with a row and
// a column an unknown. A constraint of weight 0 costs nothing.
// `pulse`, if given, is called some times a second at least and may throw.
void add_gram(const Tiles& tiles, const double* weight, std::vector<double>& sum,
              const std::function<void()>& pulse = {});

// sum += the diagonal of that matrix alone.
void add_gram_diagonal(const Tiles& tiles, const double* weight, double* sum);

}  // namespace planetree
