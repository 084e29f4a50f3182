#include "hinge/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/dense.hpp"
#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr double kTinyRate = 1e-11;       // a row that moves slower, for its size, does not block
constexpr double kSlack = 1e-13;          // multipliers may miss their range by this share of it
constexpr double kSideTolerance = 1e-12;  // a row this near its kink may be on either side
constexpr double kShift = 1e-6;           // size of the moves that break ties
constexpr int kRounds = 3;                // of such moves before the cautious rule
constexpr long kRefresh = 64;             // steps between recomputations of the residuals

}  // namespace

double jitter(std::uint64_t row) {
    row += 0x9e3779b97f4a7c15u;
    row = (row ^ (row >> 30)) * 0xbf58476d1ce4e5b9u;
    row = (row ^ (row >> 27)) * 0x94d049bb133111ebu;
    return 0.5 + static_cast<double>((row ^ (row >> 31)) >> 11) * 0x1p-53;
}

Simplex::Simplex(const Kinked& program, const std::vector<double>& start, Watch& watch,
                 const std::vector<std::size_t>& basis)
    : program_(program),
      watch_(watch),
      size_(program.tiles->shape.size()),
      n_constraints_(program.tiles->n_constraints()),
      z_(start),
      anchor_(start),
      kink_(n_constraints_ + size_),
      residual_(kink_.size()),
      rate_(kink_.size()),
      distance_(kink_.size()),
      column_(size_),
      inverse_(static_cast<std::size_t>(size_) * size_),
      norm_(size_),
      multiplier_(size_),
      gradient_(size_),
      side_(kink_.size() + size_),
      basis_(size_),
      blocked_(size_) {
    std::fill_n(kink_.begin(), n_constraints_, 1.0);
    scale_ = std::accumulate(program.charge.begin(), program.charge.end(), 0.0);
    for (const double x : program.tiles->x) row_size_ = std::max(row_size_, std::fabs(x));
    if (!resume(basis)) hold(start);
}

double Simplex::lower(std::size_t row) const {
    if (row < n_constraints_) return -program_.charge[row];
    if (row < n_constraints_ + size_) return -program_.price.fall[row - n_constraints_];
    return 0;
}

double Simplex::upper(std::size_t row) const {
    if (row < n_constraints_ || row >= n_constraints_ + size_) return 0;
    return program_.price.rise[row - n_constraints_];
}

double Simplex::position(std::size_t row) const {
    return row < kink_.size() ? kink_[row] : anchor_[row - kink_.size()];
}

double Simplex::times(std::size_t row, const double* v) const {
    if (row < n_constraints_) return dot(*program_.tiles, row, v);
    return v[(row - n_constraints_) % size_];
}

void Simplex::add_row(std::size_t row, double factor, double* out) const {
    if (row < n_constraints_)
        add(*program_.tiles, row, factor, out);
    else
        out[(row - n_constraints_) % size_] += factor;
}

// Fixes z at `start` by anchors, or by the price's own row where z is at its kink.
void Simplex::hold(const std::vector<double>& start) {
    z_ = anchor_ = start;
    std::fill(inverse_.begin(), inverse_.end(), 0.0);
    std::fill(norm_.begin(), norm_.end(), 1.0);
    std::fill(blocked_.begin(), blocked_.end(), char(0));
    measure();
    take_sides();
    for (int p = 0; p < size_; ++p) {
        inverse_[static_cast<std::size_t>(p) * size_ + p] = 1;
        const bool at_kink = program_.price.any(p) && z_[p] == 0;
        basis_[p] = n_constraints_ + p + (at_kink ? 0 : size_);
        side_[basis_[p]] = 0;
    }
    sum_slopes();
}

bool Simplex::resume(const std::vector<std::size_t>& basis) {
    if (basis.size() != basis_.size()) return false;
    for (const std::size_t row : basis)
        if (row >= side_.size()) return false;
    basis_ = basis;
    if (!refactor()) return false;
    refresh();
    take_sides();
    for (const std::size_t row : basis_) side_[row] = 0;
    sum_slopes();
    return true;
}

void Simplex::take_sides() {
    for (std::size_t row = 0; row < kink_.size(); ++row)
        side_[row] = upper(row) == lower(row) ? 0 : residual_[row] >= 0 ? 1 : -1;
}

// Residuals of all rows at z.
void Simplex::measure() {
    margins(*program_.tiles, z_.data(), residual_.data());
    std::copy(z_.begin(), z_.end(), residual_.begin() + n_constraints_);
    for (std::size_t row = 0; row < kink_.size(); ++row) residual_[row] -= kink_[row];
}

