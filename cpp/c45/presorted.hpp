// The cases of a plain tree, sorted by every number column of many levels.
//
// To count cases level by level reads and writes all over the memory once there are many levels. So
// where every case weighs 1 and has every value, such columns have a list of the cases each, which
// is divided at every node as the cases are: a node has the same segment of all lists.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/tree.hpp"
#include "core/watch.hpp"

namespace planetree::c45 {

struct SortedItem {
    std::uint32_t level;
    std::uint32_t cls : 8, number : 24;  // of the case
};

template <class Real>
class Presorted {
  public:
    // `rows`: of the cases of the tree, to stay where they are.
    void start(const Table<Real>& table, const std::vector<std::uint32_t>& columns,
               const std::vector<std::uint32_t>& rows, Watch& watch);
    void clear() { lists_.clear(); }
    // The list of a column from a case on, if it has one.
    const SortedItem* list(std::size_t slot, std::size_t begin) const {
        return lists_.empty() || lists_[slot].empty() ? nullptr : lists_[slot].data() + begin;
    }
    void divide(const Test<Real>& test, std::uint32_t n_branches, Segment cases);

  private:
    void fill(const Column<Real>& column, std::vector<SortedItem>& list);
    template <class Branch>
    void read_branches(const Test<Real>& test, Segment cases, std::vector<Branch>& branches);

    const std::uint32_t* classes_ = nullptr;
    const std::uint32_t* rows_ = nullptr;  // of the cases, by their number
    std::size_t n_rows_ = 0;
    std::vector<std::vector<SortedItem>> lists_;  // of each column that is read
    std::vector<std::uint32_t> branch_;           // of the cases of a node, by their number;
    std::vector<std::uint8_t> is_high_;           // if there are two: small, as it is read all over
    std::vector<std::uint32_t> start_;
    std::vector<SortedItem> scratch_;
};

extern template class Presorted<float>;
extern template class Presorted<double>;

}  // namespace planetree::c45
