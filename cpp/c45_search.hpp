// The best test that one column offers at a node, with its gain and split information.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45_data.hpp"
#include "c45_entropy.hpp"
#include "c45_pulse.hpp"

namespace c45 {

struct Options {
    double min_cases = 2;
    bool gain_ratio = true;
    bool subsets = false;
};

// The cases of a node as the search reads them.
template <class Real>
struct NodeCases {
    const std::uint32_t* row;
    const Real* weight;
    const std::uint32_t* cls;
    std::size_t n;
    const Real* counts;  // of each class
    Real total;          // weight of all of them
    bool unit;           // every weight is 1, so that counts are whole numbers
};

template <class Real>
struct Candidate {
    static constexpr Real impossible = static_cast<Real>(-kEpsilon);

    Real gain = impossible;
    Real info = 0;
    std::uint32_t low = 0, high = 0;  // number: the levels on either side of the cut
    std::uint32_t n_branches = 0;
    std::vector<std::int32_t> map;    // subsets: branch of each category

    bool possible() const { return static_cast<double>(gain) > -kEpsilon; }
};

// A test's parts of the cases: what its gain and split information are computed from.
template <class Real>
struct Parts {
    Real total, unknown, known, base;

    Real gain(Real mass) const { return (1 - unknown / total) * (base - mass / known); }
};

template <class Real>
Real worth(Real gain, Real info, Real least, bool gain_ratio) {
    const bool good = gain_ratio ? static_cast<double>(gain) >= static_cast<double>(least) - kEpsilon &&
                                       static_cast<double>(info) > kEpsilon
                                 : info > 0 && static_cast<double>(gain) > -kEpsilon;
    if (!good) return Candidate<Real>::impossible;
    return gain_ratio ? gain / info : gain;
}

template <class Real>
class Search {
  public:
    Search(const Table<Real>& table, const Options& options, Pulse& pulse)
        : table_(table), options_(options), pulse_(pulse), min_cases_(options.min_cases),
          logs_(table.logs) {}

    void evaluate(std::size_t column, const NodeCases<Real>& cases, Candidate<Real>& found);
    double min_cases() const { return min_cases_; }

  private:
    template <class Count>
    void evaluate_as(const Column<Real>& column, const NodeCases<Real>& cases,
                     Candidate<Real>& found);
    template <class Count>
    std::vector<Count>& count(const Column<Real>& column, const NodeCases<Real>& cases);
    template <class Count>
    std::vector<Count>& sides();
    template <class Count>
    Count* cleared_counts(std::size_t n_levels);
    template <class Count>
    void mark_and_count(const Column<Real>& column, const NodeCases<Real>& cases, Count* counts);
    template <class Count>
    void number_by_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                          Candidate<Real>& found);
    template <class Count, class Sides>
    void scan_levels(const Column<Real>& column, const NodeCases<Real>& cases, Sides sides,
                     Real unknown, Count* counts, Candidate<Real>& found);
    template <class Count>
    void number_by_order(const Column<Real>& column, const NodeCases<Real>& cases,
                         Candidate<Real>& found);
    template <class Count>
    void categories(const Column<Real>& column, const NodeCases<Real>& cases,
                    Candidate<Real>& found);
    template <class Count>
    void subsets(const Column<Real>& column, const NodeCases<Real>& cases, Candidate<Real>& found);
    template <class Count>
    Real known_base(const std::vector<Count>& counts, std::size_t n_levels, Real known);

    const Table<Real>& table_;
    const Options& options_;
    Pulse& pulse_;
    double min_cases_;  // Release 8 loses the option's value in one case of the subset search
    Logs<Real> logs_;
    std::vector<std::uint32_t> whole_counts_;
    std::vector<Real> real_counts_;
    std::vector<std::uint32_t> whole_sides_;  // class counts below and above a cut
    std::vector<Real> real_sides_;
    std::vector<std::uint32_t> whole_levels_;  // class counts of levels, 0 between searches
    std::vector<Real> real_levels_;
    std::vector<std::uint64_t> seen_;  // one bit a level, 0 between searches
    std::vector<std::uint64_t> keys_;
};

extern template class Search<float>;
extern template class Search<double>;

}  // namespace c45
