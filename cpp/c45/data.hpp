// A table prepared for C4.5: every cell as its rank among the levels of its column.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace planetree::c45 {

constexpr double kEpsilon = 1e-3;  // gains and infos nearer than this count as equal
constexpr double kGap = 1e-5;      // numbers nearer than this are not told apart

// `Real` is the arithmetic: float for Release 8 to the bit, double for those who want it.
template <class Real>
struct Column {
    bool is_number = false;
    bool has_missing = false;
    bool has_stand_in = false;        // a cell holds the number that stands for a missing one
    bool has_narrow_gap = false;      // two neighboring numbers are not told apart
    std::uint32_t n_levels = 0;       // declared categories, or distinct numbers
    std::vector<std::uint32_t> rank;  // of each row; n_levels where the cell is missing
    std::vector<Real> level;          // number columns: the levels, ascending
    std::vector<double> largest;      // number columns: the largest cell that rounds to each level
};

// The user's arrays, borrowed for the time of the preparation.
struct RawTable {
    const double* values;  // n_rows x n_columns by rows, NaN where missing
    std::size_t n_rows, n_columns;
    const std::int64_t* n_categories;  // per column; negative for a number column
    const std::int64_t* classes;       // per row, in [0, n_classes)
    std::size_t n_classes;
    const double* weights;  // per row, finite and not negative
};

template <class Real>
struct Table {
    std::uint64_t id;  // no other table has it
    std::size_t n_rows = 0;
    std::size_t n_classes = 0;
    std::vector<Column<Real>> columns;
    std::vector<std::uint32_t> classes;
    std::vector<Real> weights;
    std::vector<double> log2s, logs;  // log2(k) and k log2(k) of small whole numbers k

    // Columns that time does not suffice to read are missing everywhere.
    Table(const RawTable& raw, Watch& watch);
};

// Whether a cut fits between two numbers.
template <class Real>
bool is_wide(Real below, Real above) {
    return static_cast<double>(below) < static_cast<double>(above) - kGap;
}

extern template struct Table<float>;
extern template struct Table<double>;

}  // namespace planetree::c45
