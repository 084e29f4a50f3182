#include "hinge/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.hpp"
#include "core/simd.hpp"
#include "hinge/hessian.hpp"
#include "hinge/orthogonal.hpp"
#include "hinge/residuals.hpp"
#include "hinge/span.hpp"
#include "hinge/strategy.hpp"

namespace planetree {

std::vector<double> centered(const Shape& shape, const double* z) {
    std::vector<double> out(shape.size(), 0.0);
    for (int j = 0; j < shape.n; ++j) {
        double mean = 0;
        for (int b = 0; b < shape.blocks; ++b) mean += z[b * shape.width() + j] / shape.k;
        for (int b = 0; b < shape.blocks; ++b) {
            const int p = b * shape.width() + j;
            out[p] = z[p] - mean;
        }
    }
    return out;
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-17;  // share of the value that a step must promise
constexpr double kAtKink = 1e-11;    // a margin this near to 1 is held there by a step
constexpr std::size_t kShare = 8;    // one row in so many makes a sample
constexpr std::size_t kRowsAnUnknown = 10;
constexpr long kMany = 1000;           // steps, more than are ever needed
constexpr int kIdle = 3;               // steps that rounding may take back
constexpr double kSlope = 0.1;         // of the first slope is left where a line search ends
constexpr double kLeastShift = 1e-14;  // of the diagonal, added to it
constexpr std::size_t kDense = 1600;   // unknowns that are solved for by factorization
constexpr double kResidual = 0.1;      // of the gradient is left by conjugate gradients
constexpr int kProducts = 300;         // at most, for one step
constexpr double kEnough = 1e-13;      // share of the value that a step by gradients must promise

struct Line {
    double slope, curvature;
};

PLANETREE_VECTOR
Line line_at(const double* r, const double* rate, const double* charge, double t, std::size_t n) {
    double slope = 0, curvature = 0;
#pragma omp simd reduction(+ : slope, curvature)
    for (std::size_t c = 0; c < n; ++c) {
        const double at = r[c] + t * rate[c];
        const double pull = at < 0 ? charge[c] * rate[c] : 0;
        slope += pull * at;
        curvature += pull * rate[c];
    }
    return {slope, curvature};
}

PLANETREE_VECTOR
double half_squares(const double* r, const double* charge, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t c = 0; c < n; ++c) {
        const double v = std::min(r[c], 0.0);
        sum += charge[c] * v * v;
    }
    return sum / 2;
}

PLANETREE_VECTOR
void slopes_at(const double* r, const double* charge, double* out, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c) out[c] = charge[c] * std::min(r[c], 0.0);
}

class QuadraticProgram {
  public:
    QuadraticProgram(const Tiles& tiles, double l2, std::vector<double>& z, Watch& watch)
        : tiles_(tiles), watch_(watch), l2_(l2), z_(z), charge_(charges(tiles)), step_(z.size()) {
        for (auto* each : {&r_, &rate_, &slope_}) {
            listen();  // with many classes these are large
            each->resize(tiles.n_constraints());
        }
        measure();
    }

    // Residuals afresh from z: steps leave rounding behind.
    void measure() {
        listen();
        margins(tiles_, z_.data(), r_.data());
        for (double& r : r_) r -= 1;
        stale_ = true;
    }

    // One step of Newton; false when there is nothing more to gain.
    bool step() {
        set_gradient();
        const double value = half_squares(r_.data(), charge_.data(), r_.size()) +
                             l2_ / 2 * dot(pull_.data(), z_.data(), z_.size());
        idle_ = value < least_value_ ? 0 : idle_ + 1;
        least_value_ = std::min(value, least_value_);
        if (!(value > 0) || idle_ > kIdle) return false;
        find_direction();
        pulse();
        drop_common();
        const double decrement = -dot(step_.data(), gradient_.data(), z_.size());
        if (!(decrement > (dense() ? kRounding : kEnough) * value)) return false;
        margins(tiles_, step_.data(), rate_.data());
        const double t = search(decrement);
        axpy(t, step_.data(), z_.data(), z_.size());
        return move(t);
    }

    const std::vector<double>& slopes() {
        slopes_at(r_.data(), charge_.data(), slope_.data(), r_.size());
        return slope_;
    }

    // Where every row is on its own side, larger planes have value 0.
    bool enlarge(double least_margin) {
        double least = kInfinity;
        for (std::size_t c = 0; c < r_.size(); ++c)
            if (charge_[c] > 0) least = std::min(least, r_[c] + 1);
        if (l2_ > 0 || !(least > least_margin)) return false;
        if (least < 1 + 1e-12)
            for (double& v : z_) v *= (1 + 1e-12) / least;
        measure();
        return true;
    }

  private:
    bool dense() const { return z_.size() <= kDense; }

    void set_gradient() {
        gradient_.assign(z_.size(), 0.0);
        accumulate(tiles_, slopes().data(), gradient_.data());
        pull_ = centered(tiles_.shape, z_.data());
        axpy(l2_, pull_.data(), gradient_.data(), z_.size());
    }

