#include "hinge/nonzero_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planetree {

namespace {

constexpr double kReward = 1e-7;  // of all charges

// Sum of a_c s_c with generic a_c that cancel for each class and rival, so that offsets cancel too.
std::vector<double> direction(const Kinked& program) {
    const Tiles& tiles = *program.tiles;
    const std::size_t slots = tiles.shape.slots(), groups = tiles.shape.k * slots;
    const auto group = [&](std::size_t c) {
        return tiles.tile_class[c / (kLanes * slots)] * slots + c / kLanes % slots;
    };
    std::vector<double> a(program.charge), sum(groups, 0.0), weight(groups, 0.0);
    for (std::size_t c = 0; c < a.size(); ++c) {
        sum[group(c)] += program.charge[c] * jitter(c);
        weight[group(c)] += program.charge[c];
    }
    for (std::size_t c = 0; c < a.size(); ++c)
        if (a[c] > 0) a[c] *= jitter(c) - sum[group(c)] / weight[group(c)];
    std::vector<double> out(tiles.shape.size(), 0.0);
    accumulate(tiles, a.data(), out.data());
    for (int b = 0; b < tiles.shape.blocks; ++b) out[(b + 1) * tiles.shape.width() - 1] = 0;
    return out;
}

}  // namespace

void find_normal(const Kinked& program, HingeAnswer& answer, Watch& watch) {
    const Shape& shape = program.tiles->shape;
    const std::vector<double> toward = direction(program);
    double largest = 0;
    for (const double v : toward) largest = std::max(largest, std::fabs(v));
    if (largest == 0) return;
    const double all = std::accumulate(program.charge.begin(), program.charge.end(), 0.0);
    for (const double sign : {1.0, -1.0}) {
        Kinked rewarded = program;
        for (std::size_t p = 0; p < toward.size(); ++p)
            rewarded.linear[p] -= sign * kReward * all * toward[p] / largest;
        Simplex simplex(rewarded, answer.z, watch);
        simplex.run();
        rewarded.linear = program.linear;
        const Outcome outcome = simplex.run_again();
        answer.steps += simplex.pivots();
        if (outcome != Outcome::optimal || no_normal(shape, simplex.z())) continue;
        simplex.leave_anchors();
        answer.z = simplex.z();
        answer.slopes = simplex.slopes();
        answer.basis = simplex.basis();
        return;
    }
}

}  // namespace planetree
