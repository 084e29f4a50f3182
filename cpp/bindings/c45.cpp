// C4.5 in single and in double precision.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "c45/classify.hpp"
#include "c45/grow.hpp"
#include "c45/prune.hpp"

namespace planetree {

namespace {

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
        .def("__init__", &prepare<Real>, "values"_a, "n_categories"_a, "classes"_a, "n_classes"_a,
             "weights"_a, "time_limit"_a = nb::none())
        .def("grow", &grow_tree<Real>, "rows"_a, "columns"_a, "min_cases"_a, "gain_ratio"_a,
             "subsets"_a, "time_limit"_a = nb::none(), "The tree, and whether it is complete.")
        .def("prune", &prune_tree<Real>, "tree"_a, "confidence"_a, "subsets"_a,
             "time_limit"_a = nb::none(), "The tree, and whether it is pruned.")
        .def("arrays", &tree_arrays<Real>, "tree"_a)
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
        .def("__init__", &open_validator<Real>, nb::keep_alive<1, 2>(), "table"_a, "fold_of_row"_a,
             "folds"_a, "confidences"_a, "min_cases"_a, "gain_ratio"_a, "subsets"_a, "max_bytes"_a)
        .def("run", &validate_columns<Real>, "columns"_a, "time_limit"_a = nb::none(),
             "Errors and sizes, or None if time is up before.")
        .def("stop", &c45::CrossValidator<Real>::stop, "stopped"_a);
}

nb::ndarray<nb::numpy, double> added_errors(const Vector& n, const Vector& errors,
                                            double confidence) {
    const c45::AddedErrors<double> added(checked_confidence(confidence));
    const std::vector<double> e = to_vector(errors, n.shape(0), "errors");
    std::vector<double> found(e.size());
    for (std::size_t i = 0; i < e.size(); ++i) found[i] = added(n.data()[i], e[i]);
    return to_numpy(std::move(found));
}

}  // namespace

void bind_c45(nb::module_& module) {
    bind_arithmetic<float>(module, "C45TableSingle", "C45TreeSingle", "C45ValidatorSingle");
    bind_arithmetic<double>(module, "C45TableDouble", "C45TreeDouble", "C45ValidatorDouble");
    module.def(
        "c45_added_errors",
        [](double n, double e, double confidence) {
            const c45::AddedErrors<float> added(checked_confidence(confidence));
            return static_cast<double>(added(static_cast<float>(n), static_cast<float>(e)));
        },
        "n"_a, "errors"_a, "confidence"_a);
    module.def("added_errors", &added_errors, "n"_a, "errors"_a, "confidence"_a);
}

}  // namespace planetree
