#include "hull/max_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/dense.hpp"

namespace planetree {

namespace {

constexpr double kReduced = 1e-10;  // reduced costs and pivots above this are not 0
constexpr double kTie = 1e-9;       // values this close are equal
constexpr double kProved = 1e-8;    // gap of a program that is believed
constexpr double kPivot = 1e-14;    // least of an inverse
constexpr int kPivotsPerInverse = 64;

// The points of a hull, column by column.
class Points {
  public:
    Points(const PointSet& set, int n) : m_(set.m), columns_(set.m * n) {
        for (std::size_t i = 0; i < m_; ++i)
            for (int j = 0; j < n; ++j) columns_[j * m_ + i] = set.x[i * n + j];
    }

    std::size_t size() const { return m_; }
    double at(std::size_t i, int j) const { return columns_[j * m_ + i]; }

    const std::vector<double>& scores(const std::vector<double>& w) {
        scores_.assign(m_, 0.0);
        for (std::size_t j = 0; j < w.size(); ++j)
            if (w[j] != 0) axpy(w[j], &columns_[j * m_], scores_.data(), m_);
        return scores_;
    }

  private:
    std::size_t m_;
    std::vector<double> columns_, scores_;
};

struct Program {
    int held;     // the weight that is held, or -1
    double sign;  // where it is held
};

class HullSimplex {
  public:
    HullSimplex(const PointSet& a, const PointSet& b, int n)
        : n_(n), rows_(n + 2), a_(a, n), b_(b, n) {
        basis_.resize(rows_);
        for (int j = 0; j < n; ++j) basis_[j] = a_.at(0, j) >= b_.at(0, j) ? plus(j) : minus(j);
        basis_[n] = 0;
        basis_[n + 1] = a_.size();
        invert_basis();
    }

    // Lowers the value until it is optimal, or below `floor`, from where the program cannot win.
    Outcome solve(const Program& program, double floor, Watch& watch) {
        program_ = program;
        const long limit = 200L * rows_ + 2000;
        long idle = 0;
        double last = std::numeric_limits<double>::infinity();
        for (long pivot = 0; pivot < limit; ++pivot) {
            const double value = objective();
            if (value < floor) return Outcome::optimal;
            idle = value < last - kReduced ? 0 : idle + 1;
            last = value;
            find_duals();
            const std::size_t entering = choose(idle > rows_ + 20);
            if (entering == none()) return Outcome::optimal;
            if (!bring_in(entering, idle > rows_ + 20)) return Outcome::stalled;
            if (watch.expired()) return Outcome::expired;
        }
        return Outcome::stalled;
    }

    double objective() const {
        double sum = 0;
        for (int r = 0; r < rows_; ++r) sum += cost(basis_[r]) * x_[r];
        return sum;
    }

    // w within its bounds.
    std::vector<double> weights() const {
        std::vector<double> w(w_);
        for (double& v : w) v = std::clamp(v, -1.0, 1.0);
        if (program_.held >= 0) w[program_.held] = program_.sign;
        return w;
    }

    double value(const std::vector<double>& w) {
        const auto& low = a_.scores(w);
        const double alpha = *std::min_element(low.begin(), low.end());
        const auto& high = b_.scores(w);
        return alpha - *std::max_element(high.begin(), high.end());
    }

    // What the points of the hulls prove that no w of the program exceeds, in exact arithmetic:
    // the shares, divided by their sum, are points of the hulls, whatever they are; an imbalance d
    // costs |d| at most, as no weight exceeds 1; and the rounding of every sum is added.
    double bound() const {
        std::vector<double> d(n_, 0.0), size(n_, 0.0);
        add_hull(a_, 0, 1.0, d, size);
        add_hull(b_, a_.size(), -1.0, d, size);
        const double rounding = (2.0 * rows_ + 16) * std::numeric_limits<double>::epsilon();
        double sum = 0, total = 0;
        for (int j = 0; j < n_; ++j) {
            sum += j == program_.held ? program_.sign * d[j] : std::fabs(d[j]);
            total += size[j];
        }
        return sum + rounding * (1 + rounding) * total;
    }

    double bound_of(const Program& program) {
        program_ = program;
        return bound();
    }

    long pivots() const { return pivots_; }

  private:
    std::size_t plus(int j) const { return a_.size() + b_.size() + j; }
    std::size_t minus(int j) const { return plus(n_ + j); }
    std::size_t none() const { return plus(2 * n_); }

