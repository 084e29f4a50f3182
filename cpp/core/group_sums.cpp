#include "core/group_sums.hpp"

#include <algorithm>
#include <cmath>

#include "core/double_double.hpp"

namespace planetree {

GroupSums group_sums(const GroupedRows& rows, Watch& watch) {
    const std::size_t width = rows.n + 1;
    std::vector<Sums> sums(rows.groups, Sums(width));
    std::vector<double> row(width), other(rows.groups * width, 0.0);  // other than 0
    row[rows.n] = 1;
    for (std::size_t i = 0; i < rows.m; ++i) {
        watch.expired_after(4 * width);
        if (rows.group[i] < 0) continue;
        for (std::size_t j = 0; j < rows.n; ++j) row[j] = rows.x[i * rows.n + j];
        sums[rows.group[i]].add(row.data(), rows.weight[i]);
        double* seen = &other[rows.group[i] * width];
        for (std::size_t j = 0; j < width; ++j) seen[j] = std::max(seen[j], std::fabs(row[j]));
    }
    GroupSums out;
    for (std::size_t g = 0; g < rows.groups; ++g)
        for (std::size_t j = 0; j < width; ++j) {
            const Sum sum = sums[g].at(j);
            const DoubleDouble whole = two_sum(sum.s, sum.c);
            out.high.push_back(whole.hi);
            out.low.push_back(whole.lo);
            out.error.push_back(other[g * width + j] > 0 ? sum.error() : 0.0);
        }
    return out;
}

}  // namespace planetree
