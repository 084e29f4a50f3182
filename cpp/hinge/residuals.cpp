#include "hinge/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planetree {

Position::Position(const Tiles& tiles, const std::vector<double>& z)
    : residual(tiles.n_constraints()),
      distance(tiles.n_lanes(), std::numeric_limits<double>::infinity()) {
    margins(tiles, z.data(), residual.data());
    const int slots = tiles.shape.slots();
    for (double& r : residual) r -= 1;
    for (std::size_t t = 0; t < tiles.count(); ++t)
        for (int s = 0; s < slots; ++s)
            for (int l = 0; l < kLanes; ++l) {
                const std::size_t lane = t * kLanes + l;
                if (tiles.charge[lane] > 0)
                    distance[lane] =
                        std::min(distance[lane], std::fabs(residual[(t * slots + s) * kLanes + l]));
            }
}

double value(const std::vector<double>& charge, const Prices& price, const std::vector<double>& z,
             const Position& at) {
    double sum = 0;
    for (std::size_t c = 0; c < charge.size(); ++c)
        sum += charge[c] * std::max(0.0, -at.residual[c]);
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
