// The cases of a node as the search for its test reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/tree.hpp"

namespace planetree::c45 {

template <class Real>
class NodeCases {
  public:
    // Reads the cases and adds up the weight of each class, in their order. `all_ones`: it is known
    // that every weight is 1.
    void count(const Table<Real>& table, const Case<Real>* at, std::size_t n, bool all_ones,
               Real* counts);
    // Sorts them by their class, if every weight is 1.
    void group();

    const Case<Real>* at = nullptr;
    std::size_t n = 0;
    const std::uint32_t* classes = nullptr;  // of all rows of the table
    const Real* counts = nullptr;            // of each class
    Real total = 0;                          // weight of all of them
    bool unit = true;                        // every weight is 1

    // Adds the cases of each level and class of a column to counts[level * n_classes + class], if
    // every weight is 1.
    template <class Size>
    void count_levels(const std::uint32_t* rank, Size n_classes, std::uint32_t* counts) const {
        for (std::size_t c = 0; c < n_classes; ++c)
            for (std::size_t i = class_begin[c], end = class_begin[c + 1]; i < end; ++i)
                ++counts[rank[row[i]] * n_classes + c];
    }

    // Their rows, if every weight is 1: those of a class from class_begin[c] to class_begin[c + 1].
    std::vector<std::uint32_t> row, class_begin;

  private:
    std::vector<std::uint32_t> next_, whole_;
};

extern template class NodeCases<float>;
extern template class NodeCases<double>;

}  // namespace planetree::c45
