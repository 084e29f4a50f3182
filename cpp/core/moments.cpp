#include "core/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/simd.hpp"
#include "core/threads.hpp"

namespace planetree {

namespace {

constexpr std::size_t kChunk = 256;  // rows a partial sum: rounding stays small over millions

PLANETREE_VECTOR
void widen(const double* row, int n, double* low, double* high) {
    for (int j = 0; j < n; ++j) {
        low[j] = std::min(low[j], row[j]);
        high[j] = std::max(high[j], row[j]);
    }
}

PLANETREE_VECTOR
void add_scaled(const double* row, const double* factor, double weight, int n, double* sum) {
    for (int j = 0; j < n; ++j) sum[j] += weight * (row[j] * factor[j]);
}

PLANETREE_VECTOR
void add_squares(const double* row, const double* factor, const double* mean, double weight, int n,
                 double* sum) {
    for (int j = 0; j < n; ++j) {
        const double off = row[j] * factor[j] - mean[j];
        sum[j] += weight * (off * off);
    }
}

// Of a row of which cells may be missing: weights of these, and of the others; extremes; the parts
// of numbers after the point. No branches, so that columns are seen side by side.
PLANETREE_VECTOR
void see(const double* row, double weight, int n, double* lost, double* known, double* low,
         double* high, double* after_point) {
    for (int j = 0; j < n; ++j) {
        const double v = row[j];
        const bool is_lost = v != v;
        lost[j] += is_lost ? weight : 0.0;
        known[j] += is_lost ? 0.0 : weight;
        low[j] = v < low[j] ? v : low[j];
        high[j] = v > high[j] ? v : high[j];
        after_point[j] += is_lost ? 0.0 : v - std::floor(v);
    }
}

PLANETREE_VECTOR
void add_known(const double* row, const double* factor, double weight, int n, double* sum) {
    for (int j = 0; j < n; ++j) {
        const double v = row[j] * factor[j];
        sum[j] += v == v ? weight * v : 0.0;
    }
}

PLANETREE_VECTOR
void add_known_squares(const double* row, const double* factor, const double* mean, double weight,
                       int n, double* sum) {
    for (int j = 0; j < n; ++j) {
        const double off = row[j] * factor[j] - mean[j];
        sum[j] += off == off ? weight * off * off : 0.0;
    }
}

template <class Add>
std::vector<double> sum_by_chunks(std::size_t m, int n, Add&& add) {
    std::vector<double> sum(n, 0.0), part(n);
    for (std::size_t first = 0; first < m; first += kChunk) {
        std::fill(part.begin(), part.end(), 0.0);
        for (std::size_t i = first; i < std::min(m, first + kChunk); ++i) add(i, part.data());
        for (int j = 0; j < n; ++j) sum[j] += part[j];
    }
    return sum;
}

// The same by blocks, for an `add` that writes nothing else.
template <class Add>
std::vector<double> sum_by_blocks(std::size_t m, int n, Add&& add) {
    std::vector<std::vector<double>> parts(block_count(m, kBlockRows));
    for_blocks(m, kBlockRows, [&](std::size_t first, std::size_t last, std::size_t b) {
        parts[b] = sum_by_chunks(last - first, n,
                                 [&](std::size_t i, double* sum) { add(first + i, sum); });
    });
    std::vector<double> sum(n, 0.0);
    for (const std::vector<double>& part : parts)
        for (int j = 0; j < n; ++j) sum[j] += part[j];
    return sum;
}

struct Extremes {
    std::vector<double> low, high;
};

Extremes extremes(const double* x, const double* weight, std::size_t m, int n) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Extremes none{std::vector<double>(n, infinity), std::vector<double>(n, -infinity)};
    std::vector<Extremes> parts(block_count(m, kBlockRows), none);
    for_blocks(m, kBlockRows, [&](std::size_t first, std::size_t last, std::size_t b) {
        for (std::size_t i = first; i < last; ++i)
            if (weight[i] > 0) widen(x + i * n, n, parts[b].low.data(), parts[b].high.data());
    });
    Extremes all = none;
    for (const Extremes& part : parts) {
        widen(part.low.data(), n, all.low.data(), all.high.data());
        widen(part.high.data(), n, all.low.data(), all.high.data());
    }
    return all;
}

}  // namespace

