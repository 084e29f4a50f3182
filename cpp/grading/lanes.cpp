#include "grading/lanes.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr double kFarthest = -700;  // exponentials of less are no different
constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
constexpr double kWhole = 6755399441055744;  // 1.5 * 2^52: a sum with it is rounded to a whole

// e^x of x from kFarthest to 0, to the last digit or two: 2^k times Taylor's series of the rest.
inline double exponential(double x) {
    const double shifted = x * kLog2E + kWhole, k = shifted - kWhole;
    const double r = (x - k * kLn2High) - k * kLn2Low;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    std::uint64_t bits, power;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

// In an order that no machine changes.
inline double lane_sum(const Lanes& lanes) {
    Pack sum, more;
    load(lanes.of, sum);
    for (std::size_t l = kPack; l < kLanes; l += kPack) {
        load(lanes.of + l, more);
        sum += more;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

PLANETREE_VECTOR void fork(Lanes& s, double slope, double shift, const double* parts, Lanes& below,
                           Lanes& above, Lanes& known) {
    const double part_below = parts[0], part_above = parts[1];
#pragma omp simd
    for (std::size_t l = 0; l < kLanes; ++l) {
        const bool is_known = s.of[l] == s.of[l];
        const double score = is_known ? s.of[l] : 0.0;
        const double z = slope * score + shift, far = -std::fabs(z);
        const double e = exponential(far > kFarthest ? far : kFarthest);
        const double u = (z >= 0 ? 1.0 : e) / (1.0 + e);
        s.of[l] = score;
        known.of[l] = is_known ? 1.0 : 0.0;
        below.of[l] = is_known ? 1.0 - u : part_below;
        above.of[l] = is_known ? u : part_above;
    }
}

PLANETREE_VECTOR void multiply(const Lanes& a, const Lanes& b, Lanes& out) {
#pragma omp simd
    for (std::size_t l = 0; l < kLanes; ++l) out.of[l] = a.of[l] * b.of[l];
}

PLANETREE_VECTOR void add_product(const Lanes& a, const Lanes& b, Lanes& sum) {
#pragma omp simd
    for (std::size_t l = 0; l < kLanes; ++l) sum.of[l] += a.of[l] * b.of[l];
}

PLANETREE_VECTOR ForkChange fork_change(const Lanes& s, const Lanes& known, const Lanes& below,
                                        const Lanes& above, const Lanes& value_below,
                                        const Lanes& value_above, const Lanes& factor,
                                        const Lanes& reach) {
    Lanes by_slope, by_shift;
#pragma omp simd
    for (std::size_t l = 0; l < kLanes; ++l) {
        const double rise = value_above.of[l] - value_below.of[l];
        const double reached = known.of[l] * factor.of[l] * reach.of[l];
        by_shift.of[l] = reached * (above.of[l] * below.of[l]) * rise;
        by_slope.of[l] = by_shift.of[l] * s.of[l];
    }
    return {lane_sum(by_slope), lane_sum(by_shift)};
}

}  // namespace planetree
