// What every binding shares: numpy arrays as the core reads and returns them, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

namespace nb = nanobind;
using namespace nb::literals;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Hands the memory of a vector to numpy; to be read only if `Item` is constant.
template <class T, class Item = T>
nb::ndarray<nb::numpy, Item> to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, Item>(owned->data(), shape.size(), shape.data(), owner);
}

template <class T>
nb::ndarray<nb::numpy, const T> frozen(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy<T, const T>(std::move(values), {size});
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

std::vector<double> to_vector(const Vector& v, std::size_t size, const char* name);

// The entries as indices below `bound`; an error names `what` there are.
std::vector<std::uint32_t> indices(const Indices& given, std::size_t bound, const char* what);

// Throws unless there is a class and a weight for each row of x.
void check_rows(const Matrix& x, const Codes& classes, const Vector& weights);

// Lets work done without the GIL be interrupted from the keyboard.
void check_signals();

// A watch for work done without the GIL: Ctrl-C is seen a few times a second.
Watch watch(std::optional<double> time_limit);

}  // namespace planetree
