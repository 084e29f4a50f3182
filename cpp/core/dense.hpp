// Small dense linear algebra: the few kernels that the programs need.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

double dot(const double* a, const double* b, std::size_t n);
void axpy(double factor, const double* x, double* y, std::size_t n);

// Sums weight_i x_i x_i' over rows that arrive one by one; only the upper triangle is kept.
class Gram {
  public:
    explicit Gram(int n);
    double* next_row(double weight);  // write n numbers here before the next call
    const std::vector<double>& finish();
    int stride() const { return stride_; }

  private:
    void flush();
    int n_, stride_, filled_ = 0;
    std::vector<double> rows_, weighted_, sum_, weight_;
};

// Factors A + shift I, for a symmetric A given by its upper triangle (row major, n x n), in place;
// false if it is not positive definite. `pulse`, if given, is called some times a second and may
// throw. Then solves for right sides that are overwritten.
bool factor_positive(std::vector<double>& a, int n, double shift,
                     const std::function<void()>& pulse = {});
void solve_factored(const std::vector<double>& factor, int n, double* b, int n_rhs = 1);
// Both at once.
bool solve_positive(std::vector<double>& a, int n, double shift, double* b, int n_rhs = 1,
                    const std::function<void()>& pulse = {});

// Inverts a general n x n matrix in place; false if a pivot is no larger than `least`, or if time
// is over before it is done.
bool invert(std::vector<double>& a, int n, double least = 1e-13, Watch* watch = nullptr);

}  // namespace planetree
