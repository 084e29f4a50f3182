// The widest pair of parallel planes between two sets of points, by the largest weight:
//
//     max over |w|_inf = 1   min_i a_i w - max_k b_k w
//
// Bennett (1993), (2.2) to (2.4). If the hulls of the sets are apart it is one linear program, with
// |w|_inf <= 1; otherwise one for each weight i and sign s, with w_i = s held, of which the best
// counts. Each is solved in its dual form: points p of one hull and q of the other, d = p - q,
//
//     min   s d_i + sum_{j != i} |d_j|     (all |d_j| while no weight is held)
//
// by the revised simplex on n + 2 rows, whose duals are w and the two offsets. From one program to
// the next only costs change, so the basis is feasible for the next one; and the value of every
// feasible p, q is a bound from above, so a program is left as soon as it cannot win.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"
#include "hinge/simplex.hpp"

namespace planetree {

struct PointSet {
    const double* x;  // m x n, row major
    std::size_t m;
};

struct MaxNormAnswer {
    std::vector<double> planes;  // w of each program that ties for the best, one after the other
    double value = 0;            // of the best w, in plain arithmetic
    double bound = 0;            // that points of the hulls prove, rounded up
    bool separable = false;
    int finished = 0, skipped = 0;
    long pivots = 0;
    Outcome outcome = Outcome::optimal;
};

// `hulls_only`: stop after the program in which no weight is held.
MaxNormAnswer solve_max_norm(const PointSet& a, const PointSet& b, int n, bool hulls_only,
                             Watch& watch);

}  // namespace planetree
