// The only file that knows Python: every function of the core as planetree._core sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "c45/classify.hpp"
#include "c45/grow.hpp"
#include "c45/prune.hpp"
#include "core/cuts.hpp"
#include "core/feasible.hpp"
#include "core/moments.hpp"
#include "core/neighbors.hpp"
#include "hinge/certificate.hpp"
#include "hinge/program.hpp"
#include "hull/max_norm.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace planetree;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Hands the memory of a vector to numpy; to be read only if `Item` is constant.
template <class T, class Item = T>
nb::ndarray<nb::numpy, Item> to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, Item>(owned->data(), shape.size(), shape.data(), owner);
}

template <class T>
nb::ndarray<nb::numpy, const T> frozen(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy<T, const T>(std::move(values), {size});
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

std::vector<double> to_vector(const Vector& v, std::size_t size, const char* name) {
    if (v.shape(0) != size)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(v.shape(0)) +
                                    " entries instead of " + std::to_string(size));
    return std::vector<double>(v.data(), v.data() + size);
}

// Lets work done without the GIL be interrupted from the keyboard.
void check_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A watch for work done without the GIL: Ctrl-C is seen a few times a second.
Watch watch(std::optional<double> time_limit) {
    return Watch(time_limit ? *time_limit : -1.0, check_signals);
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
               const HingeAnswer* start, std::optional<std::vector<int>> features,
               std::optional<double> time_limit) {
                const Prices prices = to_prices(rise, fall, p.shape().n);
                if (start) check_answer(p, *start);
                const std::vector<int> chosen = features ? *features : std::vector<int>();
                Watch limit = watch(time_limit);
                nb::gil_scoped_release release;
                return p.solve(prices, start, chosen, limit);
            },
            "rise"_a = nb::none(), "fall"_a = nb::none(), "start"_a.none() = nb::none(),
            "features"_a = nb::none(), "time_limit"_a = nb::none())
        .def(
            "solve_quadratic",
            [](const HingeProgram& p, double l2, std::optional<Vector> start,
               std::optional<long> max_steps, std::optional<double> time_limit) {
                const auto from =
                    start ? to_vector(*start, p.shape().size(), "start") : std::vector<double>();
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
            [](const HingeProgram& p, double l2, const Vector& z,
               std::optional<std::vector<int>> unknowns, std::optional<double> time_limit) {
                const auto at = to_vector(z, p.shape().size(), "z");
                const std::vector<int> chosen = unknowns ? *unknowns : std::vector<int>();
                check_quadratic(l2, at);
                Watch limit = watch(time_limit);
                nb::gil_scoped_release release;
                return p.certify_quadratic(l2, at, chosen, limit);
            },
            "l2"_a, "z"_a, "unknowns"_a = nb::none(), "time_limit"_a = nb::none(),
            "Value of the program of quadratic.hpp at a point, and a bound.")
        .def(
            "at",
            [](const HingeProgram& p, const Vector& z) {
                HingeAnswer answer;
                answer.z = to_vector(z, p.shape().size(), "z");
                for (const double v : answer.z)
                    if (!std::isfinite(v)) throw std::invalid_argument("z must be finite");
                answer.slopes.assign(p.n_constraints(), 0.0);
                return answer;
            },
            "z"_a, "A point to start from that proves nothing.")
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
            if (weights.shape(0) != m) throw std::invalid_argument("weights need one entry a row");
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

RawRows raw_rows(const Matrix& x, const Codes& classes, const Matrix& charges) {
    const std::size_t m = x.shape(0);
    const int k = static_cast<int>(charges.shape(1)) + 1;
    if (classes.shape(0) != m || charges.shape(0) != m || k < 2)
        throw std::invalid_argument("classes and charges need one entry a row");
    for (std::size_t i = 0; i < m; ++i)
        if (classes(i) < 0 || classes(i) >= k)
            throw std::invalid_argument("a class code is out of range");
    return {x.data(), classes.data(), m, static_cast<int>(x.shape(1)), k, charges.data()};
}

void bind_hinge_certificate(nb::module_& module) {
    module.def(
        "prove_hinge_bound",
        [](const Matrix& x, const Codes& classes, const Matrix& charges, const Matrix& duals,
           int planes, const Vector& rise, const Vector& fall, std::optional<double> time_limit) {
            const RawRows rows = raw_rows(x, classes, charges);
            if (duals.shape(0) != rows.m || duals.shape(1) != charges.shape(1))
                throw std::invalid_argument("duals need an entry a row and rival class");
            if (planes != rows.k && planes != rows.k - 1)
                throw std::invalid_argument("there are as many planes as classes, or one less");
            const RawPrices price{to_vector(rise, x.shape(1), "rise"),
                                  to_vector(fall, x.shape(1), "fall")};
            Watch limit = watch(time_limit);
            nb::gil_scoped_release release;
            return prove_bound(rows, planes, price, duals.data(), limit);
        },
        "x"_a, "classes"_a, "charges"_a, "duals"_a, "planes"_a, "rise"_a, "fall"_a,
        "time_limit"_a = nb::none(),
        "A bound of the program of hinge_certificate.hpp that holds in exact arithmetic.");
    module.def(
        "value_of_planes",
        [](const Matrix& x, const Codes& classes, const Matrix& charges, const Matrix& weights,
           const Vector& offsets) {
            const RawRows rows = raw_rows(x, classes, charges);
            const std::size_t planes = rows.k == 2 ? 1 : rows.k;
            if (weights.shape(0) != planes || offsets.shape(0) != planes ||
                weights.shape(1) != x.shape(1))
                throw std::invalid_argument("two classes have one plane, others one a class");
            Watch interruptible = watch(std::nullopt);
            nb::gil_scoped_release release;
            const PlanesValue value =
                value_of_planes(rows, weights.data(), offsets.data(), interruptible);
            return std::make_pair(value.error, value.least_margin);
        },
        "x"_a, "classes"_a, "charges"_a, "weights"_a, "offsets"_a,
        "Error of planes, rounded up, and their least margin, rounded down.");
    module.def(
        "squares_of_planes",
        [](const Matrix& x, const Codes& classes, const Matrix& charges, const Matrix& weights,
           const Vector& offsets) {
            const RawRows rows = raw_rows(x, classes, charges);
            const std::size_t planes = rows.k == 2 ? 1 : rows.k;
            if (weights.shape(0) != planes || offsets.shape(0) != planes ||
                weights.shape(1) != x.shape(1))
                throw std::invalid_argument("two classes have one plane, others one a class");
            Watch interruptible = watch(std::nullopt);
            nb::gil_scoped_release release;
            const PlanesValue value =
                value_of_planes(rows, weights.data(), offsets.data(), interruptible);
            return std::make_pair(value.squares, value.least_margin);
        },
        "x"_a, "classes"_a, "charges"_a, "weights"_a, "offsets"_a,
        "Half the squared violations of planes, rounded up, and their least margin, rounded down.");
}

void bind_feasible(nb::module_& module) {
    module.def(
        "prove_feasible",
        [](const Matrix& columns, const Vector& b, const Vector& lower, const Vector& upper,
           const Vector& x, std::optional<double> time_limit) -> nb::object {
            const std::size_t m = columns.shape(0), p = columns.shape(1);
            if (b.shape(0) != p || lower.shape(0) != m || upper.shape(0) != m || x.shape(0) != m)
                throw std::invalid_argument("b needs an entry a row, the box and x one a column");
            Watch interruptible = watch(time_limit);
            Feasible found;
            {
                nb::gil_scoped_release release;
                found = prove_feasible(
                    {p, m, columns.data(), b.data(), lower.data(), upper.data(), x.data()},
                    interruptible);
            }
            if (!found.proved) return nb::none();
            return nb::make_tuple(to_numpy(std::move(found.x)), to_numpy(std::move(found.low)),
                                  to_numpy(std::move(found.radius)));
        },
        "columns"_a, "b"_a, "lower"_a, "upper"_a, "x"_a, "time_limit"_a = nb::none(),
        "An exact solution of sum_i x_i columns_i = b in the box, near x: it lies within the third "
        "array of the first plus the second; None if none could be proved.");
}

std::vector<std::uint32_t> indices(const Indices& given, std::size_t bound, const char* what) {
    std::vector<std::uint32_t> found;
    found.reserve(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given(i) < 0 || given(i) >= static_cast<std::int64_t>(bound))
            throw nb::index_error(("The table has " + std::to_string(bound) + " " + what +
                                   ", but number " + std::to_string(given(i)) + " is asked for.")
                                      .c_str());
        found.push_back(static_cast<std::uint32_t>(given(i)));
    }
    return found;
}

