#include "hinge/certificate.hpp"

#include <algorithm>
#include <utility>

#include "core/double_double.hpp"
#include "core/feasible.hpp"
#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr double kNothing = 0x1p-6;       // of the hair: a multiplier that rounding left
constexpr double kRoundedUp = 0x1p-1000;  // what rounding up makes of 0 is smaller
constexpr double kRounded = 0x1p-48;      // of a charge: more than the rounding of its factors
constexpr double kSmall = 0x1p-42;        // of what a row lacks: rounding that is let pass
constexpr std::size_t kMostRows = 1500;   // of a system: its inverse takes their cube
constexpr std::size_t kMostEntries = 30'000'000;

struct Multiplier {
    std::size_t row;
    int rival;
    double value, upper;
};

class BoundProver {
  public:
    BoundProver(const RawRows& rows, int planes, const RawPrices& price, Watch& watch)
        : rows_(rows), planes_(planes), price_(price), watch_(watch) {
        place_.assign(static_cast<std::size_t>(planes) * (rows.n + 1), -1);
        for (int b = 0; b < planes; ++b)
            for (int j = 0; j <= rows.n; ++j) {
                const bool open = j < rows.n && std::isinf(price.rise[j]);
                // The planes of all classes together are at rest, so one need not be held.
                const bool implied = b == 0 && planes == rows.k && !priced(j);
                if (!open && !implied) place_[at(b, j)] = static_cast<int>(n_equations_++);
            }
    }

    double run(const double* duals) {
        if (n_equations_ > kMostRows) return 0;
        for (const double hair : {0x1p-40, 0x1p-34, 0x1p-28, 0x1p-20, 0x1p-10}) {
            if (watch_.expired()) return 0;
            read(duals, hair);
            for (const bool whole : {false, true}) {
                if (whole && alpha_.size() * n_equations_ > kMostEntries) continue;
                const double bound = try_columns(whole);
                if (bound > 0) return bound;
            }
        }
        return 0;
    }

  private:
    std::size_t at(int b, int j) const { return static_cast<std::size_t>(b) * (rows_.n + 1) + j; }
    bool priced(int j) const { return j < rows_.n && (price_.rise[j] > 0 || price_.fall[j] > 0); }

    void read(const double* duals, double hair) {
        alpha_.clear();
        const int slots = rows_.k - 1;
        for (std::size_t i = 0; i < rows_.m; ++i)
            for (int s = 0; s < slots; ++s) {
                const double upper = rows_.charge[i * slots + s] * (1 - kRounded);
                const double value = std::min(duals[i * slots + s], upper) * (1 - hair);
                if (value > kNothing * hair * upper)
                    alpha_.push_back({i, s < rows_.row_class[i] ? s : s + 1, value, upper});
            }
    }

    void write_column(const Multiplier& a, double* column) const {
        const double* x = rows_.x + a.row * rows_.n;
        const auto write = [&](int c, double sign) {
            const int b = c - (rows_.k - planes_);
            if (b < 0) return;
            for (int j = 0; j <= rows_.n; ++j)
                if (const int to = place_[at(b, j)]; to >= 0)
                    column[to] = j < rows_.n ? sign * x[j] : -sign;
        };
        write(rows_.row_class[a.row], 1.0);
        write(a.rival, -1.0);
    }

    // With the multipliers at their ends where they are, which is less work, or with all.
    double try_columns(bool whole) {
        const std::size_t p = n_equations_;
        columns_.clear(), lower_.clear(), upper_.clear(), x_.clear(), is_alpha_.clear();
        Sums pull(p), rest(p);
        std::vector<double> column(p, 0.0);
        total_ = Sum();
        for (const Multiplier& a : alpha_) {
            if (watch_.expired_after(p)) return 0;
            std::fill(column.begin(), column.end(), 0.0);
            write_column(a, column.data());
            if (has_prices()) pull.add(column.data(), a.value);
            if (whole || std::min(a.value, a.upper - a.value) > 1e-6 * a.upper) {
                push(column, 0.0, a.upper, a.value);
                is_alpha_.push_back(1);
            } else {
                rest.add(column.data(), -a.value);
                total_.add(a.value);
            }
        }
        add_slacks(pull);
        const System system{p,
                            x_.size(),
                            columns_.data(),
                            nullptr,
                            lower_.data(),
                            upper_.data(),
                            x_.data(),
                            whole ? nullptr : &rest};
        return bound_of(prove_feasible(system, watch_));
    }

    bool has_prices() const {
        for (int j = 0; j < rows_.n; ++j)
            if (priced(j) && !std::isinf(price_.rise[j])) return true;
        return false;
    }

