// What columns offer at nodes, kept for other trees on the same table.
//
// A node is a set of cases, and while these weigh 1 each, the gain, the cut and the split
// information of a column there depend on the cases alone: not on which other columns a tree may
// read. A node is found by its way from the root. (Sums of fractional weights are rounded in an
// order that depends on the other columns, so what is found with them is not kept.)
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "c45/candidate.hpp"

namespace planetree::c45 {

// What a column offers at a node; not a number as its gain: nobody looked yet.
template <class Real>
struct Offer {
    static constexpr std::uint32_t unset = 0xFFFFFFFF;

    Real gain = std::numeric_limits<Real>::quiet_NaN();
    Real info = 0;
    std::uint32_t low = 0, high = 0;    // number: the levels on either side of the cut
    std::uint32_t threshold = unset;    // number: the level that the test compares with
    std::uint32_t first_child = unset;  // of as many as it has branches, in the list of children

    bool known() const { return !std::isnan(gain); }
};

template <class Real>
class Gains {
  public:
    static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

    Gains(std::size_t n_columns, std::size_t n_roots, double max_bytes)
        : n_columns_(n_columns), n_roots_(n_roots), max_bytes_(max_bytes) {}

    // To be called before a tree is grown: once memory is full, all is forgotten.
    void start_tree();
    // A node that is kept, or `nowhere` if there is no room for it.
    std::uint32_t root(std::size_t which);
    std::uint32_t child(std::uint32_t node, std::size_t column, std::size_t branch,
                        std::size_t n_branches);
    Offer<Real>& offer(std::uint32_t node, std::size_t column) { return offers_[node][column]; }

  private:
    std::uint32_t add_node();
    bool take(std::size_t bytes);

    std::size_t n_columns_, n_roots_;
    double max_bytes_, used_bytes_ = 0;
    bool full_ = false;
    std::vector<std::uint32_t> roots_;
    std::vector<std::vector<Offer<Real>>> offers_;  // of each node, one a column
    std::vector<std::uint32_t> children_;
};

extern template class Gains<float>;
extern template class Gains<double>;

}  // namespace planetree::c45
