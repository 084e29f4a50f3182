// How well a graded tree explains the classes of rows, how that changes with its numbers, and the
// numbers that explain them best.
#pragma once

#include <cstddef>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

// How the inputs of a decision become shares of its branches. Scores s are first z = slope s +
// shift, and u the sigmoid of z; `lookup` has one input, the number of the branch.
enum class Rule { slabs, argmax, both, same_side, lookup, leaf };

// Nodes in preorder. The children of a node stand from child_start[node] on, each with the part
// that it gets of rows whose input is not a number.
struct GradedTree {
    int n_classes = 0;
    std::size_t n_inputs = 0;  // columns that all decisions read together
    std::vector<Rule> rule;
    std::vector<std::size_t> first_input, input_count, child_start, children;
    std::vector<double> parts;

    std::size_t n_nodes() const { return rule.size(); }
};

// Rows of `GradedTree::n_inputs` inputs each.
struct GradedRowsView {
    const double* inputs;
    const int* classes;
    const double* weights;
    std::size_t size;
};

// The negative logarithm of the likelihood, and its derivatives by the slope and shift of each
// node and by the probability of each class in each leaf.
struct Likelihood {
    double loss = 0;
    std::vector<double> by_slope, by_shift, by_leaf;
};

// `leaf` holds n_nodes x n_classes probabilities.
Likelihood likelihood(const GradedTree& tree, const GradedRowsView& rows, const double* slope,
                      const double* shift, const double* leaf);

// Weight of each class that each leaf is expected to hold (n_nodes x n_classes), given the classes.
std::vector<double> expected_counts(const GradedTree& tree, const GradedRowsView& rows,
                                    const double* slope, const double* shift, const double* leaf,
                                    Watch& watch);

// What numbers are drawn to: the slope of a decision to `log_slope`, with a force for each of its
// terms (0 where it is hard), its shift to 0 (and held there unless it moves), a leaf to the prior.
struct GradingPulls {
    std::vector<double> terms, moves, prior;
    double log_slope = 0;
};

// A point holds, for each node, the logits of the classes; then the logarithms of all slopes; then
// all shifts. Those that nothing depends on stay as they are.
double grading_objective(const GradedTree& tree, const GradedRowsView& rows,
                         const GradingPulls& pulls, const std::vector<double>& point,
                         std::vector<double>& gradient);

// The point between `low` and `high` with the least objective, from a first one on; when the time
// is up, the best so far.
std::vector<double> grading_minimum(const GradedTree& tree, const GradedRowsView& rows,
                                    const GradingPulls& pulls, std::vector<double> point,
                                    const std::vector<double>& low, const std::vector<double>& high,
                                    int most_steps, Watch& watch);

}  // namespace planetree
