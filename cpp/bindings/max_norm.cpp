// The widest pair of parallel planes between two sets.
#include "hull/max_norm.hpp"

#include <cmath>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"

namespace planetree {

namespace {

void check_points(const Matrix& points) {
    if (points.shape(0) == 0) throw std::invalid_argument("both sets need a point");
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!std::isfinite(points.data()[i])) throw std::invalid_argument("points must be finite");
}

MaxNormAnswer solve(const Matrix& a, const Matrix& b, bool hulls_only,
                    std::optional<double> time_limit) {
    const std::size_t n = a.shape(1);
    if (b.shape(1) != n || n == 0)
        throw std::invalid_argument("both sets need the same columns, at least one");
    check_points(a);
    check_points(b);
    Watch limit = watch(time_limit);
    nb::gil_scoped_release release;
    return solve_max_norm({a.data(), a.shape(0)}, {b.data(), b.shape(0)}, static_cast<int>(n),
                          hulls_only, limit);
}

}  // namespace

void bind_max_norm(nb::module_& module) {
    nb::class_<MaxNormAnswer>(module, "MaxNormAnswer",
                              "Weights that tie for the widest pair of planes.")
        .def_ro("value", &MaxNormAnswer::value)
        .def_ro("bound", &MaxNormAnswer::bound)
        .def_ro("separable", &MaxNormAnswer::separable)
        .def_ro("finished", &MaxNormAnswer::finished, "Programs solved to their end.")
        .def_ro("skipped", &MaxNormAnswer::skipped, "Programs left once they could not win.")
        .def_ro("pivots", &MaxNormAnswer::pivots)
        .def_prop_ro("status", [](const MaxNormAnswer& answer) { return name(answer.outcome); })
        .def(
            "planes",
            [](const MaxNormAnswer& answer, std::size_t n) {
                if (n == 0 || answer.planes.size() % n != 0)
                    throw std::invalid_argument("the weights do not have that many columns");
                return to_numpy(answer.planes, {answer.planes.size() / n, n});
            },
            "n"_a, "Weights of each program that ties for the best.");

    module.def("solve_max_norm", &solve, "a"_a, "b"_a, "hulls_only"_a = false,
               "time_limit"_a = nb::none(),
               "Widest pair of parallel planes between two sets, by the largest weight.");
}

}  // namespace planetree
