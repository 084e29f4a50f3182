#include "changes/box_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planetree {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kFeasible = 1e-11;  // of a row's size: by how much a bound may be missed
constexpr double kPivot = 1e-10;     // least entry to divide by, of rows with entries of about 1

// The least that y allows: of the costs, or of nothing where only feasibility is asked.
double lagrangian(const BoxProgram& program, const std::vector<double>& y, bool costs) {
    const std::size_t n = program.n(), m = program.m();
    double total = 0;
    for (std::size_t i = 0; i < m; ++i) total -= y[i] * program.right[i];
    for (std::size_t j = 0; j < n; ++j) {
        double slope = costs ? program.cost[j] : 0.0, size = slope;
        for (std::size_t i = 0; i < m; ++i) {
            const double part = y[i] * program.rows[i * n + j];
            slope += part;
            size += std::abs(part);
        }
        if (std::abs(slope) <= 1e-14 * size) slope = 0;
        total += slope >= 0 ? slope * program.low[j] : slope * program.high[j];
    }
    return total;
}

class DualSimplex {
  public:
    explicit DualSimplex(const BoxProgram& program)
        : program_(program), n_(program.n()), m_(program.m()), width_(n_ + m_) {
        table_.assign(m_ * width_, 0.0);
        for (std::size_t i = 0; i < m_; ++i) {
            std::copy_n(&program.rows[i * n_], n_, &table_[i * width_]);
            table_[i * width_ + n_ + i] = 1.0;
        }
        right_ = program.right;
        reduced_.assign(width_, 0.0);
        std::copy(program.cost.begin(), program.cost.end(), reduced_.begin());
        at_high_.assign(width_, 0);
        basic_.resize(m_);
        is_basic_.assign(width_, 0);
        for (std::size_t i = 0; i < m_; ++i) is_basic_[basic_[i] = n_ + i] = 1;
    }

    BoxAnswer run() {
        const std::size_t limit = 20 * (width_ + 5);
        for (std::size_t step = 0; step < limit; ++step) {
            const std::size_t row = worst_row();
            if (row == m_) return {point(), bound()};
            const std::size_t column = entering(row);
            if (column == width_) return {{}, is_empty(row) ? kInfinite : bound()};
            pivot(row, column);
        }
        return {{}, bound()};
    }

  private:
    double low(std::size_t j) const { return j < n_ ? program_.low[j] : 0.0; }
    double high(std::size_t j) const { return j < n_ ? program_.high[j] : kInfinite; }
    double resting(std::size_t j) const { return at_high_[j] ? high(j) : low(j); }

    double basic_value(std::size_t i) const {
        double value = right_[i];
        for (std::size_t j = 0; j < width_; ++j) {
            if (is_basic_[j]) continue;
            const double at = resting(j);
            if (at != 0) value -= table_[i * width_ + j] * at;
        }
        return value;
    }

    // The row whose basic value misses its bounds by most; m if none does.
    std::size_t worst_row() {
        std::size_t worst = m_;
        double most = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            const double value = basic_value(i), least = low(basic_[i]), top = high(basic_[i]);
            const double slack = kFeasible * (1 + std::abs(right_[i]));
            const double missed = std::max(least - value, value - top);
            if (missed > slack && missed > most) {
                most = missed;
                worst = i;
                rises_ = value < least;
            }
        }
        return worst;
    }

    // The column that moves the row's value toward its bound at the least price; width if none can.
    std::size_t entering(std::size_t row) const {
        std::size_t best = width_;
        double least = kInfinite, size = 0;
        for (std::size_t j = 0; j < width_; ++j) {
            if (is_basic_[j] || low(j) == high(j)) continue;
            const double entry = table_[row * width_ + j];
            const double gain = (rises_ == (at_high_[j] != 0)) ? entry : -entry;
            if (gain <= kPivot) continue;
            const double price = std::abs(reduced_[j]) / gain;
            if (price < least - 1e-13 || (price < least + 1e-13 && gain > size)) {
                least = std::min(least, price);
                size = gain;
                best = j;
            }
        }
        return best;
    }

    // Whether the row proves that no point is feasible.
    bool is_empty(std::size_t row) const {
        std::vector<double> y(m_);
        double size = 1;
        for (std::size_t i = 0; i < m_; ++i) {
            const double entry = table_[row * width_ + n_ + i];
            y[i] = std::max(0.0, rises_ ? entry : -entry);
            size += std::abs(y[i] * program_.right[i]);
        }
        return lagrangian(program_, y, false) > 1e-13 * size;
    }

    void pivot(std::size_t row, std::size_t column) {
        const std::size_t leaving = basic_[row];
        double* lead = &table_[row * width_];
        const double by = 1.0 / lead[column];
        for (std::size_t j = 0; j < width_; ++j) lead[j] *= by;
        right_[row] *= by;
        for (std::size_t i = 0; i < m_; ++i) {
            double* other = &table_[i * width_];
            const double factor = other[column];
            if (i == row || factor == 0) continue;
            for (std::size_t j = 0; j < width_; ++j) other[j] -= factor * lead[j];
            other[column] = 0;
            right_[i] -= factor * right_[row];
        }
        const double price = reduced_[column];
        for (std::size_t j = 0; j < width_; ++j) reduced_[j] -= price * lead[j];
        reduced_[column] = 0;
        at_high_[leaving] = !rises_;
        is_basic_[leaving] = 0;
        is_basic_[column] = 1;
        basic_[row] = column;
    }

    std::vector<double> point() const {
        std::vector<double> values(n_);
        for (std::size_t j = 0; j < n_; ++j) values[j] = resting(j);
        for (std::size_t i = 0; i < m_; ++i)
            if (basic_[i] < n_)
                values[basic_[i]] = std::clamp(basic_value(i), low(basic_[i]), high(basic_[i]));
        return values;
    }

    double bound() const {
        std::vector<double> y(m_);
        for (std::size_t i = 0; i < m_; ++i) y[i] = std::max(0.0, reduced_[n_ + i]);
        return lagrangian(program_, y, true);
    }

    const BoxProgram& program_;
    std::size_t n_, m_, width_;
    std::vector<double> table_, right_, reduced_;
    std::vector<char> at_high_, is_basic_;
    std::vector<std::size_t> basic_;
    bool rises_ = true;
};

}  // namespace

BoxAnswer solve(const BoxProgram& program) { return DualSimplex(program).run(); }

}  // namespace planetree
