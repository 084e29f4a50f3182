// The cheapest change of a row that takes it into one of some regions.
//
// A move changes one cell of the row: a number up or down, or a category to another one. Its size v
// is 0 or one of low, low + step, ..., high (any number from low to high where step is 0), and
// costs c v. Moves of one group exclude each other: they are of the same cell. Region r is an
// intersection of half-spaces G v <= g. Wanted is
//
//     min   c.v     over all v in some region, with at most `max_changes` groups that move.
//
// A half-space that reads a single cell bounds its moves. For the others, and for the sizes of
// moves, a branch and bound solves box programs; regions come in the order of their first bounds.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

struct Moves {
    std::vector<double> cost, low, high, step;
    std::vector<std::size_t> group;
    std::size_t n_groups = 0;

    std::size_t size() const { return cost.size(); }
};

struct Region {
    std::vector<double> rows, right;  // m x moves, row major
};

struct CheapestChange {
    std::vector<double> sizes;  // of the moves; empty if no region can be reached
    int region = -1;
    double cost = 0;
    double bound = 0;  // no change costs less; infinite if no region can be reached
    std::size_t n_programs = 0;
};

CheapestChange cheapest_change(const Moves& moves, const std::vector<Region>& regions,
                               std::size_t max_changes, Watch& watch);

}  // namespace planetree
