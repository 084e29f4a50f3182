#include "c45/classify.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "c45/grow.hpp"
#include "c45/prune.hpp"

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

constexpr std::size_t kPrediction = 32;  // work that it takes, about

template <class Real>
FoldResult test_fold(const Table<Real>& table, const Tree<Real>& tree,
                     const std::vector<std::uint32_t>& rows, Watch& watch) {
    Classifier<Real> classifier(table, tree);
    FoldResult result;
    result.n_nodes = tree.nodes.size();
    for (const std::uint32_t row : rows) {
        if (watch.expired_after(kPrediction)) break;
        if (classifier.predict(row) != table.classes[row])
            result.errors += static_cast<double>(table.weights[row]);
    }
    return result;
}

}  // namespace

template <class Real>
CrossValidator<Real>::CrossValidator(const Table<Real>& table,
                                     const std::vector<std::int64_t>& fold_of_row,
                                     const std::vector<std::int64_t>& folds,
                                     const std::vector<double>& confidences, const Options& options,
                                     double max_bytes, std::function<void()> interrupt)
    : table_(table),
      confidences_(confidences),
      options_(options),
      interrupt_(std::move(interrupt)),
      folds_(folds.size()),
      grower_(table_, options_, watch_),
      gains_(table.columns.size(), folds.size(), max_bytes),
      keeps_gains_(max_bytes > 0) {
    for (std::size_t i = 0; i < folds.size(); ++i)
        for (std::uint32_t row = 0; row < fold_of_row.size(); ++row) {
            if (fold_of_row[row] < 0) continue;
            const bool out = fold_of_row[row] == folds[i];
            (out ? folds_[i].held_out : folds_[i].training).push_back(row);
        }
}

template <class Real>
std::optional<std::vector<FoldResult>> CrossValidator<Real>::run(
    const std::vector<std::uint32_t>& columns, double seconds) {
    const std::lock_guard<std::mutex> lock(busy_);
    watch_ = Watch(seconds, [this] {
        if (stopped_) throw std::runtime_error("The cross-validation was stopped.");
        interrupt_();
    });
    std::vector<FoldResult> results;
    for (std::size_t i = 0; i < folds_.size(); ++i) {
        const Fold& fold = folds_[i];
        Gains<Real>* gains = keeps_gains_ ? &gains_ : nullptr;
        const Tree<Real> grown = grower_.run(fold.training, columns, gains, i);
        for (const double confidence : confidences_) {
            if (confidence < 0) {
                results.push_back(test_fold(table_, grown, fold.held_out, watch_));
                continue;
            }
            const auto pruned = prune(table_, grown, confidence, options_.subsets, watch_);
            results.push_back(test_fold(table_, pruned, fold.held_out, watch_));
        }
        if (watch_.is_late()) return std::nullopt;
    }
    return results;
}

template class Classifier<float>;
template class Classifier<double>;
template class CrossValidator<float>;
template class CrossValidator<double>;

}  // namespace planetree::c45