    double cost(std::size_t column) const {
        if (column < plus(0)) return 0.0;
        const int j = static_cast<int>(column - plus(0));
        if (j % n_ != program_.held) return 1.0;
        return j < n_ ? program_.sign : -program_.sign;
    }

    void fill(std::size_t column, std::vector<double>& out) const {
        out.assign(rows_, 0.0);
        if (column < a_.size()) {
            for (int j = 0; j < n_; ++j) out[j] = a_.at(column, j);
            out[n_] = 1.0;
        } else if (column < plus(0)) {
            for (int j = 0; j < n_; ++j) out[j] = -b_.at(column - a_.size(), j);
            out[n_ + 1] = 1.0;
        } else {
            const int j = static_cast<int>(column - plus(0));
            out[j % n_] = j < n_ ? -1.0 : 1.0;
        }
    }

    // Adds a point of a hull to d, and what its terms sum to in size to `size`.
    void add_hull(const Points& points, std::size_t first, double sign, std::vector<double>& d,
                  std::vector<double>& size) const {
        double total = 0;
        std::vector<double> sum(n_, 0.0), sizes(n_, 0.0);
        for (int r = 0; r < rows_; ++r) {
            if (basis_[r] < first || basis_[r] >= first + points.size()) continue;
            const double share = std::max(0.0, x_[r]);
            total += share;
            for (int j = 0; j < n_; ++j) {
                const double term = share * points.at(basis_[r] - first, j);
                sum[j] += term;
                sizes[j] += std::fabs(term);
            }
        }
        for (int j = 0; j < n_; ++j) {
            d[j] += sign * sum[j] / total;
            size[j] += sizes[j] / total;
        }
    }

    void find_duals() {
        duals_.assign(rows_, 0.0);
        for (int r = 0; r < rows_; ++r) {
            const double c = cost(basis_[r]);
            if (c != 0) axpy(c, &inverse_[r * rows_], duals_.data(), rows_);
        }
        w_.assign(duals_.begin(), duals_.begin() + n_);
        for (double& v : w_) v = -v;
    }

    // The column whose reduced cost is lowest, or the first below 0; none() at an optimum.
    std::size_t choose(bool first) {
        std::size_t best = none();
        double lowest = -kReduced;
        const auto offer = [&](std::size_t column, double reduced) {
            if (reduced < lowest) {
                lowest = first ? -std::numeric_limits<double>::infinity() : reduced;
                best = column;
            }
        };
        const auto& low = a_.scores(w_);
        for (std::size_t i = 0; i < low.size(); ++i) offer(i, low[i] - duals_[n_]);
        const auto& high = b_.scores(w_);
        for (std::size_t i = 0; i < high.size(); ++i)
            offer(a_.size() + i, -duals_[n_ + 1] - high[i]);
        for (int j = 0; j < n_; ++j) {
            offer(plus(j), cost(plus(j)) - w_[j]);
            offer(minus(j), cost(minus(j)) + w_[j]);
        }
        return best;
    }

    bool bring_in(std::size_t entering, bool first) {
        fill(entering, column_);
        direction_.resize(rows_);
        for (int r = 0; r < rows_; ++r)
            direction_[r] = dot(&inverse_[r * rows_], column_.data(), rows_);
        const int leaving = choose_leaving(first);
        if (leaving < 0) return false;
        basis_[leaving] = entering;
        if (++pivots_ % kPivotsPerInverse == 0) {
            invert_basis();
        } else {
            update(leaving);
        }
        return true;
    }

    int choose_leaving(bool first) const {
        int leaving = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int r = 0; r < rows_; ++r) {
            if (direction_[r] <= kReduced) continue;
            const double ratio = std::max(0.0, x_[r]) / direction_[r];
            const bool tied = leaving >= 0 && std::fabs(ratio - least) <= 1e-14;
            const bool preferred =
                tied && (first ? basis_[r] < basis_[leaving] : direction_[r] > direction_[leaving]);
            if (tied ? preferred : ratio < least) {
                least = ratio;
                leaving = r;
            }
        }
        return leaving;
    }

    void update(int leaving) {
        double* pivot_row = &inverse_[leaving * rows_];
        const double pivot = direction_[leaving];
        for (int c = 0; c < rows_; ++c) pivot_row[c] /= pivot;
        x_[leaving] /= pivot;
        for (int r = 0; r < rows_; ++r) {
            if (r == leaving || direction_[r] == 0) continue;
            axpy(-direction_[r], pivot_row, &inverse_[r * rows_], rows_);
            x_[r] -= direction_[r] * x_[leaving];
        }
    }

