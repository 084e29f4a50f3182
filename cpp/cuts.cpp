#include "cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace planetree {

namespace {

double xlogx(double v) { return v > 0 ? v * std::log(v) : 0; }

// Weight times entropy of classes, in nats.
double entropy(const std::vector<double>& classes) {
    double total = 0, sum = 0;
    for (const double w : classes) {
        total += w;
        sum += xlogx(w);
    }
    return xlogx(total) - sum;
}

// Weight times Gini's index of classes.
double gini(const std::vector<double>& classes) {
    double total = 0, squares = 0;
    for (const double w : classes) {
        total += w;
        squares += w * w;
    }
    return total > 0 ? total - squares / total : 0;
}

struct Value {
    double x;
    int row_class;
    double weight;
};

class ColumnCuts {
  public:
    ColumnCuts(int k, double least, Impurity impurity)
        : left_(k),
          right_(k),
          unknown_(k),
          side_(k),
          least_(least),
          impurity_(impurity == Impurity::gini ? gini : entropy) {}

    Cut best(std::vector<Value>& values, const std::vector<double>& unknown) {
        std::sort(values.begin(), values.end(),
                  [](const Value& a, const Value& b) { return a.x < b.x; });
        unknown_ = unknown;
        std::fill(left_.begin(), left_.end(), 0.0);
        std::fill(right_.begin(), right_.end(), 0.0);
        for (const Value& v : values) right_[v.row_class] += v.weight;
        Cut cut{0, std::numeric_limits<double>::infinity()};
        for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            left_[values[i].row_class] += values[i].weight;
            right_[values[i].row_class] -= values[i].weight;
            if (!(values[i].x < values[i + 1].x)) continue;
            const double found = both_sides();
            if (found < cut.impurity - 1e-12) cut = {between(values[i].x, values[i + 1].x), found};
        }
        return cut;
    }

  private:
    static double between(double a, double b) {
        const double middle = a / 2 + b / 2;
        return middle > a && middle < b ? middle : a;
    }

    double both_sides() {
        const double left = std::accumulate(left_.begin(), left_.end(), 0.0);
        const double right = std::accumulate(right_.begin(), right_.end(), 0.0);
        const double lost = std::accumulate(unknown_.begin(), unknown_.end(), 0.0);
        const double share = left / (left + right);
        if (left + share * lost < least_ || right + (1 - share) * lost < least_)
            return std::numeric_limits<double>::infinity();
        return of_side(left_, share) + of_side(right_, 1 - share);
    }

    double of_side(const std::vector<double>& known, double share) {
        for (std::size_t c = 0; c < known.size(); ++c)
            side_[c] = std::max(0.0, known[c]) + share * unknown_[c];
        return impurity_(side_);
    }

    std::vector<double> left_, right_, unknown_, side_;
    double least_;
    double (*impurity_)(const std::vector<double>&);
};

}  // namespace

std::vector<Cut> best_cuts(const double* x, const int* row_class, const double* weight,
                           std::size_t m, int n, int k, double least, Impurity impurity) {
    for (std::size_t i = 0; i < m; ++i)
        if (row_class[i] < 0 || row_class[i] >= k)
            throw std::invalid_argument("a class code is out of range");
    std::vector<Cut> cuts;
    std::vector<Value> values;
    std::vector<double> unknown(k);
    ColumnCuts column(k, least, impurity);
    for (int j = 0; j < n; ++j) {
        values.clear();
        std::fill(unknown.begin(), unknown.end(), 0.0);
        for (std::size_t i = 0; i < m; ++i) {
            const double v = x[i * n + j];
            if (std::isnan(v))
                unknown[row_class[i]] += weight[i];
            else
                values.push_back({v, row_class[i], weight[i]});
        }
        cuts.push_back(column.best(values, unknown));
    }
    return cuts;
}

}  // namespace planetree
