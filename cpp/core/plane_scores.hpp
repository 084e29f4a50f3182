// Scores of rows, the same to the last bit on every machine.
//
//     score(i, p)  =  ((w_p1 e_i1 + w_p2 e_i2) + ...) - offset_p
//
// Terms are added in their order, each product and each sum rounded once, so neither the memory
// layout of the rows nor the instructions of a machine nor the other rows and planes change a bit,
// but that a term which only another plane weighs makes a score NaN where the term is NaN or
// infinite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

// Rows of a table, however they lie in memory; steps are counted in numbers.
struct TableView {
    const double* x;
    std::size_t rows;
    std::int64_t row_step, column_step;
};

// A term is a column's number, or, with a category, 1 where the column has it, 0 where not and NaN
// where it is missing. A term that no plane gives a weight is not read. `weights` holds a row of
// terms for each plane, `scores` gets a row of planes for each row.
struct ScorePlanes {
    const double* weights;
    const double* offsets;
    std::size_t planes, terms;
    const std::uint32_t* columns;
    const std::int64_t* categories;  // -1 for the number
};

void plane_scores(const TableView& table, const ScorePlanes& planes, double* scores, Watch& watch);

}  // namespace planetree