// The gradient that the rows outside the basis make.
void Simplex::sum_slopes() {
    std::vector<double> a(n_constraints_);
    for (std::size_t c = 0; c < n_constraints_; ++c) a[c] = side_[c] < 0 ? lower(c) : 0;
    gradient_ = program_.linear;
    accumulate(*program_.tiles, a.data(), gradient_.data());
    for (std::size_t row = n_constraints_; row < kink_.size(); ++row)
        if (side_[row]) gradient_[row - n_constraints_] += slope(row);
}

// The multipliers of the basic rows that balance the gradient.
void Simplex::balance() {
    for (int k = 0; k < size_; ++k) multiplier_[k] = -dot(edge(k), gradient_.data(), size_);
}

// What rounding in the inverse has left unbalanced.
void Simplex::refine() {
    std::vector<double> rest = gradient_;
    for (int k = 0; k < size_; ++k) add_row(basis_[k], multiplier_[k], rest.data());
    for (int k = 0; k < size_; ++k) multiplier_[k] -= dot(edge(k), rest.data(), size_);
}

bool Simplex::refactor() {
    std::vector<double> rows(inverse_.size(), 0.0);
    for (int k = 0; k < size_; ++k)
        add_row(basis_[k], 1, &rows[static_cast<std::size_t>(k) * size_]);
    if (!invert(rows, size_)) return false;
    for (int k = 0; k < size_; ++k)
        for (int p = 0; p < size_; ++p)
            inverse_[static_cast<std::size_t>(k) * size_ + p] =
                rows[static_cast<std::size_t>(p) * size_ + k];
    for (int k = 0; k < size_; ++k) {
        const double* v = edge(k);
        norm_[k] = dot(v, v, size_);
    }
    return true;
}

// Puts z where the basis says it is, and measures everything afresh.
void Simplex::refresh() {
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < size_; ++k)
            column_[k] = position(basis_[k]) - times(basis_[k], z_.data());
        for (int k = 0; k < size_; ++k) axpy(column_[k], edge(k), z_.data(), size_);
    }
    measure();
}

// The size of the numbers that a residual is the difference of.
double Simplex::reach() const {
    double largest = 1;
    for (const double z : z_) largest = std::max(largest, std::fabs(z));
    return largest * std::sqrt(static_cast<double>(size_));
}

// True if the basic rows really are at their kinks.
bool Simplex::consistent() const {
    double worst = 0;
    for (int k = 0; k < size_; ++k)
        if (basis_[k] < kink_.size()) worst = std::max(worst, std::fabs(residual_[basis_[k]]));
    return worst < 1e-10 * reach();
}

void Simplex::restore() {
    if (!refactor()) return hold(std::vector<double>(z_));
    refresh();
    sum_slopes();
}

void Simplex::perturb() {
    perturbed_ = true;
    ++rounds_;
    for (std::size_t row = 0; row < kink_.size(); ++row) {
        if (!side_[row]) continue;
        const double move = side_[row] * kShift * jitter(row + 7919u * rounds_);
        kink_[row] -= move;
        residual_[row] += move;
    }
}

void Simplex::unperturb() {
    perturbed_ = false;
    std::fill_n(kink_.begin(), n_constraints_, 1.0);
    std::fill(kink_.begin() + n_constraints_, kink_.end(), 0.0);
}

double Simplex::violation(int k) const {
    const double low = lower(basis_[k]), high = upper(basis_[k]);
    const double noise = 2e-16 * scale_ * row_size_ * std::sqrt(norm_[k]);
    const double over = std::max(multiplier_[k] - high, low - multiplier_[k]);
    return over - kSlack * (high - low) - noise > 0 ? over : 0;
}

int Simplex::choose_leaving() const {
    int best = -1;
    double most = 0;
    for (int k = 0; k < size_; ++k) {
        if (blocked_[k]) continue;
        const double v = violation(k);
        if (v <= 0) continue;
        if (cautious_) {
            if (best < 0 || basis_[k] < basis_[best]) best = k;
        } else if (v * v > most * norm_[k]) {
            most = v * v / norm_[k];
            best = k;
        }
    }
    return best;
}

PLANETREE_VECTOR
static void scale(double* v, double factor, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) v[i] *= factor;
}

// How fast each residual changes as the basic row at `position` leaves in `direction`.
void Simplex::rates(int position, double direction) {
    const double* v = edge(position);
    margins(*program_.tiles, v, rate_.data());
    std::copy_n(v, size_, rate_.begin() + n_constraints_);
    if (direction < 0) scale(rate_.data(), -1, rate_.size());
}

// How far each row is from its kink along the step; beyond all reach if it moves away from it.
PLANETREE_VECTOR
static void distances(const double* residual, const double* rate, const double* side, double tiny,
                      std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double at = std::max(0.0, -residual[i] / rate[i]);
        out[i] = side[i] * rate[i] < -tiny ? at : std::numeric_limits<double>::infinity();
    }
}

