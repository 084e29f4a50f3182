#include "grading/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planetree {

namespace {

constexpr double kLeast = 1e-300;  // of a probability whose logarithm is taken

double sigmoid(double z) {
    const double e = std::exp(-std::fabs(z));
    return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// One row on its way through the tree: shares, then values, then derivatives.
class Row {
  public:
    explicit Row(const GradedTree& tree)
        : tree_(tree),
          known_(tree.n_nodes()),
          reach_(tree.n_nodes()),
          value_(tree.n_nodes()),
          share_(tree.children.size()),
          u_(tree.n_inputs),
          order_(tree.n_inputs) {}

    // Probability that the row has its class, by the probability of it in each leaf.
    double probability(const double* input, const double* slope, const double* shift,
                       const double* leaf, int label) {
        const std::size_t n = tree_.n_nodes();
        reach_[0] = 1;
        for (std::size_t node = 0; node < n; ++node) {
            if (tree_.rule[node] == Rule::leaf) continue;
            divide(node, input, slope[node], shift[node]);
            for (std::size_t c = begin(node); c < end(node); ++c)
                reach_[tree_.children[c]] = reach_[node] * share_[c];
        }
        for (std::size_t node = n; node-- > 0;) {
            if (tree_.rule[node] == Rule::leaf) {
                value_[node] = leaf[node * tree_.n_classes + label];
                continue;
            }
            value_[node] = 0;
            for (std::size_t c = begin(node); c < end(node); ++c)
                value_[node] += share_[c] * value_[tree_.children[c]];
        }
        return std::max(value_[0], kLeast);
    }

    // Adds the derivatives of the probability times `factor`.
    void add(const double* input, int label, double factor, Likelihood& sum) {
        for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
            const Rule rule = tree_.rule[node];
            if (rule == Rule::leaf)
                sum.by_leaf[node * tree_.n_classes + label] += factor * reach_[node];
            else if (rule != Rule::lookup && known_[node])
                add_decision(node, input, factor * reach_[node], sum);
        }
    }

  private:
    std::size_t begin(std::size_t node) const { return tree_.child_start[node]; }
    std::size_t end(std::size_t node) const { return tree_.child_start[node + 1]; }
    double value_of(std::size_t node, std::size_t branch) const {
        return value_[tree_.children[begin(node) + branch]];
    }

    // Shares of the branches of a node.
    void divide(std::size_t node, const double* input, double slope, double shift) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        const double *s = input + first, *last = s + count;
        double* share = &share_[begin(node)];
        known_[node] = std::none_of(s, last, [](double x) { return std::isnan(x); });
        if (!known_[node]) {
            std::copy(&tree_.parts[begin(node)],
                      &tree_.parts[begin(node)] + end(node) - begin(node), share);
            return;
        }
        if (tree_.rule[node] == Rule::lookup) {
            std::fill(share, share + (end(node) - begin(node)), 0.0);
            share[static_cast<std::size_t>(s[0])] = 1;
            return;
        }
        double* u = &u_[first];
        for (std::size_t j = 0; j < count; ++j) u[j] = slope * s[j] + shift;
        if (tree_.rule[node] == Rule::argmax) return softmax(u, count, share);
        for (std::size_t j = 0; j < count; ++j) u[j] = sigmoid(u[j]);
        if (tree_.rule[node] == Rule::slabs) return slabs(first, s, count, share);
        double above = 1, below = 1;
        for (std::size_t j = 0; j < count; ++j) above *= u[j], below *= 1 - u[j];
        share[1] = tree_.rule[node] == Rule::both ? above : above + below;
        share[0] = 1 - share[1];
    }

    static void softmax(const double* z, std::size_t count, double* share) {
        const double most = *std::max_element(z, z + count);
        double total = 0;
        for (std::size_t j = 0; j < count; ++j) total += share[j] = std::exp(z[j] - most);
        for (std::size_t j = 0; j < count; ++j) share[j] /= total;
    }

    void slabs(std::size_t first, const double* s, std::size_t count, double* share) {
        std::size_t* order = &order_[first];
        std::iota(order, order + count, std::size_t{0});
        if (count > 1)
            std::stable_sort(order, order + count,
                             [s](std::size_t a, std::size_t b) { return s[a] > s[b]; });
        double reached = 1;
        for (std::size_t j = 0; j < count; ++j) {
            const double u = u_[first + order[j]];
            share[j] = reached * (1 - u);
            reached *= u;
        }
        share[count] = reached;
    }

    void add_decision(std::size_t node, const double* input, double factor, Likelihood& sum) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        if (tree_.rule[node] == Rule::slabs) return add_slabs(node, input, factor, sum);
        const double* u = &u_[first];
        const double *share = &share_[begin(node)], rise = value_of(node, 1) - value_of(node, 0);
        double above = 1, below = 1;
        for (std::size_t j = 0; j < count; ++j) above *= u[j], below *= 1 - u[j];
        for (std::size_t j = 0; j < count; ++j) {
            double by = 0;  // of the node's value, by z
            if (tree_.rule[node] == Rule::argmax)
                by = share[j] * (value_of(node, j) - value_[node]);
            else if (tree_.rule[node] == Rule::both)
                by = rise * above * (1 - u[j]);
            else
                by = rise * (above * (1 - u[j]) - below * u[j]);
            sum.by_slope[node] += factor * by * input[first + j];
            sum.by_shift[node] += factor * by;
        }
    }

    // With V_j the value of a row that is above all planes before j, V_j = (1 - u) v_j + u V_(j+1).
    void add_slabs(std::size_t node, const double* input, double factor, Likelihood& sum) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        double beyond = value_of(node, count);
        for (std::size_t j = count; j-- > 0;) {
            const std::size_t plane = order_[first + j];
            const double u = u_[first + plane], here = value_of(node, j);
            double reached = 1;
            for (std::size_t i = 0; i < j; ++i) reached *= u_[first + order_[first + i]];
            const double by = reached * u * (1 - u) * (beyond - here);
            sum.by_slope[node] += factor * by * input[first + plane];
            sum.by_shift[node] += factor * by;
            beyond = (1 - u) * here + u * beyond;
        }
    }

    const GradedTree& tree_;
    std::vector<char> known_;
    std::vector<double> reach_, value_, share_, u_;
    std::vector<std::size_t> order_;
};

}  // namespace

Likelihood likelihood(const GradedTree& tree, const double* inputs, const int* classes,
                      const double* weights, std::size_t n_rows, const double* slope,
                      const double* shift, const double* leaf) {
    const std::size_t n = tree.n_nodes();
    Likelihood sum;
    sum.by_slope.resize(n);
    sum.by_shift.resize(n);
    sum.by_leaf.resize(n * static_cast<std::size_t>(tree.n_classes));
    Row row(tree);
    for (std::size_t i = 0; i < n_rows; ++i, inputs += tree.n_inputs) {
        const double p = row.probability(inputs, slope, shift, leaf, classes[i]);
        sum.loss -= weights[i] * std::log(p);
        row.add(inputs, classes[i], -weights[i] / p, sum);
    }
    return sum;
}

}  // namespace planetree
