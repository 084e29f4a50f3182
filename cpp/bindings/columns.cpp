// Columns of a table: their best cuts, means and deviations, and the scores of planes over them.
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/canonical_rows.hpp"
#include "core/class_order.hpp"
#include "core/cuts.hpp"
#include "core/group_sums.hpp"
#include "core/moments.hpp"
#include "core/plane_scores.hpp"
#include "core/threads.hpp"
#include "core/unset_numbers.hpp"

namespace planetree {

namespace {

nb::tuple best_cuts_of(const Matrix& x, const Codes& classes, const Vector& weights, int n_classes,
                       double least, bool gini, std::optional<double> time_limit) {
    check_rows(x, classes, weights);
    const std::size_t n = x.shape(1);
    const Impurity impurity = gini ? Impurity::gini : Impurity::entropy;
    std::vector<Cut> cuts;
    Watch limit = watch(time_limit);
    {
        nb::gil_scoped_release release;
        cuts = best_cuts(x.data(), classes.data(), weights.data(), x.shape(0), static_cast<int>(n),
                         n_classes, least, impurity, limit);
    }
    std::vector<double> thresholds, impurities;
    for (const Cut& cut : cuts) {
        thresholds.push_back(cut.threshold);
        impurities.push_back(cut.impurity);
    }
    return nb::make_tuple(to_numpy(std::move(thresholds)), to_numpy(std::move(impurities)));
}

nb::tuple moments_of(const Matrix& x, const Vector& weights, std::optional<int> bits) {
    const std::size_t m = x.shape(0), n = x.shape(1);
    if (weights.shape(0) != m) throw std::invalid_argument("weights need one entry a row");
    std::vector<double> center(n), scale(n);
    {
        nb::gil_scoped_release release;
        column_moments(x.data(), weights.data(), m, static_cast<int>(n), center.data(),
                       scale.data());
        if (bits) round_moments(*bits, static_cast<int>(n), center.data(), scale.data());
    }
    return nb::make_tuple(to_numpy(std::move(center)), to_numpy(std::move(scale)));
}

nb::tuple ranges_of(const Matrix& x, const Vector& weights) {
    constexpr int kBits = 40;  // the last bits of a deviation depend on the order of the rows
    const std::size_t m = x.shape(0), n = x.shape(1);
    if (weights.shape(0) != m) throw std::invalid_argument("weights need one entry a row");
    ColumnRanges seen;
    {
        nb::gil_scoped_release release;
        seen = column_ranges(x.data(), weights.data(), m, static_cast<int>(n), kBits);
    }
    std::vector<double> whole(seen.whole.begin(), seen.whole.end());
    return nb::make_tuple(to_numpy(std::move(seen.low)), to_numpy(std::move(seen.high)),
                          to_numpy(std::move(seen.deviation)), to_numpy(std::move(whole)),
                          to_numpy(std::move(seen.missing)));
}

nb::tuple group_sums_of(const Matrix& x, const Codes& group, const Vector& weights, int groups) {
    check_rows(x, group, weights);
    for (std::size_t i = 0; i < x.shape(0); ++i)
        if (group(i) < -1 || group(i) >= groups)
            throw std::invalid_argument("a group is out of range");
    const GroupedRows rows{x.data(),   group.data(), weights.data(),
                           x.shape(0), x.shape(1),   static_cast<std::size_t>(groups)};
    GroupSums sums;
    Watch interruptible = watch(std::nullopt);
    {
        nb::gil_scoped_release release;
        sums = group_sums(rows, interruptible);
    }
    const std::vector<std::size_t> shape{rows.groups, rows.n + 1};
    return nb::make_tuple(to_numpy(std::move(sums.high), shape),
                          to_numpy(std::move(sums.low), shape),
                          to_numpy(std::move(sums.error), shape));
}

ClassRows class_rows(const double* x, std::size_t n, const Indices& classes, const Vector& weights,
                     int k) {
    const std::size_t m = weights.shape(0);
    if (classes.shape(0) != m) throw std::invalid_argument("classes need one entry a row");
    for (std::size_t i = 0; i < m; ++i)
        if (classes(i) < 0 || classes(i) >= k)
            throw std::invalid_argument("a class code is out of range");
    return {x, classes.data(), weights.data(), m, static_cast<int>(n), k};
}

nb::ndarray<nb::numpy, double> totals_of(const Indices& classes, const Vector& weights, int k) {
    return to_numpy(class_totals(class_rows(nullptr, 0, classes, weights, k)));
}

nb::ndarray<nb::numpy, std::int64_t> ranks_of(const Matrix& x, const Indices& classes,
                                              const Vector& weights, const Vector& totals,
                                              const Vector& center, const Vector& scale) {
    const std::size_t n = x.shape(1), k = totals.shape(0);
    if (x.shape(0) != weights.shape(0) || center.shape(0) != n || scale.shape(0) != n)
        throw std::invalid_argument("rows need a weight, columns a center and a scale");
    const ClassRows rows = class_rows(x.data(), n, classes, weights, static_cast<int>(k));
    return to_numpy(class_ranks(rows, to_vector(totals, k, "totals"), center.data(), scale.data()));
}

nb::ndarray<nb::numpy, double> scores_of(const Strided& x, const Matrix& weights,
                                         const Vector& offsets, const Indices& columns,
                                         const Indices& categories) {
    const std::size_t p = weights.shape(0), n = weights.shape(1);
    if (offsets.shape(0) != p || columns.shape(0) != n || categories.shape(0) != n)
        throw std::invalid_argument("planes need an offset, terms a column and a category");
    const std::vector<std::uint32_t> read = indices(columns, x.shape(1), "columns");
    std::vector<double> scores(x.shape(0) * p);
    Watch interruptible = watch(std::nullopt);
    {
        nb::gil_scoped_release release;
        plane_scores({x.data(), x.shape(0), x.stride(0), x.stride(1)},
                     {weights.data(), offsets.data(), p, n, read.data(), categories.data()},
                     scores.data(), interruptible);
    }
    return to_numpy(std::move(scores), {x.shape(0), p});
}

nb::tuple merged_rows_of(const Matrix& x, const Indices& classes, const Vector& weights,
                         int n_classes, const Indices& n_categories,
                         const std::optional<Indices>& parts, bool keep_columns) {
    const std::size_t m = x.shape(0), n = x.shape(1);
    if (weights.shape(0) != m || n_categories.shape(0) != n || (parts && parts->shape(0) != m))
        throw std::invalid_argument(
            "rows need a weight and a part, columns a number of categories");
    class_rows(x.data(), n, classes, weights, n_classes);
    const TableRows rows{
        x.data(), classes.data(),      weights.data(), parts ? parts->data() : nullptr,
        m,        static_cast<int>(n), n_classes};
    const std::vector<std::int64_t> counts(n_categories.data(), n_categories.data() + n);
    std::vector<int> exponents;
    MergedRows merged;
    Watch interruptible = watch(std::nullopt);
    {
        nb::gil_scoped_release release;
        exponents = column_exponents(rows, counts, interruptible);
        merged = merge_rows(rows, exponents, counts, keep_columns, interruptible);
    }
    return nb::make_tuple(to_numpy(std::move(merged.first)), to_numpy(std::move(merged.which)),
                          to_numpy(std::move(merged.weight)), to_numpy(std::move(merged.hash)),
                          to_numpy(std::move(merged.columns)),
                          to_numpy(std::vector<std::int64_t>(exponents.begin(), exponents.end())));
}

// Numbers that are written once, for numpy.
nb::ndarray<nb::numpy, double> handed_over(UnsetNumbers cells, std::size_t m, std::size_t n) {
    auto* owned = new UnsetNumbers(std::move(cells));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<UnsetNumbers*>(p); });
    return nb::ndarray<nb::numpy, double>(owned->data(), {m, n}, owner);
}