// Kinks up to `limit`; returns the sum of their jumps.
double Simplex::collect_kinks(double limit) {
    kinks_.clear();
    double sum = 0;
    for (std::size_t row = 0; row < kink_.size(); ++row) {
        if (!(distance_[row] <= limit)) continue;
        const double jump = std::fabs(rate_[row]) * (upper(row) - lower(row));
        sum += jump;
        kinks_.push_back({distance_[row], jump, row});
    }
    return sum;
}

// Finds the kink at which the slope, negative at the start, stops being negative. A slope that is
// only negative by rounding after the last kink counts as turned there.
bool Simplex::walk(double slope, double rounding, Step& step) {
    double least = 1e-12 * slope - rounding;
    for (const Kink& k : kinks_) least -= 1e-12 * k.jump;
    auto low = kinks_.begin(), high = kinks_.end();
    while (low != high) {
        const double pivot = (low + (high - low) / 2)->at;
        auto equal = std::partition(low, high, [&](const Kink& k) { return k.at < pivot; });
        auto above = std::partition(equal, high, [&](const Kink& k) { return k.at <= pivot; });
        double below_sum = 0, equal_sum = 0;
        for (auto k = low; k != equal; ++k) below_sum += k->jump;
        for (auto k = equal; k != above; ++k) equal_sum += k->jump;
        if (low != equal && slope + below_sum >= 0) {
            high = equal;
            least = -std::numeric_limits<double>::infinity();
        } else if (slope + below_sum + equal_sum >= (above == high ? least : 0)) {
            auto best = equal;
            for (auto k = equal; k != above; ++k) {
                const double a = std::fabs(rate_[k->row]), b = std::fabs(rate_[best->row]);
                if (a > b || (a == b && k->row < best->row)) best = k;
            }
            step.length = pivot;
            step.entering = best->row;
            step.passed.assign(kinks_.begin(), equal);
            return true;
        } else {
            slope += below_sum + equal_sum;
            low = above;
        }
    }
    return false;
}

bool Simplex::first_kink(Step& step) {
    if (kinks_.empty()) return false;
    auto best = kinks_.begin();
    for (auto k = kinks_.begin(); k != kinks_.end(); ++k)
        if (k->at < best->at || (k->at == best->at && k->row < best->row)) best = k;
    step.length = best->at;
    step.entering = best->row;
    step.passed.clear();
    return true;
}

bool Simplex::find_step(int position, double slope, Rule rule, Step& step) {
    const double tiny = kTinyRate * std::max(1.0, row_size_ * std::sqrt(norm_[position]));
    distances(residual_.data(), rate_.data(), side_.data(), tiny, rate_.size(), distance_.data());
    const double guess = 4 * last_length_;
    if (rule == Rule::first || collect_kinks(guess) <= -slope)
        collect_kinks(std::numeric_limits<double>::max());
    const double rounding = 1e-14 * scale_ * std::sqrt(norm_[position]);
    if (!(rule == Rule::longest ? walk(slope, rounding, step) : first_kink(step))) return false;
    last_length_ = step.length;
    step.gain = -slope * step.length;
    for (const Kink& k : step.passed) step.gain -= k.jump * (step.length - k.at);
    return true;
}

// Moves z along the edge, lets the passed rows change sides and exchanges the two rows.
void Simplex::take(int position, double direction, const Step& step) {
    const std::size_t leaving = basis_[position];
    axpy(step.length * direction, edge(position), z_.data(), size_);
    axpy(step.length, rate_.data(), residual_.data(), residual_.size());
    const bool many = step.passed.size() > n_constraints_ / 4;
    for (const Kink& k : step.passed) {
        const double before = slope(k.row);
        side_[k.row] = -side_[k.row];
        if (!many) add_row(k.row, slope(k.row) - before, gradient_.data());
    }
    if (leaving < kink_.size()) {
        side_[leaving] = direction > 0 ? 1 : -1;
        residual_[leaving] = direction * step.length;
        if (!many) add_row(leaving, slope(leaving), gradient_.data());
    }
    if (!many) add_row(step.entering, -slope(step.entering), gradient_.data());
    side_[step.entering] = 0;
    residual_[step.entering] = 0;
    replace(position, step.entering);
    if (many) sum_slopes();
    ++pivots_;
}

PLANETREE_VECTOR
static void eliminate(double* inverse, double* norm, const double* row, int size, int position) {
    double* pivot = inverse + static_cast<std::size_t>(position) * size;
    double product = 0;
#pragma omp simd reduction(+ : product)
    for (int p = 0; p < size; ++p) product += row[p] * pivot[p];
    for (int p = 0; p < size; ++p) pivot[p] /= product;
    for (int i = 0; i < size; ++i) {
        double* v = inverse + static_cast<std::size_t>(i) * size;
        double sum = 0, square = 0;
        if (i != position) {
#pragma omp simd reduction(+ : sum)
            for (int p = 0; p < size; ++p) sum += row[p] * v[p];
        }
#pragma omp simd reduction(+ : square)
        for (int p = 0; p < size; ++p) {
            v[p] -= sum * pivot[p];
            square += v[p] * v[p];
        }
        norm[i] = square;
    }
}

