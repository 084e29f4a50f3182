// The best cut of a number column at a node.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45_candidate.hpp"
#include "c45_entropy.hpp"

namespace planetree::c45 {

inline std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<std::uint32_t>(__builtin_ctzll(bits));
#else
    std::uint32_t at = 0;
    while ((bits >> at & 1) == 0) ++at;
    return at;
#endif
}

// The places of the cases of a node, sorted by one column after another: those with a missing value
// first, equals in the order they had. Where a column has not too many levels, cases are hung up
// at their level, as chains, and the levels in use are marked, one bit each.
class CaseOrder {
  public:
    static bool prefers_chains(std::uint32_t n_levels, std::size_t n);

    void start(std::size_t n);
    // rank: of each row; n_levels where the value is missing.
    void sort(const std::uint32_t* rank, std::uint32_t n_levels, const std::uint32_t* row);
    const std::vector<std::uint32_t>& places() const { return places_; }

  private:
    static constexpr std::uint32_t kEnd = 0xFFFFFFFF;

    void sort_by_chains(const std::uint32_t* rank, const std::uint32_t* row);
    void sort_by_keys(const std::uint32_t* rank, const std::uint32_t* row);

    std::uint32_t n_levels_ = 0;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> head_;   // first case of a marked level
    std::vector<std::uint32_t> next_;   // the case after each
    std::vector<std::uint64_t> marks_;  // all 0 between uses
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> scratch_;
};

// Cases of weight 1: how many of each class a level has.
class LevelCounts {
  public:
    void count(const std::uint32_t* rank, std::uint32_t n_levels, const std::uint32_t* row,
               const std::uint32_t* cls, std::size_t n, std::size_t n_classes);
    const std::uint32_t* missing() const { return counts_.data() + n_levels_ * n_classes_; }

    // Calls visit(level, class counts) in ascending order until it gives false, and clears all.
    template <class Visit>
    void visit_known(const Visit& visit) {
        bool goes_on = true;
        for (std::size_t word = 0; word <= n_levels_ / 64; ++word) {
            for (std::uint64_t left = marks_[word]; left != 0; left &= left - 1) {
                const auto level = static_cast<std::uint32_t>(64 * word) + lowest_bit(left);
                std::uint32_t* counts = counts_.data() + level * n_classes_;
                if (goes_on) goes_on = visit(level, counts);
                for (std::size_t c = 0; c < n_classes_; ++c) counts[c] = 0;
            }
            marks_[word] = 0;
        }
        std::fill_n(counts_.data() + n_levels_ * n_classes_, n_classes_, 0U);
    }

  private:
    std::size_t n_levels_ = 0, n_classes_ = 0;
    std::vector<std::uint32_t> counts_;  // all 0 between uses
    std::vector<std::uint64_t> marks_;   // all 0 between uses
};

template <class Real>
class NumberSearch {
  public:
    NumberSearch(const Table<Real>& table, Logs<Real>& logs)
        : log2s_(table.log2s), n_classes_(table.n_classes), logs_(logs) {}

    // The order of the cases of a node: `run` sorts it by the column unless all have weight 1.
    void start_node(std::size_t n) { order_.start(n); }
    const std::vector<std::uint32_t>& places() const { return order_.places(); }
    void run(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
             Candidate<Real>& found);
    void sort(const Column<Real>& column, const NodeCases<Real>& cases) {
        order_.sort(column.rank.data(), column.n_levels, cases.row);
    }

  private:
    template <class Classes>
    void scan_counts(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
                     Candidate<Real>& found);
    template <class Classes>
    void scan_cases(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
                    Candidate<Real>& found);
    Real sum_known(const Column<Real>& column, const NodeCases<Real>& cases);

    const std::vector<double>& log2s_;
    std::size_t n_classes_;
    Logs<Real>& logs_;
    CaseOrder order_;
    LevelCounts counts_;
    std::vector<std::uint32_t> whole_known_;  // class counts of the cases whose value is known
    std::vector<Real> known_;
};

extern template class NumberSearch<float>;
extern template class NumberSearch<double>;

}  // namespace planetree::c45
