// What planes leave of the margins of rows, rounded up (certificate.hpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/double_double.hpp"
#include "core/simd.hpp"
#include "core/threads.hpp"
#include "hinge/certificate.hpp"

namespace planetree {

namespace {

constexpr double kRoundedUp = 0x1p-1000;  // what rounding up makes of 0 is smaller
constexpr double kSmall = 0x1p-42;        // of what a row lacks: rounding that is let pass
constexpr double kLacking = 0x1p-20;      // what a row lacks here is no rounding
constexpr int kManyClasses = 32;          // from here on a row is scored against all planes at once

// w.x - offset in plain arithmetic, and more than its rounding.
struct Score {
    double value, rounding;
};

PLANETREE_VECTOR
void score(const double* x, const double* w, double offset, int n, Score& out) {
    double sum = 0, size = 0;
#pragma omp simd reduction(+ : sum, size)
    for (int j = 0; j < n; ++j) {
        const double p = x[j] * w[j];
        sum += p;
        size += std::fabs(p);
    }
    out.value = sum - offset;
    out.rounding = (n + 4) * 2 * kUnit * (size + std::fabs(offset)) + n * 0x1p-1070;
}

PLANETREE_VECTOR
void add_score(const double* x, const double* w, double offset, int n, double sign, Sum& sum) {
    for (int j = 0; j < n; ++j) sum.add(x[j], sign * w[j]);
    sum.add(-sign * offset);
}

// Scores of one row against many planes, whose weights stand feature by feature.
PLANETREE_VECTOR
void scores_of(const double* x, const double* weights, const double* offsets, int n, int k,
               double* value, double* size) {
    for (int c = 0; c < k; ++c) {
        value[c] = -offsets[c];
        size[c] = std::fabs(offsets[c]);
    }
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < k; ++c) {
            const double p = x[j] * weights[static_cast<std::size_t>(j) * k + c];
            value[c] += p;
            size[c] += std::fabs(p);
        }
}

struct RowSums {
    double error = 0, squares = 0, least = std::numeric_limits<double>::infinity();
    double unclear = 0;  // constraints for which plain arithmetic is not enough
};

// What a row is charged against the classes first..last - 1, in plain arithmetic but for its last
// bits, which are rounded up.
PLANETREE_VECTOR
void add_plain(const double* value, const double* size, const double* charge, int own, int first,
               int last, double factor, RowSums& sums) {
    double error = 0, squares = 0, unclear = 0, least = sums.least;
#pragma omp simd reduction(+ : error, squares, unclear) reduction(min : least)
    for (int c = first; c < last; ++c) {
        const double margin = value[own] - value[c];
        const double rounding =
            factor * (size[own] + size[c]) + 0x1p-50 * std::fabs(margin) + 0x1p-1000;
        const double low = margin - rounding, lack = 1 - margin;
        const bool counts = charge[c] > 0;
        const bool plain = rounding < kSmall * (lack > kLacking ? std::max(lack, 1.0) : lack);
        const double short_of = counts && plain ? lack * (1 + 0x1p-50) + rounding : 0;
        error += charge[c] * short_of;
        squares += charge[c] * short_of * short_of;
        unclear += counts && !plain && low < 1 ? 1 : 0;
        least = std::min(least, counts ? low : least);
    }
    sums.error += error, sums.squares += squares, sums.unclear += unclear, sums.least = least;
}

// Weights feature by feature, where there are many classes; else nothing.
std::vector<double> turned_weights(const RawRows& rows, const double* weights) {
    if (rows.k < kManyClasses) return {};
    const std::size_t n = rows.n, k = rows.k;
    std::vector<double> turned(n * k);
    for (std::size_t c = 0; c < k; ++c)
        for (std::size_t j = 0; j < n; ++j) turned[j * k + c] = weights[c * n + j];
    return turned;
}

struct ViolationSums {
    Sum error, squares;
    double least = std::numeric_limits<double>::infinity();

    void add(const ViolationSums& other) {
        if (other.error.n > 0) error.add(other.error);
        if (other.squares.n > 0) squares.add(other.squares);
        least = std::min(least, other.least);
    }

