// Classifying rows of the table, and cross-validation.
#pragma once
#include <cstdint>
#include <vector>

#include "c45_search.hpp"
#include "c45_tree.hpp"

namespace planetree::c45 {

template <class Real>
class Classifier {
  public:
    Classifier(const Table<Real>& table, const Tree<Real>& tree);
    std::uint32_t predict(std::uint32_t row);

  private:
    struct Reach {
        std::size_t node;
        double share;
    };

    void collect(const Reach& leaf);

    const Table<Real>& table_;
    const Tree<Real>& tree_;
    std::vector<double> sums_;
    std::vector<Reach> pending_;
};

// What cross-validation counts for one fold and one confidence.
struct FoldResult {
    double errors = 0;  // weight of the rows left out that the pruned tree gets wrong
    std::size_t n_nodes = 0;
};

// One tree a fold, grown from the rows of all others and pruned at each confidence (one below 0
// leaves it as grown); results by fold, then by confidence. A row of negative fold is in none.
template <class Real>
std::vector<FoldResult> cross_validate(const Table<Real>& table,
                                       const std::vector<std::int64_t>& fold_of_row,
                                       std::size_t n_folds,
                                       const std::vector<std::uint32_t>& columns,
                                       const std::vector<double>& confidences,
                                       const Options& options, Pulse& pulse);

extern template class Classifier<float>;
extern template class Classifier<double>;

}  // namespace planetree::c45
