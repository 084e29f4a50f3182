// How well a graded tree explains the classes of rows, and how that changes with its numbers.
#pragma once

#include <cstddef>
#include <vector>

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

// The negative logarithm of the likelihood, and its derivatives by the slope and shift of each
// node and by the probability of each class in each leaf.
struct Likelihood {
    double loss = 0;
    std::vector<double> by_slope, by_shift, by_leaf;
};

// Rows have `tree.n_inputs` inputs each; `leaf` holds n_nodes x n_classes probabilities.
Likelihood likelihood(const GradedTree& tree, const double* inputs, const int* classes,
                      const double* weights, std::size_t n_rows, const double* slope,
                      const double* shift, const double* leaf);

}  // namespace planetree