    // Inverse of the basis, and its point.
    void invert_basis() {
        inverse_.resize(static_cast<std::size_t>(rows_) * rows_);
        for (int c = 0; c < rows_; ++c) {
            fill(basis_[c], column_);
            for (int r = 0; r < rows_; ++r) inverse_[r * rows_ + c] = column_[r];
        }
        if (!invert(inverse_, rows_, kPivot)) throw std::runtime_error("the basis became singular");
        x_.resize(rows_);
        for (int r = 0; r < rows_; ++r)
            x_[r] = inverse_[r * rows_ + n_] + inverse_[r * rows_ + n_ + 1];
    }

    int n_, rows_;
    Points a_, b_;
    Program program_{-1, 0};
    std::vector<std::size_t> basis_;
    std::vector<double> inverse_, x_, duals_, w_, column_, direction_;
    long pivots_ = 0;
};

// w of the largest size 1 along the difference of the means: a value that the best must reach.
std::vector<double> mean_difference(const PointSet& a, const PointSet& b, int n) {
    std::vector<double> w(n, 0.0);
    for (std::size_t i = 0; i < a.m; ++i) axpy(1.0 / a.m, a.x + i * n, w.data(), n);
    for (std::size_t i = 0; i < b.m; ++i) axpy(-1.0 / b.m, b.x + i * n, w.data(), n);
    double size = 0;
    for (const double v : w) size = std::max(size, std::fabs(v));
    if (size > 0)
        for (double& v : w) v /= size;
    return w;
}

double largest_size(const PointSet& set, int n) {
    double size = 0;
    for (std::size_t i = 0; i < set.m * n; ++i) size = std::max(size, std::fabs(set.x[i]));
    return size;
}

struct Found {
    std::vector<double> w;
    double value, bound;
};

}  // namespace

MaxNormAnswer solve_max_norm(const PointSet& a, const PointSet& b, int n, bool hulls_only,
                             Watch& watch) {
    MaxNormAnswer answer;
    HullSimplex simplex(a, b, n);
    const double unit = std::max(largest_size(a, n), largest_size(b, n));
    const double tie = kTie * unit, never = -std::numeric_limits<double>::infinity();
    std::vector<Found> found;
    double skipped_bound = never;
    // False once a program stalls, or time is over: then its last points of the hulls bound it.
    const auto run = [&](const Program& program, double floor) {
        const bool late = answer.outcome == Outcome::expired;
        const Outcome outcome = late ? Outcome::expired : simplex.solve(program, floor, watch);
        if (outcome != Outcome::optimal) answer.outcome = outcome;
        answer.pivots = simplex.pivots();
        if (late || (outcome == Outcome::optimal && simplex.objective() < floor)) {
            skipped_bound = std::max(skipped_bound, simplex.bound_of(program));
            ++answer.skipped;
            return;
        }
        ++answer.finished;
        const std::vector<double> w = simplex.weights();
        found.push_back({w, simplex.value(w), simplex.bound()});
        if (outcome == Outcome::optimal &&
            found.back().bound - found.back().value > kProved * unit &&
            answer.outcome == Outcome::optimal)
            answer.outcome = Outcome::stalled;
    };
    run({-1, 0}, never);
    answer.separable = found[0].value > tie;
    if (!answer.separable && !hulls_only) {
        found.clear();
        const std::vector<double> start = mean_difference(a, b, n);
        double best = simplex.value(start);
        if (std::all_of(start.begin(), start.end(), [](double v) { return v == 0; })) best = never;
        if (best > never) found.push_back({start, best, never});
        for (int held = 0; held < n; ++held)
            for (const double sign : {1.0, -1.0}) {
                run({held, sign}, best - tie);
                if (!found.empty()) best = std::max(best, found.back().value);
            }
    }
    answer.value = never;
    answer.bound = skipped_bound;
    for (const Found& each : found) {
        answer.value = std::max(answer.value, each.value);
        answer.bound = std::max(answer.bound, each.bound);
    }
    for (const Found& each : found)
        if (each.value >= answer.value - tie)
            answer.planes.insert(answer.planes.end(), each.w.begin(), each.w.end());
    return answer;
}

}  // namespace planetree
