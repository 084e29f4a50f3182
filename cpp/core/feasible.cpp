#include "core/feasible.hpp"

#include <algorithm>
#include <numeric>

#include "core/dense.hpp"
#include "core/double_double.hpp"
#include "core/simd.hpp"

namespace planetree {

PLANETREE_VECTOR
static void add_products(const double* a, double factor, std::size_t width, double* s, double* c,
                         double* size) {
#pragma omp simd
    for (std::size_t j = 0; j < width; ++j) {
        const double p = a[j] * factor, e = std::fma(a[j], factor, -p);
        const double t = s[j] + p, back = t - s[j];
        c[j] += ((s[j] - (t - back)) + (p - back)) + e;
        s[j] = t;
        size[j] += std::fabs(p);
    }
}

void Sums::add(const double* a, double factor) {
    add_products(a, factor, s_.size(), s_.data(), c_.data(), size_.data());
    n_ += 1;
}

void Sums::add(const Sums& other) {
    for (std::size_t j = 0; j < s_.size(); ++j) {
        Sum sum = at(j);
        sum.add(other.at(j));
        s_[j] = sum.s, c_[j] = sum.c, size_[j] = sum.size;
    }
    n_ += other.n_ + 1;
}

namespace {

constexpr double kDependent = 1e-13;  // times the rows: what rounding leaves of a dependent column
constexpr double kFree = 0x1p-30;     // of the box: farther from its ends than corrections go
constexpr double kZero = 1e-7;        // a factor between rows that rounding left
constexpr int kDenominator = 12;      // the largest of a factor between rows

// The power of two at or below a positive number.
double power_below(double v) { return std::ldexp(1.0, std::ilogb(v)); }

PLANETREE_VECTOR
double inner(const double* a, const double* b, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
    return sum;
}

PLANETREE_VECTOR
void subtract(double* a, double factor, const double* b, std::size_t n) {
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) a[j] -= factor * b[j];
}

class Prover {
  public:
    Prover(const System& system, Watch& watch) : in_(system), watch_(watch), residual_(in_.rows) {}

    Feasible run() try {
        Feasible out;
        if (!scale()) return out;
        choose_columns();
        if (!choose_rows()) return out;
        if (!invert_chosen() || !verify_inverse()) return out;
        find_residual();
        refine();
        return conclude();
    } catch (const OutOfTime&) {
        return {};
    }

  private:
    void spend(std::size_t work) {
        if (watch_.expired_after(work)) throw OutOfTime();
    }

    const double* column(std::size_t i) const { return in_.columns + i * in_.rows; }
    bool has_tail(std::size_t i) const { return in_.tails && in_.tails->has(i); }
    const double* tail_of(const std::vector<double>& tails, std::size_t i) const {
        return tails.data() + (i - in_.tails->first) * in_.rows;
    }
    void take(std::size_t i, double x) {
        residual_.add(column(i), -x);
        if (has_tail(i)) residual_.add(tail_of(in_.tails->low, i), -x);
    }
    double scaled(std::size_t j, std::size_t i) const {
        return column(i)[j] * row_scale_[j] * column_scale_[i];
    }

    // How far each x is from the ends of its box, as powers of two; then the rows near 1.
    bool scale() {
        std::vector<double> way(in_.count, 0.0);
        double longest = 0;
        for (std::size_t i = 0; i < in_.count; ++i) {
            way[i] = std::min(in_.x[i] - in_.lower[i], in_.upper[i] - in_.x[i]);
            if (!std::isfinite(in_.x[i]) || std::isnan(way[i])) return false;
            if (std::isfinite(way[i])) longest = std::max(longest, way[i]);
        }
        if (longest == 0) longest = 1;
        column_scale_.assign(in_.count, 0.0);
        row_scale_.assign(in_.rows, 0.0);
        for (std::size_t i = 0; i < in_.count; ++i) {
            spend(in_.rows);
            way[i] = std::min(way[i], longest * 0x1p20);
            if (!(way[i] > 0x1p-900)) continue;
            column_scale_[i] = power_below(way[i]);
            for (std::size_t j = 0; j < in_.rows; ++j)
                row_scale_[j] = std::max(row_scale_[j], std::fabs(column(i)[j]) * column_scale_[i]);
        }
        for (double& s : row_scale_) {
            if (!std::isfinite(s)) return false;
            s = s > 0x1p-900 ? 1 / power_below(s) : 0;
        }
        return true;
    }

    // Far inside its box: a small correction cannot bring it out.
    bool free(std::size_t i) const {
        const double room = in_.upper[i] - in_.lower[i];
        return std::isinf(room) ||
               std::min(in_.x[i] - in_.lower[i], in_.upper[i] - in_.x[i]) > kFree * room;
    }

