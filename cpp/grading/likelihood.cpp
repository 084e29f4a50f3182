#include "grading/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>

#include "core/threads.hpp"

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

    // Adds the weight of the row to the leaves, in proportion to what each has of the probability.
    void count(int label, double weight, const double* leaf, std::vector<double>& counts) const {
        for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
            const std::size_t cell = node * tree_.n_classes + label;
            if (tree_.rule[node] == Rule::leaf) counts[cell] += weight * reach_[node] * leaf[cell];
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

using Point = std::vector<double>;

constexpr std::size_t kBlock = 2048;  // rows of a block: a tree is graded by 20,000

void add_to(Point& sum, const Point& part) {
    std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
}

void add_to(Likelihood& sum, const Likelihood& part) {
    sum.loss += part.loss;
    add_to(sum.by_slope, part.by_slope);
    add_to(sum.by_shift, part.by_shift);
    add_to(sum.by_leaf, part.by_leaf);
}

constexpr std::size_t kMemory = 20;  // steps whose curvature is remembered
constexpr double kDecrease = 1e-10;  // of the objective, as a share: with less a step is the last
constexpr double kArmijo = 1e-4;     // of the decrease that the gradient promises
constexpr double kShortest = 1e-10;  // step that is tried

double dot(const Point& a, const Point& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Step {
    Point s, y;  // how point and gradient changed
    double sy;
};

// Quasi-Newton direction of the free coordinates by the last steps (Nocedal's two loops).
Point direction(const Point& gradient, const std::vector<char>& is_free,
                const std::deque<Step>& steps) {
    Point d(gradient.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = is_free[i] ? -gradient[i] : 0;
    Point part(steps.size());
    for (std::size_t j = steps.size(); j-- > 0;) {
        part[j] = dot(steps[j].s, d) / steps[j].sy;
        for (std::size_t i = 0; i < d.size(); ++i) d[i] -= part[j] * steps[j].y[i];
    }
    if (!steps.empty()) {
        const double scale = steps.back().sy / dot(steps.back().y, steps.back().y);
        for (double& x : d) x *= scale;
    }
    for (std::size_t j = 0; j < steps.size(); ++j) {
        const double more = part[j] - dot(steps[j].y, d) / steps[j].sy;
        for (std::size_t i = 0; i < d.size(); ++i) d[i] += more * steps[j].s[i];
    }
    for (std::size_t i = 0; i < d.size(); ++i)
        if (!is_free[i]) d[i] = 0;
    return d;
}

}  // namespace

Likelihood likelihood(const GradedTree& tree, const GradedRowsView& rows, const double* slope,
                      const double* shift, const double* leaf) {
    const std::size_t n = tree.n_nodes();
    Likelihood sum;
    sum.by_slope.resize(n);
    sum.by_shift.resize(n);
    sum.by_leaf.resize(n * static_cast<std::size_t>(tree.n_classes));
    std::vector<Likelihood> parts(block_count(rows.size, kBlock), sum);
    for_blocks(rows.size, kBlock, [&](std::size_t first, std::size_t last, std::size_t b) {
        Row row(tree);
        const double* inputs = rows.inputs + first * tree.n_inputs;
        for (std::size_t i = first; i < last; ++i, inputs += tree.n_inputs) {
            const double p = row.probability(inputs, slope, shift, leaf, rows.classes[i]);
            parts[b].loss -= rows.weights[i] * std::log(p);
            row.add(inputs, rows.classes[i], -rows.weights[i] / p, parts[b]);
        }
    });
    for (const Likelihood& part : parts) add_to(sum, part);
    return sum;
}

std::vector<double> expected_counts(const GradedTree& tree, const GradedRowsView& rows,
                                    const double* slope, const double* shift, const double* leaf,
                                    Watch& watch) {
    using Counts = std::vector<double>;
    Counts counts(tree.n_nodes() * static_cast<std::size_t>(tree.n_classes));
    const std::size_t block = rows_a_block(10 * tree.n_nodes());
    std::vector<Counts> parts(block_count(rows.size, block), counts);
    const auto count = [&](std::size_t first, std::size_t last, std::size_t b) {
        Row row(tree);
        const double* inputs = rows.inputs + first * tree.n_inputs;
        for (std::size_t i = first; i < last; ++i, inputs += tree.n_inputs) {
            const double p = row.probability(inputs, slope, shift, leaf, rows.classes[i]);
            row.count(rows.classes[i], rows.weights[i] / p, leaf, parts[b]);
        }
    };
    for_blocks(rows.size, block, count, &watch);
    for (const Counts& part : parts) add_to(counts, part);
    return counts;
}

double grading_objective(const GradedTree& tree, const GradedRowsView& rows,
                         const GradingPulls& pulls, const Point& point, Point& gradient) {
    const std::size_t n = tree.n_nodes(), k = static_cast<std::size_t>(tree.n_classes);
    const double *log_slope = &point[n * k], *shift = log_slope + n;
    Point q(n * k), slope(n), moved(n);
    double loss = 0;
    for (std::size_t node = 0; node < n; ++node) {
        if (tree.rule[node] == Rule::leaf) {
            const double *logit = &point[node * k], most = *std::max_element(logit, logit + k);
            double total = 0;
            for (std::size_t c = 0; c < k; ++c)
                total += q[node * k + c] = std::exp(logit[c] - most);
            for (std::size_t c = 0; c < k; ++c) {
                q[node * k + c] /= total;
                loss -= pulls.prior[c] * (logit[c] - most - std::log(total));
            }
        } else if (pulls.terms[node] > 0) {
            const double away = log_slope[node] - pulls.log_slope;
            slope[node] = std::exp(log_slope[node]);
            moved[node] = shift[node] * pulls.moves[node];
            loss += (pulls.terms[node] * away * away + moved[node] * moved[node]) / 2;
        }
    }
    const Likelihood found = likelihood(tree, rows, slope.data(), moved.data(), q.data());
    gradient.assign(point.size(), 0);
    for (std::size_t node = 0; node < n; ++node) {
        if (tree.rule[node] == Rule::leaf) {
            double total = 0, *by = &gradient[node * k];
            for (std::size_t c = 0; c < k; ++c)
                total += by[c] = found.by_leaf[node * k + c] * q[node * k + c] - pulls.prior[c];
            for (std::size_t c = 0; c < k; ++c) by[c] -= q[node * k + c] * total;
        } else if (pulls.terms[node] > 0) {
            const double away = log_slope[node] - pulls.log_slope;
            gradient[n * k + node] = found.by_slope[node] * slope[node] + pulls.terms[node] * away;
            gradient[n * k + n + node] = pulls.moves[node] * (found.by_shift[node] + moved[node]);
        }
    }
    return loss + found.loss;
}

Point grading_minimum(const GradedTree& tree, const GradedRowsView& rows, const GradingPulls& pulls,
                      Point point, const Point& low, const Point& high, int most_steps,
                      Watch& watch) {
    const std::size_t size = point.size();
    Point gradient, next(size), next_gradient;
    std::vector<char> is_free(size), were_free;
    std::deque<Step> steps;
    double value = grading_objective(tree, rows, pulls, point, gradient);
    for (int step = 0; step < most_steps && !watch.expired(); ++step) {
        for (std::size_t i = 0; i < size; ++i)
            is_free[i] = !((point[i] <= low[i] && gradient[i] > 0) ||
                           (point[i] >= high[i] && gradient[i] < 0));
        if (is_free != were_free) steps.clear();
        were_free = is_free;
        const Point d = direction(gradient, is_free, steps);
        double length = 1;
        if (steps.empty()) {
            double norm = std::sqrt(dot(d, d));
            if (norm == 0) break;
            length = std::min(1.0, 1 / norm);
        }
        double found = value, promised = 0;
        const double first = length;
        for (; length > kShortest * first && !watch.expired(); length *= 0.5) {
            for (std::size_t i = 0; i < size; ++i)
                next[i] = std::clamp(point[i] + length * d[i], low[i], high[i]);
            promised = 0;
            for (std::size_t i = 0; i < size; ++i) promised += gradient[i] * (next[i] - point[i]);
            found = grading_objective(tree, rows, pulls, next, next_gradient);
            if (promised < 0 && found <= value + kArmijo * promised) break;
        }
        if (!(found < value)) {
            if (steps.empty()) break;
            steps.clear();  // what is remembered misleads: down the gradient
            were_free.clear();
            continue;
        }
        Step taken{Point(size), Point(size), 0};
        for (std::size_t i = 0; i < size; ++i) {
            taken.s[i] = next[i] - point[i];
            taken.y[i] = next_gradient[i] - gradient[i];
        }
        taken.sy = dot(taken.s, taken.y);
        const bool is_last = length == first && !steps.empty() &&
                             value - found <= kDecrease * std::max(std::fabs(value), 1.0);
        if (taken.sy > 1e-12 * dot(taken.y, taken.y)) steps.push_back(std::move(taken));
        if (steps.size() > kMemory) steps.pop_front();
        std::swap(point, next);
        std::swap(gradient, next_gradient);
        value = found;
        if (is_last) break;
    }
    return point;
}

}  // namespace planetree
