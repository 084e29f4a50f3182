// The rows of a hinge program, laid out for vector instructions.
//
// A program has m rows x_i of n features, each of one of k classes, and unknowns z: one block
// (w_c, gamma_c) of n + 1 numbers a class. Row i of class a makes k - 1 constraints, one for each
// other class j:
//
//     s_ij . z = (w_a x_i - gamma_a) - (w_j x_i - gamma_j)  should be at least 1.
//
// The first class may have its block fixed at zero, since only differences matter; then k = 2 is
// the program of one plane. Rows of one class are stored together in tiles of kLanes rows, column
// by column, so that one instruction serves several rows. Unused lanes have charge 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/threads.hpp"
#include "core/unset_numbers.hpp"

namespace planetree {

constexpr int kLanes = 16;
constexpr std::size_t kBlockTiles = kBlockRows / kLanes;
constexpr std::size_t kPartNumbers = 1 << 15;  // of a part that is looked at alone

struct Shape {
    int n = 0;       // features
    int k = 0;       // classes
    int blocks = 0;  // k, or k - 1 when the first class has its block fixed at zero

    int width() const { return n + 1; }
    int size() const { return blocks * width(); }
    int slots() const { return k - 1; }
    // Where the block of class c begins in z; negative if it is fixed at zero.
    int begin(int c) const { return (c - (k - blocks)) * width(); }
    // The class that slot s of a row of class a is held against.
    static int other(int a, int s) { return s < a ? s : s + 1; }
};

struct Tiles {
    Shape shape;
    UnsetNumbers x;                // tile, column, lane
    std::vector<double> charge;    // tile, lane
    std::vector<int> tile_class;   // tile
    std::vector<std::int64_t> id;  // tile, lane: what the caller calls the row; -1 if unused
    std::vector<double> costs;     // class, rival: factor on the charge of a row; empty if all 1

    std::size_t count() const { return tile_class.size(); }
    std::size_t n_lanes() const { return charge.size(); }
    std::size_t n_constraints() const { return charge.size() * shape.slots(); }
    const double* tile(std::size_t t) const { return x.data() + t * shape.n * kLanes; }

    // The lane of a constraint, and the class it is held against.
    std::size_t lane_of(std::size_t c) const {
        return c / (kLanes * shape.slots()) * kLanes + c % kLanes;
    }
    int rival_of(std::size_t c) const {
        const int slots = shape.slots();
        return Shape::other(tile_class[c / (kLanes * slots)], static_cast<int>(c / kLanes % slots));
    }
};

// Appends rows of one class at a time.
class TilesBuilder {
  public:
    TilesBuilder(Shape shape, std::vector<double> costs, std::size_t n_rows);
    // x[j * stride] is feature j of the row.
    void add(int row_class, const double* x, std::size_t stride, double charge, std::int64_t id);
    Tiles finish() { return std::move(tiles_); }

  private:
    Tiles tiles_;
    int lane_ = kLanes;
};

// What a unit of violation of each constraint costs.
std::vector<double> charges(const Tiles& tiles);
// out[c] = s_c . z for every constraint c.
void margins(const Tiles& tiles, const double* z, double* out);
// out += sum over constraints of a[c] s_c.
void accumulate(const Tiles& tiles, const double* a, double* out);

// The same for the tiles from `first` to before `last` alone, of whose constraints the arrays are.
std::vector<double> charges(const Tiles& tiles, std::size_t first, std::size_t last);
void margins(const Tiles& tiles, std::size_t first, std::size_t last, const double* z, double* out);
void accumulate(const Tiles& tiles, std::size_t first, std::size_t last, const double* a,
                double* out);
// Tiles of a block, if each keeps a number for every unknown: with many, fewer and larger ones.
std::size_t tiles_a_sum(const Tiles& tiles);
// s_c . v and out += factor * s_c for one constraint.
double dot(const Tiles& tiles, std::size_t c, const double* v);
void add(const Tiles& tiles, std::size_t c, double factor, double* out);

// True if every plane of z has w = 0.
bool no_normal(const Shape& shape, const std::vector<double>& z);

// The same rows with some of their features.
Tiles select(const Tiles& tiles, const std::vector<int>& features);
// Copies unknowns between a program and its restriction to some features.
template <class Copy>
void for_unknowns(const Shape& whole, const Shape& part, const std::vector<int>& features,
                  Copy&& copy) {
    for (int b = 0; b < part.blocks; ++b) {
        for (int j = 0; j < part.n; ++j)
            copy(b * part.width() + j, b * whole.width() + features[j]);
        copy(b * part.width() + part.n, b * whole.width() + whole.n);
    }
}

// One row in `share` of each class, at least a few, with the charge of the whole class.
Tiles sample(const Tiles& tiles, std::size_t share);
// Calls visit(first, last) for parts that together are the tiles from `begin` to before `end`, each
// so small that it and arrays of its constraints stay in the cache: with many classes, those of all
// fill the memory.
template <class Visit>
void for_parts(const Tiles& tiles, std::size_t begin, std::size_t end, Visit&& visit) {
    const std::size_t widest = kLanes * std::max(tiles.shape.slots(), tiles.shape.n);
    const std::size_t step = std::max<std::size_t>(1, kPartNumbers / widest);
    for (std::size_t first = begin; first < end; first += step)
        visit(first, std::min(first + step, end));
}
// The rows for which keep[lane] is true; a row keeps its lane number as its id.
Tiles gather(const Tiles& tiles, const std::vector<char>& keep);

}  // namespace planetree
