#include "core/class_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/double_double.hpp"
#include "core/simd.hpp"
#include "core/threads.hpp"

namespace planetree {

namespace {

PLANETREE_VECTOR
void add_differences(const double* row, const double* center, double weight, int n, double* sum) {
    for (int j = 0; j < n; ++j) sum[j] += weight * (row[j] - center[j]);
}

// To twenty bits after the point; a third of a unit keeps round numbers from the ends.
std::vector<double> rounded_means(const ClassRows& rows, const std::vector<double>& totals,
                                  const double* center, const double* scale) {
    const std::size_t n = rows.n;
    std::vector<double> means(rows.k * n, 0.0);
    for (std::size_t i = 0; i < rows.m; ++i)
        add_differences(rows.x + i * n, center, rows.weight[i], rows.n,
                        &means[rows.row_class[i] * n]);
    for (std::size_t p = 0; p < means.size(); ++p)
        if (totals[p / n] > 0)
            means[p] = std::floor(means[p] / totals[p / n] / scale[p % n] * 0x1p20 + 1.0 / 3);
    for (auto first = means.begin(); first != means.end(); first += n)
        std::sort(first, first + n, std::greater<>());  // whatever the order of the columns
    return means;
}

}  // namespace

std::vector<double> class_totals(const ClassRows& rows) {
    using Totals = std::vector<ExactSum>;
    std::vector<Totals> parts(block_count(rows.m, kBlockRows), Totals(rows.k));
    for_blocks(rows.m, kBlockRows, [&](std::size_t first, std::size_t last, std::size_t b) {
        for (std::size_t i = first; i < last; ++i) parts[b][rows.row_class[i]].add(rows.weight[i]);
    });
    std::vector<double> totals;
    for (int c = 0; c < rows.k; ++c) {
        ExactSum sum;
        for (const Totals& part : parts) sum.add(part[c]);
        totals.push_back(sum.value());
    }
    return totals;
}

std::vector<std::int64_t> class_ranks(const ClassRows& rows, const std::vector<double>& totals,
                                      const double* center, const double* scale) {
    std::vector<std::int64_t> order(rows.k), ranks(rows.k);
    std::iota(order.begin(), order.end(), 0);
    const auto lighter = [&](std::int64_t a, std::int64_t b) { return totals[a] < totals[b]; };
    const auto tied = [&](std::int64_t a, std::int64_t b) { return totals[a] == totals[b]; };
    std::stable_sort(order.begin(), order.end(), lighter);
    std::vector<double> means;
    const auto of = [&](std::int64_t c) { return means.begin() + c * rows.n; };
    const auto before = [&](std::int64_t a, std::int64_t b) {
        if (!tied(a, b) || means.empty()) return lighter(a, b);
        return std::lexicographical_compare(of(a), of(a) + rows.n, of(b), of(b) + rows.n);
    };
    if (std::adjacent_find(order.begin(), order.end(), tied) != order.end()) {
        means = rounded_means(rows, totals, center, scale);
        std::stable_sort(order.begin(), order.end(), before);
    }
    for (int place = 1; place < rows.k; ++place)
        ranks[order[place]] = ranks[order[place - 1]] + before(order[place - 1], order[place]);
    return ranks;
}

}  // namespace planetree