nb::ndarray<nb::numpy, double> taken_columns(const Matrix& x, const Indices& columns) {
    const std::size_t m = x.shape(0), n = x.shape(1);
    const std::vector<std::uint32_t> read = indices(columns, n, "columns");
    UnsetNumbers cells(m * read.size());
    Watch interruptible = watch(std::nullopt);
    {
        nb::gil_scoped_release release;
        const auto take = [&](std::size_t first, std::size_t last, std::size_t) {
            double* to = cells.data() + first * read.size();
            for (const double* row = x.data() + first * n; first < last; ++first, row += n)
                for (const std::uint32_t j : read) *to++ = row[j];
        };
        for_blocks(m, rows_a_block(read.size()), take, &interruptible);
    }
    return handed_over(std::move(cells), m, read.size());
}

int use_threads(int count) {
    const int before = thread_count();
    set_thread_count(count);
    return before;
}

nb::ndarray<nb::numpy, double> scaled_cells_of(const Matrix& x, const Indices& exponents,
                                               const Indices& rows, const Indices& columns) {
    const std::size_t n = x.shape(1);
    if (exponents.shape(0) != n) throw std::invalid_argument("exponents need one entry a column");
    const std::vector<int> powers(exponents.data(), exponents.data() + n);
    const auto chosen = indices(rows, x.shape(0), "rows"), read = indices(columns, n, "columns");
    UnsetNumbers cells(chosen.size() * read.size());  // written once
    Watch interruptible = watch(std::nullopt);
    {
        nb::gil_scoped_release release;
        scale_cells(x.data(), static_cast<int>(n), powers, chosen, read, cells.data(),
                    interruptible);
    }
    return handed_over(std::move(cells), chosen.size(), read.size());
}

}  // namespace