double checked_confidence(double confidence) {
    if (!(confidence > 0 && confidence <= 1))
        throw std::invalid_argument("A confidence lies above 0 and at most at 1.");
    return confidence;
}

template <class Real>
void prepare(c45::Table<Real>* table, Matrix values, Indices n_categories, Indices classes,
             std::size_t n_classes, Vector weights, std::optional<double> time_limit) {
    if (classes.size() != values.shape(0) || weights.size() != values.shape(0) ||
        n_categories.size() != values.shape(1))
        throw std::invalid_argument("Values, categories, classes and weights differ in length.");
    const c45::RawTable raw{values.data(),  values.shape(0), values.shape(1), n_categories.data(),
                            classes.data(), n_classes,       weights.data()};
    nb::gil_scoped_release release;
    Watch limit = watch(time_limit);
    new (table) c45::Table<Real>(raw, limit);
}

template <class Real>
nb::tuple grow_tree(const c45::Table<Real>& table, Indices rows, Indices columns, double min_cases,
                    bool gain_ratio, bool subsets, std::optional<double> time_limit) {
    const auto chosen = indices(rows, table.n_rows, "rows");
    const auto read = indices(columns, table.columns.size(), "columns");
    const c45::Options options{min_cases, gain_ratio, subsets};
    Watch limit = watch(time_limit);
    c45::Tree<Real> tree;
    {
        nb::gil_scoped_release release;
        tree = c45::Grower<Real>(table, options, limit).run(chosen, read);
    }
    return nb::make_tuple(std::move(tree), !limit.is_late());
}

