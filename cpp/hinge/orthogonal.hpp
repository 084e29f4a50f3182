// Features made orthonormal over the rows, each row counted by its charge.
//
// Columns that nearly repeat one another leave a Hessian without digits. In terms of orthonormal
// features q, with x_j = mean_j + sum_{i <= j} R_ij q_i, it has them all; a column that the ones
// before it make up gets R_jj = 0 and no weight.
#pragma once

#include <functional>
#include <vector>

#include "hinge/tiles.hpp"

namespace planetree {

class Orthogonal {
  public:
    Orthogonal(const Tiles& tiles, const std::function<void()>& pulse);

    const Tiles& tiles() const { return tiles_; }
    // Unknowns of the original features as unknowns of the orthonormal ones, and back.
    std::vector<double> into(const std::vector<double>& z) const;
    std::vector<double> out_of(const std::vector<double>& z) const;

  private:
    double& at(int i, int j) { return factor_[static_cast<std::size_t>(i) * tiles_.shape.n + j]; }
    double at(int i, int j) const {
        return factor_[static_cast<std::size_t>(i) * tiles_.shape.n + j];
    }

    Tiles tiles_;
    std::vector<double> mean_, factor_;
};

// Whether columns nearly repeat one another.
// `pulse` is called some times a second at least and may throw.
bool nearly_dependent(const Tiles& tiles, const std::function<void()>& pulse);

}  // namespace planetree
