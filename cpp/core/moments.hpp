// Center and scale of columns, whatever their units.
#pragma once

#include <cstddef>
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

// What columns with missing values (NaN) held in the rows that count: least and largest number,
// standard deviation, whether all are whole, and the share of the weight that is missing. Of a
// column without numbers the first three are NaN.
struct ColumnRanges {
    std::vector<double> low, high, deviation, missing;
    std::vector<char> whole;
};
ColumnRanges column_ranges(const double* x, const double* weight, std::size_t m, int n, int bits);

}  // namespace planetree
