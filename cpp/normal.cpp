#include "normal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planetree {

namespace {

constexpr double kReward = 1e-7;  // of all charges

// A number in [0, 1) whose sequence has no period: multiples of the golden ratio.
double generic(std::size_t c) {
    const double v = static_cast<double>(c % 1000003 + 1) * 0.61803398874989485;
    return v - std::floor(v);
}

// Sum of a_c s_c with generic a_c that cancel for each class and rival, so that offsets cancel too.
std::vector<double> direction(const Kinked& program) {
    const Tiles& tiles = *program.tiles;
    const std::size_t slots = tiles.shape.slots(), groups = tiles.shape.k * slots;
    const auto group = [&](std::size_t c) {
        return tiles.tile_class[c / (kLanes * slots)] * slots + c / kLanes % slots;
    };
    std::vector<double> a(program.charge), sum(groups, 0.0), weight(groups, 0.0);
    for (std::size_t c = 0; c < a.size(); ++c) {
        sum[group(c)] += program.charge[c] * generic(c);
        weight[group(c)] += program.charge[c];
    }
    for (std::size_t c = 0; c < a.size(); ++c)
        if (a[c] > 0) a[c] *= generic(c) - sum[group(c)] / weight[group(c)];
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
        Simplex there(rewarded, answer.z, watch);
        there.run();
        answer.steps += there.pivots();
        if (no_normal(shape, there.z())) continue;
        Simplex back(program, there.z(), watch);
        const Outcome settled = back.run();
        answer.steps += back.pivots();
        if (settled != Outcome::optimal || no_normal(shape, back.z())) continue;
        back.leave_anchors();
        answer.z = back.z();
        answer.slopes = back.slopes();
        return;
    }
}

}  // namespace planetree
