// Growing C4.5 trees.
#pragma once
#include <cstdint>
#include <vector>

#include "c45/gains.hpp"
#include "c45/search.hpp"
#include "c45/tree.hpp"

namespace planetree::c45 {

// Grows trees, one after another.
template <class Real>
class Grower {
  public:
    Grower(const Table<Real>& table, const Options& options, Watch& watch)
        : table_(table), options_(options), watch_(watch), search_(table, options, watch) {}

    // The unpruned tree of the given rows that reads only the given columns, in their order; once
    // time is up, nodes that are not divided yet stay leaves. Rows
    // of weight 0 count as absent; one must be left. What columns offer is looked up in and added
    // to `gains`, if there are any, where the tree has the given root.
    Tree<Real> run(const std::vector<std::uint32_t>& rows,
                   const std::vector<std::uint32_t>& columns, Gains<Real>* gains = nullptr,
                   std::size_t root = 0);

  private:
    // An inner node whose children are being grown.
    struct Frame {
        std::size_t node;
        std::size_t slot;  // of its column in columns_
        Division<Real> division;
        Segment visited{};  // cases of the child being grown
        std::int32_t next = 0;
        bool all_ones = false;                       // every weight is 1
        std::uint32_t place = Gains<Real>::nowhere;  // of the node among the gains
    };

    void open(std::size_t node, Segment cases, bool all_ones, std::uint32_t place);
    void start(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);
    bool is_plain() const;
    void make_leaf(std::size_t node, Segment cases, bool all_ones);
    Test<Real> test_of(std::size_t node) const { return {table_, tree_, tree_.nodes[node]}; }
    bool is_final(const Node<Real>& node, const Real* counts) const;
    std::size_t choose(Segment cases);
    void evaluate(std::size_t slot, Segment cases);
    void recall(std::size_t slot, const Offer<Real>& offer);
    bool keeps() const { return place_ != Gains<Real>::nowhere; }
    bool has_unknown(std::size_t node, Segment cases) const;
    void reorder(Segment cases);
    bool may_test(std::size_t slot) const;
    bool counts_in_average(std::size_t slot) const;
    void split(std::size_t node, std::size_t slot);
    std::uint32_t threshold(std::size_t slot, const Candidate<Real>& cut);
    std::uint32_t find_threshold(std::size_t slot, const Candidate<Real>& cut);
    const std::vector<char>& present(std::size_t slot);
    void advance();
    std::uint32_t place_of(const Frame& frame, std::size_t branch);
    void add_empty_leaf(std::size_t node, std::size_t parent);
    void close();
    void collapse(std::size_t node);
    std::size_t add_child(std::size_t node, std::size_t branch);

    const Table<Real>& table_;
    const Options& options_;
    Watch& watch_;
    Search<Real> search_;
    std::vector<std::uint32_t> columns_;
    Gains<Real>* gains_ = nullptr;
    std::uint32_t place_ = Gains<Real>::nowhere;  // of the node being opened
    Tree<Real> tree_;
    Cases<Real> cases_;
    Presorted<Real> presorted_;
    std::vector<Candidate<Real>> candidates_;
    std::vector<char> tested_;                // category columns tested on the path to the node
    std::vector<std::vector<char>> present_;  // levels that the training cases hold
    std::vector<std::uint32_t> training_;
    NodeCases<Real> seen_;  // the cases of the node being opened
    std::vector<Frame> path_;
    bool all_have_many_ = false;
    double many_values_ = 0;
};

extern template class Grower<float>;
extern template class Grower<double>;

}  // namespace planetree::c45
