#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.hpp"
#include "core/simd.hpp"
#include "hinge/hessian.hpp"
#include "hinge/quadratic.hpp"
#include "hinge/residuals.hpp"

namespace planetree {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();  // twice the rounding of one step
constexpr double kTiny = 1e-290;      // more than all that underflow can hide
constexpr double kNothing = 1e-10;    // of the largest, a unit of charge, is rounding
constexpr std::size_t kMoved = 4000;  // multipliers, where there are so many
constexpr std::size_t kChunk = 32;    // tiles that are summed before rounding is counted
constexpr std::size_t kDense = 1600;  // unknowns that are balanced
constexpr double kWorse = 1e-12;      // share of the value that a correction is worth
constexpr int kCorrections = 3;

// A sum with its rounding errors summed beside it.
struct Sum {
    double high = 0, low = 0;
    void add(double v) {
        const double s = high + v, part = s - high;
        low += (high - (s - part)) + (v - part);
        high = s;
    }
    double value() const { return high + low; }
};

PLANETREE_VECTOR
void add_tile(const double* x, const double* net, const double* gross, int n, double* sum,
              double* sizes) {
    for (int j = 0; j <= n; ++j) {
        double part = 0, size = 0;
#pragma omp simd reduction(+ : part, size)
        for (int l = 0; l < kLanes; ++l) {
            const double at = j < n ? x[j * kLanes + l] : -1;
            part += at * net[l];
            size += std::fabs(at) * gross[l];
        }
        sum[j] += part;
        sizes[j] += size;
    }
}

// Multipliers that are almost balanced, and how far from them balanced ones are.
//
// Let some multipliers move, with weights W_c <= charge_c, and G = sum_c W_c s_c s_c' over the
// unknowns that must balance. Where r = sum_c a_c s_c there is left, the multipliers
// a_c - W_c s_c G^-1 r balance exactly. They differ from a by no more than sqrt(W_c) eta each and
// by eta in the norm sum d_c^2 / W_c, with eta^2 = r G^-1 r <= |r|^2 / (least eigenvalue of G). The
// eigenvalue is bounded by a Cholesky factorization of G less a multiple of 1: if that ends well,
// G is at least the multiple less the rounding of all that was computed.
class Balance {
  public:
    // `balanced`: whether each unknown must balance.
    Balance(const Tiles& tiles, const std::vector<double>& charge, std::vector<double> a,
            std::vector<char> balanced, Watch& watch)
        : tiles_(tiles),
          charge_(charge),
          watch_(watch),
          a_(std::move(a)),
          balanced_(std::move(balanced)) {
        pulse();
        drop_near_zero();
        pulse();
        set_pull();
        pulse();
        proved_ = choose();
        set_distance();
        for (int i = 0; proved_ && i < kCorrections && loss() > kWorse * plain(); ++i) {
            const double before = eta_;
            correct();
            if (eta_ > before / 2) break;  // rounding is all that is left
        }
    }

    const std::vector<double>& pull() const { return pull_; }
    // What an exact pull may differ by from this one, after balance too.
    double pull_error(std::size_t p) const { return error_[p] + eta_ * std::sqrt(diagonal_[p]); }

    // A lower bound of sum_c (a_c - a_c^2 / (2 charge_c)) at balanced multipliers; negative if none
    // are known.
    double dual() const {
        if (!proved_ || !stays_positive()) return -1;
        return plain() - rounding() - loss();
    }

  private:
    bool balanced_unknown(std::size_t p) const { return balanced_[p]; }

    void pulse() { watch_.check(); }

    // Rows at their margin have multipliers that are rounding.
    void drop_near_zero() {
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (a_[c] > 0) largest_ = std::max(largest_, a_[c] / charge_[c]);
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (!(a_[c] > kNothing * largest_ * charge_[c])) a_[c] = 0;
    }

    // A sample of the multipliers above 0 is enough to move; if not, all are.
    bool choose() {
        const std::size_t size = tiles_.shape.size();
        std::size_t n_balanced = 0;
        for (std::size_t p = 0; p < size; ++p) n_balanced += balanced_unknown(p);
        if (n_balanced > kDense) return false;
        const std::size_t n_firm = a_.size() - std::count(a_.begin(), a_.end(), 0.0);
        const std::size_t share = n_firm / std::max(kMoved, 4 * size);
        return (share > 1 && move(share) && factor()) || (move(1) && factor());
    }

