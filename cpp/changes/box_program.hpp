// A small linear program over a box, dense, with no cost below 0:
//
//     min   c.v      s.t.   G v <= g,    low <= v <= high,    c >= 0,  low >= 0.
//
// At v = low no reduced cost is below 0, so the dual simplex starts there. Whatever it ends with,
// any multipliers y >= 0 prove by themselves that no feasible v costs less than
//
//     -y.g + sum_j min over [low_j, high_j] of (c + y G)_j v_j,
//
// and with c = 0, if that is above 0, that no v is feasible. The bound is computed so, from the
// program's own numbers, and not from the tableau.
#pragma once

#include <vector>

namespace planetree {

struct BoxProgram {
    std::vector<double> cost, low, high;  // of n columns; high may be infinite
    std::vector<double> rows, right;      // m x n, row major

    std::size_t n() const { return cost.size(); }
    std::size_t m() const { return right.size(); }
};

struct BoxAnswer {
    std::vector<double> values;  // empty if no point is feasible, or none was found
    double bound;                // no feasible point costs less; infinite if none is
};

BoxAnswer solve(const BoxProgram& program);

}  // namespace planetree
