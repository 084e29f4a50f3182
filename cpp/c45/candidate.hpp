// A node as the search for its test sees it, and what the search finds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "c45/data.hpp"

namespace planetree::c45 {

struct Options {
    double min_cases = 2;
    bool gain_ratio = true;
    bool subsets = false;
};

template <class Real>
struct Candidate {
    static constexpr Real impossible = static_cast<Real>(-kEpsilon);

    Real gain = impossible;
    Real info = 0;
    std::uint32_t low = 0, high = 0;  // number: the levels on either side of the cut
    std::uint32_t n_branches = 0;
    std::vector<std::int32_t> map;  // subsets: branch of each category

    bool possible() const { return static_cast<double>(gain) > -kEpsilon; }
};

// A test's parts of the cases: what its gain and split information are computed from.
template <class Real>
struct Parts {
    Real total, unknown, known, base;

    Real gain(Real mass) const { return (1 - unknown / total) * (base - mass / known); }
};

template <class Real>
Real worth(Real gain, Real info, Real least, bool gain_ratio) {
    const bool good = gain_ratio
                          ? static_cast<double>(gain) >= static_cast<double>(least) - kEpsilon &&
                                static_cast<double>(info) > kEpsilon
                          : info > 0 && static_cast<double>(gain) > -kEpsilon;
    if (!good) return Candidate<Real>::impossible;
    return gain_ratio ? gain / info : gain;
}

template <class Count>
Count sum(const Count* counts, std::size_t n) {
    Count total = 0;
    for (std::size_t c = 0; c < n; ++c) total += counts[c];
    return total;
}

}  // namespace planetree::c45