    // Multipliers are moved in proportion to what they are. False if an unknown feels none.
    bool move(std::size_t share) {
        weight_.assign(a_.size(), 0.0);
        std::size_t seen = 0;
        n_moved_ = 0;
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (a_[c] > 0 && seen++ % share == 0)
                weight_[c] = std::min(charge_[c], a_[c] / largest_), ++n_moved_;
        diagonal_.assign(tiles_.shape.size(), 0.0);
        add_gram_diagonal(tiles_, weight_.data(), diagonal_.data());
        for (std::size_t p = 0; p < diagonal_.size(); ++p)
            if (balanced_unknown(p) && diagonal_[p] == 0 && error_[p] > 0) return false;
        return n_moved_ > 0;
    }

    bool factor() {
        const std::size_t size = tiles_.shape.size();
        unknown_.clear();
        for (std::size_t p = 0; p < size; ++p)
            if (balanced_unknown(p) && diagonal_[p] > 0) unknown_.push_back(p);
        const std::size_t n = unknown_.size();
        std::vector<double> gram(size * size, 0.0), unit(n * n, 0.0);
        add_gram(tiles_, weight_.data(), gram, [this] { pulse(); });
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j)
                unit[i * n + j] = gram[unknown_[i] * size + unknown_[j]] /
                                  std::sqrt(diagonal_[unknown_[i]] * diagonal_[unknown_[j]]);
        const double rounding = n * (n_moved_ + 2.0 * n + 32) * kEps;
        for (double shift = 1e-1; shift > 2 * rounding; shift /= 10) {
            factor_ = unit;
            if (!factor_positive(factor_, static_cast<int>(n), -shift, [this] { pulse(); }))
                continue;
            least_ = (shift - rounding) * (1 - 1e-9);
            factor_ = unit;
            return factor_positive(factor_, static_cast<int>(n), 0);
        }
        return false;
    }

    void set_distance() {
        const Shape& shape = tiles_.shape;
        if (!proved_) return;
        double square = 0;
        for (int p = 0; p < shape.size(); ++p) {
            if (!balanced_unknown(p)) continue;
            const double left = std::fabs(pull_[p]) + error_[p];
            if (diagonal_[p] > 0) square += left * left / diagonal_[p];
        }
        eta_ = std::sqrt(square / least_) * (1 + 1e-9) + kTiny;
    }

    // The pull and, for its rounding, the same sum of sizes. Sums run over the slots of a lane, the
    // lanes of a tile and the tiles of a chunk; features were rounded when they were normalized.
    void set_pull() {
        const Shape& shape = tiles_.shape;
        const std::size_t size = shape.size();
        std::vector<Sum> total(size);
        std::vector<double> chunk(size, 0.0), net(shape.k * kLanes), gross(net.size());
        error_.assign(size, 0.0);
        for (std::size_t t = 0; t < tiles_.count(); ++t) {
            if (t % kChunk == 0 && watch_.expired_after(kChunk * kLanes * size)) throw OutOfTime();
            if (gather(t, net, gross))
                for (int c = shape.k - shape.blocks; c < shape.k; ++c)
                    add_tile(tiles_.tile(t), &net[c * kLanes], &gross[c * kLanes], shape.n,
                             &chunk[shape.begin(c)], &error_[shape.begin(c)]);
            if (t % kChunk != kChunk - 1 && t + 1 < tiles_.count()) continue;
            for (std::size_t p = 0; p < size; ++p) total[p].add(chunk[p]), chunk[p] = 0;
        }
        const double steps = kChunk + kLanes + shape.slots() + 16.0;
        pull_.resize(size);
        for (std::size_t p = 0; p < size; ++p) {
            pull_[p] = total[p].value();
            error_[p] = error_[p] * steps * kEps + (error_[p] > 0 ? kTiny : 0);
        }
    }

    // Multipliers of a tile's rows by the class whose plane they pull; false if all are 0.
    bool gather(std::size_t t, std::vector<double>& net, std::vector<double>& gross) const {
        const int slots = tiles_.shape.slots(), own = tiles_.tile_class[t];
        const double* a = &a_[t * kLanes * slots];
        if (std::all_of(a, a + kLanes * slots, [](double v) { return v == 0; })) return false;
        std::fill(net.begin(), net.end(), 0.0);
        std::fill(gross.begin(), gross.end(), 0.0);
        for (int s = 0; s < slots; ++s, a += kLanes)
            for (int l = 0; l < kLanes; ++l) {
                const int rival = Shape::other(own, s) * kLanes + l;
                net[own * kLanes + l] += a[l], gross[own * kLanes + l] += a[l];
                net[rival] -= a[l], gross[rival] += a[l];
            }
        return true;
    }

    // The multipliers moved to balance, as far as rounding lets them.
    void correct() {
        const std::size_t n = unknown_.size();
        std::vector<double> y(n), step(tiles_.shape.size(), 0.0), rate(a_.size());
        for (std::size_t i = 0; i < n; ++i)
            y[i] = pull_[unknown_[i]] / std::sqrt(diagonal_[unknown_[i]]);
        solve_factored(factor_, static_cast<int>(n), y.data());
        for (std::size_t i = 0; i < n; ++i)
            step[unknown_[i]] = y[i] / std::sqrt(diagonal_[unknown_[i]]);
        margins(tiles_, step.data(), rate.data());
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (weight_[c] > 0) a_[c] = std::max(0.0, a_[c] - weight_[c] * rate[c]);
        set_pull();
        set_distance();
    }

