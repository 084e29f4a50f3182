// The only file that knows Python: every function of the core as planetree._core sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "hinge.hpp"
#include "moments.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace planetree;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

Array to_numpy(std::vector<double> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<double>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return Array(owned->data(), shape.size(), shape.data(), owner);
}

std::vector<double> to_vector(const Vector& v, std::size_t size, const char* name) {
    if (v.shape(0) != size)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(v.shape(0)) +
                                    " entries instead of " + std::to_string(size));
    return std::vector<double>(v.data(), v.data() + size);
}

// A watch for work done without the GIL: Ctrl-C is seen a few times a second.
Watch watch(std::optional<double> time_limit) {
    return Watch(time_limit ? *time_limit : -1.0, [] {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
}

const char* name(Outcome outcome) {
    switch (outcome) {
        case Outcome::optimal:
            return "optimal";
        case Outcome::expired:
            return "time_limit";
        case Outcome::unbounded:
            return "unbounded";
        default:
            return "stalled";
    }
}

HingeProgram make_hinge(const Matrix& x, const Codes& classes, const Vector& weights,
                        const Vector& class_charge, const Vector& center, const Vector& scale,
                        bool all_blocks, std::optional<Matrix> costs) {
    const std::size_t m = x.shape(0), n = x.shape(1), k = class_charge.shape(0);
    if (classes.shape(0) != m || weights.shape(0) != m)
        throw std::invalid_argument("classes and weights need one entry a row");
    Rows rows{x.data(),
              classes.data(),
              weights.data(),
              m,
              static_cast<int>(n),
              static_cast<int>(k),
              to_vector(class_charge, k, "class_charge"),
              {},
              to_vector(center, n, "center"),
              to_vector(scale, n, "scale")};
    if (costs) {
        if (costs->shape(0) != k || costs->shape(1) != k)
            throw std::invalid_argument("costs must have a row and a column a class");
        rows.costs.assign(costs->data(), costs->data() + k * k);
    }
    nb::gil_scoped_release release;
    return HingeProgram(rows, all_blocks);
}

std::vector<double> optional_vector(const std::optional<Vector>& v, std::size_t size,
                                    const char* name) {
    return v ? to_vector(*v, size, name) : std::vector<double>();
}

Prices to_prices(const std::optional<Vector>& rise, const std::optional<Vector>& fall,
                 std::size_t size) {
    Prices prices;
    if (!rise && !fall) return prices;
    if (!rise || !fall) throw std::invalid_argument("prices need rise and fall");
    prices.rise = to_vector(*rise, size, "rise");
    prices.fall = to_vector(*fall, size, "fall");
    for (const auto* side : {&prices.rise, &prices.fall})
        for (const double v : *side)
            if (!(v >= 0) || std::isinf(v))
                throw std::invalid_argument("prices must be finite and not negative");
    return prices;
}

void check_answer(const HingeProgram& program, const HingeAnswer& answer) {
    if (answer.slopes.size() != program.n_constraints())
        throw std::invalid_argument("the answer is not one of this program");
}

void check_duals(const HingeProgram& program, const Matrix& duals) {
    if (duals.shape(0) != program.n_callers_rows() ||
        duals.shape(1) != static_cast<std::size_t>(program.shape().slots()))
        throw std::invalid_argument("duals need an entry a row and rival class");
}

void check_quadratic(double l2, const std::vector<double>& z) {
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!(l2 >= 0) || !finite(l2) || !std::all_of(z.begin(), z.end(), finite))
        throw std::invalid_argument("l2 must be finite and not negative, and planes finite");
}

void bind_hinge(nb::module_& module) {
    nb::class_<Certificate>(module, "Certificate",
                            "Value of a point and the bound that multipliers prove.")
        .def_ro("objective", &Certificate::objective)
        .def_ro("error", &Certificate::error, "The objective without its prices.")
        .def_ro("bound", &Certificate::bound)
        .def_ro("gap", &Certificate::gap);

    nb::class_<HingeAnswer>(module, "HingeAnswer", "A point, its multipliers and how it was found.")
        .def_prop_ro(
            "z", [](const HingeAnswer& a) { return to_numpy(a.z, {a.z.size()}); },
            nb::rv_policy::automatic)
        .def_ro("certificate", &HingeAnswer::certificate)
        .def_prop_ro("status", [](const HingeAnswer& a) { return std::string(name(a.outcome)); })
        .def_ro("steps", &HingeAnswer::steps)
        .def_ro("method", &HingeAnswer::method);

    nb::class_<HingeProgram>(module, "HingeProgram",
                             "Rows of classes, prepared for the programs of hinge.hpp.")
        .def(nb::new_(&make_hinge), "x"_a, "classes"_a, "weights"_a, "class_charge"_a, "center"_a,
             "scale"_a, "all_blocks"_a = false, "costs"_a = nb::none())
        .def(
            "solve",
            [](const HingeProgram& p, std::optional<Vector> rise, std::optional<Vector> fall,
               std::optional<Vector> start, std::optional<std::vector<int>> features,
               std::optional<double> time_limit) {
                const Prices prices = to_prices(rise, fall, p.shape().n);
                const auto from = optional_vector(start, p.shape().size(), "start");
                const std::vector<int> chosen = features ? *features : std::vector<int>();
                Watch limit = watch(time_limit);
                nb::gil_scoped_release release;
                return p.solve(prices, from, chosen, limit);
            },
            "rise"_a = nb::none(), "fall"_a = nb::none(), "start"_a = nb::none(),
            "features"_a = nb::none(), "time_limit"_a = nb::none())
        .def(
            "solve_quadratic",
            [](const HingeProgram& p, double l2, std::optional<Vector> start,
               std::optional<long> max_steps, std::optional<double> time_limit) {
                const auto from = optional_vector(start, p.shape().size(), "start");
                const long steps = max_steps ? *max_steps : std::numeric_limits<long>::max();
                check_quadratic(l2, from);
                Watch limit = watch(time_limit);
                nb::gil_scoped_release release;
                return p.solve_quadratic(l2, from, steps, limit);
            },
            "l2"_a = 0.0, "start"_a = nb::none(), "max_steps"_a = nb::none(),
            "time_limit"_a = nb::none(), "The program of quadratic.hpp on the same rows.")
        .def(
            "certify_quadratic",
            [](const HingeProgram& p, double l2, const Vector& z) {
                const auto at = to_vector(z, p.shape().size(), "z");
                check_quadratic(l2, at);
                return p.certify_quadratic(l2, at);
            },
            "l2"_a, "z"_a, "Value of the program of quadratic.hpp at a point, and a bound.")
        .def(
            "certify",
            [](const HingeProgram& p, const Vector& z, const Matrix& duals,
               std::optional<Vector> rise, std::optional<Vector> fall) {
                check_duals(p, duals);
                return p.certify(to_prices(rise, fall, p.shape().n),
                                 to_vector(z, p.shape().size(), "z"), p.gather_duals(duals.data()));
            },
            "z"_a, "duals"_a, "rise"_a = nb::none(), "fall"_a = nb::none(),
            "Checks a point and multipliers, as `duals` gives them, in plain arithmetic.")
        .def(
            "pull",
            [](const HingeProgram& p, const HingeAnswer& answer) {
                check_answer(p, answer);
                const std::size_t blocks = p.shape().blocks, width = p.shape().width();
                return to_numpy(p.pull(answer.slopes), {blocks, width});
            },
            "answer"_a, "What each unknown would gain by the multipliers, features left out too.")
        .def(
            "duals",
            [](const HingeProgram& p, const HingeAnswer& answer) {
                check_answer(p, answer);
                return to_numpy(p.scatter_duals(answer.slopes),
                                {p.n_callers_rows(), static_cast<std::size_t>(p.shape().slots())});
            },
            "answer"_a,
            "Multiplier of each row against each rival class, in the order of the rows.")
        .def_prop_ro("blocks", [](const HingeProgram& p) { return p.shape().blocks; })
        .def_prop_ro("n_rows", &HingeProgram::n_rows, "How many distinct rows there are.");

    module.def(
        "column_moments",
        [](const Matrix& x, const Vector& weights) {
            const std::size_t m = x.shape(0), n = x.shape(1);
            if (weights.shape(0) != m || m == 0)
                throw std::invalid_argument(
                    "weights need one entry a row, and there must be a row");
            std::vector<double> center(n), scale(n);
            {
                nb::gil_scoped_release release;
                column_moments(x.data(), weights.data(), m, static_cast<int>(n), center.data(),
                               scale.data());
            }
            return nb::make_tuple(to_numpy(std::move(center), {n}),
                                  to_numpy(std::move(scale), {n}));
        },
        "x"_a, "weights"_a, "Weighted mean and standard deviation of each column.");
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of planetree.";
    bind_hinge(module);
}
