#include "hinge/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/dense.hpp"
#include "core/simd.hpp"
#include "core/sorting.hpp"
#include "core/threads.hpp"
#include "hinge/first_planes.hpp"
#include "hinge/quadratic.hpp"
#include "hinge/strategy.hpp"

namespace planetree {

namespace {

constexpr int kAhead = 16;        // rows asked of memory before they are needed
constexpr double kProved = 1e-9;  // the largest gap of an answer that is believed

void prefetch(const double* row, int n) {
#ifdef __GNUC__
    for (int j = 0; j < n; j += 8) __builtin_prefetch(row + j);
#else
    (void)row, (void)n;
#endif
}

std::uint64_t bits(double v) {
    v += 0.0;  // -0 counts as 0
    std::uint64_t b;
    std::memcpy(&b, &v, sizeof b);
    return b ^ (b >> 32);
}

std::uint64_t finish(std::uint64_t h) {
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 29);
}

std::vector<std::uint64_t> multipliers(int n) {
    std::vector<std::uint64_t> odd(n);
    std::uint64_t state = 0x9e3779b97f4a7c15u;
    for (auto& v : odd) v = finish(state += 0x9e3779b97f4a7c15u) | 1u;
    return odd;
}

// Of the normalized features, so that the order of rows does not depend on units.
PLANETREE_VECTOR
std::uint64_t hash_row(const double* x, const double* center, const double* inverse_scale,
                       const std::uint64_t* odd, int n) {
    std::uint64_t sum = 0;
    for (int j = 0; j < n; ++j) {
        const double difference = x[j] - center[j];
        sum += bits(difference * inverse_scale[j]) * odd[j];
    }
    return sum;
}

bool equal_rows(const double* a, const double* b, int n) { return std::equal(a, a + n, b); }

bool before(const Rows& rows, const Key& a, const Key& b) {
    if (a.key != b.key) return a.key < b.key;
    const double* x = rows.x + static_cast<std::size_t>(a.row) * rows.n;
    const double* y = rows.x + static_cast<std::size_t>(b.row) * rows.n;
    return std::lexicographical_compare(x, x + rows.n, y, y + rows.n);
}

PLANETREE_VECTOR
bool all_finite(const double* x, std::size_t n) {
    double sum = 0;  // stays 0 unless something is infinite or NaN
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += x[i] * 0;
    return sum == 0;
}

std::vector<double> reciprocals(const std::vector<double>& v) {
    std::vector<double> out(v.size());
    std::transform(v.begin(), v.end(), out.begin(), [](double s) { return 1 / s; });
    return out;
}

// Rows of positive weight, by class, in an order that their numbers alone decide.
std::vector<std::vector<Key>> ordered_by_class(const Rows& rows, Watch& watch) {
    const std::size_t k = rows.k, block = rows_a_block(rows.n),
                      n_blocks = block_count(rows.m, block);
    std::vector<std::size_t> place(n_blocks * k, 0);  // where the rows of each block begin
    for_blocks(rows.m, block, [&](std::size_t first, std::size_t last, std::size_t b) {
        for (std::size_t i = first; i < last; ++i)
            if (rows.weight[i] > 0) ++place[b * k + rows.row_class[i]];
    });
    std::vector<std::vector<Key>> keys(k);
    for (std::size_t c = 0; c < k; ++c) {
        std::size_t size = 0;
        for (std::size_t b = 0; b < n_blocks; ++b) size += std::exchange(place[b * k + c], size);
        keys[c].resize(size);
    }
    const auto odd = multipliers(rows.n);
    const auto inverse_scale = reciprocals(rows.scale);
    const auto hash = [&](std::size_t first, std::size_t last, std::size_t b) {
        std::vector<std::size_t> next(&place[b * k], &place[b * k] + k);
        for (std::size_t i = first; i < last; ++i)
            if (rows.weight[i] > 0)
                keys[rows.row_class[i]][next[rows.row_class[i]]++] = {
                    finish(hash_row(rows.x + i * rows.n, rows.center.data(), inverse_scale.data(),
                                    odd.data(), rows.n)),
                    static_cast<std::uint32_t>(i)};
    };
    for_blocks(rows.m, block, hash, &watch);
    const auto sort_class = [&](std::size_t c) {
        std::vector<Key> room;
        sort_by_key(keys[c], room, [&](const Key& a, const Key& b) { return before(rows, a, b); });
    };
    run_blocks(k, sort_class, &watch);
    return keys;
}

// Where runs of equal rows begin among the keys of a class, and where the last one ends.
std::vector<std::size_t> runs_of_equal(const Rows& rows, const std::vector<Key>& keys,
                                       Watch& watch) {
    std::vector<std::size_t> runs;
    runs.reserve(keys.size() + 1);
    const auto x = [&](const Key& key) {
        return rows.x + static_cast<std::size_t>(key.row) * rows.n;
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        watch.expired_after(1);
        if (i == 0 || keys[i].key != keys[i - 1].key ||
            !equal_rows(x(keys[i]), x(keys[i - 1]), rows.n))
            runs.push_back(i);
    }
    runs.push_back(keys.size());
    return runs;
}

bool not_negative(const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return x >= 0 && std::isfinite(x); });
}

