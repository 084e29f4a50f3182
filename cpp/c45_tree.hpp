// A grown tree as flat arrays, and the cases that flow down it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45_data.hpp"

namespace c45 {

template <class Real>
struct Node {
    std::int32_t column = -1;      // -1 at a leaf
    std::uint32_t cut = 0;         // number test: ranks up to this one take branch 0
    std::int64_t map = -1;         // subsets of categories: where the branch of each stands in `maps`
    std::uint32_t n_branches = 0;
    std::size_t first_child = 0;   // in `children`
    std::uint32_t majority = 0;
    Real weight = 0;
    Real errors = 0;               // observed as grown, estimated as pruned

    bool is_leaf() const { return column < 0; }
};

template <class Real>
struct Tree {
    std::size_t n_classes = 0;
    std::vector<Node<Real>> nodes;  // node 0 is the root
    std::vector<Real> counts;       // n_classes a node
    std::vector<std::uint32_t> children;
    std::vector<std::int32_t> maps;

    Real* counts_of(std::size_t node) { return counts.data() + node * n_classes; }
    const Real* counts_of(std::size_t node) const { return counts.data() + node * n_classes; }
    std::size_t child(const Node<Real>& node, std::size_t branch) const {
        return children[node.first_child + branch];
    }
    std::size_t add_node() {
        nodes.emplace_back();
        counts.resize(counts.size() + n_classes);
        return nodes.size() - 1;
    }
};

// The same tree with its nodes numbered in preorder and nothing unreachable kept.
template <class Real>
Tree<Real> in_preorder(const Tree<Real>& tree);

// Branch of a row at a node: -1 where the value is missing or in no subset.
template <class Real>
class Test {
  public:
    Test(const Table<Real>& table, const Tree<Real>& tree, const Node<Real>& node)
        : column_(table.columns[static_cast<std::size_t>(node.column)]),
          map_(node.map < 0 ? nullptr : tree.maps.data() + node.map),
          cut_(node.cut) {}

    std::int32_t branch(std::size_t row) const {
        const std::uint32_t rank = column_.rank[row];
        if (rank == column_.n_levels) return -1;
        if (column_.is_number) return rank > cut_ ? 1 : 0;
        return map_ == nullptr ? static_cast<std::int32_t>(rank) : map_[rank];
    }

  private:
    const Column<Real>& column_;
    const std::int32_t* map_;
    std::uint32_t cut_;
};

struct Segment {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};

// How the cases of a node fall into its branches.
template <class Real>
struct Division {
    Segment cases;
    std::size_t bounds = 0;  // where the bounds of its groups stand in Cases::bounds
    std::uint32_t n_branches = 0;
    bool has_unknown = false;
    Real known = 0;  // weight of the cases whose branch is known
};

// Cases in one arena. A node owns a segment; to divide it is to permute it into one group a
// branch and, last, the cases whose value is missing. Where there are any, a child gets a copy
// of its group and of those cases, their weight scaled by the share of the known that went there.
template <class Real>
class Cases {
  public:
    std::vector<std::uint32_t> row;
    std::vector<Real> weight;

    Segment fill(const std::vector<std::uint32_t>& rows, const std::vector<Real>& weights);
    Division<Real> divide(const Test<Real>& test, Segment cases, std::uint32_t n_branches,
                          Real total);
    Segment group(const Division<Real>& division, std::size_t branch) const;
    Segment child(const Division<Real>& division, std::size_t branch);
    void forget(const Division<Real>& division) { bounds_.resize(division.bounds); }
    void release(Segment child, const Division<Real>& parent);
    Real weigh(Segment cases) const;

  private:
    void permute(Segment cases, std::uint32_t n_branches, const std::size_t* bounds);

    std::vector<std::size_t> bounds_;  // a stack: n_branches + 1 for each open division
    std::vector<std::uint32_t> branch_;
    std::vector<std::size_t> next_;
    std::vector<std::uint32_t> row_scratch_;
    std::vector<Real> weight_scratch_;
};

extern template class Cases<float>;
extern template class Cases<double>;

}  // namespace c45