    bool stays_positive() const {
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (weight_[c] > 0 && !(a_[c] >= 1.001 * std::sqrt(weight_[c]) * eta_)) return false;
        return true;
    }

    double plain() const {
        Sum sum;
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (a_[c] > 0) sum.add(a_[c]), sum.add(-a_[c] * a_[c] / (2 * charge_[c]));
        return sum.value();
    }

    // Of `plain`, charges included, which are products and quotients of exact numbers.
    double rounding() const {
        double sum = 0;
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (a_[c] > 0) sum += a_[c] + a_[c] * a_[c] / charge_[c];
        return 8 * kEps * sum;
    }

    // What the move to balance takes from the dual at most.
    double loss() const {
        double sum = 0;
        for (std::size_t c = 0; c < a_.size(); ++c)
            if (weight_[c] > 0) {
                const double slope = std::fabs(1 - a_[c] / charge_[c]) + 4 * kEps;
                sum += weight_[c] * slope * slope;
            }
        return (eta_ * std::sqrt(sum) + eta_ * eta_ / 2) * (1 + 1e-9);
    }

    const Tiles& tiles_;
    const std::vector<double>& charge_;
    Watch& watch_;
    std::vector<double> a_, weight_, diagonal_, factor_, pull_, error_;
    std::vector<std::size_t> unknown_;
    std::vector<char> balanced_;
    bool proved_ = false;
    double n_moved_ = 0, largest_ = 0, least_ = 1, eta_ = 0;
};

// What the weights may gain from the pull of the multipliers, every class's block counted.
double gain_of_weights(const Shape& shape, double l2, const Balance& balance) {
    double sum = 0;
    for (int j = 0; j < shape.n; ++j) {
        double first = 0, first_error = 0;  // of the class whose block is fixed
        for (int p = j; p < shape.size(); p += shape.width()) {
            const double u = balance.pull()[p], error = balance.pull_error(p) * (1 + 1e-9);
            first -= u, first_error += error + 4 * kEps * std::fabs(u);
            sum += (std::fabs(u) + error) * (std::fabs(u) + error);
        }
        first = std::fabs(first) + first_error;
        if (shape.blocks < shape.k) sum += first * first;
    }
    return sum / (2 * l2) * (1 + (2.0 * shape.size() + 32) * kEps);
}

// A penalty takes care of the weights.
std::vector<char> balanced(const Shape& shape, double l2, const std::vector<int>& chosen) {
    std::vector<char> out(shape.size(), l2 == 0 && chosen.empty());
    if (l2 == 0)
        for (const int p : chosen) out[p] = 1;
    else
        for (int p = shape.n; p < shape.size(); p += shape.width()) out[p] = 1;
    return out;
}

double prove_dual(const Tiles& tiles, double l2, const std::vector<double>& charge,
                  std::vector<double> a, const std::vector<int>& unknowns, Watch& watch) {
    try {
        const Balance balance(tiles, charge, std::move(a), balanced(tiles.shape, l2, unknowns),
                              watch);
        const double dual = balance.dual();
        return l2 > 0 && dual > 0 ? dual - gain_of_weights(tiles.shape, l2, balance) : dual;
    } catch (const OutOfTime&) {
        return 0;
    }
}

}  // namespace

Certificate certify_quadratic(const Tiles& tiles, double l2, const std::vector<double>& z,
                              const std::vector<int>& unknowns, Watch& watch) {
    const std::vector<double> charge = charges(tiles), pull = centered(tiles.shape, z.data());
    watch.expired();  // an interrupt is heard between passes, however many classes there are
    const Position at(tiles, z);
    watch.expired();
    std::vector<double> a(charge.size());
    Sum error, all;
    for (std::size_t c = 0; c < charge.size(); ++c) {
        const double short_of = std::max(0.0, -at.residual[c]);
        a[c] = charge[c] * short_of;
        error.add(a[c] * short_of / 2);
        all.add(charge[c]);
    }
    Certificate out;
    out.error = error.value();
    out.objective = out.error + l2 / 2 * dot(pull.data(), z.data(), z.size());
    if (out.objective > 0)
        out.bound = std::max(0.0, prove_dual(tiles, l2, charge, std::move(a), unknowns, watch));
    const double unit = std::max(out.objective, 1e-6 * all.value());
    out.gap = std::fabs(out.objective - out.bound) / unit;
    return out;
}

}  // namespace planetree
