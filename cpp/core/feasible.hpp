// A proof that a linear system has a solution inside a box.
//
//     A x = b,    lower <= x <= upper,    A of p rows and m columns, in exact arithmetic.
//
// Given x that solves it up to rounding, p columns B whose x lies inside the box are chosen (QR
// with pivots, each column weighted by its way to the box), and x is corrected on them by R r, an
// approximate inverse times the residual. With G = I - R B and |G| < 1, B is regular and
//
//     | x* - x |  <=  |R| |r|  +  |G| max(|R| |r|) / (1 - |G|)
//
// for the exact solution x* that differs from x on B alone (Rump 1983). The residual is computed
// with the compensated sums of double_double.hpp, and every bound is rounded up. Rows and columns
// are scaled by powers of two, which rounds nothing.
//
// Columns may be known as two doubles and an error each: the second doubles count in the residual,
// and all of it in G.
//
// Rows that depend on others need no column, but only if they do so exactly: a row of zeros, or one
// that is a combination of others with small whole or rational factors, which is checked exactly.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

class Sums;

// What single columns have beyond their doubles: second doubles, and what both may be off.
struct ColumnTails {
    std::size_t first = 0;           // the columns from here on have tails
    std::vector<double> low, error;  // one tail of as many numbers as rows after the other

    bool has(std::size_t column) const { return column >= first && !low.empty(); }
};

struct System {
    std::size_t rows = 0, count = 0;
    const double* columns = nullptr;  // count x rows: one column after the other
    const double* b = nullptr;        // rows; null for zeros
    const double* lower = nullptr;    // count
    const double* upper = nullptr;
    const double* x = nullptr;
    // What other columns, which stay where they are, take from b; null for nothing. Then no row may
    // depend on others.
    const Sums* rest = nullptr;
    const double* rest_error = nullptr;  // rows: how far `rest` may be off; null for nothing
    const ColumnTails* tails = nullptr;  // null for columns that are exact
};

struct Feasible {
    bool proved = false;
    // An exact solution lies within `radius` of x + low, and x + low +- radius inside the box.
    std::vector<double> x, low, radius;
};

Feasible prove_feasible(const System& system, Watch& watch);

}  // namespace planetree
