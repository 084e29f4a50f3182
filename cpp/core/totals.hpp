// Sums of weights that do not depend on the order of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planetree {

// Weight of each class: the exact sum, rounded once.
std::vector<double> class_totals(const std::int64_t* row_class, const double* weight, std::size_t m,
                                 int k);

}  // namespace planetree
