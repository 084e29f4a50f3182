#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/simd.hpp"

namespace planetree {

PLANETREE_VECTOR
double dot(const double* a, const double* b, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

PLANETREE_VECTOR
void axpy(double factor, const double* x, double* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

constexpr int kChunk = 64;  // rows gathered before they are multiplied
constexpr int kTall = 4, kPacks = 2, kWide = kPacks * kPack;
constexpr int kPanel = 64;  // rows of a factor, a multiple of kWide

Gram::Gram(int n)
    : n_(n),
      stride_((n + kWide - 1) / kWide * kWide),
      rows_(static_cast<std::size_t>(kChunk) * stride_),
      weighted_(rows_.size()),
      sum_(static_cast<std::size_t>(stride_) * stride_),
      weight_(kChunk) {}

double* Gram::next_row(double weight) {
    if (filled_ == kChunk) flush();
    weight_[filled_] = weight;
    return &rows_[static_cast<std::size_t>(filled_++) * stride_];
}

// sum[0..3][0..7] += left[r][0..3] right[r][0..7], summed over the rows in registers.
PLANETREE_VECTOR
static void multiply_tile(const double* left, const double* right, int n_rows, int stride,
                          double* sum) {
    Pack tile[kTall][kPacks] = {}, b[kPacks];
    for (int r = 0; r < n_rows; ++r, left += stride, right += stride) {
        for (int v = 0; v < kPacks; ++v) load(right + v * kPack, b[v]);
        for (int u = 0; u < kTall; ++u)
            for (int v = 0; v < kPacks; ++v) tile[u][v] += left[u] * b[v];
    }
    for (int u = 0; u < kTall; ++u, sum += stride)
        for (int v = 0; v < kPacks; ++v) {
            load(sum + v * kPack, b[v]);
            store(b[v] + tile[u][v], sum + v * kPack);
        }
}

static void multiply(const double* left, const double* right, int n_rows, int n, int stride,
                     double* sum) {
    for (int i = 0; i < n; i += kTall)
        for (int j = i / kWide * kWide; j < n; j += kWide)
            multiply_tile(left + i, right + j, n_rows, stride,
                          sum + static_cast<std::size_t>(i) * stride + j);
}

void Gram::flush() {
    for (int r = 0; r < filled_; ++r)
        for (int j = 0; j < n_; ++j)
            weighted_[static_cast<std::size_t>(r) * stride_ + j] =
                weight_[r] * rows_[static_cast<std::size_t>(r) * stride_ + j];
    multiply(weighted_.data(), rows_.data(), filled_, n_, stride_, sum_.data());
    filled_ = 0;
}

const std::vector<double>& Gram::finish() {
    flush();
    return sum_;
}

// Row-oriented Cholesky of the upper triangle, A = U'U, a panel of rows at a time: what a panel
// takes from the rows below it is one product.
PLANETREE_VECTOR
static bool factor_panel(double* a, int first, int last, int n, int stride, double floor) {
    for (int i = first; i < last; ++i) {
        double* row = a + static_cast<std::size_t>(i) * stride;
        if (!(row[i] > floor)) return false;
        const double root = std::sqrt(row[i]);
        for (int j = i; j < n; ++j) row[j] /= root;
        for (int r = i + 1; r < last; ++r) {
            const double f = row[r];
            if (f == 0) continue;
            double* to = a + static_cast<std::size_t>(r) * stride;
            for (int j = r; j < n; ++j) to[j] -= f * row[j];
        }
    }
    return true;
}

static bool factor_panels(double* a, int n, int stride, double floor,
                          const std::function<void()>& pulse) {
    std::vector<double> negative(n > kPanel ? static_cast<std::size_t>(kPanel) * stride : 0);
    for (int first = 0; first < n; first += kPanel) {
        const int last = std::min(n, first + kPanel);
        if (pulse) pulse();
        if (!factor_panel(a, first, last, n, stride, floor)) return false;
        if (last == n) break;
        const double* panel = a + static_cast<std::size_t>(first) * stride;
        for (std::size_t i = 0; i < negative.size(); ++i) negative[i] = -panel[i];
        multiply(&negative[last], panel + last, kPanel, n - last, stride,
                 a + static_cast<std::size_t>(last) * stride + last);
    }
    return true;
}

bool factor_positive(std::vector<double>& a, int n, double shift,
                     const std::function<void()>& pulse) {
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        double& d = a[static_cast<std::size_t>(i) * n + i];
        d += shift;
        largest = std::max(largest, d);
    }
    const double floor = largest * n * std::numeric_limits<double>::epsilon();
    if (n <= kPanel) return factor_panels(a.data(), n, n, floor, pulse);
    const std::size_t stride = (n + kWide - 1) / kWide * kWide;
    std::vector<double> padded;
    padded.reserve(stride * stride);
    for (int i = 0; i < n; ++i) {
        if (pulse) pulse();  // new memory: a gigabyte takes a second
        const auto row = a.begin() + static_cast<std::ptrdiff_t>(i) * n;
        padded.insert(padded.end(), row, row + n);
        padded.resize((i + 1) * stride);
    }
    padded.resize(stride * stride);
    if (!factor_panels(padded.data(), n, static_cast<int>(stride), floor, pulse)) return false;
    for (int i = 0; i < n; ++i) {
        if (pulse) pulse();
        std::copy_n(&padded[i * stride], n, &a[static_cast<std::size_t>(i) * n]);
    }
    return true;
}

void solve_factored(const std::vector<double>& a, int n, double* b, int n_rhs) {
    for (int k = 0; k < n_rhs; ++k, b += n) {
        for (int i = 0; i < n; ++i) {
            const double* row = &a[static_cast<std::size_t>(i) * n];
            b[i] /= row[i];
            axpy(-b[i], row + i + 1, b + i + 1, n - i - 1);
        }
        for (int i = n - 1; i >= 0; --i) {
            const double* row = &a[static_cast<std::size_t>(i) * n];
            b[i] = (b[i] - dot(row + i + 1, b + i + 1, n - i - 1)) / row[i];
        }
    }
}

bool solve_positive(std::vector<double>& a, int n, double shift, double* b, int n_rhs,
                    const std::function<void()>& pulse) {
    if (!factor_positive(a, n, shift, pulse)) return false;
    solve_factored(a, n, b, n_rhs);
    return true;
}

bool invert(std::vector<double>& a, int n, double least, Watch* watch) {
    std::vector<int> pivot(n);
    const auto row = [&](int i) { return &a[static_cast<std::size_t>(i) * n]; };
    for (int i = 0; i < n; ++i) {
        int best = i;
        for (int r = i + 1; r < n; ++r)
            if (std::fabs(row(r)[i]) > std::fabs(row(best)[i])) best = r;
        pivot[i] = best;
        const double p = row(best)[i];
        if (!(std::fabs(p) > least) || (watch && i % 16 == 0 && watch->expired())) return false;
        if (best != i) std::swap_ranges(row(i), row(i) + n, row(best));
        row(i)[i] = 1;
        for (int j = 0; j < n; ++j) row(i)[j] /= p;
        for (int r = 0; r < n; ++r) {
            if (r == i) continue;
            const double f = row(r)[i];
            if (f == 0) continue;
            row(r)[i] = 0;
            axpy(-f, row(i), row(r), n);
        }
    }
    for (int i = n - 1; i >= 0; --i)
        if (pivot[i] != i)
            for (int r = 0; r < n; ++r) std::swap(row(r)[i], row(r)[pivot[i]]);
    return true;
}

}  // namespace planetree