void bind_columns(nb::module_& module) {
    module.def("best_cuts", &best_cuts_of, "x"_a, "classes"_a, "weights"_a, "n_classes"_a,
               "least"_a, "gini"_a = false, "time_limit"_a = nb::none(),
               "Threshold of the best cut of each column, and the impurity that it leaves, times "
               "weight: entropy in nats, or Gini's index.");
    module.def("column_moments", &moments_of, "x"_a, "weights"_a, "bits"_a = nb::none(),
               "Weighted mean and standard deviation of each column, rounded to some bits.");
    module.def("column_ranges", &ranges_of, "x"_a, "weights"_a,
               "Least and largest numbers, deviations, which columns are whole (1 or 0), and the "
               "shares that are missing.");
    module.def(
        "group_sums", &group_sums_of, "x"_a, "group"_a, "weights"_a, "groups"_a,
        "Sums of weight times row by group, and of the weights, as two doubles, and bounds on "
        "their errors; a row of group -1 counts nowhere.");
    module.def("class_totals", &totals_of, "classes"_a, "weights"_a, "n_classes"_a,
               "Weight of each class, rounded once.");
    module.def("class_ranks", &ranks_of, "x"_a, "classes"_a, "weights"_a, "totals"_a, "center"_a,
               "scale"_a, "Place of each class by its weight, then by its means.");
    module.def(
        "merged_rows", &merged_rows_of, "x"_a, "classes"_a, "weights"_a, "n_classes"_a,
        "n_categories"_a, "parts"_a = nb::none(), "keep_columns"_a = false,
        "Equal rows of a class as one, by the hashes of their cells: a row of the table that "
        "each is, which of these each row is, their weights and hashes; and the columns in "
        "canonical order with the powers of two that bring each column of the table below "
        "1.");
    module.def("take_columns", &taken_columns, "x"_a, "columns"_a, "Some columns, as a copy.");
    module.def("use_threads", &use_threads, "count"_a,
               "How many threads passes over rows use from now on in this thread; gives the number "
               "before. What they find does not depend on it.");
    module.def("scaled_cells", &scaled_cells_of, "x"_a, "exponents"_a, "rows"_a, "columns"_a,
               "Cells of some rows, their columns in an order and divided by powers of two.");
    module.def("plane_scores", &scores_of, "x"_a, "weights"_a, "offsets"_a, "columns"_a,
               "categories"_a, "Scores of rows for planes, terms added in their order.");
}

}  // namespace planetree