    void find_direction() {
        pulse();
        if (stale_) set_weights();
        if (!dense()) return find_direction_by_gradients();
        if (stale_) factor();
        for (std::size_t p = 0; p < z_.size(); ++p) step_[p] = -gradient_[p] * unit_[p];
        solve_factored(matrix_, static_cast<int>(z_.size()), step_.data());
        for (std::size_t p = 0; p < z_.size(); ++p) step_[p] *= unit_[p];
    }

    // What all classes have in common changes no value. Where no block is fixed it has no curvature
    // either, and rounding would make it a step of any length.
    void drop_common() {
        const Shape& shape = tiles_.shape;
        if (shape.blocks < shape.k) return;
        for (int j = 0; j < shape.width(); ++j) {
            double mean = 0;
            for (int b = 0; b < shape.k; ++b) mean += step_[b * shape.width() + j] / shape.k;
            for (int b = 0; b < shape.k; ++b) step_[b * shape.width() + j] -= mean;
        }
    }

    // Constraints that are violated have their charge for a weight; unknowns are put in units in
    // which the diagonal of the Hessian is 1.
    void set_weights() {
        weight_.resize(r_.size());
        for (std::size_t c = 0; c < r_.size(); ++c) weight_[c] = r_[c] < kAtKink ? charge_[c] : 0;
        std::vector<double> diagonal(z_.size(), 0.0);
        add_gram_diagonal(tiles_, weight_.data(), diagonal.data());
        const Shape& shape = tiles_.shape;
        unit_.assign(z_.size(), 1.0);
        for (std::size_t p = 0; p < z_.size(); ++p) {
            if (static_cast<int>(p) % shape.width() < shape.n)
                diagonal[p] += l2_ * (1 - 1.0 / shape.k);
            if (diagonal[p] > 0) unit_[p] = 1 / std::sqrt(diagonal[p]);
        }
    }

    void factor() {
        const std::size_t size = z_.size();
        hessian_.assign(size * size, 0.0);
        add_gram(tiles_, weight_.data(), hessian_, [this] { pulse(); });
        if (l2_ > 0) add_penalty();
        for (std::size_t p = 0; p < size; ++p)
            for (std::size_t q = p; q < size; ++q) hessian_[p * size + q] *= unit_[p] * unit_[q];
        for (std::size_t p = 0; p < size; ++p)
            if (hessian_[p * size + p] == 0) hessian_[p * size + p] = 1;
        for (;; shift_ *= 100) {
            matrix_ = hessian_;
            if (factor_positive(matrix_, static_cast<int>(size), shift_, [this] { pulse(); }))
                break;
        }
        stale_ = false;
    }

    void add_penalty() {
        const Shape& shape = tiles_.shape;
        for (int b = 0; b < shape.blocks; ++b)
            for (int c = b; c < shape.blocks; ++c)
                for (int j = 0; j < shape.n; ++j)
                    hessian_[(b * shape.width() + j) * z_.size() + c * shape.width() + j] +=
                        l2_ * ((b == c) - 1.0 / shape.k);
    }

    // Hessian times v.
    std::vector<double> product(const std::vector<double>& v) {
        margins(tiles_, v.data(), rate_.data());
        for (std::size_t c = 0; c < r_.size(); ++c) rate_[c] *= weight_[c];
        std::vector<double> out(v.size(), 0.0);
        accumulate(tiles_, rate_.data(), out.data());
        if (l2_ > 0) axpy(l2_, centered(tiles_.shape, v.data()).data(), out.data(), v.size());
        return out;
    }

    void find_direction_by_gradients() {
        const std::size_t size = z_.size();
        std::vector<double> rest(size), ready(size), along(size, 0.0);
        std::fill(step_.begin(), step_.end(), 0.0);
        for (std::size_t p = 0; p < size; ++p) rest[p] = -gradient_[p];
        double first = 0, last = 0;
        for (int i = 0; i < kProducts; ++i) {
            pulse();
            for (std::size_t p = 0; p < size; ++p) ready[p] = unit_[p] * unit_[p] * rest[p];
            const double size_of_rest = dot(rest.data(), ready.data(), size);
            if (i == 0) first = size_of_rest;
            if (!(size_of_rest > kResidual * kResidual * first)) return;
            const double kept = i == 0 ? 0 : size_of_rest / last;
            for (std::size_t p = 0; p < size; ++p) along[p] = ready[p] + kept * along[p];
            last = size_of_rest;
            const std::vector<double> bent = product(along);
            const double curvature = dot(along.data(), bent.data(), size);
            if (!(curvature > 0)) return;
            axpy(last / curvature, along.data(), step_.data(), size);
            axpy(-last / curvature, bent.data(), rest.data(), size);
        }
    }

