// Bounds and values of hinge programs that hold in exact arithmetic.
//
// The rows are the caller's own numbers, neither centered nor scaled: a plane of the one is a plane
// of the other. With multipliers 0 <= alpha_ij <= charge_ij and, for every plane c and feature f,
//
//     -fall_f  <=  sum_ij alpha_ij s_ij(c, f)  <=  rise_f,        sum_ij alpha_ij s_ij(c, offset) =
//     0
//
// where the prices are those of a unit of x, every plane has an objective of at least sum alpha.
// `prove_bound` shrinks alpha by a hair, which takes each from its upper end, proves that balanced
// multipliers lie beside it (feasible.hpp), and rounds their sum down. 0 is always a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

struct RawRows {
    const double* x;       // m x n, row major
    const int* row_class;  // m
    std::size_t m;
    int n, k;
    const double* charges;              // m x (k - 1): of each row against each rival in order
    std::int64_t row_step, rival_step;  // from one to the next, in numbers; may be 0

    double charge(std::size_t row, int rival) const {
        return charges[static_cast<std::int64_t>(row) * row_step + rival * rival_step];
    }
};

struct RawPrices {
    std::vector<double> rise, fall;  // n, of a unit of x; infinite for a feature without a weight
};

// Rows that are known by their sums alone: a group has one class, and one multiplier for each rival
// that its rows share by weight. The sums of weight times row, and of the weights, are two doubles
// with a bound on their error.
struct RowGroups {
    std::vector<double> high, low, error;  // each of n + 1 numbers a group; empty for none
    std::vector<int> group_class;
    std::vector<double> charge, duals;  // each of k - 1 numbers a group, of a unit of weight

    std::size_t count() const { return group_class.size(); }
};

double prove_bound(const RawRows& rows, int planes, const RawPrices& price, const double* duals,
                   const RowGroups& groups, Watch& watch);

struct PlanesValue {
    double error = 0;         // rounded up; 0 only if it is
    double least_margin = 0;  // rounded down
    double squares = 0;       // half the charged squares of the violations, rounded up
};

// weights: planes x n, offsets: planes; one plane for two classes, else one a class.
PlanesValue value_of_planes(const RawRows& rows, const double* weights, const double* offsets,
                            Watch& watch);

}  // namespace planetree