    // Gram and Schmidt with pivots; columns near their ends only where the others do not suffice.
    void choose_columns() {
        std::vector<double> units;
        for (const bool ample : {true, false}) {
            std::vector<std::size_t> left;
            for (std::size_t i = 0; i < in_.count; ++i)
                if (column_scale_[i] > 0 && free(i) == ample) left.push_back(i);
            if (chosen_.size() < in_.rows) choose_from(left, units);
        }
    }

    void choose_from(const std::vector<std::size_t>& left, std::vector<double>& units) {
        const std::size_t p = in_.rows;
        std::vector<double> work(left.size() * p), whole(left.size()), rest(left.size());
        const auto clean = [&](std::size_t l, const double* unit) {
            subtract(&work[l * p], inner(&work[l * p], unit, p), unit, p);
        };
        for (std::size_t l = 0; l < left.size(); ++l) {
            spend(p + units.size());
            for (std::size_t j = 0; j < p; ++j) work[l * p + j] = scaled(j, left[l]);
            whole[l] = inner(&work[l * p], &work[l * p], p);
            for (std::size_t u = 0; u < units.size(); u += p) clean(l, &units[u]);
            rest[l] = inner(&work[l * p], &work[l * p], p);
        }
        const double least = kDependent * kDependent * static_cast<double>(p * p);
        const auto open = [&](std::size_t l) { return rest[l] > least * whole[l]; };
        while (chosen_.size() < p) {
            std::size_t best = left.size();
            for (std::size_t l = 0; l < left.size(); ++l)
                if (open(l) && (best == left.size() || rest[l] > rest[best])) best = l;
            if (best == left.size()) break;
            chosen_.push_back(left[best]);
            const double size = std::sqrt(rest[best]);
            for (std::size_t j = 0; j < p; ++j) units.push_back(work[best * p + j] / size);
            rest[best] = 0;
            for (std::size_t l = 0; l < left.size(); ++l) {
                if (!open(l)) continue;
                spend(2 * p);
                clean(l, &units[units.size() - p]);
                rest[l] = inner(&work[l * p], &work[l * p], p);
            }
        }
    }

    // As many rows as columns, by elimination; every other row must depend on them exactly.
    bool choose_rows() {
        const std::size_t r = chosen_.size(), p = in_.rows;
        rows_.resize(p);
        std::iota(rows_.begin(), rows_.end(), 0);
        if (r == p) return true;
        std::vector<double> work(p * r);
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t i = 0; i < r; ++i) work[j * r + i] = scaled(j, chosen_[i]);
        for (std::size_t i = 0; i < r; ++i) {
            std::size_t best = i;
            for (std::size_t j = i; j < p; ++j)
                if (std::fabs(work[j * r + i]) > std::fabs(work[best * r + i])) best = j;
            if (work[best * r + i] == 0) return false;
            std::swap(rows_[best], rows_[i]);
            std::swap_ranges(&work[best * r], &work[best * r] + r, &work[i * r]);
            for (std::size_t j = i + 1; j < p; ++j)
                subtract(&work[j * r + i], work[j * r + i] / work[i * r + i], &work[i * r + i],
                         r - i);
        }
        dependent_.assign(rows_.begin() + static_cast<std::ptrdiff_t>(r), rows_.end());
        rows_.resize(r);
        return true;
    }

    bool invert_chosen() {
        const std::size_t r = chosen_.size();
        inverse_.resize(r * r);
        for (std::size_t j = 0; j < r; ++j)
            for (std::size_t i = 0; i < r; ++i) inverse_[j * r + i] = scaled(rows_[j], chosen_[i]);
        return invert(inverse_, static_cast<int>(r), 0.0, &watch_) && dependencies_hold();
    }

    // A row y is a combination of the chosen ones, with factors y B^-1 that are small fractions.
    bool dependencies_hold() const {
        return std::all_of(dependent_.begin(), dependent_.end(), [&](std::size_t row) {
            if (row_scale_[row] == 0) return no_tail(row) && combines(row, {}, 1);
            const auto factors = factors_of(row);
            if (is_multiple(row, factors)) return true;
            for (int q = 1; q <= kDenominator; ++q)
                if (combines(row, factors, q)) return true;
            return false;
        });
    }

    bool no_tail(std::size_t row) const {
        if (!in_.tails) return true;
        for (std::size_t at = row; at < in_.tails->low.size(); at += in_.rows)
            if (in_.tails->low[at] != 0 || in_.tails->error[at] != 0) return false;
        return true;
    }