    PlanesValue value() const {
        return {error.n > 0 ? error.upper() : 0.0, least,
                squares.n > 0 ? squares.upper() * (1 + 0x1p-50) : 0.0};
    }
};

// The violations of planes, added row by row and rounded up.
class Violations {
  public:
    Violations(const RawRows& rows, const double* weights, const double* offsets,
               const std::vector<double>& turned)
        : rows_(rows), weights_(weights), offsets_(offsets), turned_(turned), scores_(rows.k) {
        if (!turned.empty())
            value_.resize(rows.k), size_.resize(rows.k), charge_.resize(rows.k - 1);
    }

    void add(std::size_t i) {
        if (turned_.empty() || !add_quickly(i)) add_carefully(i);
    }

    const ViolationSums& sums() const { return sums_; }

  private:
    int plane(int c) const { return rows_.k == 2 ? c - 1 : c; }  // -1: zero

    void charge_for(double charge, double short_of) {
        if (short_of < kRoundedUp) return;
        sums_.error.add(charge, short_of);
        sums_.squares.add(charge * short_of, short_of / 2);
    }

    // False if some score needs more than plain arithmetic.
    bool add_quickly(std::size_t i) {
        const int n = rows_.n, k = rows_.k, own = rows_.row_class[i];
        scores_of(rows_.x + i * n, turned_.data(), offsets_, n, k, value_.data(), size_.data());
        for (int s = 0; s < k - 1; ++s) charge_[s] = rows_.charge(i, s);
        const double factor = (n + 4) * 2 * kUnit;
        RowSums sums;
        add_plain(value_.data(), size_.data(), charge_.data(), own, 0, own, factor, sums);
        add_plain(value_.data(), size_.data(), charge_.data() - 1, own, own + 1, k, factor, sums);
        if (sums.unclear > 0) return false;
        const double up = 1 + (k + 8) * 2 * kUnit;
        sums_.least = std::min(sums_.least, sums.least);
        if (sums.error > 0) sums_.error.add(sums.error * up);
        if (sums.squares > 0) sums_.squares.add(sums.squares * up / 2);
        return true;
    }

    void add_carefully(std::size_t i) {
        const int n = rows_.n, k = rows_.k, slots = k - 1;
        const double* x = rows_.x + i * n;
        for (int c = k == 2 ? 1 : 0; c < k; ++c)
            score(x, weights_ + plane(c) * n, offsets_[plane(c)], n, scores_[c]);
        const int own = rows_.row_class[i];
        for (int s = 0; s < slots; ++s) {
            const double charge = rows_.charge(i, s);
            if (charge == 0) continue;
            const int rival = s < own ? s : s + 1;
            const double margin = scores_[own].value - scores_[rival].value;
            const double rounding =
                (scores_[own].rounding + scores_[rival].rounding + kUnit * std::fabs(margin)) * kUp;
            const double low = next_down(margin - rounding);
            const bool plain = rounding < kSmall * (1 - margin);
            if (plain || low >= 1) sums_.least = std::min(sums_.least, low);
            if (low >= 1) continue;
            if (plain) {
                charge_for(charge, next_up((1 - margin) * (1 + kUnit) + rounding));
                continue;
            }
            Sum lack;
            lack.add(1.0);
            for (const auto& [c, sign] : {std::pair{own, -1.0}, std::pair{rival, 1.0}})
                if (plane(c) >= 0)
                    add_score(x, weights_ + plane(c) * n, offsets_[plane(c)], n, sign, lack);
            charge_for(charge, std::max(0.0, lack.upper()));
            sums_.least = std::min(sums_.least, next_down(1 - lack.upper()));
        }
    }

    const RawRows& rows_;
    const double *weights_, *offsets_;
    const std::vector<double>& turned_;
    std::vector<Score> scores_;
    std::vector<double> charge_, value_, size_;
    ViolationSums sums_;
};

}  // namespace

PlanesValue value_of_planes(const RawRows& rows, const double* weights, const double* offsets,
                            Watch& watch) {
    const std::size_t block = rows_a_block(static_cast<std::size_t>(rows.n) * rows.k);
    const std::vector<double> turned = turned_weights(rows, weights);
    std::vector<ViolationSums> parts(block_count(rows.m, block));
    const auto add = [&](std::size_t first, std::size_t last, std::size_t b) {
        Violations sum(rows, weights, offsets, turned);
        for (std::size_t i = first; i < last; ++i) sum.add(i);
        parts[b] = sum.sums();
    };
    for_blocks(rows.m, block, add, &watch);
    ViolationSums all;
    for (const ViolationSums& part : parts) all.add(part);
    return all.value();
}

}  // namespace planetree
