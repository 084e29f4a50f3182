#include "c45_classify.hpp"

#include <algorithm>

#include "c45_grow.hpp"
#include "c45_prune.hpp"

namespace planetree::c45 {

template <class Real>
Classifier<Real>::Classifier(const Table<Real>& table, const Tree<Real>& tree)
    : table_(table), tree_(tree), sums_(table.n_classes) {}

// The class of the largest sum over the leaves that the row reaches, the first of equals.
template <class Real>
std::uint32_t Classifier<Real>::predict(std::uint32_t row) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    pending_.assign(1, {0, 1.0});
    while (!pending_.empty()) {
        const Reach reach = pending_.back();
        pending_.pop_back();
        const Node<Real>& node = tree_.nodes[reach.node];
        if (node.is_leaf()) {
            collect(reach);
            continue;
        }
        const std::int32_t branch = Test<Real>(table_, tree_, node).branch(row);
        if (branch >= 0) {
            pending_.push_back({tree_.child(node, static_cast<std::size_t>(branch)), reach.share});
            continue;
        }
        for (std::size_t b = node.n_branches; b-- > 0;) {
            const std::size_t child = tree_.child(node, b);
            const auto weight = static_cast<double>(tree_.nodes[child].weight);
            const double share = reach.share * (weight / static_cast<double>(node.weight));
            if (share > 0) pending_.push_back({child, share});
        }
    }
    return static_cast<std::uint32_t>(std::max_element(sums_.begin(), sums_.end()) - sums_.begin());
}

template <class Real>
void Classifier<Real>::collect(const Reach& leaf) {
    const Node<Real>& node = tree_.nodes[leaf.node];
    if (!(node.weight > 0)) {
        sums_[node.majority] += leaf.share;
        return;
    }
    const Real* counts = tree_.counts_of(leaf.node);
    for (std::size_t c = 0; c < sums_.size(); ++c)
        sums_[c] +=
            leaf.share * (static_cast<double>(counts[c]) / static_cast<double>(node.weight));
}

namespace {

template <class Real>
FoldResult test_fold(const Table<Real>& table, const Tree<Real>& tree,
                     const std::vector<std::uint32_t>& rows) {
    Classifier<Real> classifier(table, tree);
    FoldResult result;
    result.n_nodes = tree.nodes.size();
    for (const std::uint32_t row : rows)
        if (classifier.predict(row) != table.classes[row])
            result.errors += static_cast<double>(table.weights[row]);
    return result;
}

}  // namespace

template <class Real>
std::vector<FoldResult> cross_validate(const Table<Real>& table,
                                       const std::vector<std::int64_t>& fold_of_row,
                                       std::size_t n_folds,
                                       const std::vector<std::uint32_t>& columns,
                                       const std::vector<double>& confidences,
                                       const Options& options, Pulse& pulse) {
    std::vector<FoldResult> results;
    Grower<Real> grower(table, columns, options, pulse);
    std::vector<std::uint32_t> training, held_out;
    for (std::size_t fold = 0; fold < n_folds; ++fold) {
        training.clear();
        held_out.clear();
        for (std::uint32_t row = 0; row < fold_of_row.size(); ++row) {
            if (fold_of_row[row] < 0) continue;
            const bool out = fold_of_row[row] == static_cast<std::int64_t>(fold);
            (out ? held_out : training).push_back(row);
        }
        const Tree<Real> grown = grower.run(training);
        for (const double confidence : confidences) {
            if (confidence < 0) {
                results.push_back(test_fold(table, grown, held_out));
                continue;
            }
            const auto pruned = prune(table, grown, confidence, options.subsets, pulse);
            results.push_back(test_fold(table, pruned, held_out));
        }
    }
    return results;
}

template class Classifier<float>;
template class Classifier<double>;
template std::vector<FoldResult> cross_validate(const Table<float>&,
                                                const std::vector<std::int64_t>&, std::size_t,
                                                const std::vector<std::uint32_t>&,
                                                const std::vector<double>&, const Options&, Pulse&);
template std::vector<FoldResult> cross_validate(const Table<double>&,
                                                const std::vector<std::int64_t>&, std::size_t,
                                                const std::vector<std::uint32_t>&,
                                                const std::vector<double>&, const Options&, Pulse&);

}  // namespace planetree::c45