    // All columns have the same ratio of this row to the one with the largest factor.
    bool is_multiple(std::size_t row, const std::vector<double>& factors) const {
        if (factors.empty()) return false;
        const auto larger = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
        const auto most = std::max_element(factors.begin(), factors.end(), larger);
        const std::size_t other = rows_[most - factors.begin()];
        const double* first = column(chosen_[0]);
        for (std::size_t i = 0; i < chosen_.size() && first[other] == 0; ++i)
            first = column(chosen_[i]);
        const double ours = first[row] * row_scale_[row], theirs = first[other] * row_scale_[other];
        const auto same = [&](const double* a) {
            const DoubleDouble left = two_prod(a[row] * row_scale_[row], theirs);
            const DoubleDouble right = two_prod(a[other] * row_scale_[other], ours);
            return left.hi == right.hi && left.lo == right.lo;
        };
        if (in_.rest || in_.tails || theirs == 0 || (in_.b && !same(in_.b))) return false;
        for (std::size_t i = 0; i < in_.count; ++i)
            if (!same(column(i))) return false;
        return true;
    }

    // In the units of the rows; what is nothing but rounding is 0.
    std::vector<double> factors_of(std::size_t row) const {
        const std::size_t r = chosen_.size();
        std::vector<double> factors(r, 0.0);
        for (std::size_t i = 0; i < r; ++i)
            subtract(factors.data(), -scaled(row, chosen_[i]), &inverse_[i * r], r);
        for (std::size_t l = 0; l < r; ++l) {
            factors[l] *= row_scale_[rows_[l]] / row_scale_[row];
            if (std::fabs(factors[l]) * largest(rows_[l]) < kZero * largest(row)) factors[l] = 0;
        }
        return factors;
    }

    double largest(std::size_t row) const {
        double most = 0;
        for (std::size_t i = 0; i < in_.count; ++i)
            most = std::max(most, std::fabs(column(i)[row]));
        return most;
    }

    bool combines(std::size_t row, const std::vector<double>& factors, int q) const {
        std::vector<double> whole(factors.size());
        for (std::size_t l = 0; l < factors.size(); ++l) {
            if (factors[l] == 0) continue;
            const double power = power_below(std::fabs(factors[l])), part = q * factors[l] / power;
            whole[l] = std::nearbyint(part) * power;
            if (!(std::fabs(std::nearbyint(part) - part) < kZero)) return false;
        }
        ExactSum sum;
        const auto add = [&](double factor, double v) {
            const DoubleDouble product = two_prod(factor, v);
            sum.add(product.hi);
            sum.add(product.lo);
        };
        const auto zero = [&](const double* a) {
            sum.clear();
            add(-q, a[row]);
            for (std::size_t l = 0; l < whole.size(); ++l)
                if (whole[l] != 0) add(whole[l], a[rows_[l]]);
            return sum.zero();
        };
        if (in_.rest || (in_.tails && !factors.empty()) || (in_.b && !zero(in_.b))) return false;
        for (std::size_t i = 0; i < in_.count; ++i)
            if (!zero(column(i))) return false;
        return true;
    }

    // Bounds on the sums of |I - R B| along each row.
    bool verify_inverse() {
        const std::size_t r = chosen_.size();
        std::vector<double> b(r * r), sizes(r, 0.0), line(r), tails(r, 0.0);
        for (std::size_t j = 0; j < r; ++j)
            for (std::size_t i = 0; i < r; ++i) {
                b[j * r + i] = scaled(rows_[j], chosen_[i]);
                sizes[j] += std::fabs(b[j * r + i]);
                tails[j] += tail_size(rows_[j], chosen_[i]);
            }
        distance_.assign(r, 0.0);
        norm_ = 0;
        for (std::size_t i = 0; i < r; ++i) {
            std::fill(line.begin(), line.end(), 0.0);
            line[i] = 1;
            double rounding = 1, sum = 0;
            for (std::size_t j = 0; j < r; ++j) {
                subtract(line.data(), inverse_[i * r + j], &b[j * r], r);
                rounding += std::fabs(inverse_[i * r + j]) * sizes[j];
                sum += std::fabs(inverse_[i * r + j]) * tails[j];
            }
            for (const double v : line) sum += std::fabs(v);
            distance_[i] = (sum + static_cast<double>(r + 4) * 2 * kUnit * rounding) * kUp;
            norm_ = std::max(norm_, distance_[i]);
            if (!(distance_[i] < 0.5)) return false;
        }
        return true;
    }