    // What the price of a weight balances: pull - slack = 0.
    void add_slacks(const Sums& pull) {
        std::vector<double> column(n_equations_, 0.0);
        for (int b = 0; b < planes_; ++b)
            for (int j = 0; j < rows_.n; ++j) {
                const int to = place_[at(b, j)];
                if (to < 0 || !priced(j)) continue;
                column[to] = -1;
                const double low = -next_down(price_.fall[j] * (1 - kRounded));
                const double high = next_down(price_.rise[j] * (1 - kRounded));
                const double mid = pull.at(to).value();
                push(column, std::min(low, 0.0), std::max(high, 0.0), std::clamp(mid, low, high));
                is_alpha_.push_back(0);
                column[to] = 0;
            }
    }

    void push(const std::vector<double>& column, double low, double high, double x) {
        columns_.insert(columns_.end(), column.begin(), column.end());
        lower_.push_back(low), upper_.push_back(high), x_.push_back(x);
    }

    double bound_of(const Feasible& found) {
        if (!found.proved) return 0;
        Sum sum = total_;
        for (std::size_t i = 0; i < x_.size(); ++i)
            if (is_alpha_[i]) {
                sum.add(found.x[i]);
                if (found.radius[i] == 0) continue;
                sum.add(found.low[i]);
                sum.add(-found.radius[i]);
            }
        return std::max(0.0, sum.lower());
    }

    const RawRows& rows_;
    int planes_;
    const RawPrices& price_;
    Watch& watch_;
    std::vector<int> place_;  // the equation of each unknown, or -1
    std::size_t n_equations_ = 0;
    std::vector<Multiplier> alpha_;
    std::vector<double> columns_, lower_, upper_, x_;
    std::vector<char> is_alpha_;
    Sum total_;
};

// w.x - offset in plain arithmetic, and more than its rounding.
struct Score {
    double value, rounding;
};

PLANETREE_VECTOR
void score(const double* x, const double* w, double offset, int n, Score& out) {
    double sum = 0, size = 0;
#pragma omp simd reduction(+ : sum, size)
    for (int j = 0; j < n; ++j) {
        const double p = x[j] * w[j];
        sum += p;
        size += std::fabs(p);
    }
    out.value = sum - offset;
    out.rounding = (n + 4) * 2 * kUnit * (size + std::fabs(offset)) + n * 0x1p-1070;
}

PLANETREE_VECTOR
void add_score(const double* x, const double* w, double offset, int n, double sign, Sum& sum) {
    for (int j = 0; j < n; ++j) sum.add(x[j], sign * w[j]);
    sum.add(-sign * offset);
}

}  // namespace

double prove_bound(const RawRows& rows, int planes, const RawPrices& price, const double* duals,
                   Watch& watch) {
    return BoundProver(rows, planes, price, watch).run(duals);
}

PlanesValue value_of_planes(const RawRows& rows, const double* weights, const double* offsets,
                            Watch& watch) {
    const int n = rows.n, k = rows.k, slots = k - 1;
    std::vector<Score> scores(k);
    Sum error, squares;
    double least = std::numeric_limits<double>::infinity();
    const auto plane = [&](int c) { return k == 2 ? c - 1 : c; };  // -1: zero
    const auto charge_for = [&](double charge, double short_of) {
        if (short_of < kRoundedUp) return;
        error.add(charge, short_of);
        squares.add(charge * short_of, short_of / 2);
    };
    for (std::size_t i = 0; i < rows.m; ++i) {
        watch.expired_after(rows.n * k);
        const double* x = rows.x + i * n;
        for (int c = k == 2 ? 1 : 0; c < k; ++c)
            score(x, weights + plane(c) * n, offsets[plane(c)], n, scores[c]);
        const int own = rows.row_class[i];
        for (int s = 0; s < slots; ++s) {
            const double charge = rows.charge[i * slots + s];
            if (charge == 0) continue;
            const int rival = s < own ? s : s + 1;
            const double margin = scores[own].value - scores[rival].value;
            const double rounding =
                (scores[own].rounding + scores[rival].rounding + kUnit * std::fabs(margin)) * kUp;
            const double low = next_down(margin - rounding);
            const bool plain = rounding < kSmall * (1 - margin);
            if (plain || low >= 1) least = std::min(least, low);
            if (low >= 1) continue;
            if (plain) {
                charge_for(charge, next_up((1 - margin) * (1 + kUnit) + rounding));
                continue;
            }
            Sum lack;
            lack.add(1.0);
            for (const auto& [c, sign] : {std::pair{own, -1.0}, std::pair{rival, 1.0}})
                if (plane(c) >= 0)
                    add_score(x, weights + plane(c) * n, offsets[plane(c)], n, sign, lack);
            charge_for(charge, std::max(0.0, lack.upper()));
            least = std::min(least, next_down(1 - lack.upper()));
        }
    }
    return {error.n > 0 ? error.upper() : 0.0, least,
            squares.n > 0 ? squares.upper() * (1 + 0x1p-50) : 0.0};
}

}  // namespace planetree
