// How well graded trees explain classes.
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "grading/likelihood.hpp"

namespace planetree {

namespace {

void demand(bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
}

// Checks all that the core relies on: every index is of something that is there.
GradedTree read_tree(const Codes& rules, const Codes& input_counts, const Codes& branch_counts,
                     const Indices& children, const Vector& parts, int n_classes) {
    GradedTree tree;
    const std::size_t n = rules.shape(0);
    demand(n > 0 && n_classes > 0, "a tree needs a node and a class");
    demand(input_counts.shape(0) == n && branch_counts.shape(0) == n, "nodes need counts");
    tree.n_classes = n_classes;
    tree.child_start.push_back(0);
    for (std::size_t node = 0; node < n; ++node) {
        const int rule = rules.data()[node], inputs = input_counts.data()[node],
                  branches = branch_counts.data()[node];
        demand(rule >= 0 && rule <= static_cast<int>(Rule::leaf), "there is no such rule");
        tree.rule.push_back(static_cast<Rule>(rule));
        const bool is_leaf = tree.rule[node] == Rule::leaf;
        demand(is_leaf ? inputs == 0 && branches == 0 : inputs > 0 && branches > 1,
               "decisions, and they alone, need inputs and branches");
        demand(tree.rule[node] != Rule::slabs || branches == inputs + 1, "slabs need branches");
        demand(tree.rule[node] != Rule::argmax || branches == inputs, "argmax needs branches");
        tree.first_input.push_back(tree.n_inputs);
        tree.input_count.push_back(static_cast<std::size_t>(inputs));
        tree.n_inputs += static_cast<std::size_t>(inputs);
        tree.child_start.push_back(tree.child_start.back() + static_cast<std::size_t>(branches));
    }
    demand(tree.child_start.back() == n - 1 && children.shape(0) == n - 1, "children are missing");
    for (std::size_t node = 0, c = 0; node < n; ++node)
        for (; c < tree.child_start[node + 1]; ++c) {
            const std::int64_t child = children.data()[c];
            demand(child > static_cast<std::int64_t>(node) && child < static_cast<std::int64_t>(n),
                   "nodes are numbered in preorder");
            tree.children.push_back(static_cast<std::size_t>(child));
        }
    tree.parts = to_vector(parts, n - 1, "parts");
    return tree;
}

void check_inputs(const GradedTree& tree, const Matrix& inputs, const Codes& classes) {
    demand(inputs.shape(1) == tree.n_inputs, "rows need the inputs of all decisions");
    for (std::size_t i = 0; i < classes.shape(0); ++i)
        demand(classes.data()[i] >= 0 && classes.data()[i] < tree.n_classes, "no such class");
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (tree.rule[node] != Rule::lookup) continue;
        const double branches =
            static_cast<double>(tree.child_start[node + 1] - tree.child_start[node]);
        const double* input = inputs.data() + tree.first_input[node];
        for (std::size_t i = 0; i < inputs.shape(0); ++i, input += tree.n_inputs)
            demand(!(*input < 0 || *input >= branches), "there is no such branch");
    }
}

// The rows and the tree, read and checked once, for many slopes, shifts and probabilities.
class GradedRows {
  public:
    GradedRows(const Codes& rules, const Codes& input_counts, const Codes& branch_counts,
               const Indices& children, const Vector& parts, int n_classes, Matrix inputs,
               Codes classes, Vector weights)
        : tree_(read_tree(rules, input_counts, branch_counts, children, parts, n_classes)),
          inputs_(std::move(inputs)),
          classes_(std::move(classes)),
          weights_(std::move(weights)) {
        check_rows(inputs_, classes_, weights_);
        check_inputs(tree_, inputs_, classes_);
    }

    nb::tuple at(const Vector& slope, const Vector& shift, const Matrix& leaf) const {
        const std::size_t n = tree_.n_nodes(), k = static_cast<std::size_t>(tree_.n_classes);
        check(slope, shift, leaf);
        Likelihood found;
        {
            nb::gil_scoped_release release;
            found = likelihood(tree_, view(), slope.data(), shift.data(), leaf.data());
        }
        return nb::make_tuple(found.loss, to_numpy(std::move(found.by_slope)),
                              to_numpy(std::move(found.by_shift)),
                              to_numpy(std::move(found.by_leaf), {n, k}));
    }