void check(const Rows& rows) {
    if (rows.n < 1 || rows.k < 2 || rows.m < 1)
        throw std::invalid_argument("a program needs a row, a feature and two classes");
    const double infinite =
        sum_blocks(rows.m, kBlockRows, [&](std::size_t first, std::size_t last) -> double {
            return !all_finite(rows.x + first * rows.n, (last - first) * rows.n);
        });
    if (infinite > 0) throw std::invalid_argument("a feature is infinite or NaN");
    if (rows.m >= UINT32_MAX) throw std::invalid_argument("more than 2^32 - 2 rows");
    for (std::size_t i = 0; i < rows.m; ++i) {
        if (rows.row_class[i] < 0 || rows.row_class[i] >= rows.k)
            throw std::invalid_argument("a class code is out of range");
        if (!(rows.weight[i] >= 0) || std::isinf(rows.weight[i]))
            throw std::invalid_argument("weights must be finite and not negative");
    }
    if (!all_finite(rows.center.data(), rows.center.size()))
        throw std::invalid_argument("centers must be finite");
    const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
    if (!std::all_of(rows.scale.begin(), rows.scale.end(), positive))
        throw std::invalid_argument("scales must be positive");
    if (!not_negative(rows.class_charge) || !not_negative(rows.costs))
        throw std::invalid_argument("charges must be finite and not negative");
}

// Prices of features as prices of the unknowns of a program with some of them.
Prices unknown_prices(const Shape& shape, const Prices& price, const std::vector<int>& features) {
    Prices out(shape.size());
    if (price.rise.empty()) return out;
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j) {
            out.rise[b * shape.width() + j] = price.rise[features[j]];
            out.fall[b * shape.width() + j] = price.fall[features[j]];
        }
    return out;
}

std::vector<int> all_features(int n) {
    std::vector<int> features(n);
    std::iota(features.begin(), features.end(), 0);
    return features;
}

// What a time limit leaves before the simplex has begun: planes of a sample may be worse than the
// first ones, or there are none.
void keep_first_if_better(const Tiles& tiles, const Prices& price, HingeAnswer& answer) {
    std::vector<double> first = first_planes(tiles, price);
    const Certificate other = certify(tiles, price, first, answer.slopes);
    if (!no_normal(tiles.shape, answer.z)) {
        answer.certificate = certify(tiles, price, answer.z, answer.slopes);
        if (answer.certificate.objective <= other.objective) return;
    }
    answer.z = std::move(first);
    answer.certificate = other;
}

