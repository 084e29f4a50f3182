// Columns one by one: their best cuts, their means and deviations.
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/cuts.hpp"
#include "core/moments.hpp"

namespace planetree {

namespace {

nb::tuple best_cuts_of(const Matrix& x, const Codes& classes, const Vector& weights, int n_classes,
                       double least, bool gini, std::optional<double> time_limit) {
    check_rows(x, classes, weights);
    const std::size_t n = x.shape(1);
    const Impurity impurity = gini ? Impurity::gini : Impurity::entropy;
    std::vector<Cut> cuts;
    Watch limit = watch(time_limit);
    {
        nb::gil_scoped_release release;
        cuts = best_cuts(x.data(), classes.data(), weights.data(), x.shape(0), static_cast<int>(n),
                         n_classes, least, impurity, limit);
    }
    std::vector<double> thresholds, impurities;
    for (const Cut& cut : cuts) {
        thresholds.push_back(cut.threshold);
        impurities.push_back(cut.impurity);
    }
    return nb::make_tuple(to_numpy(std::move(thresholds)), to_numpy(std::move(impurities)));
}

nb::tuple moments_of(const Matrix& x, const Vector& weights) {
    const std::size_t m = x.shape(0), n = x.shape(1);
    if (weights.shape(0) != m) throw std::invalid_argument("weights need one entry a row");
    std::vector<double> center(n), scale(n);
    {
        nb::gil_scoped_release release;
        column_moments(x.data(), weights.data(), m, static_cast<int>(n), center.data(),
                       scale.data());
    }
    return nb::make_tuple(to_numpy(std::move(center)), to_numpy(std::move(scale)));
}

}  // namespace

void bind_columns(nb::module_& module) {
    module.def("best_cuts", &best_cuts_of, "x"_a, "classes"_a, "weights"_a, "n_classes"_a,
               "least"_a, "gini"_a = false, "time_limit"_a = nb::none(),
               "Threshold of the best cut of each column, and the impurity that it leaves, times "
               "weight: entropy in nats, or Gini's index.");
    module.def("column_moments", &moments_of, "x"_a, "weights"_a,
               "Weighted mean and standard deviation of each column.");
}

}  // namespace planetree
