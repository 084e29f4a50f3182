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
constexpr double kLacking = 0x1p-20;  // what a row lacks here is no rounding
constexpr int kManyClasses = 32;      // from here on a row is scored against all planes at once

struct Multiplier {
    std::size_t row;  // groups come after the rows
    int rival;
    double value, upper;
};

class BoundProver {
  public:
    BoundProver(const RawRows& rows, int planes, const RawPrices& price, const RowGroups& groups,
                Watch& watch)
        : rows_(rows), planes_(planes), price_(price), groups_(groups), watch_(watch) {
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
        const auto add = [&](std::size_t i, int own, int s, double dual, double charge) {
            const double upper = charge * (1 - kRounded);
            const double value = std::min(dual, upper) * (1 - hair);
            if (value > kNothing * hair * upper)
                alpha_.push_back({i, s < own ? s : s + 1, value, upper});
        };
        for (std::size_t i = 0; i < rows_.m; ++i)
            for (int s = 0; s < slots; ++s)
                add(i, rows_.row_class[i], s, duals[i * slots + s], rows_.charge(i, s));
        n_single_ = alpha_.size();
        for (std::size_t g = 0; g < groups_.count(); ++g)
            for (int s = 0; s < slots; ++s)
                add(rows_.m + g, groups_.group_class[g], s, groups_.duals[g * slots + s],
                    groups_.charge[g * slots + s]);
    }

    int class_of(const Multiplier& a) const {
        return a.row < rows_.m ? rows_.row_class[a.row] : groups_.group_class[a.row - rows_.m];
    }

    // The numbers x of a row at the planes of its class and of a rival, `last` with the offset.
    void write_column(const Multiplier& a, const double* x, double last, double* column) const {
        const auto write = [&](int c, double sign) {
            const int b = c - (rows_.k - planes_);
            if (b < 0) return;
            for (int j = 0; j <= rows_.n; ++j)
                if (const int to = place_[at(b, j)]; to >= 0)
                    column[to] = j < rows_.n ? sign * x[j] : -sign * last;
        };
        write(class_of(a), 1.0);
        write(a.rival, -1.0);
    }

    const double* sum_of(const std::vector<double>& sums, const Multiplier& a) const {
        return sums.data() + (a.row - rows_.m) * (rows_.n + 1);
    }

    // With the multipliers at their ends where they are, which is less work, or with all.
    double try_columns(bool whole) {
        const std::size_t p = n_equations_;
        columns_.clear(), lower_.clear(), upper_.clear(), x_.clear(), gain_.clear();
        Sums pull(p), rest(p);
        std::vector<double> column(p, 0.0);
        total_ = Sum();
        for (std::size_t i = 0; i < n_single_; ++i) {
            const Multiplier& a = alpha_[i];
            if (watch_.expired_after(p)) return 0;
            std::fill(column.begin(), column.end(), 0.0);
            write_column(a, rows_.x + a.row * rows_.n, 1.0, column.data());
            if (has_prices()) pull.add(column.data(), a.value);
            if (whole || std::min(a.value, a.upper - a.value) > 1e-6 * a.upper) {
                push(column, 0.0, a.upper, a.value);
                gain_.push_back(1);
            } else {
                rest.add(column.data(), -a.value);
                total_.add(a.value);
            }
        }
        if (has_prices()) add_group_pull(pull);
        add_slacks(pull);
        add_groups();
        const System system{p,
                            x_.size(),
                            columns_.data(),
                            nullptr,
                            lower_.data(),
                            upper_.data(),
                            x_.data(),
                            whole ? nullptr : &rest,
                            nullptr,
                            groups_.count() ? &tails_ : nullptr};
        return bound_of(prove_feasible(system, watch_));
    }

    // Groups are columns of their own, whatever their multipliers are: they are few.
    void add_groups() {
        tails_ = {x_.size(), {}, {}};
        for (std::size_t i = n_single_; i < alpha_.size(); ++i) {
            const Multiplier& a = alpha_[i];
            std::vector<double> part[3];
            const std::vector<double>* sums[] = {&groups_.high, &groups_.low, &groups_.error};
            for (int s = 0; s < 3; ++s) {
                const double* x = sum_of(*sums[s], a);
                part[s].assign(n_equations_, 0.0);
                write_column(a, x, x[rows_.n], part[s].data());
            }
            push(part[0], 0.0, a.upper, a.value);
            for (double& v : part[2]) v = std::fabs(v);
            tails_.low.insert(tails_.low.end(), part[1].begin(), part[1].end());
            tails_.error.insert(tails_.error.end(), part[2].begin(), part[2].end());
            gain_.push_back(weight_below(a));
        }
    }

