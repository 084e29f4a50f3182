#include "hinge/orthogonal.hpp"

#include <algorithm>
#include <cmath>

#include "core/dense.hpp"

namespace planetree {

namespace {

constexpr std::size_t kProductsAPulse = 50'000'000;
constexpr double kRank = 1e-5;       // of a column that is left by those before it counts as none
constexpr double kDependent = 1e-7;  // of the square of a column is left by those before it

// Columns one after another, each entry times the root of its row's charge.
std::vector<double> weighted_columns(const Tiles& tiles, const std::vector<double>& root) {
    const std::size_t lanes = tiles.n_lanes();
    std::vector<double> out(lanes * tiles.shape.n);
    for (std::size_t t = 0; t < tiles.count(); ++t)
        for (int j = 0; j < tiles.shape.n; ++j)
            for (std::size_t l = 0; l < kLanes; ++l)
                out[j * lanes + t * kLanes + l] =
                    root[t * kLanes + l] * tiles.tile(t)[j * kLanes + l];
    return out;
}

std::vector<double> roots(const std::vector<double>& charge) {
    std::vector<double> out(charge.size());
    std::transform(charge.begin(), charge.end(), out.begin(),
                   [](double c) { return std::sqrt(c); });
    return out;
}

double norm(const double* v, std::size_t n) { return std::sqrt(dot(v, v, n)); }

// Takes the part along a unit vector from v, and returns its length.
double remove(const double* unit, double* v, std::size_t n) {
    const double part = dot(unit, v, n);
    axpy(-part, unit, v, n);
    return part;
}

}  // namespace

Orthogonal::Orthogonal(const Tiles& tiles, const std::function<void()>& pulse)
    : tiles_(tiles),
      mean_(tiles.shape.n, 0.0),
      factor_(static_cast<std::size_t>(tiles.shape.n) * tiles.shape.n, 0.0) {
    const int n = tiles.shape.n;
    const std::size_t lanes = tiles.n_lanes();
    const std::vector<double> root = roots(tiles.charge);
    std::vector<double> columns = weighted_columns(tiles, root), constant = root;
    const double total = norm(root.data(), lanes);
    if (total == 0) return;
    for (double& v : constant) v /= total;
    for (int j = 0; j < n; ++j) {
        double* column = &columns[j * lanes];
        const double before = norm(column, lanes);
        for (int round = 0; round < 2; ++round) {
            pulse();
            mean_[j] += remove(constant.data(), column, lanes) / total;
            for (int i = 0; i < j; ++i)
                if (at(i, i) > 0) at(i, j) += remove(&columns[i * lanes], column, lanes);
        }
        const double after = norm(column, lanes);
        const bool kept = after > kRank * before;
        at(j, j) = kept ? after : 0;
        for (std::size_t l = 0; l < lanes; ++l) column[l] = kept ? column[l] / after : 0;
    }
    for (std::size_t t = 0; t < tiles_.count(); ++t)
        for (int j = 0; j < n; ++j)
            for (std::size_t l = 0; l < kLanes; ++l) {
                const std::size_t lane = t * kLanes + l;
                tiles_.x[(t * n + j) * kLanes + l] =
                    root[lane] > 0 ? columns[j * lanes + lane] / root[lane] : 0;
            }
}

std::vector<double> Orthogonal::into(const std::vector<double>& z) const {
    const Shape& shape = tiles_.shape;
    std::vector<double> out(z.size(), 0.0);
    for (int b = 0; b < shape.blocks; ++b) {
        const double* w = &z[b * shape.width()];
        double* u = &out[b * shape.width()];
        for (int i = 0; i < shape.n; ++i)
            for (int j = i; j < shape.n; ++j) u[i] += at(i, j) * w[j];
        u[shape.n] = w[shape.n] - dot(w, mean_.data(), shape.n);
    }
    return out;
}

std::vector<double> Orthogonal::out_of(const std::vector<double>& z) const {
    const Shape& shape = tiles_.shape;
    std::vector<double> out(z.size(), 0.0);
    for (int b = 0; b < shape.blocks; ++b) {
        const double* u = &z[b * shape.width()];
        double* w = &out[b * shape.width()];
        for (int i = shape.n - 1; i >= 0; --i) {
            double rest = u[i];
            for (int j = i + 1; j < shape.n; ++j) rest -= at(i, j) * w[j];
            w[i] = at(i, i) > 0 ? rest / at(i, i) : 0;
        }
        w[shape.n] = u[shape.n] + dot(w, mean_.data(), shape.n);
    }
    return out;
}

bool nearly_dependent(const Tiles& tiles, const std::function<void()>& pulse) {
    const int n = tiles.shape.n, width = n + 1;
    Gram gram(width);
    const std::size_t often = 1 + kProductsAPulse / width / width;
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (!(tiles.charge[lane] > 0)) continue;
        if (lane % often == 0) pulse();
        double* row = gram.next_row(tiles.charge[lane]);
        for (int j = 0; j < n; ++j) row[j] = tiles.tile(lane / kLanes)[j * kLanes + lane % kLanes];
        row[n] = -1;
    }
    const std::vector<double>& sum = gram.finish();
    const auto entry = [&](int i, int j) {
        return sum[static_cast<std::size_t>(i) * gram.stride() + j];
    };
    std::vector<double> matrix(static_cast<std::size_t>(width) * width, 0.0);
    for (int i = 0; i < width; ++i)
        for (int j = i; j < width; ++j) {
            const double unit = std::sqrt(entry(i, i) * entry(j, j));
            matrix[static_cast<std::size_t>(i) * width + j] =
                unit > 0 ? entry(i, j) / unit : i == j;
        }
    if (!factor_positive(matrix, width, 0)) return true;
    for (int i = 0; i < width; ++i) {
        const double left = matrix[static_cast<std::size_t>(i) * width + i];
        if (left * left < kDependent) return true;
    }
    return false;
}

}  // namespace planetree
