// The cuts of a number column at a node, and the best of them.
//
// A cut is judged by its mass, the bits that the classes on both sides take: the first of the
// largest gain is best. Sums of x log2(x) are rounded at each step, which takes time and seldom
// decides, so cuts are first compared by masses that are not rounded, and lie below the true ones
// where there are fractional weights; few are then left to be compared as Release 8 does.
// The correction for the number of cuts tried is the same for all, so it is charged once.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "c45/candidate.hpp"
#include "c45/entropy.hpp"

namespace planetree::c45 {

constexpr double kNothingKnown = -std::numeric_limits<double>::infinity();

// What the cases on the two sides of a cut weigh in all, and the bounds of it.
template <class Real>
struct CutRange {
    Parts<Real> parts{};
    Real least = 0, most = 0;  // weight below a cut
    double slack = 0;          // masses that differ by more have gains in their order
    bool possible = false;     // whether there are enough known cases
    double bends = 0;          // how much two values of x log2(x) can lie above their lines
    Real least_rest = 0;       // a class that is used up may have so much left
    bool is_in_table = false;  // whether the logarithms of all sums, as rounded, are in the table

    // mass: of the known cases.
    CutRange(Real total, Real unknown, Real mass, double min_cases, std::size_t n_cases,
             std::size_t n_classes, Logs<Real>& logs) {
        const Real known = total - unknown;
        possible = static_cast<double>(known) >= 2 * min_cases;
        if (!possible) return;
        parts = {total, unknown, known, mass / known};
        const auto n = static_cast<double>(n_classes);
        const auto share = static_cast<Real>(kMinShare * static_cast<double>(known) / n);
        least = static_cast<double>(share) <= min_cases
                    ? static_cast<Real>(min_cases)
                    : std::min(share, static_cast<Real>(kMostMinimum));
        most = known - least;
        slack = (4 * n + 12) * std::numeric_limits<Real>::epsilon() *
                (std::abs(logs(known)) + 2 * static_cast<double>(known) + n);
        least_rest = -4 * std::numeric_limits<Real>::epsilon() * known;
        bends = 2 * Logs<Real>::largest_bend(least);
        is_in_table = n_cases < kMostCases && kDrift * static_cast<double>(known) + n + 2 <
                                                  static_cast<double>(logs.size());
    }
    CutRange() = default;

  private:
    static constexpr double kMinShare = 0.10;  // of the known cases a class has, on each side
    static constexpr double kMostMinimum = 25;
    // A sum of so many cases is off by no more than this factor.
    static constexpr std::size_t kMostCases = std::size_t{1} << 20;
    static constexpr double kDrift = 1.125;
};

template <class Real>
struct Cut {
    std::uint32_t below, above;  // the levels on either side
    Real low;                    // weight below it
    double least_mass;           // that it has, but for rounding
};

// Collects cuts in ascending order and compares them a block at a time.
template <class Real>
class CutList {
  public:
    static constexpr std::size_t kBlock = 256;

    void start(const CutRange<Real>& range, const Column<Real>& column, double min_cases) {
        range_ = range;
        column_ = &column;
        min_cases_ = min_cases;
        size_ = n_tried_ = 0;
        enough_ = std::numeric_limits<double>::infinity();
        has_best_ = false;
    }

    bool is_over(Real low) const { return low > range_.most; }
    // Whether a cut with so much weight below it is tried.
    bool takes(Real low, std::uint32_t below, std::uint32_t above) const {
        return low >= range_.least &&
               (!column_->has_narrow_gap || is_wide(column_->level[below], column_->level[above]));
    }
    // Cut number size() of the block. mass(k): of one of them, rounded as it is to be.
    template <class Mass>
    void add(const Cut<Real>& cut, const Mass& mass) {
        block_[size_++] = cut;
        if (size_ == kBlock) compare(mass);
    }
    std::size_t size() const { return size_; }

    template <class Mass>
    void finish(const Mass& mass, const std::vector<double>& log2s, Logs<Real>& logs,
                Candidate<Real>& found) {
        compare(mass);
        if (!has_best_) return;
        const double bits =
            n_tried_ < log2s.size() ? log2s[n_tried_] : std::log2(static_cast<double>(n_tried_));
        const Real cost = static_cast<Real>(bits / static_cast<double>(range_.parts.total));
        const Real net = gain_ - cost;
        if (!(net > 0)) return;
        found.gain = net;
        found.info = info(best_.low, logs);
        found.low = best_.below;
        found.high = best_.above;
        found.n_branches = 2;
    }

  private:
    template <class Mass>
    void compare(const Mass& mass) {
        n_tried_ += size_;
        double least = std::numeric_limits<double>::infinity();
        std::size_t first = 0;
        for (std::size_t k = 0; k < size_; ++k) {
            first = block_[k].least_mass < least ? k : first;
            least = std::min(least, block_[k].least_mass);
        }
        if (size_ > 0 && least <= enough_) offer_all(first, mass);
        size_ = 0;
    }

    // `first`: a good one to begin with.
    template <class Mass>
    void offer_all(std::size_t first, const Mass& mass) {
        const Real first_mass = mass(first);
        if (has_enough_cases(first))
            enough_ = std::min(enough_, static_cast<double>(first_mass) + range_.slack);
        for (std::size_t k = 0; k < size_; ++k)
            if (block_[k].least_mass <= enough_ && has_enough_cases(k))
                offer(k, k == first ? first_mass : mass(k));
    }