void Simplex::replace(int position, std::size_t entering) {
    std::fill(column_.begin(), column_.end(), 0.0);
    add_row(entering, 1, column_.data());
    eliminate(inverse_.data(), norm_.data(), column_.data(), size_, position);
    basis_[position] = entering;
}

// Counts steps without gain; true if the run may go on as it is.
bool Simplex::note_progress(double gain) {
    if (gain > 1e-14 * scale_) {
        stalled_ = 0;
        return true;
    }
    return ++stalled_ <= 10 + size_ / 4;
}

// At an optimum of the moved kinks, or by drifting numbers: measure afresh and see if it holds.
bool Simplex::settle() {
    const bool moved = perturbed_;
    if (moved) unperturb();
    refresh();
    if (!consistent()) {
        restore();
        return false;
    }
    const double tolerance = kSideTolerance * reach();
    bool turned = false;
    for (std::size_t row = 0; row < kink_.size(); ++row)
        if (side_[row] * residual_[row] < -tolerance) {
            side_[row] = -side_[row];
            turned = true;
        }
    sum_slopes();
    return !moved && !turned;
}

Outcome Simplex::run() {
    const long cap = pivots_ + 1000 + 20 * static_cast<long>(size_) +
                     2 * static_cast<long>(std::min<std::size_t>(n_constraints_, 1000000));
    int checks = 0;
    Step step;
    while (pivots_ < cap) {
        if (watch_.expired()) return Outcome::expired;
        balance();
        const int leaving = choose_leaving();
        if (leaving < 0) {
            if (++checks > 30) return Outcome::stalled;
            const long before = pivots_;
            if (settle() && before == pivots_) {
                balance();
                refine();
                std::fill(blocked_.begin(), blocked_.end(), char(0));
                if (choose_leaving() < 0 || checks > 20) return Outcome::optimal;
            }
            continue;
        }
        const double direction = multiplier_[leaving] > upper(basis_[leaving]) ? 1 : -1;
        const double over = direction > 0 ? multiplier_[leaving] - upper(basis_[leaving])
                                          : lower(basis_[leaving]) - multiplier_[leaving];
        rates(leaving, direction);
        if (!find_step(leaving, -over, cautious_ ? Rule::first : Rule::longest, step)) {
            const double length = std::sqrt(norm_[leaving]);
            if (over > 1e-9 * scale_ * length) {
                axpy(direction / length, edge(leaving), z_.data(), size_);
                hold(std::vector<double>(z_));
                return Outcome::unbounded;
            }
            blocked_[leaving] = 1;
            continue;
        }
        take(leaving, direction, step);
        if (pivots_ % kRefresh == 0) {
            measure();
            if (!consistent()) restore();
        }
        if (!note_progress(step.gain)) {
            stalled_ = 0;
            if (rounds_ < kRounds && !perturbed_)
                perturb();
            else
                cautious_ = true;
        }
    }
    return Outcome::stalled;
}

// True if a step gives up a normal that is there.
bool Simplex::loses_normal(int position, double direction, double length) {
    const Shape& shape = program_.tiles->shape;
    std::vector<double> after = z_;
    axpy(length * direction, edge(position), after.data(), size_);
    return no_normal(shape, after) && !no_normal(shape, z_);
}

void Simplex::leave_anchors() {
    const std::size_t width = program_.tiles->shape.width();
    Step step;
    for (const bool offsets : {false, true})
        for (int k = 0; k < size_; ++k) {
            if (basis_[k] < kink_.size()) continue;
            if (((basis_[k] - kink_.size()) % width == width - 1) != offsets) continue;
            for (const double direction : {1.0, -1.0}) {
                rates(k, direction);
                if (!find_step(k, 0, Rule::first, step)) continue;
                if (loses_normal(k, direction, step.length)) continue;
                take(k, direction, step);
                break;
            }
        }
    refresh();
    sum_slopes();
    balance();
}

std::vector<double> Simplex::slopes() const {
    std::vector<double> a(n_constraints_);
    for (std::size_t c = 0; c < n_constraints_; ++c) a[c] = side_[c] < 0 ? lower(c) : 0;
    for (int k = 0; k < size_; ++k)
        if (basis_[k] < n_constraints_)
            a[basis_[k]] = std::clamp(multiplier_[k], lower(basis_[k]), 0.0);
    return a;
}

}  // namespace planetree
