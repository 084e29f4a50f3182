// Classifying rows of the table, and cross-validation.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "c45/grow.hpp"
#include "c45/tree.hpp"

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

// Cross-validation of one subset of the columns after another. A tree is grown for each of the
// given folds, from the rows of all others, and pruned at each confidence (one below 0 leaves it as
// grown); a row of negative fold is in none.
template <class Real>
class CrossValidator {
  public:
    // max_bytes: of memory for what columns offer at nodes.
    CrossValidator(const Table<Real>& table, const std::vector<std::int64_t>& fold_of_row,
                   const std::vector<std::int64_t>& folds, const std::vector<double>& confidences,
                   const Options& options, double max_bytes, std::function<void()> interrupt);

    // Results by fold, then by confidence; none if the seconds (below 0: no limit) do not suffice.
    std::optional<std::vector<FoldResult>> run(const std::vector<std::uint32_t>& columns,
                                               double seconds);
    // Makes a run in another thread end with an exception, and those to come, until it is undone.
    void stop(bool stopped) { stopped_ = stopped; }
    std::size_t n_columns() const { return table_.columns.size(); }
    std::size_t n_folds() const { return folds_.size(); }
    std::size_t n_confidences() const { return confidences_.size(); }

  private:
    struct Fold {
        std::vector<std::uint32_t> training, held_out;
    };

    const Table<Real>& table_;
    std::vector<double> confidences_;
    Options options_;
    std::function<void()> interrupt_;
    std::atomic<bool> stopped_{false};
    Watch watch_;
    std::vector<Fold> folds_;
    Grower<Real> grower_;
    Gains<Real> gains_;
    bool keeps_gains_;
    std::mutex busy_;
};

extern template class Classifier<float>;
extern template class Classifier<double>;
extern template class CrossValidator<float>;
extern template class CrossValidator<double>;

}  // namespace planetree::c45
