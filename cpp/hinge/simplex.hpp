// A long-step dual simplex for one-kink functions.
//
//     min over z   linear . z + sum_c charge_c max(0, 1 - s_c z) + sum_p price_p(z_p)
//
// where price_p(z) is rise_p z for z > 0 and fall_p |z| for z < 0.
//
// Every term bends at one point, its kink. A basis is P rows (constraints, or unit rows for the
// prices) that sit at their kink and so fix z. Each basic row has a multiplier, the slope it would
// need for z to be optimal; z is optimal when every multiplier lies between the slopes of its term
// left and right of the kink. A row that breaks this leaves the basis: z moves along the edge that
// keeps the others at their kinks, past one kink after another, until the slope turns; the row
// whose kink turned it enters. One such step does the work of many ordinary ones.
//
// Any z may be the start: it is held by anchors, unit rows without a slope, whose multiplier must
// be 0. An anchor that has left never returns; one that cannot leave stands for a direction in
// which the function is flat.
//
// The rule against cycling. The value never increases. When it stalls, kinks are moved by distinct
// tiny amounts, away from the rows' present sides, so that no two coincide and each step gains;
// at the optimum they are put back. If it stalls again after three such rounds, the row to leave
// and the row to enter are those of the least number among the eligible (Bland), and the step ends
// at its first kink, which is finite for any sequence of ties. Should rounding defeat even that, a
// cap on the steps ends the run, and the caller falls back on another solver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"
#include "hinge/tiles.hpp"

namespace planetree {

// What one unit of each unknown costs above zero and below it.
struct Prices {
    std::vector<double> rise, fall;

    Prices() = default;
    explicit Prices(std::size_t size) : rise(size, 0.0), fall(size, 0.0) {}
    bool any(std::size_t p) const { return rise[p] > 0 || fall[p] > 0; }
    bool none() const {
        const auto zero = [](double v) { return v == 0; };
        return std::all_of(rise.begin(), rise.end(), zero) &&
               std::all_of(fall.begin(), fall.end(), zero);
    }
    double of(std::size_t p, double z) const { return z > 0 ? rise[p] * z : -fall[p] * z; }
    // By how much a slope lies outside of what the price can balance.
    double excess(std::size_t p, double slope) const {
        return std::max({0.0, slope - rise[p], -slope - fall[p]});
    }
};

struct Kinked {
    const Tiles* tiles;
    std::vector<double> charge;  // a constraint
    Prices price;                // an unknown
    std::vector<double> linear;  // an unknown
};

// A number in [0.5, 1.5) that depends on the row alone and on it like a random one.
double jitter(std::uint64_t row);

enum class Outcome { optimal, unbounded, expired, stalled };

inline const char* name(Outcome outcome) {
    switch (outcome) {
        case Outcome::optimal:
            return "optimal";
        case Outcome::expired:
            return "time_limit";
        case Outcome::unbounded:
            return "unbounded";
        default:
            return "stalled";
    }
}

class Simplex {
  public:
    // Begins at `start`, or, given the basis of an earlier run, where that basis says.
    Simplex(const Kinked& program, const std::vector<double>& start, Watch& watch,
            const std::vector<std::size_t>& basis = {});

    // Where there is no optimum, z is left one unit along a ray that falls for ever.
    Outcome run();
    // The linear part has changed: goes on from the present basis.
    Outcome run_again() {
        sum_slopes();
        return run();
    }
    // With z optimal, leaves flat directions for a vertex, those of the weights before those of
    // the offsets.
    void leave_anchors();

    const std::vector<double>& z() const { return z_; }
    // Slope of every constraint at the optimum, between -charge and 0.
    std::vector<double> slopes() const;
    const std::vector<std::size_t>& basis() const { return basis_; }
    long pivots() const { return pivots_; }

  private:
    struct Kink {
        double at, jump;
        std::size_t row;
    };
    struct Step {
        double length, gain;
        std::size_t entering;
        std::vector<Kink> passed;
    };
    enum class Rule { longest, first };

    void hold(const std::vector<double>& start);
    bool resume(const std::vector<std::size_t>& basis);
    void take_sides();
    void restore();
    void refresh();
    bool refactor();
    double reach() const;
    bool consistent() const;
    void measure();
    void sum_slopes();
    void balance();
    void refine();
    void perturb();
    void unperturb();

    double lower(std::size_t row) const;
    double upper(std::size_t row) const;
    double slope(std::size_t row) const { return side_[row] > 0 ? upper(row) : lower(row); }
    double position(std::size_t row) const;
    // The edge along which the row at position k of the basis alone leaves its kink.
    double* edge(int k) { return &inverse_[static_cast<std::size_t>(k) * size_]; }
    double times(std::size_t row, const double* v) const;
    void add_row(std::size_t row, double factor, double* out) const;
    double violation(int position) const;
    int choose_leaving() const;
    void rates(int position, double direction);
    double collect_kinks(double limit);
    bool find_step(int position, double slope, Rule rule, Step& step);
    bool walk(double slope, double rounding, Step& step);
    bool first_kink(Step& step);
    void take(int position, double direction, const Step& step);
    void replace(int position, std::size_t entering);
    bool loses_normal(int position, double direction, double length);
    bool note_progress(double gain);
    bool settle();

    const Kinked& program_;
    Watch& watch_;
    int size_;
    std::size_t n_constraints_;
    std::vector<double> z_, anchor_, kink_, residual_, rate_, distance_, column_, inverse_, norm_,
        multiplier_, gradient_;
    std::vector<double> side_;  // +1 right of the kink, -1 left, 0 in the basis or no matter
    std::vector<std::size_t> basis_;
    std::vector<char> blocked_;
    std::vector<Kink> kinks_;
    double scale_ = 0, row_size_ = 1, last_length_ = 0;
    long pivots_ = 0;
    int stalled_ = 0, rounds_ = 0;
    bool perturbed_ = false, cautious_ = false;
};

}  // namespace planetree
