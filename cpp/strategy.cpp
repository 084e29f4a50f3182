#include "strategy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "position.hpp"

namespace planetree {

static bool no_normal(const Shape& shape, const std::vector<double>& z) {
    double largest = 0;
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j)
            largest = std::max(largest, std::fabs(z[b * shape.width() + j]));
    return largest < 1e-12;
}

void solve_by_simplex(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const Kinked program = kinked(tiles, price);
    Simplex simplex(program, answer.z, watch);
    answer.outcome = simplex.run();
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, simplex.z()))
        simplex.leave_anchors();
    answer.z = simplex.z();
    answer.slopes = simplex.slopes();
    answer.steps += simplex.pivots();
    answer.method = "simplex";
}

void enlarge_to_unit_margin(const Tiles& tiles, std::vector<double>& z) {
    double least = std::numeric_limits<double>::infinity();
    const Position at(tiles, z);
    for (std::size_t c = 0; c < at.residual.size(); ++c)
        if (tiles.charge[tiles.lane_of(c)] > 0) least = std::min(least, at.residual[c] + 1);
    if (!(least > 0 && least < 1 + 1e-12)) return;
    for (double& v : z) v *= (1 + 1e-12) / least;
}

void solve_by_shape(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const std::size_t rows = count_rows(tiles), width = tiles.shape.width();
    const bool priced = !price.none();
    if (!priced && width > rows) {
        if (solve_by_least_norm(tiles, answer)) return;
        if (width > rows + 1) return solve_in_span(tiles, answer, watch);
    }
    if (priced && width > 128 && 4 * width > rows)
        return solve_by_features(tiles, price, answer, watch);
    if (rows < 8 * width || rows < 500) return solve_by_simplex(tiles, price, answer, watch);
    solve_tall(tiles, price, answer, watch);
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, answer.z)) {
        std::fill(answer.z.begin(), answer.z.end(), 0.0);
        solve_by_simplex(tiles, price, answer, watch);
    }
}

Certificate certify(const Tiles& tiles, const Prices& price, const std::vector<double>& z,
                    const std::vector<double>& slopes) {
    const std::vector<double> charge = charges(tiles);
    const Position at(tiles, z);
    Certificate out;
    std::vector<double> a(slopes.size());
    double total = 0, dual = 0;
    for (std::size_t first = 0; first < charge.size(); first += kLanes) {
        double error = 0, sum = 0, all = 0;
        for (std::size_t c = first; c < first + kLanes; ++c) {
            error += charge[c] * std::max(0.0, -at.residual[c]);
            a[c] = std::clamp(slopes[c], -charge[c], 0.0);
            sum -= a[c];
            all += charge[c];
        }
        out.error += error;
        dual += sum;
        total += all;
    }
    std::vector<double> rest(z.size(), 0.0);
    accumulate(tiles, a.data(), rest.data());
    out.objective = out.error;
    out.bound = dual;
    for (std::size_t p = 0; p < z.size(); ++p) {
        out.objective += price.of(p, z[p]);
        out.bound -= price.excess(p, -rest[p]) * (1 + std::fabs(z[p]));
    }
    out.bound = std::max(0.0, out.bound);
    out.gap = std::fabs(out.objective - out.bound) / std::max(out.objective, 1e-6 * total);
    return out;
}

}  // namespace planetree