    auto expected(const Vector& slope, const Vector& shift, const Matrix& leaf) const {
        const std::size_t n = tree_.n_nodes(), k = static_cast<std::size_t>(tree_.n_classes);
        check(slope, shift, leaf);
        std::vector<double> found;
        Watch interruptible = watch(std::nullopt);
        {
            nb::gil_scoped_release release;
            found = expected_counts(tree_, view(), slope.data(), shift.data(), leaf.data(),
                                    interruptible);
        }
        return to_numpy(std::move(found), {n, k});
    }

    nb::tuple objective(const Vector& point, const Vector& terms, const Vector& moves,
                        const Vector& prior, double log_slope) const {
        std::vector<double> gradient;
        const double value = grading_objective(tree_, view(), pulls(terms, moves, prior, log_slope),
                                               to_vector(point, size(), "point"), gradient);
        return nb::make_tuple(value, to_numpy(std::move(gradient)));
    }

    auto minimum(const Vector& point, const Vector& terms, const Vector& moves, const Vector& prior,
                 double log_slope, const Vector& low, const Vector& high, int most_steps,
                 std::optional<double> time_limit) const {
        std::vector<double> found = to_vector(point, size(), "point");
        const GradingPulls drawn = pulls(terms, moves, prior, log_slope);
        const std::vector<double> least = to_vector(low, size(), "low"),
                                  most = to_vector(high, size(), "high");
        for (std::size_t i = 0; i < size(); ++i) demand(least[i] <= most[i], "low is above high");
        Watch limit = watch(time_limit);
        {
            nb::gil_scoped_release release;
            found = grading_minimum(tree_, view(), drawn, std::move(found), least, most, most_steps,
                                    limit);
        }
        return to_numpy(std::move(found));
    }

  private:
    void check(const Vector& slope, const Vector& shift, const Matrix& leaf) const {
        const std::size_t n = tree_.n_nodes(), k = static_cast<std::size_t>(tree_.n_classes);
        demand(slope.shape(0) == n && shift.shape(0) == n, "nodes need a slope and a shift");
        demand(leaf.shape(0) == n && leaf.shape(1) == k, "leaves need probabilities");
    }
    std::size_t size() const {
        return tree_.n_nodes() * (static_cast<std::size_t>(tree_.n_classes) + 2);
    }
    GradedRowsView view() const {
        return {inputs_.data(), classes_.data(), weights_.data(), inputs_.shape(0)};
    }
    GradingPulls pulls(const Vector& terms, const Vector& moves, const Vector& prior,
                       double log_slope) const {
        const std::size_t n = tree_.n_nodes();
        return {to_vector(terms, n, "terms"), to_vector(moves, n, "moves"),
                to_vector(prior, static_cast<std::size_t>(tree_.n_classes), "prior"), log_slope};
    }

    GradedTree tree_;
    Matrix inputs_;
    Codes classes_;
    Vector weights_;
};

}  // namespace

void bind_grading(nb::module_& module) {
    nb::class_<GradedRows>(module, "GradedRows", "Rows in a tree of graded decisions.")
        .def(nb::init<const Codes&, const Codes&, const Codes&, const Indices&, const Vector&, int,
                      Matrix, Codes, Vector>(),
             "rules"_a, "input_counts"_a, "branch_counts"_a, "children"_a, "parts"_a, "n_classes"_a,
             "inputs"_a, "classes"_a, "weights"_a)
        .def("likelihood", &GradedRows::at, "slope"_a, "shift"_a, "leaf"_a,
             "Negative logarithm of the likelihood, and its derivatives by slopes, shifts and "
             "probabilities of the leaves.")
        .def("expected_counts", &GradedRows::expected, "slope"_a, "shift"_a, "leaf"_a,
             "Weight of each class that each leaf is expected to hold, given the classes.")
        .def("objective", &GradedRows::objective, "point"_a, "terms"_a, "moves"_a, "prior"_a,
             "log_slope"_a, "What grading minimizes, and its gradient.")
        .def("minimum", &GradedRows::minimum, "point"_a, "terms"_a, "moves"_a, "prior"_a,
             "log_slope"_a, "low"_a, "high"_a, "most_steps"_a, "time_limit"_a = nb::none(),
             "Logits of all nodes, logarithms of slopes, and shifts with the least objective, or "
             "the best found within so many seconds.");
}

}  // namespace planetree
