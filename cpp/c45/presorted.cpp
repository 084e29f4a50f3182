#include "c45/presorted.hpp"

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
                            const std::vector<std::uint32_t>& rows, Watch& watch) {
    lists_.clear();
    if (table.n_classes > kMostClasses || rows.size() >= kMostCases) return;
    const auto has_many = [&](std::uint32_t c) {
        return table.columns[c].is_number && table.columns[c].n_levels > kManyLevels;
    };
    const auto n_lists =
        static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), has_many));
    if (rows.size() <= kManyLevels || n_lists == 0 || n_lists > kMostItems / rows.size()) return;
    classes_ = table.classes.data();
    rows_ = rows.data();
    n_rows_ = rows.size();
    lists_.resize(columns.size());
    for (std::size_t slot = 0; slot < columns.size(); ++slot) {
        if (!has_many(columns[slot])) continue;
        if (watch.expired_after(rows.size())) return clear();
        fill(table.columns[columns[slot]], lists_[slot]);
    }
}

template <class Real>
void Presorted<Real>::fill(const Column<Real>& column, std::vector<SortedItem>& list) {
    start_.assign(column.n_levels + std::size_t{1}, 0);
    for (std::size_t i = 0; i < n_rows_; ++i) ++start_[column.rank[rows_[i]] + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    list.resize(n_rows_);
    for (std::uint32_t i = 0; i < n_rows_; ++i) {
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
        SortedItem *begin = list.data() + cases.begin, *end = list.data() + cases.end;
        if (n_branches == 2)
            split_in_two(begin, end, scratch_,
                         [&](SortedItem one) { return is_high_[one.number]; });
        else
            sort_by_branch(begin, end, n_branches, scratch_, start_,
                           [&](SortedItem one) { return branch_[one.number]; });
    }
}

template <class Real>
template <class Branch>
void Presorted<Real>::read_branches(const Test<Real>& test, Segment cases,
                                    std::vector<Branch>& branches) {
    branches.resize(n_rows_);
    const auto any =
        std::find_if(lists_.begin(), lists_.end(), [](const auto& list) { return !list.empty(); });
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        const std::uint32_t number = (*any)[i].number;
        branches[number] = static_cast<Branch>(test.branch(rows_[number]));
    }
}

template class Presorted<float>;
template class Presorted<double>;

}  // namespace planetree::c45
