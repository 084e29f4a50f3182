// Votes of the nearest neighbors over subsets of columns, distances updated column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

// Rows of a table, some of which vote on the classes of others.
struct VotingRows {
    const double* x = nullptr;  // m x n, row major, finite
    std::size_t n_columns = 0;
    const int* row_class = nullptr;
    const double* weight = nullptr;
    int n_classes = 0;
    std::vector<std::uint32_t> voters, tests;
};

// Squared distances of every test row from every voter in the columns chosen last are kept, as long
// as they fit, so that one column more costs one pass over them.
class NeighborVotes {
  public:
    // The nearest voters, of weight `n_neighbors` together, vote; at most `max_kept` distances are
    // kept from call to call.
    NeighborVotes(const VotingRows& rows, double n_neighbors, std::size_t max_kept);

    // Weight of the test rows whose class wins the vote, in the chosen columns and one of the
    // candidates more, for each candidate; nothing if time is up before.
    std::vector<double> with_each(const std::vector<std::uint32_t>& chosen,
                                  const std::vector<std::uint32_t>& candidates, Watch& watch);

    // The same in the chosen columns without one of them, for each of them.
    std::vector<double> without_each(const std::vector<std::uint32_t>& chosen, Watch& watch) const;

    std::size_t n_columns() const { return n_columns_; }
    double test_weight() const { return test_weight_; }

  private:
    const double* column(std::size_t j) const { return columns_.data() + j * padded(); }
    double value(std::size_t test, std::size_t j) const { return tests_[test * n_columns_ + j]; }
    std::size_t padded() const;
    void clear(double* distances) const;
    void forget();
    void add(std::size_t test, std::size_t j, double* distances) const;
    std::vector<std::uint32_t> to_add(const std::vector<std::uint32_t>& chosen);

    std::size_t n_columns_, n_blocks_ = 0;
    int n_classes_;
    double n_neighbors_;
    std::vector<double> columns_, voter_weight_;  // of the voters, column after column
    std::vector<double> tests_, weights_;         // of the test rows, row after row
    std::vector<int> voter_class_, test_class_;
    double test_weight_ = 0;
    bool keep_ = false;
    std::vector<double> kept_;
    std::vector<std::uint32_t> in_kept_;  // columns of the kept distances, sorted
};

}  // namespace planetree