template <class Real>
void check_tree(const c45::Table<Real>& table, const c45::Tree<Real>& tree) {
    if (tree.table_id != table.id)
        throw std::invalid_argument("The tree was not grown from this table.");
}

template <class Real>
nb::tuple prune_tree(const c45::Table<Real>& table, const c45::Tree<Real>& tree, double confidence,
                     bool subsets, std::optional<double> time_limit) {
    checked_confidence(confidence);
    check_tree(table, tree);
    Watch limit = watch(time_limit);
    c45::Tree<Real> pruned;
    {
        nb::gil_scoped_release release;
        pruned = c45::prune(table, tree, confidence, subsets, limit);
    }
    return nb::make_tuple(std::move(pruned), !limit.is_late());
}

template <class Real>
void open_validator(c45::CrossValidator<Real>* validator, const c45::Table<Real>& table,
                    Indices fold_of_row, Indices folds, std::vector<double> confidences,
                    double min_cases, bool gain_ratio, bool subsets, double max_bytes) {
    if (fold_of_row.size() != table.n_rows)
        throw std::invalid_argument("Every row of the table needs a fold.");
    const std::vector<std::int64_t> of_row(fold_of_row.data(),
                                           fold_of_row.data() + fold_of_row.size());
    const std::vector<std::int64_t> chosen(folds.data(), folds.data() + folds.size());
    new (validator)
        c45::CrossValidator<Real>(table, of_row, chosen, confidences,
                                  {min_cases, gain_ratio, subsets}, max_bytes, check_signals);
}

template <class Real>
nb::object validate_columns(c45::CrossValidator<Real>& validator, Indices columns,
                            std::optional<double> time_limit) {
    const auto read = indices(columns, validator.n_columns(), "columns");
    std::optional<std::vector<c45::FoldResult>> results;
    {
        nb::gil_scoped_release release;
        results = validator.run(read, time_limit ? *time_limit : -1.0);
    }
    if (!results) return nb::none();
    std::vector<double> errors;
    std::vector<std::int64_t> n_nodes;
    for (const c45::FoldResult& result : *results) {
        errors.push_back(result.errors);
        n_nodes.push_back(static_cast<std::int64_t>(result.n_nodes));
    }
    const std::vector<std::size_t> shape{validator.n_folds(), validator.n_confidences()};
    return nb::make_tuple(to_numpy(std::move(errors), {shape[0], shape[1]}),
                          to_numpy(std::move(n_nodes), {shape[0], shape[1]}));
}

