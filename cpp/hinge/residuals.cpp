#include "hinge/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planetree {

Position::Position(const Tiles& tiles, const std::vector<double>& z)
    : residual(tiles.n_constraints()),
      distance(tiles.n_lanes(), std::numeric_limits<double>::infinity()) {
    const int slots = tiles.shape.slots();
    for_blocks(tiles.count(), kBlockTiles, [&](std::size_t first, std::size_t last, std::size_t) {
        double* r = residual.data() + first * slots * kLanes;
        margins(tiles, first, last, z.data(), r);
        for (std::size_t t = first; t < last; ++t)
            for (int s = 0; s < slots; ++s)
                for (int l = 0; l < kLanes; ++l, ++r) {
                    const std::size_t lane = t * kLanes + l;
                    *r -= 1;
                    if (tiles.charge[lane] > 0)
                        distance[lane] = std::min(distance[lane], std::fabs(*r));
                }
    });
}

double value(const std::vector<double>& charge, const Prices& price, const std::vector<double>& z,
             const Position& at) {
    double sum = sum_blocks(charge.size(), kBlockRows, [&](std::size_t first, std::size_t last) {
        double part = 0;
        for (std::size_t c = first; c < last; ++c)
            part += charge[c] * std::max(0.0, -at.residual[c]);
        return part;
    });
    for (std::size_t p = 0; p < z.size(); ++p) sum += price.of(p, z[p]);
    return sum;
}

std::size_t count_rows(const Tiles& tiles) {
    return std::count_if(tiles.id.begin(), tiles.id.end(), [](std::int64_t id) { return id >= 0; });
}

Kinked kinked(const Tiles& tiles, const Prices& price) {
    return {&tiles, charges(tiles), price, std::vector<double>(tiles.shape.size(), 0.0)};
}

}  // namespace planetree
