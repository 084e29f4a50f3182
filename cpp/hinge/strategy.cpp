#include "hinge/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/nonzero_normal.hpp"
#include "hinge/residuals.hpp"

namespace planetree {

constexpr std::size_t kNarrow = 8;
constexpr double kSpare = 1e-9;  // added to margins that should be 1 in any arithmetic

void solve_by_simplex(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const Kinked program = kinked(tiles, price);
    Simplex simplex(program, answer.z, watch, answer.basis);
    answer.outcome = simplex.run();
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, simplex.z()))
        simplex.leave_anchors();
    answer.z = simplex.z();
    answer.slopes = simplex.slopes();
    answer.basis = simplex.basis();
    answer.steps += simplex.pivots();
    answer.method = "simplex";
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, answer.z))
        find_normal(program, answer, watch);
}

static double least_margin(const std::vector<double>& charge, const Position& at) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < charge.size(); ++c)
        if (charge[c] > 0) least = std::min(least, at.residual[c] + 1);
    return least;
}

void enlarge_to_unit_margin(const Tiles& tiles, const Prices& price, std::vector<double>& z) {
    const std::vector<double> charge = charges(tiles);
    const Position at(tiles, z);
    double least = least_margin(charge, at), paid = 0;
    for (std::size_t p = 0; p < z.size(); ++p) paid += price.of(p, z[p]);
    const double worth = value(charge, price, z, at);
    // A steep z has margins with much rounding: more is added until none falls short.
    for (double more = kSpare; least > 0 && least < 1 && more < 1e-5; more *= 10) {
        const double factor = (1 + more) / least;
        paid *= factor;
        if (worth < paid) return;
        for (double& v : z) v *= factor;
        least = least_margin(charge, Position(tiles, z));
    }
}

void solve_by_shape(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const std::size_t rows = count_rows(tiles), width = tiles.shape.width();
    const bool priced = !price.none();
    if (!priced && width > rows) {
        if (solve_by_least_norm(tiles, answer, [&] { watch.check(); })) return;
        if (width > rows + 1) return solve_in_span(tiles, answer, watch);
    }
    if (priced && width > 128 && 4 * width > rows)
        return solve_by_features(tiles, price, answer, watch);
    const bool has_basis = !answer.basis.empty();  // which saves steps, as few unknowns do
    const std::size_t few = has_basis ? 4000 : width <= kNarrow ? 2500 : 1000;
    if (rows < 8 * width || rows < few) return solve_by_simplex(tiles, price, answer, watch);
    solve_tall(tiles, price, answer, watch);
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, answer.z))
        find_normal(kinked(tiles, price), answer, watch);
}

namespace {

struct HingeSums {
    double error = 0, dual = 0, total = 0;
    std::vector<double> rest;

    void add(const HingeSums& other) {
        error += other.error, dual += other.dual, total += other.total;
        for (std::size_t p = 0; p < rest.size(); ++p) rest[p] += other.rest[p];
    }
};

// What the tiles from `begin` to before `end` leave at z, and what their slopes pull.
HingeSums hinge_sums(const Tiles& tiles, std::size_t begin, std::size_t end,
                     const std::vector<double>& z, const std::vector<double>& slopes) {
    HingeSums sums{0, 0, 0, std::vector<double>(z.size(), 0.0)};
    const std::size_t wide = static_cast<std::size_t>(kLanes) * tiles.shape.slots();
    for_parts(tiles, begin, end, [&](std::size_t first, std::size_t last) {
        const std::vector<double> charge = charges(tiles, first, last);
        std::vector<double> margin(charge.size()), a(slopes.empty() ? 0 : charge.size());
        margins(tiles, first, last, z.data(), margin.data());
        for (std::size_t from = 0; from < charge.size(); from += kLanes) {
            double error = 0, sum = 0, all = 0;
            for (std::size_t c = from; c < from + kLanes; ++c) {
                error += charge[c] * std::max(0.0, 1 - margin[c]);
                all += charge[c];
            }
            for (std::size_t c = from; c < std::min(from + kLanes, a.size()); ++c) {
                a[c] = std::clamp(slopes[first * wide + c], -charge[c], 0.0);
                sum -= a[c];
            }
            sums.error += error, sums.dual += sum, sums.total += all;
        }
        if (!a.empty()) accumulate(tiles, first, last, a.data(), sums.rest.data());
    });
    return sums;
}

}  // namespace

Certificate certify(const Tiles& tiles, const Prices& price, const std::vector<double>& z,
                    const std::vector<double>& slopes) {
    const std::size_t block = tiles_a_sum(tiles);
    std::vector<HingeSums> parts(block_count(tiles.count(), block));
    for_blocks(tiles.count(), block, [&](std::size_t first, std::size_t last, std::size_t b) {
        parts[b] = hinge_sums(tiles, first, last, z, slopes);
    });
    HingeSums sums{0, 0, 0, std::vector<double>(z.size(), 0.0)};
    for (const HingeSums& part : parts) sums.add(part);
    Certificate out;
    out.error = sums.error;
    out.objective = out.error;
    out.bound = sums.dual;
    for (std::size_t p = 0; p < z.size(); ++p) {
        out.objective += price.of(p, z[p]);
        out.bound -= price.excess(p, -sums.rest[p]) * (1 + std::fabs(z[p]));
    }
    out.bound = std::max(0.0, out.bound);
    const double difference = std::fabs(out.objective - out.bound);
    out.gap = difference == 0 ? 0 : difference / std::max(out.objective, 1e-4 * sums.total);
    return out;
}

}  // namespace planetree
