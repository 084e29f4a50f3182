// Categories grouped into subsets, one branch a subset (the option -s of C4.5).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/search.hpp"

namespace planetree::c45 {

// Starts from one block a category and merges pairs of blocks while that pays.
template <class Real>
class SubsetSearch {
  public:
    // counts: n_values x n_classes class counts of the known cases.
    SubsetSearch(Logs<Real>& logs, Watch& watch, const Parts<Real>& parts, const Options& options,
                 double min_cases, std::size_t n_classes);
    void run(const std::vector<Real>& counts, std::size_t n_values, Candidate<Real>& found);

  private:
    struct Score {
        Real gain, info, worth;
    };
    struct Pair {
        std::size_t first = 0, second = 0;  // equal: no pair
        Score score{};
    };

    void open_blocks(const std::vector<Real>& counts, std::size_t n_values);
    bool merge_pure_blocks();
    bool is_pure(std::size_t block, std::size_t cls) const;
    void climb();
    Pair best_pair(std::size_t n_reasonable, Real half) const;
    bool replaces(const Pair& best, const Score& score, std::size_t n_reasonable, Real half) const;
    Score score_merged(std::size_t i, std::size_t j) const;
    Score score(double min_cases) const { return score_of(min_cases, blocks(), blocks(), 0, 0); }
    Score score_of(double min_cases, std::size_t i, std::size_t j, Real merged_weight,
                   Real merged_mass) const;
    void merge(std::size_t i, std::size_t j);
    Real mass_of(const Real* counts) const;
    std::size_t reasonable() const;
    std::size_t largest() const;
    std::size_t blocks() const { return weight_.size(); }
    const Real* counts_of(std::size_t block) const { return counts_.data() + block * n_classes_; }
    void finish(Candidate<Real>& found) const;

    Logs<Real>& logs_;
    Watch& watch_;
    const Parts<Real>& parts_;
    const Options& options_;
    double min_cases_;
    std::size_t n_classes_;
    std::vector<Real> weight_, mass_, counts_;
    std::vector<std::int32_t> owner_;  // block of each category, -1 for those hardly seen
    mutable std::vector<Real> merged_;
    Score now_{};
};

extern template class SubsetSearch<float>;
extern template class SubsetSearch<double>;

}  // namespace planetree::c45
