#include "c45/number.hpp"

namespace planetree::c45 {
template <class Real>
void NumberSearch<Real>::start_node(const NodeCases<Real>& cases) {
    has_complete_ = false;
    if (!cases.unit) order_.start(cases);
}

template <class Real>
void NumberSearch<Real>::run(const Column<Real>& column, const NodeCases<Real>& cases,
                             double min_cases, Candidate<Real>& found) {
    const bool two = n_classes_ == 2;
    if (cases.unit) {
        two ? scan_counts<TwoClasses>(column, cases, min_cases, found)
            : scan_counts<ManyClasses>(column, cases, min_cases, found);
    } else {
        two ? scan_cases<TwoClasses>(column, cases, min_cases, found)
            : scan_cases<ManyClasses>(column, cases, min_cases, found);
    }
}

template <class Real>
void NumberSearch<Real>::run(const Column<Real>& column, const SortedItem* sorted,
                             const NodeCases<Real>& cases, double min_cases,
                             Candidate<Real>& found) {
    n_classes_ == 2 ? scan_sorted<TwoClasses>(column, sorted, cases, min_cases, found)
                    : scan_sorted<ManyClasses>(column, sorted, cases, min_cases, found);
}

template <class Real>
template <template <class> class Classes>
void NumberSearch<Real>::scan_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                                     double min_cases, Candidate<Real>& found) {
    counts_.count(column, cases);
    const std::uint32_t* missing = counts_.missing();
    for (std::size_t c = 0; c < n_classes_; ++c)
        whole_known_[c] = static_cast<std::uint32_t>(cases.counts[c]) - missing[c];
    const Real unknown = static_cast<Real>(sum(missing, n_classes_));
    const auto list = [&](const auto& try_cut) {
        Classes<std::uint32_t> low(n_classes_), high(n_classes_);
        const std::size_t n_classes = low.size();
        for (std::size_t c = 0; c < n_classes; ++c) high[c] = whole_known_[c];
        std::uint32_t below = column.n_levels, n_low = 0;
        for (const std::uint32_t level : counts_) {
            if (!try_cut(low, high, n_low, below, level)) break;
            const std::uint32_t* counts = counts_.at(level);
            for (std::size_t c = 0; c < n_classes; ++c) {
                low[c] += counts[c];
                high[c] -= counts[c];
                n_low += counts[c];
            }
            below = level;
        }
    };
    choose_whole<Classes>(column, cases, unknown, min_cases, list, found);
    counts_.clear();
}

template <class Real>
template <template <class> class Classes>
void NumberSearch<Real>::scan_sorted(const Column<Real>& column, const SortedItem* sorted,
                                     const NodeCases<Real>& cases, double min_cases,
                                     Candidate<Real>& found) {
    for (std::size_t c = 0; c < n_classes_; ++c)
        whole_known_[c] = static_cast<std::uint32_t>(cases.counts[c]);
    const auto list = [&](const auto& try_cut) {
        Classes<std::uint32_t> low(n_classes_), high(n_classes_);
        for (std::size_t c = 0; c < low.size(); ++c) high[c] = whole_known_[c];
        std::uint32_t below = sorted[0].level;
        for (std::uint32_t i = 0; i < cases.n; ++i) {
            const SortedItem item = sorted[i];
            if (item.level != below && !try_cut(low, high, i, below, item.level)) break;
            pass(low, high, item.cls, std::uint32_t{1});
            below = item.level;
        }
    };
    choose_whole<Classes>(column, cases, Real{0}, min_cases, list, found);
}

template <class Real>
template <template <class> class Classes, class List>
void NumberSearch<Real>::choose_whole(const Column<Real>& column, const NodeCases<Real>& cases,
                                      Real unknown, double min_cases, const List& list,
                                      Candidate<Real>& found) {
    const CutRange<Real> range = whole_range(column, cases, unknown, min_cases);
    if (!range.possible) return;
    const std::size_t n_classes = Classes<Real>::size(n_classes_);
    const auto mass = [&](std::size_t k) {
        const std::uint32_t* low = whole_low_.data() + k * n_classes;
        const auto high = [&](std::size_t c) { return whole_known_[c] - low[c]; };
        const Real above = side_mass<Real>(logs_, n_classes, high);
        return side_mass<Real>(logs_, n_classes, [&](std::size_t c) { return low[c]; }) + above;
    };
    cuts_.start(range, column, min_cases);
    // Gives whether later cuts are to be tried.
    list([&](const auto& low, const auto& high, std::uint32_t n_low, std::uint32_t below,
             std::uint32_t above) {
        const auto weight = static_cast<Real>(n_low);
        if (cuts_.is_over(weight)) return false;
        if (cuts_.takes(weight, below, above)) {
            for (std::size_t c = 0; c < n_classes; ++c)
                whole_low_[cuts_.size() * n_classes + c] = low[c];
            const double least = range.is_in_table ? whole_mass(logs_, low, high) : kNothingKnown;
            cuts_.add({below, above, weight, least}, mass);
        }
        return true;
    });
    cuts_.finish(mass, log2s_, logs_, found);
}

