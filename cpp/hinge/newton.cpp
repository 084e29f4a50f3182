#include "hinge/newton.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/dense.hpp"
#include "core/simd.hpp"
#include "core/threads.hpp"
#include "hinge/hessian.hpp"

namespace planetree {

namespace {

constexpr double kShrink = 0.2;
constexpr double kPassing = 0.05;      // least gain at a width that is not the last
constexpr int kMaxSteps = 30;          // at one width
constexpr std::size_t kBandRows = 10;  // an unknown, enough for a Hessian
constexpr double kReach =
    10;  // longest step, in units of the present z: flat directions have no end

double largest(const std::vector<double>& v) {
    double most = 0;
    for (const double x : v) most = std::max(most, std::fabs(x));
    return most;
}

PLANETREE_VECTOR
double smooth_hinge(const double* r, const double* rate, const double* charge, double t, double h,
                    std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        const double at = r[i] + t * rate[i];
        const double inside = std::min(std::max(h - at, 0.0), 2 * h);
        sum += charge[i] * (inside * inside / (4 * h) + std::max(0.0, -h - at));
    }
    return sum;
}

PLANETREE_VECTOR
void smooth_slopes(const double* r, const double* charge, double h, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = -charge[i] * std::min(std::max((h - r[i]) / (2 * h), 0.0), 1.0);
}

double smooth_price(const Prices& price, std::size_t p, double z, double h) {
    if (std::fabs(z) >= h) return price.of(p, z);
    return (price.rise[p] + price.fall[p]) * (z + h) * (z + h) / (4 * h) - price.fall[p] * z;
}

double smooth_price_slope(const Prices& price, std::size_t p, double z, double h) {
    const double share = std::clamp((z + h) / (2 * h), 0.0, 1.0);
    return share * price.rise[p] - (1 - share) * price.fall[p];
}

class SmoothProgram {
  public:
    SmoothProgram(const Kinked& program, std::vector<double>& z, std::function<void()> pulse)
        : program_(program),
          pulse_(std::move(pulse)),
          tiles_(*program.tiles),
          z_(z),
          gradient_(z.size()),
          step_(z.size()) {
        for (auto* each : {&r_, &rate_, &slope_, &weight_}) {
            pulse_();  // with many classes these are large
            each->resize(tiles_.n_constraints());
        }
        margins(tiles_, z.data(), r_.data());
        for_blocks(r_.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t c = first; c < last; ++c) r_[c] -= 1;
        });
    }

    // One damped step; false when this width has nothing more to give.
    bool step(double h, double least_gain) {
        set_gradient(h);
        set_hessian(h);
        while (shift_ < 1e6) {
            copy_hessian();
            for (std::size_t p = 0; p < z_.size(); ++p) step_[p] = -gradient_[p];
            const int size = static_cast<int>(z_.size());
            if (solve_positive(matrix_, size, shift_ * diagonal_, step_.data(), 1, pulse_) &&
                largest(step_) <= kReach * (1 + largest(z_))) {
                const double decrement = -dot(step_.data(), gradient_.data(), z_.size());
                if (!(decrement > least_gain * h * band_charge_)) return false;
                if (search(h, decrement)) {
                    shift_ = std::max(1e-12, shift_ * 0.01);
                    return true;
                }
            }
            shift_ *= 100;
        }
        shift_ = 1e-12;
        return false;
    }

  private:
    void set_gradient(double h) {
        for_blocks(r_.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
            smooth_slopes(&r_[first], &program_.charge[first], h, &slope_[first], last - first);
        });
        gradient_ = program_.linear;
        accumulate(tiles_, slope_.data(), gradient_.data());
        for (std::size_t p = 0; p < z_.size(); ++p)
            gradient_[p] += smooth_price_slope(program_.price, p, z_[p], h);
    }

    void set_hessian(double h) {
        const std::size_t size = z_.size();
        hessian_.reserve(size * size);
        hessian_.clear();
        for (std::size_t p = 0; p < size; ++p) {
            pulse_();  // with many classes it is large
            hessian_.insert(hessian_.end(), size, 0.0);
        }
        weigh_band(h);
        pulse_();
        add_gram(tiles_, weight_.data(), hessian_, pulse_);
        double largest = 0;
        for (std::size_t p = 0; p < size; ++p) {
            if (std::fabs(z_[p]) < h)
                hessian_[p * size + p] +=
                    (program_.price.rise[p] + program_.price.fall[p]) / (2 * h);
            largest = std::max(largest, hessian_[p * size + p]);
        }
        diagonal_ = largest > 0 ? largest : 1;
    }

    void copy_hessian() {
        const auto size = static_cast<std::ptrdiff_t>(z_.size());
        matrix_.reserve(hessian_.size());
        matrix_.clear();
        for (auto row = hessian_.begin(); row != hessian_.end(); row += size) {
            pulse_();
            matrix_.insert(matrix_.end(), row, row + size);
        }
    }

    // A wide band has more rows than its Hessian needs: every so manieth will do.
    void weigh_band(double h) {
        const auto inside = [&](std::size_t c) {
            return std::fabs(r_[c]) < h && program_.charge[c] > 0;
        };
        std::vector<std::size_t> seen(block_count(r_.size(), kBlockRows));
        band_charge_ = sum_blocks(r_.size(), kBlockRows, [&](std::size_t first, std::size_t last) {
            double charge = 0;
            std::size_t count = 0;
            for (std::size_t c = first; c < last; ++c)
                if (inside(c)) {
                    ++count;
                    charge += program_.charge[c];
                }
            seen[first / kBlockRows] = count;
            return charge;
        });
        std::size_t count = 0;
        for (std::size_t& before : seen) count += std::exchange(before, count);
        const std::size_t stride = std::max<std::size_t>(1, count / (kBandRows * z_.size()));
        for_blocks(r_.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t b) {
            for (std::size_t c = first, place = seen[b]; c < last; ++c) {
                const bool counts = inside(c) && place++ % stride == 0;
                weight_[c] = counts ? stride * program_.charge[c] / (2 * h) : 0;
            }
        });
    }

    double value(double t, double h) const {
        double sum = sum_blocks(r_.size(), kBlockRows, [&](std::size_t first, std::size_t last) {
            return smooth_hinge(&r_[first], &rate_[first], &program_.charge[first], t, h,
                                last - first);
        });
        for (std::size_t p = 0; p < z_.size(); ++p) {
            const double z = z_[p] + t * step_[p];
            sum += program_.linear[p] * z + smooth_price(program_.price, p, z, h);
        }
        return sum;
    }

    bool search(double h, double decrement) {
        margins(tiles_, step_.data(), rate_.data());
        const double here = value(0, h);
        for (double t = 1; t > 1e-4; t *= 0.5) {
            if (value(t, h) > here - 1e-3 * t * decrement) continue;
            axpy(t, step_.data(), z_.data(), z_.size());
            for_blocks(r_.size(), kBlockRows,
                       [&](std::size_t first, std::size_t last, std::size_t) {
                           axpy(t, &rate_[first], &r_[first], last - first);
                       });
            return true;
        }
        return false;
    }

    const Kinked& program_;
    std::function<void()> pulse_;
    const Tiles& tiles_;
    std::vector<double>& z_;
    std::vector<double> r_, rate_, slope_, weight_, gradient_, step_, hessian_, matrix_;
    double shift_ = 1e-12, diagonal_ = 1, band_charge_ = 0;
};

}  // namespace

int smooth_newton(const Kinked& program, double from, double to, double least_gain,
                  std::vector<double>& z, Watch& watch) {
    int steps = 0;
    try {
        SmoothProgram smooth(program, z, [&] { watch.check(); });
        for (double h = from;; h = std::max(to, h * kShrink)) {
            const double gain = h > to ? std::max(kPassing, least_gain) : least_gain;
            for (int i = 0; i < kMaxSteps && !watch.expired() && smooth.step(h, gain); ++i) ++steps;
            if (h <= to || watch.expired()) return steps;
        }
    } catch (const OutOfTime&) {
        return steps;  // z is where the last whole step led
    }
}

}  // namespace planetree
