// Some rows side by side, a lane each: what they do at one decision, for all of them at once.
//
// Every lane has the same steps on every machine: no product is fused with a sum, and sums over
// lanes have an order of their own.
#pragma once

#include <cstddef>

namespace planetree {

constexpr std::size_t kLanes = 32;

// A number of each lane.
struct Lanes {
    double of[kLanes];
};

// Shares of the two branches of one plane by its scores s: the sigmoid u of slope s + shift, and
// 1 - u. Where s is not a number, `known` is 0, s becomes 0, and the shares are the given parts.
void fork(Lanes& s, double slope, double shift, const double* parts, Lanes& below, Lanes& above,
          Lanes& known);

// out = a b
void multiply(const Lanes& a, const Lanes& b, Lanes& out);

// sum += a b
void add_product(const Lanes& a, const Lanes& b, Lanes& sum);

// What the value of a decision of one plane changes by, times `factor` and what reaches it: sums
// over lanes, by the slope and by the shift.
struct ForkChange {
    double by_slope, by_shift;
};
ForkChange fork_change(const Lanes& s, const Lanes& known, const Lanes& below, const Lanes& above,
                       const Lanes& value_below, const Lanes& value_above, const Lanes& factor,
                       const Lanes& reach);

}  // namespace planetree