template <class Real>
CutRange<Real> NumberSearch<Real>::whole_range(const Column<Real>& column,
                                               const NodeCases<Real>& cases, Real unknown,
                                               double min_cases) {
    const auto range = [&] {
        const auto known = [&](std::size_t c) { return whole_known_[c]; };
        const Real mass = side_mass<Real>(logs_, n_classes_, known);
        return CutRange<Real>(cases.total, unknown, mass, min_cases, cases.n, n_classes_, logs_);
    };
    if (column.has_missing) return range();
    if (!has_complete_) complete_ = range();
    has_complete_ = true;
    return complete_;
}

// Fractional weights are added case by case, in the order of the column; their total in the order
// that the column before it left. Both is what Release 8 does, and it shows in the last bit.
template <class Real>
template <template <class> class Classes>
void NumberSearch<Real>::scan_cases(const Column<Real>& column, const NodeCases<Real>& cases,
                                    double min_cases, Candidate<Real>& found) {
    const Real total = order_.sort(column);
    const Real unknown = sum_known(column, cases);
    const auto known = [&](std::size_t c) { return known_[c]; };
    const CutRange<Real> range(total, unknown, side_mass<Real>(logs_, n_classes_, known), min_cases,
                               cases.n, n_classes_, logs_);
    if (!range.possible) return;
    const std::size_t n_classes = Classes<Real>::size(n_classes_);
    const auto mass = [&](std::size_t k) {
        const Real *low = low_.data() + k * n_classes, *high = high_.data() + k * n_classes;
        const Real above =
            side_mass<Real>(logs_, n_classes, [&](std::size_t c) { return high[c]; });
        return side_mass<Real>(logs_, n_classes, [&](std::size_t c) { return low[c]; }) + above;
    };
    cuts_.start(range, column, min_cases);
    list_cuts<Classes>(column, range, mass);
    cuts_.finish(mass, log2s_, logs_, found);
}

template <class Real>
template <template <class> class Classes, class Mass>
void NumberSearch<Real>::list_cuts(const Column<Real>& column, const CutRange<Real>& range,
                                   const Mass& mass) {
    Classes<Real> low(n_classes_), high(n_classes_);
    const std::size_t n_classes = low.size();
    for (std::size_t c = 0; c < n_classes; ++c) high[c] = known_[c];
    const bool in_table = range.is_in_table;
    std::uint32_t below = column.n_levels;
    Real weight = 0;
    for (const SortedCase<Real>& one : order_.cases()) {
        if (one.level == column.n_levels) continue;
        if (below < one.level) {
            if (cuts_.is_over(weight)) break;
            if (cuts_.takes(weight, below, one.level)) {
                const std::size_t at = cuts_.size() * n_classes;
                for (std::size_t c = 0; c < n_classes; ++c) {
                    low_[at + c] = low[c];
                    high_[at + c] = high[c];
                }
                const double least = in_table ? least_mass(logs_, range, low, high) : kNothingKnown;
                cuts_.add({below, one.level, weight, least}, mass);
            }
        }
        pass(low, high, one.cls, one.weight);
        weight += one.weight;
        below = one.level;
    }
}

// Class counts of the known cases into known_; gives the weight of the others.
template <class Real>
Real NumberSearch<Real>::sum_known(const Column<Real>& column, const NodeCases<Real>& cases) {
    Real unknown = 0;
    if (!column.has_missing) {
        known_.assign(cases.counts, cases.counts + n_classes_);
        return unknown;
    }
    known_.assign(n_classes_, 0);
    for (const SortedCase<Real>& one : order_.cases())
        (one.level < column.n_levels ? known_[one.cls] : unknown) += one.weight;
    return unknown;
}

template class NumberSearch<float>;
template class NumberSearch<double>;

}  // namespace planetree::c45
