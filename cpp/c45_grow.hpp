// Growing a C4.5 tree.
#pragma once
#include <cstdint>
#include <vector>

#include "c45_search.hpp"
#include "c45_tree.hpp"

namespace c45 {

// Grows the unpruned tree of the given rows, reading only the given columns, in their order.
// Rows of weight 0 count as absent; at least one must be left.
template <class Real>
Tree<Real> grow(const Table<Real>& table, const std::vector<std::uint32_t>& rows,
                const std::vector<std::uint32_t>& columns, const Options& options, Pulse& pulse);

}  // namespace c45