    void add_group_pull(Sums& pull) const {
        std::vector<double> column(n_equations_, 0.0);
        for (std::size_t i = n_single_; i < alpha_.size(); ++i) {
            const double* x = sum_of(groups_.high, alpha_[i]);
            std::fill(column.begin(), column.end(), 0.0);
            write_column(alpha_[i], x, x[rows_.n], column.data());
            pull.add(column.data(), alpha_[i].value);
        }
    }

    // No more than the weight of a group.
    double weight_below(const Multiplier& a) const {
        const int n = rows_.n;
        const double low = sum_of(groups_.low, a)[n] - sum_of(groups_.error, a)[n];
        return std::max(0.0, next_down(sum_of(groups_.high, a)[n] + next_down(low)));
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
                gain_.push_back(0);
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
            if (gain_[i] > 0) {
                sum.add(found.x[i], gain_[i]);
                if (found.radius[i] == 0) continue;
                sum.add(found.low[i], gain_[i]);
                sum.add(-found.radius[i], gain_[i]);
            }
        return std::max(0.0, sum.lower());
    }

    const RawRows& rows_;
    int planes_;
    const RawPrices& price_;
    const RowGroups& groups_;
    Watch& watch_;
    std::vector<int> place_;  // the equation of each unknown, or -1
    std::size_t n_equations_ = 0;
    std::vector<Multiplier> alpha_;
    std::size_t n_single_ = 0;  // of them, before those of groups
    std::vector<double> columns_, lower_, upper_, x_;
    std::vector<double> gain_;  // what a unit of each x adds to the bound
    ColumnTails tails_;
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

// Scores of one row against many planes, whose weights stand feature by feature.
PLANETREE_VECTOR
void scores_of(const double* x, const double* weights, const double* offsets, int n, int k,
               double* value, double* size) {
    for (int c = 0; c < k; ++c) {
        value[c] = -offsets[c];
        size[c] = std::fabs(offsets[c]);
    }
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < k; ++c) {
            const double p = x[j] * weights[static_cast<std::size_t>(j) * k + c];
            value[c] += p;
            size[c] += std::fabs(p);
        }
}

struct RowSums {
    double error = 0, squares = 0, least = std::numeric_limits<double>::infinity();
    double unclear = 0;  // constraints for which plain arithmetic is not enough
};

// What a row is charged against the classes first..last - 1, in plain arithmetic but for its last
// bits, which are rounded up.
PLANETREE_VECTOR
void add_plain(const double* value, const double* size, const double* charge, int own, int first,
               int last, double factor, RowSums& sums) {
    double error = 0, squares = 0, unclear = 0, least = sums.least;
#pragma omp simd reduction(+ : error, squares, unclear) reduction(min : least)
    for (int c = first; c < last; ++c) {
        const double margin = value[own] - value[c];
        const double rounding =
            factor * (size[own] + size[c]) + 0x1p-50 * std::fabs(margin) + 0x1p-1000;
        const double low = margin - rounding, lack = 1 - margin;
        const bool counts = charge[c] > 0;
        const bool plain = rounding < kSmall * (lack > kLacking ? std::max(lack, 1.0) : lack);
        const double short_of = counts && plain ? lack * (1 + 0x1p-50) + rounding : 0;
        error += charge[c] * short_of;
        squares += charge[c] * short_of * short_of;
        unclear += counts && !plain && low < 1 ? 1 : 0;
        least = std::min(least, counts ? low : least);
    }
    sums.error += error, sums.squares += squares, sums.unclear += unclear, sums.least = least;
}

