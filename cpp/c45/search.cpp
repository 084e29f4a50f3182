#include "c45/search.hpp"

#include <type_traits>

#include "c45/subset.hpp"

namespace planetree::c45 {

template <class Real>
void Search<Real>::evaluate(std::size_t column, const SortedItem* sorted,
                            const NodeCases<Real>& cases, Candidate<Real>& found) {
    found.gain = Candidate<Real>::impossible;
    found.info = 0;
    found.map.clear();
    watch_.expired_after(cases.n * table_.n_classes);
    const Column<Real>& read = table_.columns[column];
    if (sorted != nullptr)
        numbers_.run(read, sorted, cases, min_cases_, found);
    else if (read.is_number)
        numbers_.run(read, cases, min_cases_, found);
    else if (cases.unit)
        evaluate_categories<std::uint32_t>(read, cases, found);
    else
        evaluate_categories<Real>(read, cases, found);
}

template <class Real>
void Search<Real>::sort(const std::vector<std::uint32_t>& columns, const NodeCases<Real>& cases) {
    numbers_.order().start(cases);
    for (const std::uint32_t column : columns)
        if (table_.columns[column].is_number) numbers_.order().sort(table_.columns[column]);
}

template <class Real>
template <class Count>
void Search<Real>::evaluate_categories(const Column<Real>& column, const NodeCases<Real>& cases,
                                       Candidate<Real>& found) {
    const bool grouped = options_.subsets && column.n_levels > 2;
    grouped ? subsets<Count>(column, cases, found) : categories<Count>(column, cases, found);
}

// Class counts of each level; the last row is of the cases whose value is missing.
template <class Real>
template <class Count>
const std::vector<Count>& Search<Real>::count(const Column<Real>& column,
                                              const NodeCases<Real>& cases) {
    if constexpr (std::is_same_v<Count, std::uint32_t>) {
        count_ones(column, cases);
        return whole_counts_;
    } else {
        add_up(column);
        return real_counts_;
    }
}

template <class Real>
void Search<Real>::count_ones(const Column<Real>& column, const NodeCases<Real>& cases) {
    const std::size_t n_classes = table_.n_classes;
    whole_counts_.assign((column.n_levels + std::size_t{1}) * n_classes, 0);
    cases.count_levels(column.rank.data(), n_classes, whole_counts_.data());
}

template <class Real>
void Search<Real>::add_up(const Column<Real>& column) {
    const std::size_t n_classes = table_.n_classes;
    real_counts_.assign((column.n_levels + std::size_t{1}) * n_classes, 0);
    const std::uint32_t* rank = column.rank.data();
    for (const SortedCase<Real>& one : sorted())
        real_counts_[rank[one.row] * n_classes + one.cls] += one.weight;
}

// Entropy of the known cases of a category column; here Release 8 sums in double.
template <class Real>
template <class Count>
Real Search<Real>::known_base(const std::vector<Count>& counts, std::size_t n_levels, Real known) {
    const std::size_t n_classes = table_.n_classes;
    double mass = logs_(known);
    for (std::size_t c = 0; c < n_classes; ++c) {
        Count total = 0;
        for (std::size_t v = 0; v < n_levels; ++v) total += counts[v * n_classes + c];
        mass -= logs_(total);
    }
    return static_cast<Real>(mass / static_cast<double>(known));
}

template <class Real>
template <class Count>
void Search<Real>::categories(const Column<Real>& column, const NodeCases<Real>& cases,
                              Candidate<Real>& found) {
    const std::size_t n_classes = table_.n_classes;
    const std::vector<Count>& counts = count<Count>(column, cases);
    const auto row = [&](std::size_t v) { return counts.data() + v * n_classes; };
    const Count unknown = sum(row(column.n_levels), n_classes);
    Mass<Real> info(logs_);
    info.add(unknown);
    Count total = unknown;
    Real mass = 0;
    int n_reasonable = 0;
    for (std::size_t v = 0; v < column.n_levels; ++v) {
        const Count weight = sum(row(v), n_classes);
        if (!(weight > 0)) continue;
        if (static_cast<double>(weight) >= min_cases_) ++n_reasonable;
        mass += class_mass(logs_, row(v), n_classes);
        info.add(weight);
        total += weight;
    }
    const Real known = cases.total - static_cast<Real>(unknown);
    if (n_reasonable < 2 || !(known > 0)) return;
    const Real base = known_base(counts, column.n_levels, known);
    found.gain = Parts<Real>{cases.total, static_cast<Real>(unknown), known, base}.gain(mass);
    found.info = info.of(total) / cases.total;
    found.n_branches = column.n_levels;
}

template <class Real>
template <class Count>
void Search<Real>::subsets(const Column<Real>& column, const NodeCases<Real>& cases,
                           Candidate<Real>& found) {
    const std::vector<Count>& counts = count<Count>(column, cases);
    const Real unknown = static_cast<Real>(
        sum(counts.data() + column.n_levels * table_.n_classes, table_.n_classes));
    const Real known = cases.total - unknown;
    if (static_cast<double>(known) < kEpsilon) {
        if constexpr (std::is_same_v<Real, float>) min_cases_ = 1;  // so does Release 8
        return;
    }
    const Real base = known_base(counts, column.n_levels, known);
    const Parts<Real> parts{cases.total, unknown, known, base};
    const std::vector<Real> real(counts.begin(), counts.end());
    SubsetSearch<Real> search(logs_, watch_, parts, options_, min_cases_, table_.n_classes);
    search.run(real, column.n_levels, found);
}

template class Search<float>;
template class Search<double>;

}  // namespace planetree::c45
