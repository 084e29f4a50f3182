// The only file that knows Python: every function of the core as planetree._core sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "c45_classify.hpp"
#include "c45_grow.hpp"
#include "c45_prune.hpp"

namespace nb = nanobind;

namespace {

template <class T, int N>
using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// Hands a vector's memory to numpy.
template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

std::vector<std::uint32_t> indices(const Array<std::int64_t, 1>& given, std::size_t bound,
                                   const char* what) {
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

// Lets a long run be interrupted from the keyboard.
void check_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

namespace c45 {
namespace {

double checked_confidence(double confidence) {
    if (!(confidence > 0 && confidence <= 1))
        throw std::invalid_argument("A confidence lies above 0 and at most at 1.");
    return confidence;
}

template <class Real>
void prepare(Table<Real>* table, Array<double, 2> values, Array<std::int64_t, 1> n_categories,
             Array<std::int64_t, 1> classes, std::size_t n_classes, Array<double, 1> weights) {
    if (classes.size() != values.shape(0) || weights.size() != values.shape(0) ||
        n_categories.size() != values.shape(1))
        throw std::invalid_argument("Values, categories, classes and weights differ in length.");
    const RawTable raw{values.data(),  values.shape(0), values.shape(1), n_categories.data(),
                       classes.data(), n_classes,       weights.data()};
    nb::gil_scoped_release release;
    new (table) Table<Real>(raw);
}

template <class Real>
Tree<Real> grow_tree(const Table<Real>& table, Array<std::int64_t, 1> rows,
                     Array<std::int64_t, 1> columns, double min_cases, bool gain_ratio,
                     bool subsets) {
    const auto chosen = indices(rows, table.n_rows, "rows");
    const auto read = indices(columns, table.columns.size(), "columns");
    const Options options{min_cases, gain_ratio, subsets};
    nb::gil_scoped_release release;
    Pulse pulse(check_signals);
    return Grower<Real>(table, read, options, pulse).run(chosen);
}

template <class Real>
Tree<Real> prune_tree(const Table<Real>& table, const Tree<Real>& tree, double confidence,
                      bool subsets) {
    checked_confidence(confidence);
    nb::gil_scoped_release release;
    Pulse pulse(check_signals);
    return prune(table, tree, confidence, subsets, pulse);
}

template <class Real>
nb::tuple cross_validate_table(const Table<Real>& table, Array<std::int64_t, 1> folds,
                               std::size_t n_folds, Array<std::int64_t, 1> columns,
                               std::vector<double> confidences, double min_cases, bool gain_ratio,
                               bool subsets) {
    if (folds.size() != table.n_rows)
        throw std::invalid_argument("Every row of the table needs a fold.");
    const auto read = indices(columns, table.columns.size(), "columns");
    const Options options{min_cases, gain_ratio, subsets};
    const std::vector<std::int64_t> fold_of_row(folds.data(), folds.data() + folds.size());
    std::vector<FoldResult> results;
    {
        nb::gil_scoped_release release;
        Pulse pulse(check_signals);
        results = cross_validate(table, fold_of_row, n_folds, read, confidences, options, pulse);
    }
    std::vector<double> errors;
    std::vector<std::int64_t> n_nodes;
    for (const FoldResult& result : results) {
        errors.push_back(result.errors);
        n_nodes.push_back(static_cast<std::int64_t>(result.n_nodes));
    }
    return nb::make_tuple(to_numpy(std::move(errors), {n_folds, confidences.size()}),
                          to_numpy(std::move(n_nodes), {n_folds, confidences.size()}));
}

// The tree as numpy arrays, one entry a node; the lists of children and the branches of
// categories are concatenated.
template <class Real>
nb::dict tree_arrays(const Table<Real>& table, const Tree<Real>& tree) {
    const std::size_t n = tree.nodes.size();
    std::vector<std::int64_t> column(n), n_branches(n), majority(n), n_mapped(n);
    std::vector<double> threshold(n, std::nan("")), weight(n), errors(n);
    std::vector<std::int64_t> branches;
    for (std::size_t i = 0; i < n; ++i) {
        const Node<Real>& node = tree.nodes[i];
        column[i] = node.column;
        n_branches[i] = node.n_branches;
        majority[i] = node.majority;
        weight[i] = static_cast<double>(node.weight);
        errors[i] = static_cast<double>(node.errors);
        if (node.is_leaf()) continue;
        const Column<Real>& read = table.columns[static_cast<std::size_t>(node.column)];
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
    arrays["column"] = to_numpy(std::move(column));
    arrays["threshold"] = to_numpy(std::move(threshold));
    arrays["n_branches"] = to_numpy(std::move(n_branches));
    arrays["children"] = to_numpy(std::move(children));
    arrays["n_mapped"] = to_numpy(std::move(n_mapped));
    arrays["branches"] = to_numpy(std::move(branches));
    arrays["majority"] = to_numpy(std::move(majority));
    arrays["weight"] = to_numpy(std::move(weight));
    arrays["errors"] = to_numpy(std::move(errors));
    arrays["counts"] = to_numpy(std::move(counts), {n, tree.n_classes});
    return arrays;
}

template <class Real>
void bind_arithmetic(nb::module_& module, const char* table_name, const char* tree_name) {
    nb::class_<Tree<Real>>(module, tree_name, "A tree as the core keeps it.");
    nb::class_<Table<Real>>(module, table_name, "A table prepared for C4.5.")
        .def("__init__", &prepare<Real>, nb::arg("values"), nb::arg("n_categories"),
             nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights"))
        .def("grow", &grow_tree<Real>, nb::arg("rows"), nb::arg("columns"), nb::arg("min_cases"),
             nb::arg("gain_ratio"), nb::arg("subsets"))
        .def("prune", &prune_tree<Real>, nb::arg("tree"), nb::arg("confidence"),
             nb::arg("subsets"))
        .def("cross_validate", &cross_validate_table<Real>, nb::arg("folds"), nb::arg("n_folds"),
             nb::arg("columns"), nb::arg("confidences"), nb::arg("min_cases"),
             nb::arg("gain_ratio"), nb::arg("subsets"))
        .def("arrays", &tree_arrays<Real>, nb::arg("tree"));
}

}  // namespace
}  // namespace c45

void bind_c45(nb::module_& module) {
    c45::bind_arithmetic<float>(module, "C45TableSingle", "C45TreeSingle");
    c45::bind_arithmetic<double>(module, "C45TableDouble", "C45TreeDouble");
    module.def(
        "c45_added_errors",
        [](double n, double e, double confidence) {
            const c45::AddedErrors<float> added(c45::checked_confidence(confidence));
            return static_cast<double>(added(static_cast<float>(n), static_cast<float>(e)));
        },
        nb::arg("n"), nb::arg("errors"), nb::arg("confidence"));
}

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of planetree.";
    bind_c45(module);
}
