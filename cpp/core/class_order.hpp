// Weights of classes, and an order of classes, that depend on their rows but not on the order of
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planetree {

struct ClassRows {
    const double* x;                // m x n, row major
    const std::int64_t* row_class;  // m, below k
    const double* weight;           // m
    std::size_t m;
    int n, k;
};

// Weight of each class: the exact sum, rounded once. It does not read x.
std::vector<double> class_totals(const ClassRows& rows);

// Rank of each class by its weight, then by the means of (x - center) / scale, rounded, the largest
// first; classes that these do not tell apart share a rank.
std::vector<std::int64_t> class_ranks(const ClassRows& rows, const std::vector<double>& totals,
                                      const double* center, const double* scale);

}  // namespace planetree
