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

static double least_margin(const Tiles& tiles, const std::vector<double>& charge,
                           const std::vector<double>& z) {
    double least = std::numeric_limits<double>::infinity();
    const Position at(tiles, z);
    for (std::size_t c = 0; c < charge.size(); ++c)
        if (charge[c] > 0) least = std::min(least, at.residual[c] + 1);
    return least;
}

void enlarge_to_unit_margin(const Tiles& tiles, const Prices& price, std::vector<double>& z) {
    const std::vector<double> charge = charges(tiles);
    double least = least_margin(tiles, charge, z), paid = 0;
    for (std::size_t p = 0; p < z.size(); ++p) paid += price.of(p, z[p]);
    const double worth = value(charge, price, z, Position(tiles, z));
    // A steep z has margins with much rounding: more is added until none falls short.
    for (double more = kSpare; least > 0 && least < 1 && more < 1e-5; more *= 10) {
        const double factor = (1 + more) / least;
        paid *= factor;
        if (worth < paid) return;
        for (double& v : z) v *= factor;
        least = least_margin(tiles, charge, z);
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

Certificate certify(const Tiles& tiles, const Prices& price, const std::vector<double>& z,
                    const std::vector<double>& slopes) {
    Certificate out;
    double total = 0, dual = 0;
    std::vector<double> rest(z.size(), 0.0);
    for_parts(tiles, [&](const Tiles& part, std::size_t begin) {
        const std::vector<double> charge = charges(part);
        std::vector<double> margin(charge.size());
        margins(part, z.data(), margin.data());
        std::vector<double> a(slopes.empty() ? 0 : charge.size());
        for (std::size_t first = 0; first < charge.size(); first += kLanes) {
            double error = 0, sum = 0, all = 0;
            for (std::size_t c = first; c < first + kLanes; ++c) {
                error += charge[c] * std::max(0.0, 1 - margin[c]);
                all += charge[c];
            }
            for (std::size_t c = first; c < std::min(first + kLanes, a.size()); ++c) {
                a[c] = std::clamp(slopes[begin + c], -charge[c], 0.0);
                sum -= a[c];
            }
            out.error += error;
            dual += sum;
            total += all;
        }
        if (!a.empty()) accumulate(part, a.data(), rest.data());
    });
    out.objective = out.error;
    out.bound = dual;
    for (std::size_t p = 0; p < z.size(); ++p) {
        out.objective += price.of(p, z[p]);
        out.bound -= price.excess(p, -rest[p]) * (1 + std::fabs(z[p]));
    }
    out.bound = std::max(0.0, out.bound);
    const double difference = std::fabs(out.objective - out.bound);
    out.gap = difference == 0 ? 0 : difference / std::max(out.objective, 1e-4 * total);
    return out;
}

}  // namespace planetree
