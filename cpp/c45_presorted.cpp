#include "c45_presorted.hpp"

#include <algorithm>
#include <numeric>

namespace planetree::c45 {
namespace {

constexpr std::size_t kMostClasses = 256;
constexpr std::size_t kMostCases = std::size_t{1} << 24;
constexpr std::size_t kManyLevels = 2048;                 // counts of fewer stay near the processor
constexpr std::size_t kMostItems = std::size_t{1} << 25;  // in all lists: a quarter of a gigabyte

}  // namespace

template <class Real>
void Presorted<Real>::start(const Table<Real>& table, const std::vector<std::uint32_t>& columns,
                            const std::vector<Case<Real>>& cases) {
    lists_.clear();
    if (table.n_classes > kMostClasses || cases.size() >= kMostCases) return;
    const auto has_many = [&](std::uint32_t c) {
        return table.columns[c].is_number && table.columns[c].n_levels > kManyLevels;
    };
    const auto n_lists =
        static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), has_many));
    if (cases.size() <= kManyLevels || n_lists == 0 || n_lists > kMostItems / cases.size()) return;
    classes_ = table.classes.data();
    rows_.resize(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) rows_[i] = cases[i].row;
    scratch_.resize(rows_.size());
    lists_.resize(columns.size());
    for (std::size_t slot = 0; slot < columns.size(); ++slot)
        if (has_many(columns[slot])) fill(table.columns[columns[slot]], lists_[slot]);
}

template <class Real>
void Presorted<Real>::fill(const Column<Real>& column, std::vector<SortedItem>& list) {
    start_.assign(column.n_levels + std::size_t{1}, 0);
    for (const std::uint32_t row : rows_) ++start_[column.rank[row] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    list.resize(rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
        const std::uint32_t level = column.rank[rows_[i]];
        list[start_[level]++] = {level, classes_[rows_[i]] & 0xFF, i & 0xFFFFFF};
    }
}

template <class Real>
void Presorted<Real>::divide(const Test<Real>& test, std::uint32_t n_branches, Segment cases) {
    if (lists_.empty()) return;
    n_branches == 2 ? read_branches(test, cases, is_high_) : read_branches(test, cases, branch_);
    for (std::vector<SortedItem>& list : lists_) {
        if (list.empty()) continue;
        n_branches == 2 ? split_in_two(list.data() + cases.begin, cases.size())
                        : sort_by_branch(list.data() + cases.begin, cases.size(), n_branches);
    }
}

template <class Real>
template <class Branch>
void Presorted<Real>::read_branches(const Test<Real>& test, Segment cases,
                                    std::vector<Branch>& branches) {
    branches.resize(rows_.size());
    const auto any =
        std::find_if(lists_.begin(), lists_.end(), [](const auto& list) { return !list.empty(); });
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        const std::uint32_t number = (*any)[i].number;
        branches[number] = static_cast<Branch>(test.branch(rows_[number]));
    }
}

template <class Real>
void Presorted<Real>::split_in_two(SortedItem* list, std::size_t n) {
    SortedItem *low = list, *high = scratch_.data();
    for (std::size_t i = 0; i < n; ++i) {
        const SortedItem item = list[i];
        const std::size_t is_high = is_high_[item.number];
        *low = item;
        *high = item;
        low += 1 - is_high;
        high += is_high;
    }
    std::copy(scratch_.data(), high, low);
}

template <class Real>
void Presorted<Real>::sort_by_branch(SortedItem* list, std::size_t n, std::uint32_t n_branches) {
    start_.assign(n_branches + std::size_t{1}, 0);
    for (std::size_t i = 0; i < n; ++i) ++start_[branch_[list[i].number] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    for (std::size_t i = 0; i < n; ++i) scratch_[start_[branch_[list[i].number]]++] = list[i];
    std::copy(scratch_.data(), scratch_.data() + n, list);
}

template class Presorted<float>;
template class Presorted<double>;

}  // namespace planetree::c45
