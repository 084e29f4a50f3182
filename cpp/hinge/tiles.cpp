#include "hinge/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/simd.hpp"

namespace planetree {

constexpr std::size_t kMostSums = std::size_t{1} << 22;  // of all blocks together

TilesBuilder::TilesBuilder(Shape shape, std::vector<double> costs, std::size_t n_rows) {
    tiles_.shape = shape;
    tiles_.costs = std::move(costs);
    const std::size_t n_tiles = n_rows / kLanes + shape.k;
    tiles_.x.reserve(n_tiles * kLanes * shape.n);
    tiles_.charge.reserve(n_tiles * kLanes);
    tiles_.id.reserve(n_tiles * kLanes);
}

void TilesBuilder::add(int row_class, const double* x, std::size_t stride, double charge,
                       std::int64_t id) {
    if (lane_ == kLanes || tiles_.tile_class.back() != row_class) {
        lane_ = 0;
        tiles_.tile_class.push_back(row_class);
        tiles_.x.resize(tiles_.x.size() + static_cast<std::size_t>(kLanes) * tiles_.shape.n, 0.0);
        tiles_.charge.resize(tiles_.charge.size() + kLanes);
        tiles_.id.resize(tiles_.id.size() + kLanes, -1);
    }
    const std::size_t t = tiles_.count() - 1;
    tiles_.charge[t * kLanes + lane_] = charge;
    tiles_.id[t * kLanes + lane_] = id;
    double* to = tiles_.x.data() + t * tiles_.shape.n * kLanes + lane_++;
    for (int j = 0; j < tiles_.shape.n; ++j) to[j * kLanes] = x[j * stride];
}

std::vector<double> charges(const Tiles& tiles) { return charges(tiles, 0, tiles.count()); }

std::vector<double> charges(const Tiles& tiles, std::size_t first, std::size_t last) {
    const Shape& shape = tiles.shape;
    std::vector<double> out((last - first) * kLanes * shape.slots());
    double* to = out.data();
    for (std::size_t t = first; t < last; ++t)
        for (int s = 0; s < shape.slots(); ++s, to += kLanes) {
            const int own = tiles.tile_class[t];
            const double cost =
                tiles.costs.empty() ? 1 : tiles.costs[own * shape.k + Shape::other(own, s)];
            for (int l = 0; l < kLanes; ++l) to[l] = tiles.charge[t * kLanes + l] * cost;
        }
    return out;
}

// Scores of one tile; four sums at a time, so that none waits for another, of some lanes at a time,
// so that all stay in registers.
PLANETREE_VECTOR
static void block_scores(const double* x, const double* z, int n, double* out) {
    constexpr int kSums = 4, kPacks = 2;
    for (int first = 0; first < kLanes; first += kPacks * kPack) {
        Pack sum[kSums][kPacks] = {};
        const auto add_column = [&](int s, int j) {
            for (int v = 0; v < kPacks; ++v) {
                Pack column;
                load(x + static_cast<std::size_t>(j) * kLanes + first + v * kPack, column);
                sum[s][v] += z[j] * column;
            }
        };
        int j = 0;
        for (; j + kSums <= n; j += kSums)
            for (int s = 0; s < kSums; ++s) add_column(s, j + s);
        for (; j < n; ++j) add_column(0, j);
        for (int v = 0; v < kPacks; ++v) {
            const Pack all = (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
            for (int l = 0; l < kPack; ++l) out[first + v * kPack + l] = all[l] - z[n];
        }
    }
}

void margins(const Tiles& tiles, const double* z, double* out) {
    const std::size_t wide = static_cast<std::size_t>(kLanes) * tiles.shape.slots();
    for_blocks(tiles.count(), kBlockTiles, [&](std::size_t first, std::size_t last, std::size_t) {
        margins(tiles, first, last, z, out + first * wide);
    });
}

void margins(const Tiles& tiles, std::size_t first, std::size_t last, const double* z,
             double* out) {
    const Shape& shape = tiles.shape;
    std::vector<double> scores(static_cast<std::size_t>(shape.k) * kLanes, 0.0);
    for (std::size_t t = first; t < last; ++t) {
        for (int c = shape.k - shape.blocks; c < shape.k; ++c)
            block_scores(tiles.tile(t), z + shape.begin(c), shape.n, &scores[c * kLanes]);
        const int a = tiles.tile_class[t];
        for (int s = 0; s < shape.slots(); ++s, out += kLanes) {
            const double* own = &scores[a * kLanes];
            const double* rival = &scores[Shape::other(a, s) * kLanes];
            for (int l = 0; l < kLanes; ++l) out[l] = own[l] - rival[l];
        }
    }
}

// sums[j] += x_j * a, lane by lane, and the last -= a; kPack sums a column.
PLANETREE_VECTOR
static void add_tile(const double* x, const double* a, int n, double* sums) {
    Pack weight[kLanes / kPack], column;
    for (int v = 0; v < kLanes / kPack; ++v) load(a + v * kPack, weight[v]);
    Pack sum;
    for (int j = 0; j < n; ++j, x += kLanes, sums += kPack) {
        load(sums, sum);
        for (int v = 0; v < kLanes / kPack; ++v) {
            load(x + v * kPack, column);
            sum += column * weight[v];
        }
        store(sum, sums);
    }
    load(sums, sum);
    for (const Pack& w : weight) sum += -1.0 * w;
    store(sum, sums);
}

void accumulate(const Tiles& tiles, std::size_t begin, std::size_t end, const double* a,
                double* out) {
    const Shape& shape = tiles.shape;
    std::vector<double> weight(static_cast<std::size_t>(shape.k) * kLanes);
    std::vector<double> sums(static_cast<std::size_t>(shape.size()) * kPack, 0.0);
    for (std::size_t t = begin; t < end; ++t) {
        const double* first = a + (t - begin) * kLanes * shape.slots();
        const double* last = first + kLanes * shape.slots();
        if (std::all_of(first, last, [](double v) { return v == 0; })) continue;
        std::fill(weight.begin(), weight.end(), 0.0);
        const int own = tiles.tile_class[t];
        for (int s = 0; s < shape.slots(); ++s, first += kLanes)
            for (int l = 0; l < kLanes; ++l) {
                weight[own * kLanes + l] += first[l];
                weight[Shape::other(own, s) * kLanes + l] -= first[l];
            }
        for (int c = shape.k - shape.blocks; c < shape.k; ++c)
            add_tile(tiles.tile(t), &weight[c * kLanes], shape.n, &sums[shape.begin(c) * kPack]);
    }
    for (const double* sum = sums.data(); sum != sums.data() + sums.size(); sum += kPack)
        *out++ += (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

std::size_t tiles_a_sum(const Tiles& tiles) {
    const std::size_t most = std::max<std::size_t>(1, kMostSums / tiles.shape.size());
    return std::max(kBlockTiles, block_count(tiles.count(), most));
}

void accumulate(const Tiles& tiles, const double* a, double* out) {
    const std::size_t size = tiles.shape.size(), block = tiles_a_sum(tiles);
    const std::size_t wide = static_cast<std::size_t>(kLanes) * tiles.shape.slots();
    std::vector<double> parts(size * block_count(tiles.count(), block), 0.0);
    for_blocks(tiles.count(), block, [&](std::size_t first, std::size_t last, std::size_t b) {
        accumulate(tiles, first, last, a + first * wide, &parts[b * size]);
    });
    for (std::size_t p = 0; p < parts.size(); ++p) out[p % size] += parts[p];
}

double dot(const Tiles& tiles, std::size_t c, const double* v) {
    const Shape& shape = tiles.shape;
    const std::size_t lane = tiles.lane_of(c);
    const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
    const int own = shape.begin(tiles.tile_class[lane / kLanes]);
    const int rival = shape.begin(tiles.rival_of(c));
    double sum = 0;
    if (own >= 0) {
        sum -= v[own + shape.n];
        for (int j = 0; j < shape.n; ++j) sum += x[j * kLanes] * v[own + j];
    }
    if (rival >= 0) {
        sum += v[rival + shape.n];
        for (int j = 0; j < shape.n; ++j) sum -= x[j * kLanes] * v[rival + j];
    }
    return sum;
}

void add(const Tiles& tiles, std::size_t c, double factor, double* out) {
    const Shape& shape = tiles.shape;
    const std::size_t lane = tiles.lane_of(c);
    const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
    const int own = shape.begin(tiles.tile_class[lane / kLanes]);
    const int rival = shape.begin(tiles.rival_of(c));
    if (own >= 0) {
        for (int j = 0; j < shape.n; ++j) out[own + j] += factor * x[j * kLanes];
        out[own + shape.n] -= factor;
    }
    if (rival >= 0) {
        for (int j = 0; j < shape.n; ++j) out[rival + j] -= factor * x[j * kLanes];
        out[rival + shape.n] += factor;
    }
}

Tiles select(const Tiles& tiles, const std::vector<int>& features) {
    Tiles part;
    part.shape = tiles.shape;
    part.shape.n = static_cast<int>(features.size());
    part.charge = tiles.charge;
    part.tile_class = tiles.tile_class;
    part.id = tiles.id;
    part.costs = tiles.costs;
    part.x.resize(tiles.count() * features.size() * kLanes);
    for_blocks(tiles.count(), kBlockTiles, [&](std::size_t first, std::size_t last, std::size_t) {
        double* to = part.x.data() + first * features.size() * kLanes;
        for (std::size_t t = first; t < last; ++t)
            for (const int j : features) to = std::copy_n(tiles.tile(t) + j * kLanes, kLanes, to);
    });
    return part;
}

Tiles gather(const Tiles& tiles, const std::vector<char>& keep) {
    constexpr std::size_t kNone = SIZE_MAX;
    Tiles part;
    part.shape = tiles.shape;
    part.costs = tiles.costs;
    std::vector<std::size_t> from;  // lane of each lane of the part
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (!keep[lane]) continue;
        const int own = tiles.tile_class[lane / kLanes];
        if (from.size() % kLanes == 0 || part.tile_class.back() != own) {
            from.resize(part.count() * kLanes, kNone);
            part.tile_class.push_back(own);
        }
        from.push_back(lane);
    }
    from.resize(part.count() * kLanes, kNone);
    const std::size_t n = tiles.shape.n;
    part.x.resize(from.size() * n);  // not set: that is for the threads
    part.charge.assign(from.size(), 0.0);
    part.id.assign(from.size(), -1);
    for_blocks(from.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t to = first; to < last; ++to) {
            double* x = part.x.data() + to / kLanes * n * kLanes + to % kLanes;
            const std::size_t lane = from[to];
            const double* own = lane == kNone ? nullptr : tiles.tile(lane / kLanes) + lane % kLanes;
            for (std::size_t j = 0; j < n; ++j) x[j * kLanes] = own ? own[j * kLanes] : 0;
            if (!own) continue;
            part.charge[to] = tiles.charge[lane];
            part.id[to] = static_cast<std::int64_t>(lane);
        }
    });
    return part;
}

bool no_normal(const Shape& shape, const std::vector<double>& z) {
    double largest = 0;
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j)
            largest = std::max(largest, std::fabs(z[b * shape.width() + j]));
    return largest < 1e-12;
}

