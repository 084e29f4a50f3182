#include "bindings/arrays.hpp"

#include <stdexcept>
#include <string>

namespace planetree {

std::vector<double> to_vector(const Vector& v, std::size_t size, const char* name) {
    if (v.shape(0) != size)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(v.shape(0)) +
                                    " entries instead of " + std::to_string(size));
    return std::vector<double>(v.data(), v.data() + size);
}

std::vector<std::uint32_t> indices(const Indices& given, std::size_t bound, const char* what) {
    std::vector<std::uint32_t> found;
    found.reserve(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given(i) < 0 || given(i) >= static_cast<std::int64_t>(bound))
            throw nb::index_error(("The table has " + std::to_string(bound) + " " + what +
                                   ", but number " + std::to_string(given(i)) + " is asked for.")
                                      .c_str());
        found.push_back(static_cast<std::uint32_t>(given(i)));
    }
    return found;
}

void check_rows(const Matrix& x, const Codes& classes, const Vector& weights) {
    if (classes.shape(0) != x.shape(0) || weights.shape(0) != x.shape(0))
        throw std::invalid_argument("classes and weights need one entry a row");
}

void check_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Watch watch(std::optional<double> time_limit) {
    return Watch(time_limit ? *time_limit : -1.0, check_signals);
}

}  // namespace planetree
