// The cheapest change of a row into one of some regions.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "changes/cheapest_change.hpp"

namespace planetree {

namespace {

Moves read_moves(const Matrix& moves, const Indices& groups, std::size_t n_groups) {
    const std::size_t n = moves.shape(0);
    if (moves.shape(1) != 4 || groups.shape(0) != n)
        throw std::invalid_argument("a move has a cost, a low, a high, a step and a group");
    Moves read;
    read.n_groups = n_groups;
    for (const auto group : indices(groups, n_groups, "groups")) read.group.push_back(group);
    for (std::size_t j = 0; j < n; ++j) {
        const double* move = moves.data() + 4 * j;
        if (!(move[0] >= 0 && move[1] >= 0 && move[1] <= move[2] && move[3] >= 0) ||
            !std::isfinite(move[0] + move[1] + move[3]))
            throw std::invalid_argument("costs, sizes and steps of moves must not be below 0");
        read.cost.push_back(move[0]);
        read.low.push_back(move[1]);
        read.high.push_back(move[2]);
        read.step.push_back(move[3]);
    }
    return read;
}

std::vector<Region> read_regions(const Matrix& rows, const Vector& right, const Indices& members,
                                 const Indices& starts, std::size_t n_moves) {
    if (rows.shape(1) != n_moves || rows.shape(0) != right.shape(0))
        throw std::invalid_argument("a half-space has an entry for each move, and a right side");
    const auto chosen = indices(members, rows.shape(0), "half-spaces");
    const auto begins = indices(starts, chosen.size() + 1, "members");
    std::vector<Region> regions(begins.empty() ? 0 : begins.size() - 1);
    for (std::size_t r = 0; r < regions.size(); ++r)
        for (std::size_t i = begins[r]; i < begins[r + 1]; ++i) {
            const double* row = rows.data() + chosen[i] * n_moves;
            regions[r].rows.insert(regions[r].rows.end(), row, row + n_moves);
            regions[r].right.push_back(right.data()[chosen[i]]);
        }
    return regions;
}

}  // namespace

void bind_changes(nb::module_& module) {
    module.def(
        "cheapest_change",
        [](const Matrix& moves, const Indices& groups, std::size_t n_groups, const Matrix& rows,
           const Vector& right, const Indices& members, const Indices& starts,
           std::size_t max_changes) {
            const Moves read = read_moves(moves, groups, n_groups);
            const auto regions = read_regions(rows, right, members, starts, read.size());
            Watch unlimited = watch(std::nullopt);
            CheapestChange found;
            {
                nb::gil_scoped_release release;
                found = cheapest_change(read, regions, max_changes, unlimited);
            }
            return std::make_tuple(to_numpy(std::move(found.sizes)), found.region, found.cost,
                                   found.bound, found.n_programs);
        },
        "moves"_a, "groups"_a, "n_groups"_a, "rows"_a, "right"_a, "members"_a, "starts"_a,
        "max_changes"_a,
        "Sizes of the moves into the cheapest region, its number, the cost, a bound, and how many "
        "programs were solved; no sizes where no region can be reached.");
}

}  // namespace planetree