    // The slope along the step rises in straight pieces from -decrement; where it is almost 0.
    double search(double decrement) {
        const std::vector<double> bent = centered(tiles_.shape, step_.data());
        const double slope = l2_ * dot(pull_.data(), step_.data(), z_.size());
        const double curvature = l2_ * dot(bent.data(), step_.data(), z_.size());
        double low = 0, high = kInfinity, t = 1;
        for (int i = 0; i < 60; ++i) {
            pulse();
            Line at = line_at(r_.data(), rate_.data(), charge_.data(), t, r_.size());
            at.slope += slope + t * curvature;
            at.curvature += curvature;
            if (std::fabs(at.slope) <= kSlope * decrement) return t;
            (at.slope < 0 ? low : high) = t;
            const double next = t - at.slope / at.curvature;
            if (next > low && next < high)
                t = next;
            else
                t = high < kInfinity ? (low + high) / 2 : 4 * t;
        }
        return low;
    }

    bool move(double t) {
        for (std::size_t c = 0; c < r_.size(); ++c) {
            const double to = r_[c] + t * rate_[c];
            stale_ |= (to < kAtKink) != (r_[c] < kAtKink);
            r_[c] = to;
        }
        return t > 0;
    }

    void pulse() { watch_.check(); }
    void listen() { watch_.expired(); }  // to Ctrl-C alone

    const Tiles& tiles_;
    Watch& watch_;
    double l2_;
    std::vector<double>& z_;
    std::vector<double> charge_, r_, rate_, slope_, weight_, gradient_, pull_, step_, unit_,
        hessian_, matrix_;
    double shift_ = kLeastShift, least_value_ = kInfinity;
    int idle_ = 0;       // steps since the value was last lowered
    bool stale_ = true;  // constraints have changed sides since the Hessian was made
};

// False if steps or time ran out.
bool take_steps(QuadraticProgram& program, long max_steps, HingeAnswer& answer, Watch& watch) {
    for (int round = 0; round < 2; ++round, program.measure())
        while (program.step()) {
            ++answer.steps;
            if (program.enlarge(0.5)) break;
            if (answer.steps >= max_steps || watch.expired()) return false;
        }
    return true;
}

void solve_by_newton(const Tiles& tiles, double l2, long max_steps, HingeAnswer& answer,
                     Watch& watch) {
    // The planes of a sample are a start from which few steps over all rows are left.
    const bool fresh =
        std::all_of(answer.z.begin(), answer.z.end(), [](double v) { return v == 0; });
    if (fresh && max_steps > kMany && tiles.n_lanes() > kShare * kRowsAnUnknown * answer.z.size())
        solve_by_newton(sample(tiles, kShare), l2, kMany, answer, watch);
    answer.outcome = Outcome::expired;
    answer.method = "newton";
    if (watch.expired()) return;
    QuadraticProgram program(tiles, l2, answer.z, watch);
    try {
        if (take_steps(program, max_steps, answer, watch)) answer.outcome = Outcome::optimal;
    } catch (const OutOfTime&) {
    }
    if (answer.outcome == Outcome::optimal) program.enlarge(0);
    answer.slopes = program.slopes();
}

void solve_in_span(const Tiles& tiles, double l2, long max_steps, HingeAnswer& answer,
                   Watch& watch) {
    const std::vector<double> basis = span(tiles, [&] { watch.check(); });
    const Tiles part = rewrite(tiles, basis);
    answer.z = into_span(tiles.shape, part.shape, basis, answer.z);
    solve_by_newton(part, l2, max_steps, answer, watch);
    answer.z = out_of_span(tiles.shape, part.shape, basis, answer.z);
}

void solve_by_orthonormal_features(const Tiles& tiles, long max_steps, HingeAnswer& answer,
                                   Watch& watch) {
    const Orthogonal same(tiles, [&] { watch.check(); });
    answer.z = same.into(answer.z);
    solve_by_newton(same.tiles(), 0, max_steps, answer, watch);
    answer.z = same.out_of(answer.z);
    QuadraticProgram(tiles, 0, answer.z, watch).enlarge(0);
}

void solve_by_shape(const Tiles& tiles, double l2, long max_steps, HingeAnswer& answer,
                    Watch& watch) {
    if (tiles.shape.width() > static_cast<int>(count_rows(tiles)) + 1) {
        if (l2 > 0 || !solve_by_least_norm(tiles, answer, [&] { watch.check(); }))
            return solve_in_span(tiles, l2, max_steps, answer, watch);
        QuadraticProgram(tiles, l2, answer.z, watch).enlarge(0);
    } else if (l2 == 0 && nearly_dependent(tiles, [&] { watch.check(); })) {
        solve_by_orthonormal_features(tiles, max_steps, answer, watch);
    } else {
        solve_by_newton(tiles, l2, max_steps, answer, watch);
    }
}

}  // namespace

void solve_quadratic(const Tiles& tiles, double l2, long max_steps, HingeAnswer& answer,
                     Watch& watch) {
    const std::vector<double> start = answer.z;
    try {
        solve_by_shape(tiles, l2, max_steps, answer, watch);
    } catch (const OutOfTime&) {
        answer.z = start;
        answer.outcome = Outcome::expired;
    }
}

}  // namespace planetree