    // How far an entry of the chosen columns may be off its double, scaled.
    double tail_size(std::size_t j, std::size_t i) const {
        if (!has_tail(i)) return 0;
        const double size =
            std::fabs(tail_of(in_.tails->low, i)[j]) + tail_of(in_.tails->error, i)[j];
        return size * row_scale_[j] * column_scale_[i] * kUp;
    }

    void find_residual() {
        if (in_.rest) residual_ = *in_.rest;
        if (in_.b) residual_.add(in_.b, 1.0);
        for (std::size_t i = 0; i < in_.count; ++i) {
            spend(in_.rows);
            if (in_.x[i] != 0) take(i, in_.x[i]);
        }
    }

    // Two corrections; each is a double, so that x plus both is known exactly.
    void refine() {
        const std::size_t r = chosen_.size();
        std::vector<double> rest(r);
        for (auto& step : step_) {
            for (std::size_t j = 0; j < r; ++j)
                rest[j] = residual_.at(rows_[j]).value() * row_scale_[rows_[j]];
            step.resize(r);
            for (std::size_t i = 0; i < r; ++i)
                step[i] = inner(&inverse_[i * r], rest.data(), r) * column_scale_[chosen_[i]];
            for (std::size_t i = 0; i < r; ++i) take(chosen_[i], step[i]);
        }
    }

    Feasible conclude() const {
        const std::size_t r = chosen_.size();
        std::vector<double> rest(r), left(r);
        for (std::size_t j = 0; j < r; ++j) {
            const Sum sum = residual_.at(rows_[j]);
            const double off = sum.error() + unknown_of(rows_[j]);
            rest[j] = (std::fabs(sum.s + sum.c) * kUp + off) * kUp * row_scale_[rows_[j]];
        }
        double most = 0;
        for (std::size_t i = 0; i < r; ++i) {
            for (std::size_t j = 0; j < r; ++j) left[i] += std::fabs(inverse_[i * r + j]) * rest[j];
            most = std::max(most, left[i] *= kUp);
        }
        Feasible out{true, std::vector<double>(in_.x, in_.x + in_.count),
                     std::vector<double>(in_.count, 0.0), std::vector<double>(in_.count, 0.0)};
        for (std::size_t i = 0; i < r && out.proved; ++i) {
            const std::size_t c = chosen_[i];
            const double radius = (left[i] + distance_[i] * most / (1 - norm_)) * kUp;
            place(out, c, i, (radius + 0x1p-1000) * column_scale_[c] * kUp);
        }
        for (std::size_t i = 0; i < in_.count && out.proved; ++i)
            out.proved = in_.lower[i] <= out.x[i] && out.x[i] <= in_.upper[i];
        return out;
    }

    // What the errors of the columns, and of the rest, may leave of a row.
    double unknown_of(std::size_t row) const {
        double off = in_.rest_error ? in_.rest_error[row] : 0;
        if (!in_.tails) return off;
        std::vector<double> size(in_.count);
        for (std::size_t i = 0; i < in_.count; ++i) size[i] = std::fabs(in_.x[i]);
        for (std::size_t i = 0; i < chosen_.size(); ++i)
            size[chosen_[i]] += std::fabs(step_[0][i]) + std::fabs(step_[1][i]);
        for (std::size_t i = in_.tails->first; i < in_.count && has_tail(i); ++i)
            off += tail_of(in_.tails->error, i)[row] * size[i] * kUp;
        return off * kUp;
    }

    // x + both steps as two doubles; what that rounds is added to the radius.
    void place(Feasible& out, std::size_t c, std::size_t i, double radius) const {
        const DoubleDouble first = two_sum(in_.x[c], step_[0][i]);
        const DoubleDouble second = two_sum(first.hi, step_[1][i]);
        const double low = first.lo + second.lo;
        out.x[c] = second.hi;
        out.low[c] = low;
        out.radius[c] = next_up((radius + 4 * kUnit * std::fabs(low)) * kUp);
        const double reach = next_up((out.radius[c] + std::fabs(low)) * kUp);
        out.proved = next_down(second.hi - reach) >= in_.lower[c] &&
                     next_up(second.hi + reach) <= in_.upper[c];
    }

    const System& in_;
    Watch& watch_;
    std::vector<double> row_scale_, column_scale_, inverse_, distance_;
    std::vector<std::size_t> chosen_, rows_, dependent_;
    std::vector<double> step_[2];
    Sums residual_;
    double norm_ = 0;
};

}  // namespace

Feasible prove_feasible(const System& system, Watch& watch) { return Prover(system, watch).run(); }

}  // namespace planetree
