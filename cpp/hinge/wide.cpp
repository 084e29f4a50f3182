#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense.hpp"
#include "hinge/residuals.hpp"
#include "hinge/span.hpp"
#include "hinge/strategy.hpp"

namespace planetree {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How much each feature would give beyond its price.
std::vector<double> excess(const Tiles& tiles, const Prices& price,
                           const std::vector<double>& slopes) {
    const Shape& shape = tiles.shape;
    std::vector<double> sum(shape.size(), 0.0), out(shape.n, 0.0);
    accumulate(tiles, slopes.data(), sum.data());
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j) {
            const int p = b * shape.width() + j;
            out[j] = std::max(out[j], price.excess(p, -sum[p]) - 1e-11 * std::fabs(sum[p]) - 1e-15);
        }
    return out;
}

std::vector<int> largest(const std::vector<double>& gain, std::size_t count, double above) {
    std::vector<int> order(gain.size());
    std::iota(order.begin(), order.end(), 0);
    order.erase(
        std::remove_if(order.begin(), order.end(), [&](int j) { return !(gain[j] > above); }),
        order.end());
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int a, int b) {
        return gain[a] > gain[b] || (gain[a] == gain[b] && a < b);
    });
    order.resize(count);
    return order;
}

}  // namespace

bool solve_by_least_norm(const Tiles& tiles, HingeAnswer& answer,
                         const std::function<void()>& pulse) {
    const Shape& shape = tiles.shape;
    const std::size_t lanes = tiles.n_lanes();
    const int size = static_cast<int>(lanes);
    Gram gram(size);
    for (int j = 0; j <= shape.n; ++j) {
        if (pulse) pulse();
        double* row = gram.next_row(1);
        for (std::size_t t = 0; t < tiles.count(); ++t)
            for (int l = 0; l < kLanes; ++l)
                row[t * kLanes + l] = tiles.id[t * kLanes + l] < 0 ? 0
                                      : j < shape.n                ? tiles.tile(t)[j * kLanes + l]
                                                                   : 1;
    }
    const auto& sum = gram.finish();
    std::vector<double> matrix(lanes * lanes), weight(lanes * shape.blocks);
    for (std::size_t i = 0; i < lanes; ++i) {
        std::copy_n(&sum[i * gram.stride()], lanes, &matrix[i * lanes]);
        if (tiles.id[i] < 0) matrix[i * lanes + i] = 1;
        const int own = shape.begin(tiles.tile_class[i / kLanes]) / shape.width();
        for (int b = 0; b < shape.blocks; ++b)
            if (tiles.id[i] >= 0)
                weight[b * lanes + i] =
                    tiles.tile_class[i / kLanes] < shape.k - shape.blocks ? -1 : own == b;
    }
    if (!solve_positive(matrix, size, 0, weight.data(), shape.blocks, pulse)) return false;
    std::vector<double> z(shape.size(), 0.0);
    for (int b = 0; b < shape.blocks; ++b)
        for (std::size_t i = 0; i < lanes; ++i) {
            const double a = weight[b * lanes + i];
            const double* x = tiles.tile(i / kLanes) + i % kLanes;
            if (tiles.id[i] < 0) continue;
            for (int j = 0; j < shape.n; ++j) z[b * shape.width() + j] += a * x[j * kLanes];
            z[b * shape.width() + shape.n] -= a;
        }
    const Position at(tiles, z);
    for (std::size_t c = 0; c < at.residual.size(); ++c)
        if (tiles.id[tiles.lane_of(c)] >= 0 && !(at.residual[c] > -0.5)) return false;
    answer.z = std::move(z);
    answer.slopes.assign(tiles.n_constraints(), 0.0);
    answer.outcome = Outcome::optimal;
    answer.method = "least norm";
    answer.basis.clear();
    return true;
}

void solve_in_span(const Tiles& tiles, HingeAnswer& answer, Watch& watch) {
    const std::vector<double> basis = span(tiles, [&] { watch.check(); });
    const Tiles part = rewrite(tiles, basis);
    HingeAnswer inner;
    inner.z.assign(part.shape.size(), 0.0);
    solve_by_shape(part, Prices(part.shape.size()), inner, watch);
    answer.slopes = std::move(inner.slopes);
    answer.outcome = inner.outcome;
    answer.steps = inner.steps;
    answer.method = "span, " + inner.method;
    answer.basis.clear();
    answer.z = out_of_span(tiles.shape, part.shape, basis, inner.z);
}

void solve_by_features(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const std::size_t batch = 64;
    std::vector<double> slopes = charges(tiles);
    for (double& a : slopes) a = -a;
    std::vector<int> features = largest(excess(tiles, price, slopes), batch, -kInfinity);
    std::fill(answer.z.begin(), answer.z.end(), 0.0);
    while (true) {
        const Tiles part = select(tiles, features);
        HingeAnswer inner;
        Prices part_price(part.shape.size());
        inner.z.resize(part.shape.size());
        for_unknowns(tiles.shape, part.shape, features, [&](int p, int whole) {
            inner.z[p] = answer.z[whole];
            part_price.rise[p] = price.rise[whole];
            part_price.fall[p] = price.fall[whole];
        });
        solve_by_simplex(part, part_price, inner, watch);
        std::fill(answer.z.begin(), answer.z.end(), 0.0);
        for_unknowns(tiles.shape, part.shape, features,
                     [&](int p, int whole) { answer.z[whole] = inner.z[p]; });
        answer.slopes = std::move(inner.slopes);
        answer.outcome = inner.outcome;
        answer.steps += inner.steps;
        answer.method = "features";
        answer.basis.clear();
        if (inner.outcome != Outcome::optimal) return;
        std::vector<double> gain = excess(tiles, price, answer.slopes);
        for (const int j : features) gain[j] = 0;
        const std::vector<int> more = largest(gain, batch, 0);
        if (more.empty()) return;
        features.insert(features.end(), more.begin(), more.end());
    }
}

}  // namespace planetree
