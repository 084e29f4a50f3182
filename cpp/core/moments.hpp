// Center and scale of columns, whatever their units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planetree {

// Weighted mean and standard deviation of each column of x (m x n, row major). A column with one
// value has that value as its center and scale 0. Sums are taken of numbers that a power of two has
// brought near 1, so columns in units of 1e-300 or 1e300 lose nothing.
void column_moments(const double* x, const double* weight, std::size_t m, int n, double* center,
                    double* scale);

// Keeps `bits` bits of each scale, and of each center as a share of its scale: the last bits of a
// sum depend on the order of its terms. A third of a unit keeps round numbers from the ends.
void round_moments(int bits, int n, double* center, double* scale);

// Sum of what the rows of each class exceed the center by, times their weights: k x n.
std::vector<double> class_sums(const double* x, const std::int64_t* row_class, const double* weight,
                               std::size_t m, int n, int k, const double* center);

}  // namespace planetree