void prove(const Tiles& tiles, const Prices& price, HingeAnswer& answer) {
    if (answer.outcome != Outcome::expired)
        enlarge_to_unit_margin(tiles, price, answer.z);
    else if (answer.slopes.empty() || no_normal(tiles.shape, answer.z))
        return keep_first_if_better(tiles, price, answer);
    answer.certificate = certify(tiles, price, answer.z, answer.slopes);
}

void solve_tiles(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    const bool cold = answer.basis.empty();
    try {
        solve_by_shape(tiles, price, answer, watch);
    } catch (const OutOfTime&) {
        answer.outcome = Outcome::expired;
        answer.slopes.clear();
    }
    prove(tiles, price, answer);
    if (answer.certificate.gap <= kProved || answer.outcome == Outcome::expired) return;
    if (answer.method == "simplex" && cold) return;
    answer.basis.clear();
    answer.z.assign(tiles.shape.size(), 0.0);  // where a flat direction has not yet led astray
    solve_by_simplex(tiles, price, answer, watch);
    prove(tiles, price, answer);
}

}  // namespace

HingeProgram::HingeProgram(const Rows& rows, bool all_blocks, Watch& watch) {
    check(rows);
    const auto keys = ordered_by_class(rows, watch);
    tiles_.shape = {rows.n, rows.k, all_blocks ? rows.k : rows.k - 1};
    tiles_.costs = rows.costs;
    lane_.assign(rows.m, UINT32_MAX);
    share_.assign(rows.m, 0.0);
    std::vector<std::vector<std::size_t>> runs;
    for (int c = 0; c < rows.k; ++c) {
        runs.push_back(runs_of_equal(rows, keys[c], watch));
        n_rows_ += runs[c].size() - 1;
        tiles_.tile_class.resize(tiles_.count() + block_count(runs[c].size() - 1, kLanes), c);
    }
    tiles_.x.resize(tiles_.count() * kLanes * rows.n);  // not set: that is for the threads
    tiles_.charge.assign(tiles_.count() * kLanes, 0.0);
    tiles_.id.assign(tiles_.count() * kLanes, -1);
    for (std::size_t c = 0, first = 0; c < keys.size(); ++c) {
        fill_lanes(rows, keys[c], runs[c], first * kLanes, watch);
        first += block_count(runs[c].size() - 1, kLanes);
    }
}

// The lanes of one class, from `begin` on.
void HingeProgram::fill_lanes(const Rows& rows, const std::vector<Key>& keys,
                              const std::vector<std::size_t>& runs, std::size_t begin,
                              Watch& watch) {
    const std::size_t n = rows.n, count = runs.size() - 1;
    const auto inverse_scale = reciprocals(rows.scale);
    const auto x = [&](std::size_t run) { return rows.x + keys[runs[run]].row * n; };
    const auto fill = [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t r = first; r < last; ++r) {
            const std::size_t lane = begin + r;
            if (count - r > kAhead) prefetch(x(r + kAhead), rows.n);
            double weight = 0;
            for (std::size_t i = runs[r]; i < runs[r + 1]; ++i) weight += rows.weight[keys[i].row];
            for (std::size_t i = runs[r]; i < runs[r + 1]; ++i) {
                lane_[keys[i].row] = static_cast<std::uint32_t>(lane);
                share_[keys[i].row] = rows.weight[keys[i].row] / weight;
            }
            tiles_.charge[lane] = weight * rows.class_charge[tiles_.tile_class[lane / kLanes]];
            tiles_.id[lane] = static_cast<std::int64_t>(lane);
            double* to = tiles_.x.data() + lane / kLanes * n * kLanes + lane % kLanes;
            for (std::size_t j = 0; j < n; ++j)
                to[j * kLanes] = (x(r)[j] - rows.center[j]) * inverse_scale[j];
        }
    };
    for_blocks(count, rows_a_block(n), fill, &watch);
    const std::size_t end = begin + block_count(count, kLanes) * kLanes;
    for (std::size_t lane = begin + count; lane < end; ++lane)
        for (std::size_t j = 0; j < n; ++j)
            tiles_.x[(lane / kLanes * n + j) * kLanes + lane % kLanes] = 0;
}