// The tree as numpy arrays that can only be read, one entry a node; the lists of children and the
// branches of categories are concatenated.
template <class Real>
nb::dict tree_arrays(const c45::Table<Real>& table, const c45::Tree<Real>& tree) {
    check_tree(table, tree);
    const std::size_t n = tree.nodes.size();
    std::vector<std::int64_t> column(n), n_branches(n), majority(n), n_mapped(n);
    std::vector<double> threshold(n, std::nan("")), weight(n), errors(n);
    std::vector<std::int64_t> branches;
    for (std::size_t i = 0; i < n; ++i) {
        const c45::Node<Real>& node = tree.nodes[i];
        column[i] = node.column;
        n_branches[i] = node.n_branches;
        majority[i] = node.majority;
        weight[i] = static_cast<double>(node.weight);
        errors[i] = static_cast<double>(node.errors);
        if (node.is_leaf()) continue;
        const c45::Column<Real>& read = table.columns[static_cast<std::size_t>(node.column)];
        if (read.is_number) {
            threshold[i] = read.largest[node.cut];
            continue;
        }
        n_mapped[i] = read.n_levels;
        for (std::size_t v = 0; v < read.n_levels; ++v)
            branches.push_back(node.map < 0 ? static_cast<std::int64_t>(v)
                                            : tree.maps[static_cast<std::size_t>(node.map) + v]);
    }
    std::vector<std::int64_t> children(tree.children.begin(), tree.children.end());
    std::vector<double> counts(tree.counts.begin(), tree.counts.end());
    nb::dict arrays;
    arrays["column"] = frozen(std::move(column));
    arrays["threshold"] = frozen(std::move(threshold));
    arrays["n_branches"] = frozen(std::move(n_branches));
    arrays["children"] = frozen(std::move(children));
    arrays["n_mapped"] = frozen(std::move(n_mapped));
    arrays["branches"] = frozen(std::move(branches));
    arrays["majority"] = frozen(std::move(majority));
    arrays["weight"] = frozen(std::move(weight));
    arrays["errors"] = frozen(std::move(errors));
    arrays["counts"] = to_numpy<double, const double>(std::move(counts), {n, tree.n_classes});
    return arrays;
}

template <class Real>
void bind_arithmetic(nb::module_& module, const char* table_name, const char* tree_name,
                     const char* validator_name) {
    nb::class_<c45::Tree<Real>>(module, tree_name, "A tree as the core keeps it.");
    nb::class_<c45::Table<Real>>(module, table_name, "A table prepared for C4.5.")
        .def("__init__", &prepare<Real>, nb::arg("values"), nb::arg("n_categories"),
             nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights"),
             nb::arg("time_limit") = nb::none())
        .def("grow", &grow_tree<Real>, nb::arg("rows"), nb::arg("columns"), nb::arg("min_cases"),
             nb::arg("gain_ratio"), nb::arg("subsets"), nb::arg("time_limit") = nb::none(),
             "The tree, and whether it is complete.")
        .def("prune", &prune_tree<Real>, nb::arg("tree"), nb::arg("confidence"), nb::arg("subsets"),
             nb::arg("time_limit") = nb::none(), "The tree, and whether it is pruned.")
        .def("arrays", &tree_arrays<Real>, nb::arg("tree"))
        .def(
            "columns_with_stand_ins",
            [](const c45::Table<Real>& table) {
                std::vector<std::size_t> found;
                for (std::size_t c = 0; c < table.columns.size(); ++c)
                    if (table.columns[c].has_stand_in) found.push_back(c);
                return found;
            },
            "Number columns that hold -999, read as missing.");
    nb::class_<c45::CrossValidator<Real>>(module, validator_name,
                                          "Cross-validation of subsets of the columns.")
        .def("__init__", &open_validator<Real>, nb::keep_alive<1, 2>(), nb::arg("table"),
             nb::arg("fold_of_row"), nb::arg("folds"), nb::arg("confidences"), nb::arg("min_cases"),
             nb::arg("gain_ratio"), nb::arg("subsets"), nb::arg("max_bytes"))
        .def("run", &validate_columns<Real>, nb::arg("columns"), nb::arg("time_limit") = nb::none(),
             "Errors and sizes, or None if time is up before.")
        .def("stop", &c45::CrossValidator<Real>::stop, nb::arg("stopped"));
}