void column_moments(const double* x, const double* weight, std::size_t m, int n, double* center,
                    double* scale) {
    const double total = std::accumulate(weight, weight + m, 0.0);
    const bool negative = std::any_of(weight, weight + m, [](double w) { return w < 0; });
    if (negative || !(total > 0) || std::isinf(total))
        throw std::invalid_argument("weights must be finite, not negative and not all 0");
    const auto [low, high] = extremes(x, weight, m, n);
    std::vector<double> factor(n);
    std::vector<int> power(n);
    for (int j = 0; j < n; ++j) {
        std::frexp(std::max(std::fabs(low[j]), std::fabs(high[j])), &power[j]);
        power[j] = std::max(power[j], -1000);  // 2 to the 1073 would overflow
        factor[j] = std::ldexp(1.0, -power[j]);
    }
    std::vector<double> mean = sum_by_blocks(m, n, [&](std::size_t i, double* sum) {
        add_scaled(x + i * n, factor.data(), weight[i], n, sum);
    });
    for (double& v : mean) v /= total;
    const std::vector<double> square = sum_by_blocks(m, n, [&](std::size_t i, double* sum) {
        add_squares(x + i * n, factor.data(), mean.data(), weight[i], n, sum);
    });
    for (int j = 0; j < n; ++j) {
        const double spread = std::ldexp(std::sqrt(square[j] / total), power[j]);
        const bool constant = low[j] == high[j] || spread < std::numeric_limits<double>::min();
        center[j] = constant ? high[j] : std::ldexp(mean[j], power[j]);
        scale[j] = constant ? 0 : spread;
    }
}

void round_moments(int bits, int n, double* center, double* scale) {
    for (int j = 0; j < n; ++j) {
        int power;
        const double part = std::frexp(scale[j], &power);
        const double unit = std::ldexp(1.0, power - bits), share = center[j] / unit;
        scale[j] = std::ldexp(std::floor(std::ldexp(part, bits) + 1.0 / 3), power - bits);
        if (scale[j] > 0 && std::fabs(share) < 0x1p52)
            center[j] = std::floor(share + 1.0 / 3) * unit;
    }
}

ColumnRanges column_ranges(const double* x, const double* weight, std::size_t m, int n, int bits) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    ColumnRanges seen{std::vector<double>(n, infinity), std::vector<double>(n, -infinity),
                      std::vector<double>(n), std::vector<double>(n), std::vector<char>(n, 1)};
    std::vector<double> known(n), after_point(n);
    const std::vector<double> lost = sum_by_chunks(m, n, [&](std::size_t i, double* sum) {
        if (weight[i] > 0)
            see(x + i * n, weight[i], n, sum, known.data(), seen.low.data(), seen.high.data(),
                after_point.data());
    });
    std::vector<int> power(n);
    std::vector<double> factor(n);
    for (int j = 0; j < n; ++j) {
        std::frexp(std::max(std::fabs(seen.low[j]), std::fabs(seen.high[j])), &power[j]);
        power[j] = std::max(power[j], -1000);  // 2 to the 1073 would overflow
        factor[j] = std::ldexp(1.0, -power[j]);
    }
    std::vector<double> mean = sum_by_chunks(m, n, [&](std::size_t i, double* sum) {
        if (weight[i] > 0) add_known(x + i * n, factor.data(), weight[i], n, sum);
    });
    for (int j = 0; j < n; ++j) mean[j] /= known[j];
    const std::vector<double> square = sum_by_chunks(m, n, [&](std::size_t i, double* sum) {
        if (weight[i] > 0)
            add_known_squares(x + i * n, factor.data(), mean.data(), weight[i], n, sum);
    });
    for (int j = 0; j < n; ++j) {
        if (after_point[j] > 0) seen.whole[j] = 0;
        seen.missing[j] = lost[j] / (lost[j] + known[j]);
        seen.deviation[j] = std::ldexp(std::sqrt(square[j] / known[j]), power[j]);
        if (seen.low[j] == seen.high[j]) seen.deviation[j] = 0;
        if (known[j] == 0) seen.low[j] = seen.high[j] = seen.deviation[j] = nothing;
    }
    std::vector<double> centers(n);
    round_moments(bits, n, centers.data(), seen.deviation.data());
    return seen;
}

}  // namespace planetree
