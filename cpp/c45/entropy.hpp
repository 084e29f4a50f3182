// Entropy in the arithmetic of C4.5: x log2(x) in double, every sum rounded to Real at each step.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "c45/data.hpp"

namespace planetree::c45 {

// x log2(x), from a table for counts and from a small cache for other weights.
template <class Real>
class Logs {
  public:
    explicit Logs(const std::vector<double>& table)
        : table_(table.data()),
          size_(static_cast<std::uint32_t>(table.size())),
          cache_(kSlots, {Real{-1}, 0}) {}

    double operator()(std::uint32_t n) {
        return n < size_ ? table_[n] : direct(static_cast<double>(n));
    }

    double operator()(Real x) {
        Slot& slot = cache_[slot_of(x)];
        if (slot.x != x) slot = {x, computed(x)};
        return slot.value;
    }

    // The whole numbers whose values are in the table.
    std::uint32_t size() const { return size_; }
    double in_table(std::uint32_t n) const { return table_[n]; }
    // Of n + rest, on the line through the values of n and n + 1.
    double on_line(std::uint32_t n, double rest) const {
        return table_[n] + rest * (table_[n + 1] - table_[n]);
    }
    // By how much that can be too much, from `least` on.
    static double largest_bend(Real least) {
        const double from = std::floor(0.999 * static_cast<double>(least));
        return from < 1 ? 0.54 : 0.1804 / from;
    }

  private:
    struct Slot {
        Real x;
        double value;
    };
    static constexpr int kSlotBits = 10;
    static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

    static double direct(double x) { return x * std::log2(x); }

    double computed(Real x) const {
        if (!(x > 0)) return 0;
        if (x < static_cast<Real>(size_)) {
            const auto n = static_cast<std::uint32_t>(x);
            if (static_cast<Real>(n) == x) return table_[n];
        }
        return direct(static_cast<double>(x));
    }

    static std::size_t slot_of(Real x) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &x, sizeof x);
        return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15ULL) >> (64 - kSlotBits));
    }

    const double* table_;
    std::uint32_t size_;
    std::vector<Slot> cache_;
};

// Sums x log2(x) over parts as Release 8 does, and gives total log2(total) - sum.
template <class Real>
class Mass {
  public:
    explicit Mass(Logs<Real>& logs) : logs_(logs) {}

    template <class Count>
    void add(Count part) {
        sum_ = static_cast<Real>(static_cast<double>(sum_) + logs_(part));
    }

    template <class Count>
    Real of(Count total) const {
        return static_cast<Real>(logs_(total) - static_cast<double>(sum_));
    }

  private:
    Logs<Real>& logs_;
    Real sum_ = 0;
};

// The entropy mass of class counts: their number times the bits each needs.
template <class Real, class Count>
Real class_mass(Logs<Real>& logs, const Count* counts, std::size_t n) {
    Mass<Real> mass(logs);
    Count total = 0;
    for (std::size_t c = 0; c < n; ++c) {
        mass.add(counts[c]);
        total += counts[c];
    }
    return mass.of(total);
}

}  // namespace planetree::c45