nb::ndarray<nb::numpy, double> added_errors(const Vector& n, const Vector& errors,
                                            double confidence) {
    const c45::AddedErrors<double> added(checked_confidence(confidence));
    const std::vector<double> e = to_vector(errors, n.shape(0), "errors");
    std::vector<double> found(e.size());
    for (std::size_t i = 0; i < e.size(); ++i) found[i] = added(n.data()[i], e[i]);
    return to_numpy(std::move(found));
}

void bind_c45(nb::module_& module) {
    bind_arithmetic<float>(module, "C45TableSingle", "C45TreeSingle", "C45ValidatorSingle");
    bind_arithmetic<double>(module, "C45TableDouble", "C45TreeDouble", "C45ValidatorDouble");
    module.def(
        "c45_added_errors",
        [](double n, double e, double confidence) {
            const c45::AddedErrors<float> added(checked_confidence(confidence));
            return static_cast<double>(added(static_cast<float>(n), static_cast<float>(e)));
        },
        nb::arg("n"), nb::arg("errors"), nb::arg("confidence"));
    module.def("added_errors", &added_errors, nb::arg("n"), nb::arg("errors"),
               nb::arg("confidence"));
}

void bind_cuts(nb::module_& module) {
    module.def(
        "best_cuts",
        [](const Matrix& x, const Codes& classes, const Vector& weights, int n_classes,
           double least, bool gini, std::optional<double> time_limit) {
            const std::size_t m = x.shape(0), n = x.shape(1);
            if (classes.shape(0) != m || weights.shape(0) != m)
                throw std::invalid_argument("classes and weights need one entry a row");
            std::vector<Cut> cuts;
            Watch limit = watch(time_limit);
            {
                nb::gil_scoped_release release;
                cuts =
                    best_cuts(x.data(), classes.data(), weights.data(), m, static_cast<int>(n),
                              n_classes, least, gini ? Impurity::gini : Impurity::entropy, limit);
            }
            std::vector<double> thresholds, impurities;
            for (const Cut& cut : cuts) {
                thresholds.push_back(cut.threshold);
                impurities.push_back(cut.impurity);
            }
            return nb::make_tuple(to_numpy(std::move(thresholds), {n}),
                                  to_numpy(std::move(impurities), {n}));
        },
        "x"_a, "classes"_a, "weights"_a, "n_classes"_a, "least"_a, "gini"_a = false,
        "time_limit"_a = nb::none(),
        "Threshold of the best cut of each column, and the impurity that it leaves, times weight: "
        "entropy in nats, or Gini's index.");
}

void check_votes(const Matrix& x, const Codes& classes, const Vector& weights, int n_classes,
                 double n_neighbors) {
    const std::size_t m = x.shape(0);
    if (classes.shape(0) != m || weights.shape(0) != m)
        throw std::invalid_argument("classes and weights need one entry a row");
    if (!(n_neighbors > 0)) throw std::invalid_argument("some neighbor must vote");
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!std::isfinite(x.data()[i])) throw std::invalid_argument("values must be finite");
    for (std::size_t i = 0; i < m; ++i) {
        if (classes.data()[i] < 0 || classes.data()[i] >= n_classes)
            throw std::invalid_argument("a class code is out of range");
        if (!(weights.data()[i] > 0)) throw std::invalid_argument("weights must be above 0");
    }
}

void make_votes(NeighborVotes* votes, const Matrix& x, const Codes& classes, const Vector& weights,
                int n_classes, const Indices& voters, const Indices& tests, double n_neighbors,
                std::size_t max_kept) {
    check_votes(x, classes, weights, n_classes, n_neighbors);
    const std::size_t m = x.shape(0);
    const VotingRows rows{x.data(),
                          x.shape(1),
                          classes.data(),
                          weights.data(),
                          n_classes,
                          indices(voters, m, "rows"),
                          indices(tests, m, "rows")};
    if (rows.voters.empty()) throw std::invalid_argument("some row must vote");
    nb::gil_scoped_release release;
    new (votes) NeighborVotes(rows, n_neighbors, max_kept);
}

