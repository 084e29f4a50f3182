// Sums of rows by group, with their rounding known.
//
// For each group g and column j: the sum of weight * x over its rows as two doubles, and a bound on
// what they are off the exact sum, which is 0 where all numbers are. The column after the last is
// that of the weights.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

struct GroupedRows {
    const double* x;       // m x n, row major
    const int* group;      // m; -1 for a row of no group
    const double* weight;  // m
    std::size_t m, n, groups;
};

struct GroupSums {
    std::vector<double> high, low, error;  // groups x (n + 1)
};

GroupSums group_sums(const GroupedRows& rows, Watch& watch);

}  // namespace planetree
