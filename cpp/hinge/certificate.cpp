#include "hinge/certificate.hpp"

#include <algorithm>
#include <utility>

#include "core/double_double.hpp"
#include "core/feasible.hpp"
#include "core/simd.hpp"
#include "core/threads.hpp"

namespace planetree {

namespace {

constexpr double kNothing = 0x1p-6;      // of the hair: a multiplier that rounding left
constexpr double kRounded = 0x1p-48;     // of a charge: more than the rounding of its factors
constexpr std::size_t kMostRows = 1500;  // of a system: its inverse takes their cube
constexpr std::size_t kMostEntries = 30'000'000;

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
        total_ = Sum();
        if (!add_single(whole, pull, rest)) return 0;
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

    // What some multipliers of single rows add up to, and those of them that are columns.
    struct SinglePart {
        Sums pull, rest;
        Sum total;
        std::vector<std::size_t> free;
    };

    SinglePart single_part(std::size_t first, std::size_t last, bool whole) const {
        const std::size_t p = n_equations_;
        SinglePart part{Sums(p), Sums(p), Sum(), {}};
        std::vector<double> column(p, 0.0);
        const bool priced = has_prices();
        for (std::size_t i = first; i < last; ++i) {
            const Multiplier& a = alpha_[i];
            std::fill(column.begin(), column.end(), 0.0);
            write_column(a, rows_.x + a.row * rows_.n, 1.0, column.data());
            if (priced) part.pull.add(column.data(), a.value);
            if (whole || std::min(a.value, a.upper - a.value) > 1e-6 * a.upper) {
                part.free.push_back(i);
            } else {
                part.rest.add(column.data(), -a.value);
                part.total.add(a.value);
            }
        }
        return part;
    }

    // False if time is over.
    bool add_single(bool whole, Sums& pull, Sums& rest) {
        const std::size_t p = n_equations_;
        const std::size_t block = rows_a_block(p);
        std::vector<SinglePart> parts(block_count(n_single_, block), {Sums(0), Sums(0), Sum(), {}});
        const auto add = [&](std::size_t first, std::size_t last, std::size_t b) {
            parts[b] = single_part(first, last, whole);
        };
        if (!for_blocks(n_single_, block, add, &watch_)) return false;
        std::vector<double> column(p);
        for (const SinglePart& part : parts) {
            pull.add(part.pull), rest.add(part.rest), total_.add(part.total);
            for (const std::size_t i : part.free) {
                const Multiplier& a = alpha_[i];
                std::fill(column.begin(), column.end(), 0.0);
                write_column(a, rows_.x + a.row * rows_.n, 1.0, column.data());
                push(column, 0.0, a.upper, a.value);
                gain_.push_back(1);
            }
        }
        return true;
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

}  // namespace

double prove_bound(const RawRows& rows, int planes, const RawPrices& price, const double* duals,
                   const RowGroups& groups, Watch& watch) {
    return BoundProver(rows, planes, price, groups, watch).run(duals);
}

}  // namespace planetree
