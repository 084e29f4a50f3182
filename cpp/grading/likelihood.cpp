#include "grading/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>

#include "core/threads.hpp"
#include "grading/lanes.hpp"

namespace planetree {

namespace {

constexpr double kLeast = 1e-300;  // of a probability whose logarithm is taken

double sigmoid(double z) {
    const double e = std::exp(-std::fabs(z));
    return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// Some rows on their way through the tree, a lane each: shares, then values, then derivatives.
// Decisions of one plane, which most are, take all lanes at once; others one after the other.
class RowBlock {
  public:
    explicit RowBlock(const GradedTree& tree)
        : tree_(tree),
          known_(tree.n_nodes()),
          reach_(tree.n_nodes()),
          value_(tree.n_nodes()),
          share_(tree.children.size()),
          input_(tree.n_inputs),
          u_(tree.n_inputs),
          order_(tree.n_inputs * kLanes) {}

    // Reads the rows from `first` on; lanes beyond the last row weigh nothing.
    void read(const GradedRowsView& rows, std::size_t first) {
        const std::size_t there = std::min(kLanes, rows.size - first);
        for (std::size_t l = 0; l < kLanes; ++l) {
            const std::size_t row = first + std::min(l, there - 1);
            const double* input = rows.inputs + row * tree_.n_inputs;
            for (std::size_t j = 0; j < tree_.n_inputs; ++j) input_[j].of[l] = input[j];
            label_[l] = rows.classes[row];
            weight_.of[l] = l < there ? rows.weights[row] : 0.0;
        }
    }

    // Finds the probability that each row has its class, by those of the classes in each leaf.
    void find(const double* slope, const double* shift, const double* leaf) {
        const std::size_t n = tree_.n_nodes(), k = static_cast<std::size_t>(tree_.n_classes);
        std::fill(reach_[0].of, reach_[0].of + kLanes, 1.0);
        for (std::size_t node = 0; node < n; ++node) {
            if (tree_.rule[node] == Rule::leaf) continue;
            divide(node, slope[node], shift[node]);
            for (std::size_t c = begin(node); c < end(node); ++c)
                multiply(reach_[node], share_[c], reach_[tree_.children[c]]);
        }
        for (std::size_t node = n; node-- > 0;) {
            if (tree_.rule[node] == Rule::leaf) {
                for (std::size_t l = 0; l < kLanes; ++l)
                    value_[node].of[l] = leaf[node * k + label_[l]];
                continue;
            }
            value_[node] = {};
            for (std::size_t c = begin(node); c < end(node); ++c)
                add_product(share_[c], value_[tree_.children[c]], value_[node]);
        }
    }

    // Adds the loss of the rows, and its derivatives.
    void add(Likelihood& sum) const {
        Lanes factor;
        for (std::size_t l = 0; l < kLanes; ++l) {
            const double p = probability(l);
            sum.loss -= weight_.of[l] * std::log(p);
            factor.of[l] = -weight_.of[l] / p;
        }
        for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
            const Rule rule = tree_.rule[node];
            if (rule == Rule::leaf) {
                double* by = &sum.by_leaf[node * tree_.n_classes];
                for (std::size_t l = 0; l < kLanes; ++l)
                    by[label_[l]] += factor.of[l] * reach_[node].of[l];
            } else if (is_fork(node)) {
                const std::size_t c = begin(node);
                const ForkChange change = fork_change(
                    input_[tree_.first_input[node]], known_[node], share_[c], share_[c + 1],
                    child_value(node, 0), child_value(node, 1), factor, reach_[node]);
                sum.by_slope[node] += change.by_slope;
                sum.by_shift[node] += change.by_shift;
            } else if (rule != Rule::lookup) {
                for (std::size_t l = 0; l < kLanes; ++l)
                    if (known_[node].of[l] != 0)
                        add_decision(node, l, factor.of[l] * reach_[node].of[l], sum);
            }
        }
    }

    // Adds the weights of the rows to the leaves, in proportion to what each has of the
    // probability.
    void count(const double* leaf, std::vector<double>& counts) const {
        Lanes part;
        for (std::size_t l = 0; l < kLanes; ++l) part.of[l] = weight_.of[l] / probability(l);
        for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
            if (tree_.rule[node] != Rule::leaf) continue;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const std::size_t cell = node * tree_.n_classes + label_[l];
                counts[cell] += part.of[l] * reach_[node].of[l] * leaf[cell];
            }
        }
    }

  private:
    std::size_t begin(std::size_t node) const { return tree_.child_start[node]; }
    std::size_t end(std::size_t node) const { return tree_.child_start[node + 1]; }
    double probability(std::size_t lane) const { return std::max(value_[0].of[lane], kLeast); }
    const Lanes& child_value(std::size_t node, std::size_t branch) const {
        return value_[tree_.children[begin(node) + branch]];
    }
    double value_of(std::size_t node, std::size_t branch, std::size_t lane) const {
        return child_value(node, branch).of[lane];
    }
    bool is_fork(std::size_t node) const {
        return tree_.rule[node] == Rule::slabs && tree_.input_count[node] == 1;
    }

    // Shares of the branches of a node.
    void divide(std::size_t node, double slope, double shift) {
        const std::size_t c = begin(node);
        if (is_fork(node))
            return fork(input_[tree_.first_input[node]], slope, shift, &tree_.parts[c], share_[c],
                        share_[c + 1], known_[node]);
        for (std::size_t l = 0; l < kLanes; ++l) divide(node, l, slope, shift);
    }