    void offer(std::size_t k, Real mass) {
        const Real gain = range_.parts.gain(mass);
        if (has_best_ && !(gain > gain_)) return;
        has_best_ = true;
        gain_ = gain;
        best_ = block_[k];
    }

    bool has_enough_cases(std::size_t k) const {
        const Real low = block_[k].low;
        return static_cast<double>(low) >= min_cases_ &&
               static_cast<double>(range_.parts.known - low) >= min_cases_;
    }

    Real info(Real low, Logs<Real>& logs) const {
        Mass<Real> sum(logs);
        const Parts<Real>& parts = range_.parts;
        const std::array<Real, 3> weights{parts.unknown, low, parts.known - low};
        Real total = 0;
        for (const Real weight : weights) {
            sum.add(weight);
            total += weight;
        }
        return sum.of(total) / parts.total;
    }

    CutRange<Real> range_;
    const Column<Real>* column_ = nullptr;
    double min_cases_ = 0;
    std::array<Cut<Real>, kBlock> block_;
    std::size_t size_ = 0, n_tried_ = 0;
    double enough_ = 0;  // cuts of a larger mass cannot be the best
    bool has_best_ = false;
    Cut<Real> best_{};
    Real gain_ = 0;
};

// An array with an item for each class, for two of them without a loop.
template <class Item>
struct TwoClasses {
    explicit TwoClasses(std::size_t) {}
    static constexpr std::size_t size(std::size_t = 2) { return 2; }
    Item& operator[](std::size_t c) { return items[c]; }
    const Item& operator[](std::size_t c) const { return items[c]; }
    std::array<Item, 2> items{};
};

template <class Item>
struct ManyClasses {
    explicit ManyClasses(std::size_t n) : items(n) {}
    static std::size_t size(std::size_t n) { return n; }
    std::size_t size() const { return items.size(); }
    Item& operator[](std::size_t c) { return items[c]; }
    const Item& operator[](std::size_t c) const { return items[c]; }
    std::vector<Item> items;
};

// Moves a case from the high side to the low side of its class. With two classes, nothing is moved
// on the other one: that takes no jump.
template <class Real>
void pass(TwoClasses<Real>& low, TwoClasses<Real>& high, std::uint32_t cls, Real weight) {
    for (std::uint32_t c = 0; c < 2; ++c) {
        const Real moved = cls == c ? weight : Real{0};
        low[c] += moved;
        high[c] -= moved;
    }
}

template <class Real>
void pass(ManyClasses<Real>& low, ManyClasses<Real>& high, std::uint32_t cls, Real weight) {
    low[cls] += weight;
    high[cls] -= weight;
}

// The mass of a cut, not rounded, if every weight is 1.
template <class Real, class Counts>
double whole_mass(const Logs<Real>& logs, const Counts& low, const Counts& high) {
    std::uint32_t n_low = 0, n_high = 0;
    double parts = 0;
    for (std::size_t c = 0; c < low.size(); ++c) {
        parts += logs.in_table(low[c]) + logs.in_table(high[c]);
        n_low += low[c];
        n_high += high[c];
    }
    return logs.in_table(n_low) + logs.in_table(n_high) - parts;
}

// No more than the mass of counts that are not whole, but for rounding: x log2(x) is taken from the
// line through its values at the whole numbers around x, which is too much for the classes, and for
// the two sides by a bend, which is taken off. Nothing is known where rounding has left a class
// much less than nothing.
template <class Real, class Counts>
double least_mass(const Logs<Real>& logs, const CutRange<Real>& range, const Counts& low,
                  const Counts& high) {
    std::uint32_t n_low = 0, n_high = 0;
    Real smallest = 0;
    double low_rest = 0, high_rest = 0, parts = 0;
    for (std::size_t c = 0; c < low.size(); ++c) {
        const auto whole_low = static_cast<std::uint32_t>(low[c]);
        const auto whole_high = static_cast<std::uint32_t>(std::max(high[c], Real{0}));
        const auto rest_of_low = static_cast<double>(low[c] - static_cast<Real>(whole_low));
        const auto rest_of_high = static_cast<double>(high[c] - static_cast<Real>(whole_high));
        parts += logs.on_line(whole_low, rest_of_low) + logs.on_line(whole_high, rest_of_high);
        n_low += whole_low;
        n_high += whole_high;
        low_rest += rest_of_low;
        high_rest += rest_of_high;
        smallest = std::min(smallest, high[c]);
    }
    const double mass = logs.on_line(n_low, low_rest) + logs.on_line(n_high, high_rest) - parts;
    return smallest < range.least_rest ? kNothingKnown : mass - range.bends;
}

// The mass of one side of a cut, count(c) being that of a class there.
template <class Real, class Count>
Real side_mass(Logs<Real>& logs, std::size_t n_classes, const Count& count) {
    Mass<Real> sum(logs);
    decltype(count(0)) total = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        sum.add(count(c));
        total += count(c);
    }
    return sum.of(total);
}

}  // namespace planetree::c45
