#include "c45/levels.hpp"

#include <utility>

namespace planetree::c45 {
namespace {
constexpr std::size_t kLevelsPerCase = 2;  // up to so many, to count levels beats chains
}

template <class Real>
void CaseOrder<Real>::start(const NodeCases<Real>& cases) {
    cases_.resize(cases.n);
    scratch_.resize(cases.n);
    for (std::size_t i = 0; i < cases.n; ++i)
        cases_[i] = {cases.at[i].row, cases.classes[cases.at[i].row], 0, cases.at[i].weight};
}

template <class Real>
Real CaseOrder<Real>::sort(const Column<Real>& column) {
    const Real total = read_levels(column);
    column.n_levels <= kLevelsPerCase* cases_.size() ? sort_by_counts(column)
                                                     : sort_by_chains(column);
    cases_.swap(scratch_);
    return total;
}

template <class Real>
Real CaseOrder<Real>::read_levels(const Column<Real>& column) {
    const std::uint32_t* rank = column.rank.data();
    Real total = 0;
    for (SortedCase<Real>& one : cases_) {
        one.level = rank[one.row];
        total += one.weight;
    }
    return total;
}

template <class Real>
void CaseOrder<Real>::sort_by_counts(const Column<Real>& column) {
    start_.assign(column.n_levels + std::size_t{1}, 0);
    std::uint32_t* start = start_.data();
    for (const SortedCase<Real>& one : cases_) ++start[one.level];
    std::uint32_t before = start[column.n_levels];  // the missing values come first
    start[column.n_levels] = 0;
    for (std::uint32_t level = 0; level < column.n_levels; ++level)
        before += std::exchange(start[level], before);
    SortedCase<Real>* to = scratch_.data();
    for (const SortedCase<Real>& one : cases_) to[start[one.level]++] = one;
}

template <class Real>
void CaseOrder<Real>::sort_by_chains(const Column<Real>& column) {
    const std::uint32_t n_levels = column.n_levels;
    if (head_.size() <= n_levels) head_.resize(n_levels + std::size_t{1});
    marks_.start(n_levels + std::size_t{1}, cases_.size());
    next_.resize(cases_.size());
    std::uint32_t missing = kEnd;
    for (auto i = static_cast<std::uint32_t>(cases_.size()); i-- > 0;) {
        const std::uint32_t level = cases_[i].level;
        if (level == n_levels) {
            next_[i] = missing;
            missing = i;
            continue;
        }
        next_[i] = marks_.has(level) ? head_[level] : kEnd;
        head_[level] = i;
        marks_.add(level);
    }
    SortedCase<Real>* to = scratch_.data();
    const auto take_chain = [&](std::uint32_t first) {
        for (std::uint32_t i = first; i != kEnd; i = next_[i]) *to++ = cases_[i];
    };
    take_chain(missing);
    marks_.drain([&](std::uint32_t level) { take_chain(head_[level]); });
}

template <class Real>
void LevelCounts::count(const Column<Real>& column, const NodeCases<Real>& cases) {
    n_levels_ = column.n_levels;
    n_classes_ = cases.class_begin.size() - 1;
    const std::size_t size = (n_levels_ + 1) * n_classes_;
    if (counts_.size() < size) counts_.resize(size, 0);
    if (levels_.size() <= n_levels_) levels_.resize(n_levels_ + 1);
    n_listed_ = 0;
    is_dense_ = n_levels_ <= 2 * cases.n;
    with_classes(n_classes_, [&](auto n_classes) {
        if (!is_dense_) return count_sparse(column, cases, n_classes);
        cases.count_levels(column.rank.data(), n_classes, counts_.data());
        list_dense(n_classes);
    });
}

template <class Size>
void LevelCounts::list_dense(Size n_classes) {
    const std::uint32_t* counts = counts_.data();
    std::uint32_t* to = levels_.data();
    for (std::uint32_t level = 0; level < n_levels_; ++level) {
        std::uint32_t any = 0;
        for (std::size_t c = 0; c < n_classes; ++c) any |= *counts++;
        *to = level;
        to += any != 0 ? 1 : 0;
    }
    n_listed_ = static_cast<std::size_t>(to - levels_.data());
}

template <class Real, class Size>
void LevelCounts::count_sparse(const Column<Real>& column, const NodeCases<Real>& cases,
                               Size n_classes) {
    cases.count_levels(column.rank.data(), n_classes, counts_.data());
    marks_.start(n_levels_ + 1, cases.n);
    for (const std::uint32_t row : cases.row) marks_.add(column.rank[row]);
    std::uint32_t* to = levels_.data();
    marks_.drain([&](std::uint32_t level) { *to++ = level; });
    n_listed_ = static_cast<std::size_t>(to - levels_.data());
    if (n_listed_ > 0 && to[-1] == n_levels_) --n_listed_;
}

void LevelCounts::clear() {
    if (is_dense_) {
        std::fill_n(counts_.data(), (n_levels_ + 1) * n_classes_, 0U);
        return;
    }
    with_classes(n_classes_, [&](auto n_classes) {
        const auto clear_level = [&](std::size_t level) {
            for (std::size_t c = 0; c < n_classes; ++c) counts_[level * n_classes + c] = 0;
        };
        for (const std::uint32_t level : *this) clear_level(level);
        clear_level(n_levels_);
    });
}

template class CaseOrder<float>;
template class CaseOrder<double>;
template void LevelCounts::count(const Column<float>&, const NodeCases<float>&);
template void LevelCounts::count(const Column<double>&, const NodeCases<double>&);

}  // namespace planetree::c45
