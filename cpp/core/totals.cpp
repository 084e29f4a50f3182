#include "core/totals.hpp"

#include "core/double_double.hpp"

namespace planetree {

std::vector<double> class_totals(const std::int64_t* row_class, const double* weight, std::size_t m,
                                 int k) {
    std::vector<ExactSum> sums(k);
    for (std::size_t i = 0; i < m; ++i) sums[row_class[i]].add(weight[i]);
    std::vector<double> totals;
    for (const ExactSum& sum : sums) totals.push_back(sum.value());
    return totals;
}

}  // namespace planetree
