// Rows of a table in the one form that tables share which say the same: the rules are stated in
// `planetree.table.canonical_rows`, this is the work on every cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

struct TableRows {
    const double* x;  // m rows of n cells, one row after the other
    const std::int64_t* row_class;
    const double* weight;
    const std::int64_t* part;  // rows of different parts stay apart; may be null
    std::size_t m;
    int n, k;
};

// Equal rows of a class and part as one, in the order of their hashes.
struct MergedRows {
    std::vector<std::int64_t> first;  // a row of the table that each is
    std::vector<std::int64_t> which;  // the one of these that each row of the table is
    std::vector<double> weight;
    std::vector<std::uint64_t> hash;    // of the cells, by the order of `columns`
    std::vector<std::int64_t> columns;  // of the table, in canonical order
};

// The power of two above the largest number of each column; 0 for extreme ones and for categories,
// of which there are `n_categories`, -1 in columns of numbers.
std::vector<int> column_exponents(const TableRows& rows,
                                  const std::vector<std::int64_t>& n_categories, Watch& watch);

MergedRows merge_rows(const TableRows& rows, const std::vector<int>& exponents,
                      const std::vector<std::int64_t>& n_categories, bool keep_columns,
                      Watch& watch);

// Writes the cells of some rows, their columns in some order and divided by powers of two.
void scale_cells(const double* x, int n, const std::vector<int>& exponents,
                 const std::vector<std::uint32_t>& chosen,
                 const std::vector<std::uint32_t>& columns, double* out, Watch& watch);

}  // namespace planetree
