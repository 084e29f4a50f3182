// Pessimistic pruning with subtree raising.
#pragma once
#include "c45/tree.hpp"
#include "core/watch.hpp"

namespace planetree::c45 {

// Errors to add to e observed among n cases: an upper confidence limit, less e.
template <class Real>
class AddedErrors {
  public:
    explicit AddedErrors(double confidence);
    Real operator()(Real n, Real e) const;

  private:
    Real none(Real n) const;  // added to no error at all

    Real confidence_;
    Real z2_;  // squared deviate of the confidence, by interpolation in a short table
};

// The pruned tree, its nodes in preorder; the tree as it was if time is up before.
template <class Real>
Tree<Real> prune(const Table<Real>& table, const Tree<Real>& tree, double confidence, bool subsets,
                 Watch& watch);

extern template class AddedErrors<float>;
extern template class AddedErrors<double>;

}  // namespace planetree::c45
