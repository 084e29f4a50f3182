#include "hinge/span.hpp"

#include <cmath>

#include "core/dense.hpp"

namespace planetree {

// By Gram-Schmidt, done twice.
std::vector<double> span(const Tiles& tiles, const std::function<void()>& pulse) {
    const int n = tiles.shape.n;
    std::vector<double> basis, row(n);
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (pulse) pulse();
        if (tiles.id[lane] < 0) continue;
        const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
        for (int j = 0; j < n; ++j) row[j] = x[j * kLanes];
        const double before = std::sqrt(dot(row.data(), row.data(), n));
        for (int round = 0; round < 2; ++round)
            for (std::size_t v = 0; v < basis.size(); v += n)
                axpy(-dot(&basis[v], row.data(), n), &basis[v], row.data(), n);
        const double after = std::sqrt(dot(row.data(), row.data(), n));
        if (!(after > 1e-10 * before)) continue;
        for (const double v : row) basis.push_back(v / after);
    }
    return basis;
}

Tiles rewrite(const Tiles& tiles, const std::vector<double>& basis) {
    const int n = tiles.shape.n, rank = static_cast<int>(basis.size() / n);
    Shape shape = tiles.shape;
    shape.n = rank;
    TilesBuilder builder(shape, tiles.costs, tiles.n_lanes());
    std::vector<double> row(n), in_basis(rank);
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (tiles.id[lane] < 0) continue;
        const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
        for (int j = 0; j < n; ++j) row[j] = x[j * kLanes];
        for (int v = 0; v < rank; ++v)
            in_basis[v] = dot(&basis[static_cast<std::size_t>(v) * n], row.data(), n);
        builder.add(tiles.tile_class[lane / kLanes], in_basis.data(), 1, tiles.charge[lane],
                    tiles.id[lane]);
    }
    return builder.finish();
}

std::vector<double> into_span(const Shape& whole, const Shape& part,
                              const std::vector<double>& basis, const std::vector<double>& z) {
    std::vector<double> out(part.size(), 0.0);
    for (int b = 0; b < part.blocks; ++b) {
        const double* w = &z[b * whole.width()];
        double* u = &out[b * part.width()];
        for (int v = 0; v < part.n; ++v)
            u[v] = dot(&basis[static_cast<std::size_t>(v) * whole.n], w, whole.n);
        u[part.n] = w[whole.n];
    }
    return out;
}

std::vector<double> out_of_span(const Shape& whole, const Shape& part,
                                const std::vector<double>& basis, const std::vector<double>& z) {
    std::vector<double> out(whole.size(), 0.0);
    for (int b = 0; b < part.blocks; ++b) {
        const double* u = &z[b * part.width()];
        double* w = &out[b * whole.width()];
        for (int v = 0; v < part.n; ++v)
            axpy(u[v], &basis[static_cast<std::size_t>(v) * whole.n], w, whole.n);
        w[whole.n] = u[part.n];
    }
    return out;
}

}  // namespace planetree
