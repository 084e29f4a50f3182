// The levels of a column that the cases of a node have: counted, or sorted by them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "c45/node.hpp"

namespace planetree::c45 {

// Calls with the number of classes, which is known while compiling if there are two.
template <class Call>
void with_classes(std::size_t n, const Call& call) {
    n == 2 ? call(std::integral_constant<std::size_t, 2>()) : call(n);
}

// A set of whole numbers: a bit each and, if they are few among many, a bit for each 64 of them
// that tells where to look.
class Marks {
  public:
    // For about n numbers below `size`.
    void start(std::size_t size, std::size_t n) {
        n_words_ = size / 64 + 1;
        is_sparse_ = n_words_ > n;
        if (words_.size() >= n_words_) return;
        words_.resize(n_words_, 0);
        blocks_.resize(n_words_ / 64 + 1, 0);
    }

    bool has(std::uint32_t x) const { return (words_[x / 64] >> (x % 64) & 1) != 0; }

    void add(std::uint32_t x) {
        words_[x / 64] |= std::uint64_t{1} << (x % 64);
        if (is_sparse_) blocks_[x / 4096] |= std::uint64_t{1} << (x / 64 % 64);
    }

    // Visits all of them in ascending order, and removes them.
    template <class Visit>
    void drain(const Visit& visit) {
        const auto drain_word = [&](std::size_t w) {
            for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
                visit(static_cast<std::uint32_t>(64 * w) + lowest_bit(word));
            words_[w] = 0;
        };
        if (!is_sparse_) {
            for (std::size_t w = 0; w < n_words_; ++w) drain_word(w);
            return;
        }
        for (std::size_t b = 0; b <= n_words_ / 64; ++b) {
            for (std::uint64_t block = blocks_[b]; block != 0; block &= block - 1)
                drain_word(64 * b + lowest_bit(block));
            blocks_[b] = 0;
        }
    }

  private:
    std::size_t n_words_ = 0;
    bool is_sparse_ = false;
    std::vector<std::uint64_t> words_, blocks_;  // all 0 between uses
};

// A case as it is moved when sorting.
template <class Real>
struct SortedCase {
    std::uint32_t row, cls, level;  // of the column sorted by last
    Real weight;
};

// The cases of a node, sorted by one column after another: those with a missing value first, equals
// in the order they had. Where there are many levels, cases are hung up at them as chains.
template <class Real>
class CaseOrder {
  public:
    void start(const NodeCases<Real>& cases);
    // Gives the weight of all of them, added up in the order they had before.
    Real sort(const Column<Real>& column);
    const std::vector<SortedCase<Real>>& cases() const { return cases_; }

  private:
    static constexpr std::uint32_t kEnd = 0xFFFFFFFF;

    Real read_levels(const Column<Real>& column);
    void sort_by_counts(const Column<Real>& column);
    void sort_by_chains(const Column<Real>& column);

    std::vector<SortedCase<Real>> cases_, scratch_;
    std::vector<std::uint32_t> start_;  // of each level
    std::vector<std::uint32_t> head_;   // first case of a marked level
    std::vector<std::uint32_t> next_;   // the case after each
    Marks marks_;
};

// How many cases of each class a level has, if every weight is 1.
class LevelCounts {
  public:
    template <class Real>
    void count(const Column<Real>& column, const NodeCases<Real>& cases);
    const std::uint32_t* missing() const { return counts_.data() + n_levels_ * n_classes_; }
    // The levels that have cases, in ascending order.
    const std::uint32_t* begin() const { return levels_.data(); }
    const std::uint32_t* end() const { return levels_.data() + n_listed_; }
    const std::uint32_t* at(std::uint32_t level) const {
        return counts_.data() + level * n_classes_;
    }
    void clear();

  private:
    template <class Size>
    void list_dense(Size n_classes);
    template <class Real, class Size>
    void count_sparse(const Column<Real>& column, const NodeCases<Real>& cases, Size n_classes);

    std::size_t n_levels_ = 0, n_classes_ = 0, n_listed_ = 0;
    bool is_dense_ = false;
    std::vector<std::uint32_t> counts_;  // all 0 between uses
    std::vector<std::uint32_t> levels_;
    Marks marks_;
};

extern template class CaseOrder<float>;
extern template class CaseOrder<double>;

}  // namespace planetree::c45
