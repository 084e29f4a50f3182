#include "hinge/first_planes.hpp"

#include <array>
#include <cmath>

#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr std::array<double, 5> kShares = {0.125, 0.25, 0.5, 1, 2};

// What each unknown gains at first, beyond what it costs.
std::vector<double> descent(const Tiles& tiles, const Prices& price) {
    std::vector<double> gain(tiles.shape.size(), 0.0);
    for_parts(tiles, 0, tiles.count(), [&](std::size_t first, std::size_t last) {
        accumulate(tiles, first, last, charges(tiles, first, last).data(), gain.data());
    });
    for (std::size_t p = 0; p < gain.size(); ++p)
        gain[p] = std::copysign(price.excess(p, gain[p]), gain[p]);
    return gain;
}

// What a step of length t along these margins leaves of the violations.
PLANETREE_VECTOR
double violations(const double* margin, const double* charge, double t, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t c = 0; c < n; ++c) sum += charge[c] * std::max(0.0, 1 - t * margin[c]);
    return sum;
}

}  // namespace

std::vector<double> first_planes(const Tiles& tiles, const Prices& price) {
    std::vector<double> z = descent(tiles, price);
    double paid = 0, speed = 0, all = 0;
    for (std::size_t p = 0; p < z.size(); ++p) {
        paid += price.of(p, z[p]);
        speed += z[p] * z[p];
    }
    if (speed == 0) return z;
    for (const double charge : tiles.charge) all += charge * tiles.shape.slots();
    const double unit = all / (speed + paid);  // where the mean margin is about 1
    std::array<double, kShares.size()> values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = unit * kShares[i] * paid;
    for_parts(tiles, 0, tiles.count(), [&](std::size_t first, std::size_t last) {
        const std::vector<double> charge = charges(tiles, first, last);
        std::vector<double> margin(charge.size());
        margins(tiles, first, last, z.data(), margin.data());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += violations(margin.data(), charge.data(), unit * kShares[i], charge.size());
    });
    const auto best = std::min_element(values.begin(), values.end()) - values.begin();
    const double length = values[best] < all ? unit * kShares[best] : 0;
    for (double& v : z) v *= length;
    return z;
}

}  // namespace planetree