    void divide(std::size_t node, std::size_t lane, double slope, double shift) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        bool known = true;
        for (std::size_t j = first; j < first + count; ++j)
            known = known && !std::isnan(input_[j].of[lane]);
        known_[node].of[lane] = known;
        const auto share = [&](std::size_t branch) -> double& {
            return share_[begin(node) + branch].of[lane];
        };
        const std::size_t branches = end(node) - begin(node);
        if (!known || tree_.rule[node] == Rule::lookup) {
            for (std::size_t b = 0; b < branches; ++b)
                share(b) = known ? static_cast<double>(input_[first].of[lane] == b)
                                 : tree_.parts[begin(node) + b];
            return;
        }
        for (std::size_t j = first; j < first + count; ++j)
            u_[j].of[lane] = slope * input_[j].of[lane] + shift;
        if (tree_.rule[node] == Rule::argmax) return softmax(node, lane);
        for (std::size_t j = first; j < first + count; ++j)
            u_[j].of[lane] = sigmoid(u_[j].of[lane]);
        if (tree_.rule[node] == Rule::slabs) return slabs(node, lane);
        double above = 1, below = 1;
        for (std::size_t j = first; j < first + count; ++j)
            above *= u_[j].of[lane], below *= 1 - u_[j].of[lane];
        share(1) = tree_.rule[node] == Rule::both ? above : above + below;
        share(0) = 1 - share(1);
    }

    void softmax(std::size_t node, std::size_t lane) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        double most = u_[first].of[lane], total = 0;
        for (std::size_t j = 1; j < count; ++j) most = std::max(most, u_[first + j].of[lane]);
        for (std::size_t j = 0; j < count; ++j)
            total += share_[begin(node) + j].of[lane] = std::exp(u_[first + j].of[lane] - most);
        for (std::size_t j = 0; j < count; ++j) share_[begin(node) + j].of[lane] /= total;
    }

    void slabs(std::size_t node, std::size_t lane) {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        std::size_t* order = &order_[first * kLanes + lane * count];
        std::iota(order, order + count, first);
        std::stable_sort(order, order + count, [&](std::size_t a, std::size_t b) {
            return input_[a].of[lane] > input_[b].of[lane];
        });
        double reached = 1;
        for (std::size_t j = 0; j < count; ++j) {
            const double u = u_[order[j]].of[lane];
            share_[begin(node) + j].of[lane] = reached * (1 - u);
            reached *= u;
        }
        share_[begin(node) + count].of[lane] = reached;
    }

    void add_decision(std::size_t node, std::size_t lane, double factor, Likelihood& sum) const {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        if (tree_.rule[node] == Rule::slabs) return add_slabs(node, lane, factor, sum);
        const double rise = value_of(node, 1, lane) - value_of(node, 0, lane);
        double above = 1, below = 1;
        for (std::size_t j = first; j < first + count; ++j)
            above *= u_[j].of[lane], below *= 1 - u_[j].of[lane];
        for (std::size_t j = 0; j < count; ++j) {
            const double u = u_[first + j].of[lane];
            double by = 0;  // of the node's value, by z
            if (tree_.rule[node] == Rule::argmax)
                by = share_[begin(node) + j].of[lane] *
                     (value_of(node, j, lane) - value_[node].of[lane]);
            else if (tree_.rule[node] == Rule::both)
                by = rise * above * (1 - u);
            else
                by = rise * (above * (1 - u) - below * u);
            sum.by_slope[node] += factor * by * input_[first + j].of[lane];
            sum.by_shift[node] += factor * by;
        }
    }

    // With V_j the value of a row that is above all planes before j, V_j = (1 - u) v_j + u V_(j+1).
    void add_slabs(std::size_t node, std::size_t lane, double factor, Likelihood& sum) const {
        const std::size_t first = tree_.first_input[node], count = tree_.input_count[node];
        const std::size_t* order = &order_[first * kLanes + lane * count];
        double beyond = value_of(node, count, lane);
        for (std::size_t j = count; j-- > 0;) {
            const double u = u_[order[j]].of[lane], here = value_of(node, j, lane);
            double reached = 1;
            for (std::size_t i = 0; i < j; ++i) reached *= u_[order[i]].of[lane];
            const double by = reached * u * (1 - u) * (beyond - here);
            sum.by_slope[node] += factor * by * input_[order[j]].of[lane];
            sum.by_shift[node] += factor * by;
            beyond = (1 - u) * here + u * beyond;
        }
    }

    const GradedTree& tree_;
    std::vector<Lanes> known_, reach_, value_, share_, input_, u_;
    std::vector<std::size_t> order_;
    int label_[kLanes];
    Lanes weight_;
};

GradedRowsView rows_between(const GradedTree& tree, const GradedRowsView& rows, std::size_t first,
                            std::size_t last) {
    return {rows.inputs + first * tree.n_inputs, rows.classes + first, rows.weights + first,
            last - first};
}

// Calls use(lanes) for all rows, some at a time.
template <class Use>
void for_lanes(const GradedTree& tree, const GradedRowsView& rows, const double* slope,
               const double* shift, const double* leaf, Use&& use) {
    RowBlock lanes(tree);
    for (std::size_t first = 0; first < rows.size; first += kLanes) {
        lanes.read(rows, first);
        lanes.find(slope, shift, leaf);
        use(lanes);
    }
}

using Point = std::vector<double>;

constexpr std::size_t kBlock = 2048;  // rows a thread takes at a time, of the 20,000 that grade

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
        const auto part = rows_between(tree, rows, first, last);
        for_lanes(tree, part, slope, shift, leaf,
                  [&](const RowBlock& lanes) { lanes.add(parts[b]); });
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
        const auto part = rows_between(tree, rows, first, last);
        for_lanes(tree, part, slope, shift, leaf,
                  [&](const RowBlock& lanes) { lanes.count(leaf, parts[b]); });
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