void bind_neighbors(nb::module_& module) {
    nb::class_<NeighborVotes>(module, "NeighborVotes",
                              "Rows whose classes their nearest neighbors vote on.")
        .def("__init__", &make_votes, "x"_a, "classes"_a, "weights"_a, "n_classes"_a, "voters"_a,
             "tests"_a, "n_neighbors"_a, "max_kept"_a)
        .def(
            "with_each",
            [](NeighborVotes& votes, const Indices& chosen, const Indices& candidates,
               std::optional<double> time_limit) {
                Watch limit = watch(time_limit);
                const auto in = indices(chosen, votes.n_columns(), "columns");
                const auto more = indices(candidates, votes.n_columns(), "columns");
                std::vector<double> right;
                {
                    nb::gil_scoped_release release;
                    right = votes.with_each(in, more, limit);
                }
                return to_numpy(std::move(right));
            },
            "chosen"_a, "candidates"_a, "time_limit"_a = nb::none(),
            "Weight of the test rows that are right with the chosen columns and each candidate.")
        .def(
            "without_each",
            [](const NeighborVotes& votes, const Indices& chosen,
               std::optional<double> time_limit) {
                Watch limit = watch(time_limit);
                const auto in = indices(chosen, votes.n_columns(), "columns");
                std::vector<double> right;
                {
                    nb::gil_scoped_release release;
                    right = votes.without_each(in, limit);
                }
                return to_numpy(std::move(right));
            },
            "chosen"_a, "time_limit"_a = nb::none(),
            "Weight of the test rows that are right with the chosen columns but each of them.")
        .def_prop_ro("test_weight", &NeighborVotes::test_weight);
}

void bind_max_norm(nb::module_& module) {
    nb::class_<MaxNormAnswer>(module, "MaxNormAnswer",
                              "Weights that tie for the widest pair of planes.")
        .def_ro("value", &MaxNormAnswer::value)
        .def_ro("bound", &MaxNormAnswer::bound)
        .def_ro("separable", &MaxNormAnswer::separable)
        .def_ro("finished", &MaxNormAnswer::finished, "Programs solved to their end.")
        .def_ro("skipped", &MaxNormAnswer::skipped, "Programs left once they could not win.")
        .def_ro("pivots", &MaxNormAnswer::pivots)
        .def_prop_ro("status",
                     [](const MaxNormAnswer& answer) { return std::string(name(answer.outcome)); })
        .def(
            "planes",
            [](const MaxNormAnswer& answer, std::size_t n) {
                if (n == 0 || answer.planes.size() % n != 0)
                    throw std::invalid_argument("the weights do not have that many columns");
                return to_numpy(answer.planes, {answer.planes.size() / n, n});
            },
            "n"_a, "Weights of each program that ties for the best.");

    module.def(
        "solve_max_norm",
        [](const Matrix& a, const Matrix& b, bool hulls_only, std::optional<double> time_limit) {
            const std::size_t n = a.shape(1);
            if (b.shape(1) != n || n == 0)
                throw std::invalid_argument("both sets need the same columns, at least one");
            if (a.shape(0) == 0 || b.shape(0) == 0)
                throw std::invalid_argument("both sets need a point");
            for (const auto* set : {&a, &b})
                for (std::size_t i = 0; i < set->size(); ++i)
                    if (!std::isfinite(set->data()[i]))
                        throw std::invalid_argument("points must be finite");
            Watch limit = watch(time_limit);
            nb::gil_scoped_release release;
            return solve_max_norm({a.data(), a.shape(0)}, {b.data(), b.shape(0)},
                                  static_cast<int>(n), hulls_only, limit);
        },
        "a"_a, "b"_a, "hulls_only"_a = false, "time_limit"_a = nb::none(),
        "Widest pair of parallel planes between two sets, by the largest weight.");
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of planetree.";
    nb::set_leak_warnings(false);  // the core never prints
    bind_cuts(module);
    bind_feasible(module);
    bind_hinge_certificate(module);
    bind_hinge(module);
    bind_max_norm(module);
    bind_neighbors(module);
    bind_c45(module);
}
