// The best cut of a number column at a node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/candidate.hpp"
#include "c45/cuts.hpp"
#include "c45/entropy.hpp"
#include "c45/levels.hpp"
#include "c45/presorted.hpp"

namespace planetree::c45 {

template <class Real>
class NumberSearch {
  public:
    NumberSearch(const Table<Real>& table, Logs<Real>& logs)
        : log2s_(table.log2s),
          n_classes_(table.n_classes),
          logs_(logs),
          whole_known_(table.n_classes),
          whole_low_(CutList<Real>::kBlock * table.n_classes),
          low_(whole_low_.size()),
          high_(whole_low_.size()) {}

    void start_node(const NodeCases<Real>& cases);
    void run(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
             Candidate<Real>& found);
    // The same of a column by which the cases of the node are sorted already.
    void run(const Column<Real>& column, const SortedItem* sorted, const NodeCases<Real>& cases,
             double min_cases, Candidate<Real>& found);
    // The order of the cases of a node: `run` sorts it by the column unless all have weight 1.
    CaseOrder<Real>& order() { return order_; }

  private:
    template <template <class> class Classes>
    void scan_counts(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
                     Candidate<Real>& found);
    template <template <class> class Classes>
    void scan_cases(const Column<Real>& column, const NodeCases<Real>& cases, double min_cases,
                    Candidate<Real>& found);
    template <template <class> class Classes>
    void scan_sorted(const Column<Real>& column, const SortedItem* sorted,
                     const NodeCases<Real>& cases, double min_cases, Candidate<Real>& found);
    // The best of the cuts that list(try_cut) goes through, if every weight is 1.
    template <template <class> class Classes, class List>
    void choose_whole(const Column<Real>& column, const NodeCases<Real>& cases, Real unknown,
                      double min_cases, const List& list, Candidate<Real>& found);
    template <template <class> class Classes, class Mass>
    void list_cuts(const Column<Real>& column, const CutRange<Real>& range, const Mass& mass);
    CutRange<Real> whole_range(const Column<Real>& column, const NodeCases<Real>& cases,
                               Real unknown, double min_cases);
    Real sum_known(const Column<Real>& column, const NodeCases<Real>& cases);

    const std::vector<double>& log2s_;
    std::size_t n_classes_;
    Logs<Real>& logs_;
    CaseOrder<Real> order_;
    LevelCounts counts_;
    std::vector<Real> known_;                 // class counts of the cases whose value is known,
    std::vector<std::uint32_t> whole_known_;  // and the same if every weight is 1
    CutList<Real> cuts_;
    std::vector<std::uint32_t> whole_low_;  // cases below each cut of a block, by class
    std::vector<Real> low_, high_;          // weight of each class below and above each cut
    CutRange<Real> complete_;  // of all columns without a missing value, if all weights are 1
    bool has_complete_ = false;
};

extern template class NumberSearch<float>;
extern template class NumberSearch<double>;

}  // namespace planetree::c45
