// Sums whose rounding is known.
//
// u = 2^-53. The error of a sum or product of two doubles is itself a double (Knuth, Dekker), so a
// sum can carry its own errors along. `Sum` keeps two numbers, s and c, of n added products, and
//
//     | s + c - exact |  <=  4 (n + 1)^2 u^2 sum |a b|  +  n 2^-1070        (n < 2^24)
//
// which is the bound of Ogita, Rump & Oishi (2005), Dot2, with room to spare; the last part is
// for products that underflow. `error` gives it rounded up.
//
// A compiler that fuses products with sums would break this: a file that includes this one must be
// compiled with -ffp-contract=off (CMakeLists.txt lists them and defines PLANETREE_EXACT).
#pragma once

#ifndef PLANETREE_EXACT
#error "list this file among the exact ones of CMakeLists.txt"
#endif

#include <cmath>
#include <limits>
#include <vector>

namespace planetree {

constexpr double kUnit = 0x1p-53;
constexpr double kUp = 1 + 0x1p-30;  // covers the rounding of any sum of positive numbers here
constexpr double kDown = 1 - 0x1p-30;

struct DoubleDouble {
    double hi = 0, lo = 0;
};

// hi + lo == a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

// hi + lo == a * b exactly, unless it underflows.
inline DoubleDouble two_prod(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
}

inline double next_up(double v) {
    return std::nextafter(v, std::numeric_limits<double>::infinity());
}
inline double next_down(double v) {
    return std::nextafter(v, -std::numeric_limits<double>::infinity());
}

// A compensated sum of products.
struct Sum {
    double s = 0, c = 0, size = 0;  // size: the sum of |a b|
    double n = 0;

    void add(double a, double b) {
        const DoubleDouble product = two_prod(a, b);
        const DoubleDouble sum = two_sum(s, product.hi);
        s = sum.hi;
        c += sum.lo + product.lo;
        size += std::fabs(product.hi);
        n += 1;
    }
    void add(double a) {
        const DoubleDouble sum = two_sum(s, a);
        s = sum.hi;
        c += sum.lo;
        size += std::fabs(a);
        n += 1;
    }
    void add(const Sum& other) {
        const DoubleDouble sum = two_sum(s, other.s);
        s = sum.hi;
        c += sum.lo + other.c;
        size += other.size;
        n += other.n + 1;
    }
    double value() const { return s + c; }
    double error() const {
        const double terms = (n + 1) * (n + 1);
        return (4 * terms * kUnit * kUnit * size * kUp + n * 0x1p-1070) * kUp;
    }
    // No more, and no less, than the exact sum.
    double lower() const { return next_down(next_down(s + c) - error()); }
    double upper() const { return next_up(next_up(s + c) + error()); }
};

// As many sums as `width`, added to all at once.
class Sums {
  public:
    explicit Sums(std::size_t width) : s_(width), c_(width), size_(width) {}
    // sum_j += a[j] * factor
    void add(const double* a, double factor);
    void add(const Sums& other);
    Sum at(std::size_t j) const { return {s_[j], c_[j], size_[j], n_}; }
    std::size_t width() const { return s_.size(); }

  private:
    std::vector<double> s_, c_, size_;
    double n_ = 0;
};

// A sum of doubles without any rounding: numbers that do not overlap, the largest last.
class ExactSum {
  public:
    void add(double v) {
        std::size_t kept = 0;
        for (double p : parts_) {
            const DoubleDouble sum = two_sum(v, p);
            if (sum.lo != 0) parts_[kept++] = sum.lo;
            v = sum.hi;
        }
        parts_.resize(kept);
        if (v != 0) parts_.push_back(v);
    }
    void add(const ExactSum& other) {
        for (const double p : other.parts_) add(p);
    }
    bool zero() const { return parts_.empty(); }
    // The sum rounded once, to the even of two that are equally near.
    double value() const {
        if (zero()) return 0;
        std::size_t left = parts_.size() - 1;
        DoubleDouble sum{parts_[left], 0};
        while (left > 0 && sum.lo == 0) sum = two_sum(sum.hi, parts_[--left]);
        if (left == 0 || (sum.lo < 0) != (parts_[left - 1] < 0)) return sum.hi;
        const double twice = 2 * sum.lo, beyond = sum.hi + twice;
        return beyond - sum.hi == twice ? beyond : sum.hi;  // what is left breaks the tie
    }
    void clear() { parts_.clear(); }

  private:
    std::vector<double> parts_;
};

}  // namespace planetree
