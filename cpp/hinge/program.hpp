// Linear programs of the form
//
//     min over z   sum_c charge_c max(0, 1 - s_c z) + sum_p price_p(z_p)
//
// where s_c holds a row against a rival class (tiles.hpp) and price_p is one slope above zero and
// another below (simplex.hpp), solved exactly and by shape:
//
//     few rows            the simplex (simplex.hpp) from z = 0
//     many rows           Newton on the smoothed program, on samples that grow (newton.hpp); then
//                         the simplex on the rows nearest to their kinks, all others fixed on their
//                         side; rows that changed side join, until none does
//     more features       without prices: if some z meets every constraint with equality, its value
//     than rows           is 0 and nothing more is to be proved; otherwise the rows are written in
//     an
//                         orthonormal basis of their span. With prices: features are brought in as
//                         the multipliers ask for them
//
// The answer carries multipliers that bound the optimum from below; `certify` checks both in plain
// arithmetic. Rows with equal features and class are merged. They are kept in an order that depends
// on their numbers alone, so the answer does not depend on the order in which they came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/simplex.hpp"

namespace planetree {

struct Rows {
    const double* x;       // m x n, row major
    const int* row_class;  // m
    const double* weight;  // m, not negative
    std::size_t m;
    int n, k;
    std::vector<double> class_charge;   // k: the charge of a unit of weight
    std::vector<double> costs;          // k x k, or empty
    std::vector<double> center, scale;  // n: x is read as (x - center) / scale
};

// What orders the rows of a program.
struct Key {
    std::uint64_t key;  // a hash of its numbers
    std::uint32_t row;
};

struct Certificate {
    double objective = 0, error = 0, bound = 0, gap = 0;
};

struct HingeAnswer {
    std::vector<double> z;           // blocks x (n + 1)
    std::vector<double> slopes;      // a constraint of the tiles, between -charge and 0; or empty
    std::vector<std::size_t> basis;  // of the simplex, if it solved the whole
    std::vector<int> features;       // those that could have weights; empty for all
    Certificate certificate;
    Outcome outcome = Outcome::optimal;
    long steps = 0;
    std::string method;
};

class HingeProgram {
  public:
    // `all_blocks`: every class has planes of its own, the first one too.
    // `watch` can only interrupt it: it is not done in part.
    HingeProgram(const Rows& rows, bool all_blocks, Watch& watch);

    // start: an earlier answer, or null; features: those that may have weights, or empty for all.
    HingeAnswer solve(const Prices& feature_price, const HingeAnswer* start,
                      const std::vector<int>& features, Watch& watch) const;
    // The same with squared violations and weights (quadratic.hpp).
    HingeAnswer solve_quadratic(double l2, const std::vector<double>& start, long max_steps,
                                Watch& watch) const;
    Certificate certify_quadratic(double l2, const std::vector<double>& z,
                                  const std::vector<int>& unknowns, Watch& watch) const;
    Certificate certify(const Prices& feature_price, const std::vector<double>& z,
                        const std::vector<double>& slopes) const;
    // Sum of s_c times its multiplier: what each unknown would gain, features left out too.
    std::vector<double> pull(const std::vector<double>& slopes) const;
    // Multipliers, slopes with their sign turned, of the caller's rows against each rival class.
    std::vector<double> scatter_duals(const std::vector<double>& slopes) const;
    std::vector<double> gather_duals(const double* duals) const;

    const Shape& shape() const { return tiles_.shape; }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_callers_rows() const { return lane_.size(); }
    std::size_t n_constraints() const { return tiles_.n_constraints(); }

  private:
    void fill_lanes(const Rows& rows, const std::vector<Key>& keys,
                    const std::vector<std::size_t>& runs, std::size_t begin, Watch& watch);
    std::size_t constraint(std::size_t lane, std::size_t slot) const {
        return (lane / kLanes * tiles_.shape.slots() + slot) * kLanes + lane % kLanes;
    }

    Tiles tiles_;
    std::vector<std::uint32_t> lane_;  // of each row of the caller
    std::vector<double> share_;        // of the row in its lane
    std::size_t n_rows_ = 0;           // distinct
};

}  // namespace planetree