// The violations of planes, added row by row and rounded up.
class Violations {
  public:
    Violations(const RawRows& rows, const double* weights, const double* offsets)
        : rows_(rows), weights_(weights), offsets_(offsets), scores_(rows.k) {
        if (rows.k < kManyClasses) return;
        const std::size_t n = rows.n, k = rows.k;
        turned_.resize(n * k), value_.resize(k), size_.resize(k), charge_.resize(k - 1);
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t j = 0; j < n; ++j) turned_[j * k + c] = weights[c * n + j];
    }

    void add(std::size_t i) {
        if (turned_.empty() || !add_quickly(i)) add_carefully(i);
    }

    PlanesValue value() const {
        return {error_.n > 0 ? error_.upper() : 0.0, least_,
                squares_.n > 0 ? squares_.upper() * (1 + 0x1p-50) : 0.0};
    }

  private:
    int plane(int c) const { return rows_.k == 2 ? c - 1 : c; }  // -1: zero

    void charge_for(double charge, double short_of) {
        if (short_of < kRoundedUp) return;
        error_.add(charge, short_of);
        squares_.add(charge * short_of, short_of / 2);
    }

    // False if some score needs more than plain arithmetic.
    bool add_quickly(std::size_t i) {
        const int n = rows_.n, k = rows_.k, own = rows_.row_class[i];
        scores_of(rows_.x + i * n, turned_.data(), offsets_, n, k, value_.data(), size_.data());
        for (int s = 0; s < k - 1; ++s) charge_[s] = rows_.charge(i, s);
        const double factor = (n + 4) * 2 * kUnit;
        RowSums sums;
        add_plain(value_.data(), size_.data(), charge_.data(), own, 0, own, factor, sums);
        add_plain(value_.data(), size_.data(), charge_.data() - 1, own, own + 1, k, factor, sums);
        if (sums.unclear > 0) return false;
        const double up = 1 + (k + 8) * 2 * kUnit;
        least_ = std::min(least_, sums.least);
        if (sums.error > 0) error_.add(sums.error * up);
        if (sums.squares > 0) squares_.add(sums.squares * up / 2);
        return true;
    }

    void add_carefully(std::size_t i) {
        const int n = rows_.n, k = rows_.k, slots = k - 1;
        const double* x = rows_.x + i * n;
        for (int c = k == 2 ? 1 : 0; c < k; ++c)
            score(x, weights_ + plane(c) * n, offsets_[plane(c)], n, scores_[c]);
        const int own = rows_.row_class[i];
        for (int s = 0; s < slots; ++s) {
            const double charge = rows_.charge(i, s);
            if (charge == 0) continue;
            const int rival = s < own ? s : s + 1;
            const double margin = scores_[own].value - scores_[rival].value;
            const double rounding =
                (scores_[own].rounding + scores_[rival].rounding + kUnit * std::fabs(margin)) * kUp;
            const double low = next_down(margin - rounding);
            const bool plain = rounding < kSmall * (1 - margin);
            if (plain || low >= 1) least_ = std::min(least_, low);
            if (low >= 1) continue;
            if (plain) {
                charge_for(charge, next_up((1 - margin) * (1 + kUnit) + rounding));
                continue;
            }
            Sum lack;
            lack.add(1.0);
            for (const auto& [c, sign] : {std::pair{own, -1.0}, std::pair{rival, 1.0}})
                if (plane(c) >= 0)
                    add_score(x, weights_ + plane(c) * n, offsets_[plane(c)], n, sign, lack);
            charge_for(charge, std::max(0.0, lack.upper()));
            least_ = std::min(least_, next_down(1 - lack.upper()));
        }
    }

    const RawRows& rows_;
    const double *weights_, *offsets_;
    std::vector<Score> scores_;
    std::vector<double> turned_, charge_, value_, size_;
    Sum error_, squares_;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

double prove_bound(const RawRows& rows, int planes, const RawPrices& price, const double* duals,
                   const RowGroups& groups, Watch& watch) {
    return BoundProver(rows, planes, price, groups, watch).run(duals);
}

PlanesValue value_of_planes(const RawRows& rows, const double* weights, const double* offsets,
                            Watch& watch) {
    Violations sum(rows, weights, offsets);
    for (std::size_t i = 0; i < rows.m; ++i) {
        watch.expired_after(static_cast<std::size_t>(rows.n) * rows.k);
        sum.add(i);
    }
    return sum.value();
}

}  // namespace planetree
