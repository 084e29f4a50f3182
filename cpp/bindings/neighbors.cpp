// Votes of nearest neighbors.
#include "core/neighbors.hpp"

#include <cmath>
#include <new>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"

namespace planetree {

namespace {

void check_votes(const Matrix& x, const Codes& classes, const Vector& weights, int n_classes,
                 double n_neighbors) {
    const std::size_t m = x.shape(0);
    check_rows(x, classes, weights);
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

}  // namespace

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

}  // namespace planetree