Tiles sample(const Tiles& tiles, std::size_t share) {
    Tiles part;
    part.shape = tiles.shape;
    part.costs = tiles.costs;
    const std::size_t least = (4 * tiles.shape.width() + kLanes - 1) / kLanes;
    for (std::size_t first = 0; first < tiles.count();) {
        std::size_t last = first;
        while (last < tiles.count() && tiles.tile_class[last] == tiles.tile_class[first]) ++last;
        const std::size_t whole = last - first;
        const std::size_t kept = std::min(whole, std::max((whole + share - 1) / share, least));
        const auto copy = [&](const auto& from, auto& to, std::size_t width) {
            to.insert(to.end(), from.begin() + first * width,
                      from.begin() + (first + kept) * width);
        };
        copy(tiles.x, part.x, static_cast<std::size_t>(kLanes) * tiles.shape.n);
        copy(tiles.tile_class, part.tile_class, 1);
        copy(tiles.id, part.id, kLanes);
        const double* charge = tiles.charge.data() + first * kLanes;
        const double all = std::accumulate(charge, charge + whole * kLanes, 0.0);
        const double some = std::accumulate(charge, charge + kept * kLanes, 0.0);
        for (std::size_t l = 0; l < kept * kLanes; ++l)
            part.charge.push_back(some > 0 ? charge[l] * (all / some) : 0);
        first = last;
    }
    return part;
}

}  // namespace planetree
