// The best test that one column offers at a node, with its gain and split information.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/candidate.hpp"
#include "c45/entropy.hpp"
#include "c45/number.hpp"
#include "core/watch.hpp"

namespace planetree::c45 {

template <class Real>
class Search {
  public:
    Search(const Table<Real>& table, const Options& options, Watch& watch)
        : table_(table),
          options_(options),
          watch_(watch),
          min_cases_(options.min_cases),
          logs_(table.logs),
          numbers_(table, logs_) {}

    // `sorted`: the cases by the column, or nothing if they are not sorted.
    void evaluate(std::size_t column, const SortedItem* sorted, const NodeCases<Real>& cases,
                  Candidate<Real>& found);
    void start_node(const NodeCases<Real>& cases) { numbers_.start_node(cases); }
    // The order of the cases of a node: evaluating number columns sorts it if there are fractional
    // weights, and `sort` does in any case.
    void sort(const std::vector<std::uint32_t>& columns, const NodeCases<Real>& cases);
    const std::vector<SortedCase<Real>>& sorted() { return numbers_.order().cases(); }
    double min_cases() const { return min_cases_; }
    void start_tree() { min_cases_ = options_.min_cases; }

  private:
    template <class Count>
    void evaluate_categories(const Column<Real>& column, const NodeCases<Real>& cases,
                             Candidate<Real>& found);
    template <class Count>
    const std::vector<Count>& count(const Column<Real>& column, const NodeCases<Real>& cases);
    void count_ones(const Column<Real>& column, const NodeCases<Real>& cases);
    void add_up(const Column<Real>& column);
    template <class Count>
    void categories(const Column<Real>& column, const NodeCases<Real>& cases,
                    Candidate<Real>& found);
    template <class Count>
    void subsets(const Column<Real>& column, const NodeCases<Real>& cases, Candidate<Real>& found);
    template <class Count>
    Real known_base(const std::vector<Count>& counts, std::size_t n_levels, Real known);

    const Table<Real>& table_;
    const Options& options_;
    Watch& watch_;
    double min_cases_;  // Release 8 loses the option's value in one case of the subset search
    Logs<Real> logs_;
    NumberSearch<Real> numbers_;
    std::vector<std::uint32_t> whole_counts_;
    std::vector<Real> real_counts_;
};

extern template class Search<float>;
extern template class Search<double>;

}  // namespace planetree::c45
