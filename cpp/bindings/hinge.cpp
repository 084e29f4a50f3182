// Hinge programs.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "hinge/program.hpp"

namespace planetree {

namespace {

HingeProgram make_hinge(const Matrix& x, const Codes& classes, const Vector& weights,
                        const Vector& class_charge, const Vector& center, const Vector& scale,
                        bool all_blocks, std::optional<Matrix> costs) {
    const std::size_t m = x.shape(0), n = x.shape(1), k = class_charge.shape(0);
    check_rows(x, classes, weights);
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

Prices to_prices(const std::optional<Vector>& rise, const std::optional<Vector>& fall,
                 std::size_t size) {
    Prices prices;
    if (!rise && !fall) return prices;
    if (!rise || !fall) throw std::invalid_argument("prices need rise and fall");
    prices.rise = to_vector(*rise, size, "rise");
    prices.fall = to_vector(*fall, size, "fall");
    return prices;
}

void check_answer(const HingeProgram& program, const HingeAnswer& answer) {
    if (answer.slopes.size() != program.n_constraints() ||
        answer.z.size() != static_cast<std::size_t>(program.shape().size()))
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

HingeAnswer solve(const HingeProgram& program, const std::optional<Vector>& rise,
                  const std::optional<Vector>& fall, const HingeAnswer* start,
                  const std::optional<std::vector<int>>& features,
                  std::optional<double> time_limit) {
    const Prices prices = to_prices(rise, fall, program.shape().n);
    if (start) check_answer(program, *start);
    Watch limit = watch(time_limit);
    nb::gil_scoped_release release;
    return program.solve(prices, start, features.value_or(std::vector<int>()), limit);
}

HingeAnswer solve_quadratic(const HingeProgram& program, double l2,
                            const std::optional<Vector>& start, std::optional<long> max_steps,
                            std::optional<double> time_limit) {
    const auto from =
        start ? to_vector(*start, program.shape().size(), "start") : std::vector<double>();
    check_quadratic(l2, from);
    Watch limit = watch(time_limit);
    nb::gil_scoped_release release;
    return program.solve_quadratic(l2, from, max_steps.value_or(std::numeric_limits<long>::max()),
                                   limit);
}

Certificate certify_quadratic(const HingeProgram& program, double l2, const Vector& z,
                              const std::optional<std::vector<int>>& unknowns,
                              std::optional<double> time_limit) {
    const auto at = to_vector(z, program.shape().size(), "z");
    check_quadratic(l2, at);
    Watch limit = watch(time_limit);
    nb::gil_scoped_release release;
    return program.certify_quadratic(l2, at, unknowns.value_or(std::vector<int>()), limit);
}

HingeAnswer answer_at(const HingeProgram& program, const Vector& z) {
    HingeAnswer answer;
    answer.z = to_vector(z, program.shape().size(), "z");
    for (const double v : answer.z)
        if (!std::isfinite(v)) throw std::invalid_argument("z must be finite");
    answer.slopes.assign(program.n_constraints(), 0.0);
    return answer;
}

Certificate certify(const HingeProgram& program, const Vector& z, const Matrix& duals,
                    const std::optional<Vector>& rise, const std::optional<Vector>& fall) {
    check_duals(program, duals);
    return program.certify(to_prices(rise, fall, program.shape().n),
                           to_vector(z, program.shape().size(), "z"),
                           program.gather_duals(duals.data()));
}

nb::ndarray<nb::numpy, double> pull(const HingeProgram& program, const HingeAnswer& answer) {
    check_answer(program, answer);
    const std::size_t blocks = program.shape().blocks, width = program.shape().width();
    return to_numpy(program.pull(answer.slopes), {blocks, width});
}

nb::ndarray<nb::numpy, double> duals(const HingeProgram& program, const HingeAnswer& answer) {
    check_answer(program, answer);
    const std::size_t slots = program.shape().slots();
    return to_numpy(program.scatter_duals(answer.slopes), {program.n_callers_rows(), slots});
}

void bind_answers(nb::module_& module) {
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
        .def_prop_ro("status", [](const HingeAnswer& a) { return name(a.outcome); })
        .def_ro("steps", &HingeAnswer::steps)
        .def_ro("method", &HingeAnswer::method);
}

}  // namespace

void bind_hinge(nb::module_& module) {
    bind_answers(module);
    nb::class_<HingeProgram>(module, "HingeProgram",
                             "Rows of classes, prepared for the programs of hinge/program.hpp.")
        .def(nb::new_(&make_hinge), "x"_a, "classes"_a, "weights"_a, "class_charge"_a, "center"_a,
             "scale"_a, "all_blocks"_a = false, "costs"_a = nb::none())
        .def("solve", &solve, "rise"_a = nb::none(), "fall"_a = nb::none(),
             "start"_a.none() = nb::none(), "features"_a = nb::none(), "time_limit"_a = nb::none())
        .def("solve_quadratic", &solve_quadratic, "l2"_a = 0.0, "start"_a = nb::none(),
             "max_steps"_a = nb::none(), "time_limit"_a = nb::none(),
             "The program of quadratic.hpp on the same rows.")
        .def("certify_quadratic", &certify_quadratic, "l2"_a, "z"_a, "unknowns"_a = nb::none(),
             "time_limit"_a = nb::none(),
             "Value of the program of quadratic.hpp at a point, and a bound.")
        .def("at", &answer_at, "z"_a, "A point to start from that proves nothing.")
        .def("certify", &certify, "z"_a, "duals"_a, "rise"_a = nb::none(), "fall"_a = nb::none(),
             "Checks a point and multipliers, as `duals` gives them, in plain arithmetic.")
        .def("pull", &pull, "answer"_a,
             "What each unknown would gain by the multipliers, features left out too.")
        .def("duals", &duals, "answer"_a,
             "Multiplier of each row against each rival class, in the order of the rows.")
        .def_prop_ro("blocks", [](const HingeProgram& p) { return p.shape().blocks; })
        .def_prop_ro("n_rows", &HingeProgram::n_rows, "How many distinct rows there are.");
}

}  // namespace planetree
