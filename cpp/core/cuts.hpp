// The cut of one column that leaves the least impurity.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

struct Cut {
    double threshold = 0;  // between two values; rows above it go right
    double impurity = 0;   // of both sides together, times weight; infinite if no cut
};

enum class Impurity { entropy, gini };  // entropy in nats

// For each column of x (m x n, row major; NaN is missing), the cut with the least weighted impurity
// of the classes, each side with at least `least` weight. Rows with a missing value are divided
// between the sides as the others are. Once the watch has expired, cuts not yet found are infinite.
std::vector<Cut> best_cuts(const double* x, const int* row_class, const double* weight,
                           std::size_t m, int n, int k, double least, Impurity impurity,
                           Watch& watch);

}  // namespace planetree