HingeAnswer HingeProgram::solve(const Prices& feature_price, const HingeAnswer* start,
                                const std::vector<int>& features, Watch& watch) const {
    const Shape& whole = tiles_.shape;
    std::vector<char> chosen(whole.n, 0);
    for (const int j : features) {
        if (j < 0 || j >= whole.n) throw std::invalid_argument("a feature is out of range");
        if (chosen[j]++) throw std::invalid_argument("a feature is named twice");
    }
    if (!not_negative(feature_price.rise) || !not_negative(feature_price.fall))
        throw std::invalid_argument("prices must be finite and not negative");
    HingeAnswer answer;
    answer.features = features;
    if (start && start->features == features) answer.basis = start->basis;
    const std::vector<double> from = start ? start->z : std::vector<double>(whole.size(), 0.0);
    if (features.empty()) {
        answer.z = from;
        solve_tiles(tiles_, unknown_prices(whole, feature_price, all_features(whole.n)), answer,
                    watch);
        return answer;
    }
    const Tiles part = select(tiles_, features);
    answer.z.resize(part.shape.size());
    for_unknowns(whole, part.shape, features, [&](int p, int w) { answer.z[p] = from[w]; });
    solve_tiles(part, unknown_prices(part.shape, feature_price, features), answer, watch);
    std::vector<double> all(whole.size(), 0.0);
    for_unknowns(whole, part.shape, features, [&](int p, int w) { all[w] = answer.z[p]; });
    answer.z = std::move(all);
    return answer;
}

HingeAnswer HingeProgram::solve_quadratic(double l2, const std::vector<double>& start,
                                          long max_steps, Watch& watch) const {
    HingeAnswer answer;
    answer.z = start.empty() ? std::vector<double>(tiles_.shape.size(), 0.0) : start;
    planetree::solve_quadratic(tiles_, l2, max_steps, answer, watch);
    return answer;
}

Certificate HingeProgram::certify_quadratic(double l2, const std::vector<double>& z,
                                            const std::vector<int>& unknowns, Watch& watch) const {
    for (const int p : unknowns)
        if (p < 0 || p >= tiles_.shape.size())
            throw std::invalid_argument("an unknown is out of range");
    return planetree::certify_quadratic(tiles_, l2, z, unknowns, watch);
}

Certificate HingeProgram::certify(const Prices& feature_price, const std::vector<double>& z,
                                  const std::vector<double>& slopes) const {
    const auto price = unknown_prices(tiles_.shape, feature_price, all_features(tiles_.shape.n));
    return planetree::certify(tiles_, price, z, slopes);
}

std::vector<double> HingeProgram::pull(const std::vector<double>& slopes) const {
    std::vector<double> sum(tiles_.shape.size(), 0.0);
    if (!slopes.empty()) accumulate(tiles_, slopes.data(), sum.data());
    for (double& v : sum) v = -v;
    return sum;
}

std::vector<double> HingeProgram::scatter_duals(const std::vector<double>& slopes) const {
    const std::size_t slots = tiles_.shape.slots();
    std::vector<double> out(lane_.size() * slots, 0.0);
    for_blocks(lane_.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t s = 0; s < slots && lane_[i] != UINT32_MAX; ++s)
                out[i * slots + s] = -share_[i] * slopes[constraint(lane_[i], s)];
    });
    return out;
}

std::vector<double> HingeProgram::gather_duals(const double* duals) const {
    const std::size_t slots = tiles_.shape.slots();
    std::vector<double> slopes(tiles_.n_constraints(), 0.0);
    for (std::size_t i = 0; i < lane_.size(); ++i)
        for (std::size_t s = 0; s < slots && lane_[i] != UINT32_MAX; ++s)
            slopes[constraint(lane_[i], s)] -= duals[i * slots + s];
    return slopes;
}

}  // namespace planetree
