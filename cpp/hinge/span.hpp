// Rows with more features than rows, written in an orthonormal basis of their span. A plane with
// the least squares has its normal in the span; one without a price may have it there.
#pragma once

#include <functional>
#include <vector>

#include "hinge/tiles.hpp"

namespace planetree {

// Orthonormal vectors that span the rows, one after another.
// `pulse`, if given, is called for each row and may throw.
std::vector<double> span(const Tiles& tiles, const std::function<void()>& pulse = {});
// The rows in terms of a basis.
Tiles rewrite(const Tiles& tiles, const std::vector<double>& basis);
// Unknowns of the rows as unknowns of the rewritten rows, and back.
std::vector<double> into_span(const Shape& whole, const Shape& part,
                              const std::vector<double>& basis, const std::vector<double>& z);
std::vector<double> out_of_span(const Shape& whole, const Shape& part,
                                const std::vector<double>& basis, const std::vector<double>& z);

}  // namespace planetree
