// Values and bounds that hold in exact arithmetic.
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/feasible.hpp"
#include "hinge/certificate.hpp"

namespace planetree {

namespace {

RawRows raw_rows(const Matrix& x, const Codes& classes, const Strided& charges) {
    const std::size_t m = x.shape(0);
    const int k = static_cast<int>(charges.shape(1)) + 1;
    if (classes.shape(0) != m || charges.shape(0) != m || k < 2)
        throw std::invalid_argument("classes and charges need one entry a row");
    for (std::size_t i = 0; i < m; ++i)
        if (classes(i) < 0 || classes(i) >= k)
            throw std::invalid_argument("a class code is out of range");
    return {x.data(),          classes.data(),   m, static_cast<int>(x.shape(1)), k, charges.data(),
            charges.stride(0), charges.stride(1)};
}

std::vector<double> as_vector(const nb::object& given, std::size_t rows, std::size_t width) {
    const auto matrix = nb::cast<Matrix>(given);
    if (matrix.shape(0) != rows || matrix.shape(1) != width)
        throw std::invalid_argument("groups need a number each for every row and column");
    return {matrix.data(), matrix.data() + rows * width};
}

// (classes, high, low, error, charges, duals)
RowGroups row_groups(const std::optional<nb::tuple>& given, const RawRows& rows) {
    RowGroups out;
    if (!given) return out;
    if (given->size() != 6) throw std::invalid_argument("groups are six arrays");
    const auto classes = nb::cast<Codes>((*given)[0]);
    for (std::size_t g = 0; g < classes.shape(0); ++g) {
        if (classes(g) < 0 || classes(g) >= rows.k)
            throw std::invalid_argument("a class code is out of range");
        out.group_class.push_back(classes(g));
    }
    const std::size_t count = out.count(), width = static_cast<std::size_t>(rows.n) + 1;
    const std::size_t slots = static_cast<std::size_t>(rows.k) - 1;
    out.high = as_vector((*given)[1], count, width);
    out.low = as_vector((*given)[2], count, width);
    out.error = as_vector((*given)[3], count, width);
    out.charge = as_vector((*given)[4], count, slots);
    out.duals = as_vector((*given)[5], count, slots);
    return out;
}

double prove_hinge_bound(const Matrix& x, const Codes& classes, const Strided& charges,
                         const Matrix& duals, int planes, const Vector& rise, const Vector& fall,
                         std::optional<double> time_limit, const std::optional<nb::tuple>& groups) {
    const RawRows rows = raw_rows(x, classes, charges);
    if (duals.shape(0) != rows.m || duals.shape(1) != charges.shape(1))
        throw std::invalid_argument("duals need an entry a row and rival class");
    if (planes != rows.k && planes != rows.k - 1)
        throw std::invalid_argument("there are as many planes as classes, or one less");
    const RawPrices price{to_vector(rise, x.shape(1), "rise"), to_vector(fall, x.shape(1), "fall")};
    const RowGroups grouped = row_groups(groups, rows);
    Watch limit = watch(time_limit);
    nb::gil_scoped_release release;
    return prove_bound(rows, planes, price, duals.data(), grouped, limit);
}

nb::tuple value_at(const Matrix& x, const Codes& classes, const Strided& charges,
                   const Matrix& weights, const Vector& offsets) {
    const RawRows rows = raw_rows(x, classes, charges);
    const std::size_t planes = rows.k == 2 ? 1 : rows.k;
    if (weights.shape(0) != planes || offsets.shape(0) != planes || weights.shape(1) != x.shape(1))
        throw std::invalid_argument("two classes have one plane, others one a class");
    Watch interruptible = watch(std::nullopt);
    PlanesValue value;
    {
        nb::gil_scoped_release release;
        value = value_of_planes(rows, weights.data(), offsets.data(), interruptible);
    }
    return nb::make_tuple(value.error, value.squares, value.least_margin);
}

nb::object feasible(const Matrix& columns, const Vector& b, const Vector& lower,
                    const Vector& upper, const Vector& x, std::optional<double> time_limit) {
    const std::size_t m = columns.shape(0), p = columns.shape(1);
    if (b.shape(0) != p || lower.shape(0) != m || upper.shape(0) != m || x.shape(0) != m)
        throw std::invalid_argument("b needs an entry a row, the box and x one a column");
    Watch interruptible = watch(time_limit);
    Feasible found;
    {
        nb::gil_scoped_release release;
        found = prove_feasible(
            {p, m, columns.data(), b.data(), lower.data(), upper.data(), x.data()}, interruptible);
    }
    if (!found.proved) return nb::none();
    return nb::make_tuple(to_numpy(std::move(found.x)), to_numpy(std::move(found.low)),
                          to_numpy(std::move(found.radius)));
}

}  // namespace

void bind_proofs(nb::module_& module) {
    module.def(
        "prove_hinge_bound", &prove_hinge_bound, "x"_a, "classes"_a, "charges"_a, "duals"_a,
        "planes"_a, "rise"_a, "fall"_a, "time_limit"_a = nb::none(), "groups"_a = nb::none(),
        "A bound of the program of hinge/certificate.hpp that holds in exact arithmetic. Groups "
        "of rows that are known by their sums: classes, sums as two doubles, their errors, "
        "charges and multipliers of a unit of weight.");
    module.def("value_of_planes", &value_at, "x"_a, "classes"_a, "charges"_a, "weights"_a,
               "offsets"_a,
               "Error of planes and half their squared violations, rounded up, and their least "
               "margin, rounded down.");
    module.def(
        "prove_feasible", &feasible, "columns"_a, "b"_a, "lower"_a, "upper"_a, "x"_a,
        "time_limit"_a = nb::none(),
        "An exact solution of sum_i x_i columns_i = b in the box, near x: it lies within the "
        "third array of the first plus the second; None if none could be proved.");
}

}  // namespace planetree
