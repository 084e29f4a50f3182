#include "hinge/hessian.hpp"

#include <algorithm>

#include "core/dense.hpp"
#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr std::size_t kProductsAPulse = 50'000'000;

// Rows of the tiles first..last - 1 held against their rival in slot s; false if none counts.
bool gather_pair(const Tiles& tiles, const double* weight, std::size_t first, std::size_t last,
                 int s, Gram& gram, const std::function<void()>& pulse) {
    const Shape& shape = tiles.shape;
    bool any = false;
    const std::size_t often = 1 + kProductsAPulse / kLanes / shape.width() / shape.width();
    for (std::size_t t = first; t < last; ++t) {
        if (pulse && t % often == 0) pulse();
        const double* w = weight + (t * shape.slots() + s) * kLanes;
        for (int l = 0; l < kLanes; ++l) {
            if (w[l] == 0) continue;
            any = true;
            double* row = gram.next_row(w[l]);
            const double* x = tiles.tile(t) + l;
            for (int j = 0; j < shape.n; ++j) row[j] = x[j * kLanes];
            row[shape.n] = -1;
        }
    }
    return any;
}

// A pair of classes adds its matrix to the blocks of both and takes it from where they cross.
void scatter(Gram& gram, int width, int own, int rival, std::size_t size, double* to) {
    const std::vector<double>& sum = gram.finish();
    const int first = std::min(own, rival), second = std::max(own, rival);
    for (int i = 0; i < width; ++i)
        for (int j = i; j < width; ++j) {
            const double g = sum[static_cast<std::size_t>(i) * gram.stride() + j];
            if (own >= 0) to[(own + i) * size + own + j] += g;
            if (rival >= 0) to[(rival + i) * size + rival + j] += g;
            if (first < 0) continue;
            to[(first + i) * size + second + j] -= g;
            if (i != j) to[(first + j) * size + second + i] -= g;
        }
}

PLANETREE_VECTOR
void add_squares(const double* x, const double* w, int n, double* out) {
    for (int j = 0; j < n; ++j) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int l = 0; l < kLanes; ++l) sum += w[l] * x[j * kLanes + l] * x[j * kLanes + l];
        out[j] += sum;
    }
    for (int l = 0; l < kLanes; ++l) out[n] += w[l];
}

}  // namespace

void add_gram(const Tiles& tiles, const double* weight, std::vector<double>& sum,
              const std::function<void()>& pulse) {
    const Shape& shape = tiles.shape;
    for (std::size_t first = 0, last; first < tiles.count(); first = last) {
        const int a = tiles.tile_class[first];
        for (last = first; last < tiles.count() && tiles.tile_class[last] == a;) ++last;
        for (int s = 0; s < shape.slots(); ++s) {
            if (pulse) pulse();
            Gram gram(shape.width());
            if (gather_pair(tiles, weight, first, last, s, gram, pulse))
                scatter(gram, shape.width(), shape.begin(a), shape.begin(Shape::other(a, s)),
                        shape.size(), sum.data());
        }
    }
}

void add_gram_diagonal(const Tiles& tiles, const double* weight, double* sum) {
    const Shape& shape = tiles.shape;
    for (std::size_t t = 0; t < tiles.count(); ++t)
        for (int s = 0; s < shape.slots(); ++s, weight += kLanes) {
            const int a = tiles.tile_class[t];
            for (const int block : {shape.begin(a), shape.begin(Shape::other(a, s))})
                if (block >= 0) add_squares(tiles.tile(t), weight, shape.n, sum + block);
        }
}

}  // namespace planetree
