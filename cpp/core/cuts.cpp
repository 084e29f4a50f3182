#include "core/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/sorting.hpp"

namespace planetree {

namespace {

constexpr std::size_t kColumnsAtOnce = 8;  // doubles of one cache line
constexpr double kLargestTable = 1 << 20;

double xlogx(double v) { return v > 0 ? v * std::log(v) : 0; }

// v log v of class weights; looked up where they are whole numbers.
class Logarithms {
  public:
    Logarithms(const double* weight, std::size_t m) {
        double total = 0;
        for (std::size_t i = 0; i < m; ++i) {
            if (!(weight[i] >= 0 && weight[i] == std::floor(weight[i]))) return;
            total += weight[i];
        }
        if (!(total <= kLargestTable && total <= 4.0 * static_cast<double>(m))) return;
        for (std::size_t v = 0; v <= static_cast<std::size_t>(total); ++v)
            table_.push_back(xlogx(static_cast<double>(v)));
    }

    bool is_whole() const { return !table_.empty(); }
    double looked_up(double v) const { return table_[static_cast<std::size_t>(v)]; }

  private:
    std::vector<double> table_;
};

// Weights of the classes on the two sides of a cut that moves up the values of a column.
class Sides {
  public:
    Sides(int k, double least, Impurity impurity, const Logarithms& logarithms)
        : left_(k),
          right_(k),
          unknown_(k),
          least_(least),
          impurity_(impurity),
          logarithms_(logarithms) {}

    void clear() {
        for (auto* side : {&left_, &right_, &unknown_}) std::fill(side->begin(), side->end(), 0.0);
        left_total_ = right_total_ = lost_ = 0;
    }

    void add(int row_class, double weight) {
        right_[row_class] += weight;
        right_total_ += weight;
    }

    void add_unknown(int row_class, double weight) {
        unknown_[row_class] += weight;
        lost_ += weight;
    }

    void move_left(int row_class, double weight) {
        left_[row_class] += weight;
        right_[row_class] -= weight;
        left_total_ += weight;
        right_total_ -= weight;
    }

    double impurity() const {
        const double share = left_total_ / (left_total_ + right_total_);
        if (left_total_ + share * lost_ < least_ || right_total_ + (1 - share) * lost_ < least_)
            return std::numeric_limits<double>::infinity();
        if (impurity_ == Impurity::gini) return gini(left_, share) + gini(right_, 1 - share);
        if (lost_ == 0 && logarithms_.is_whole()) return looked_up(left_) + looked_up(right_);
        return entropy(left_, share) + entropy(right_, 1 - share);
    }

  private:
    double looked_up(const std::vector<double>& classes) const {
        double total = 0, sum = 0;
        for (const double w : classes) {
            total += w;
            sum += logarithms_.looked_up(w);
        }
        return logarithms_.looked_up(total) - sum;
    }

    double gini(const std::vector<double>& known, double share) const {
        double total = 0, squares = 0;
        for (std::size_t c = 0; c < known.size(); ++c) {
            const double w = std::max(0.0, known[c]) + share * unknown_[c];
            total += w;
            squares += w * w;
        }
        return total > 0 ? total - squares / total : 0;
    }

    double entropy(const std::vector<double>& known, double share) const {
        double total = 0, sum = 0;
        for (std::size_t c = 0; c < known.size(); ++c) {
            const double w = std::max(0.0, known[c]) + share * unknown_[c];
            total += w;
            sum += xlogx(w);
        }
        return xlogx(total) - sum;
    }

    std::vector<double> left_, right_, unknown_;
    double left_total_ = 0, right_total_ = 0, lost_ = 0;
    double least_;
    Impurity impurity_;
    const Logarithms& logarithms_;
};

double between(double a, double b) {
    const double middle = a / 2 + b / 2;
    return middle > a && middle < b ? middle : a;
}

Cut best_cut(const std::vector<ValueOfRow>& values, const int* row_class, const double* weight,
             Sides& sides, std::size_t k, Watch& watch) {
    Cut cut{0, std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        sides.move_left(row_class[values[i].row], weight[values[i].row]);
        if (values[i].key == values[i + 1].key) continue;
        if (watch.expired_after(8 * k)) break;
        const double found = sides.impurity();
        if (found < cut.impurity - 1e-12)
            cut = {between(values[i].value(), values[i + 1].value()), found};
    }
    return cut;
}

}  // namespace

std::vector<Cut> best_cuts(const double* x, const int* row_class, const double* weight,
                           std::size_t m, int n, int k, double least, Impurity impurity,
                           Watch& watch) {
    for (std::size_t i = 0; i < m; ++i)
        if (row_class[i] < 0 || row_class[i] >= k)
            throw std::invalid_argument("a class code is out of range");
    const Logarithms logarithms(weight, impurity == Impurity::entropy ? m : 0);
    Sides sides(k, least, impurity, logarithms);
    std::vector<Cut> cuts;
    std::vector<std::vector<ValueOfRow>> columns(kColumnsAtOnce);
    std::vector<ValueOfRow> room;
    const std::size_t width = static_cast<std::size_t>(n);
    for (std::size_t first = 0; first < width; first += kColumnsAtOnce) {
        const std::size_t count = std::min(kColumnsAtOnce, width - first);
        if (watch.expired()) {
            cuts.resize(cuts.size() + count, Cut{0, std::numeric_limits<double>::infinity()});
            continue;
        }
        for (auto& column : columns) column.clear();
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < count; ++j)
                columns[j].push_back(ValueOfRow::of(x[i * width + first + j], i));
        for (std::size_t j = 0; j < count; ++j) {
            sides.clear();
            std::vector<ValueOfRow>& values = columns[j];
            sort_values(values, room);
            watch.expired();
            while (!values.empty() && values.back().is_missing()) {
                const std::size_t row = values.back().row;
                sides.add_unknown(row_class[row], weight[row]);
                values.pop_back();
            }
            for (const ValueOfRow& v : values) sides.add(row_class[v.row], weight[v.row]);
            cuts.push_back(
                best_cut(values, row_class, weight, sides, static_cast<std::size_t>(k), watch));
        }
    }
    return cuts;
}

}  // namespace planetree
