// A grown tree as flat arrays, and the cases that flow down it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "c45/data.hpp"

namespace planetree::c45 {

inline std::uint32_t lowest_bit(std::uint64_t bits) {
#ifdef __GNUC__
    return static_cast<std::uint32_t>(__builtin_ctzll(bits));
#else
    std::uint32_t at = 0;
    while ((bits >> at & 1) == 0) ++at;
    return at;
#endif
}

template <class Real>
struct Node {
    std::int32_t column = -1;  // -1 at a leaf
    std::uint32_t cut = 0;     // number test: ranks up to this one take branch 0
    std::int64_t map = -1;     // subsets of categories: where the branch of each stands in `maps`
    std::uint32_t n_branches = 0;
    std::size_t first_child = 0;  // in `children`
    std::uint32_t majority = 0;
    Real weight = 0;
    Real errors = 0;  // observed as grown, estimated as pruned

    bool is_leaf() const { return column < 0; }
};

template <class Real>
struct Tree {
    std::uint64_t table_id = 0;
    std::size_t n_classes = 0;
    std::vector<Node<Real>> nodes;  // node 0 is the root
    std::vector<Real> counts;       // n_classes a node
    std::vector<std::uint32_t> children;
    std::vector<std::int32_t> maps;
    std::vector<std::uint32_t> rows;  // that it was grown from, as the growing left their order
    bool plain = false;  // rows weigh 1, no value is missing: a node has neighboring `rows`

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

struct Ranks {
    std::uint32_t first, last;
    bool contain(std::uint32_t rank) const { return rank - first <= last - first; }
};

// The test of a node on one column of the table.
template <class Real>
class Test {
  public:
    Test(const Table<Real>& table, const Tree<Real>& tree, const Node<Real>& node)
        : column_(table.columns[static_cast<std::size_t>(node.column)]),
          map_(node.map < 0 ? nullptr : tree.maps.data() + node.map),
          cut_(node.cut) {}

    // Branch of a row: -1 where the value is missing or in no subset.
    std::int32_t branch(std::size_t row) const {
        const std::uint32_t rank = column_.rank[row];
        if (rank == column_.n_levels) return -1;
        if (column_.is_number) return rank > cut_ ? 1 : 0;
        return map_ == nullptr ? static_cast<std::int32_t>(rank) : map_[rank];
    }

    bool may_be_unknown() const { return column_.has_missing; }
    bool is_mapped() const { return map_ != nullptr; }
    const std::uint32_t* ranks() const { return column_.rank.data(); }

    // Without a map, the ranks of a branch (-1: of missing values) are a range.
    Ranks ranks_of(std::int32_t branch) const {
        if (branch < 0) return {column_.n_levels, column_.n_levels};
        if (!column_.is_number)
            return {static_cast<std::uint32_t>(branch), static_cast<std::uint32_t>(branch)};
        return branch == 0 ? Ranks{0, cut_} : Ranks{cut_ + 1, column_.n_levels - 1};
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
    std::size_t first_known = 0;  // the cases before it are those whose value is missing
    Real known = 0;               // weight of the others
    Real share = 1;               // of the known cases that took the branch being visited
    bool sorted = false;          // the known cases stand in the order of their branches
    bool two = false;             // there are two branches
    bool coded = false;           // the branch of each known case stands in the codes,
    std::size_t first_code = 0;   // from here on
    std::uint64_t occupied = 0;   // and branch b has no case if bit b mod 64 of this is not set
    std::size_t group_end = 0;    // of the branch visited last; if sorted and two, of branch 0

    bool has_unknown() const { return first_known > cases.begin; }
};

// A row of the table, or the part of it that flowed down to a node.
template <class Real>
struct Case {
    std::uint32_t row;
    Real weight;
};

constexpr std::size_t kExact = std::size_t{1} << 24;  // whole numbers that any Real can count to

template <class Real>
struct CaseSum {
    Real weight = 0;
    bool all_ones = true;
};

// Adds up the weight of each class, and of all cases, in their order. With two classes, a 0 is
// added to the other one: that takes no jump and changes nothing.
template <class Real>
CaseSum<Real> add_up(const Case<Real>* at, std::size_t n, const std::uint32_t* classes,
                     std::size_t n_classes, Real* counts) {
    CaseSum<Real> sum;
    Real first = counts[0], second = n_classes == 2 ? counts[1] : 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Real weight = at[i].weight;
        const std::uint32_t cls = classes[at[i].row];
        if (n_classes == 2) {
            first += cls == 0 ? weight : Real{0};
            second += cls == 0 ? Real{0} : weight;
        } else {
            counts[cls] += weight;
        }
        sum.weight += weight;
        sum.all_ones &= weight == 1;
    }
    if (n_classes == 2) {
        counts[0] = first;
        counts[1] = second;
    }
    return sum;
}

// The same if all weights are 1.
template <class Real>
void count_up(const Case<Real>* at, std::size_t n, const std::uint32_t* classes,
              std::vector<std::uint32_t>& whole, Real* counts) {
    if (whole.size() == 2) {
        std::uint32_t n_second = 0;
        for (std::size_t i = 0; i < n; ++i) n_second += classes[at[i].row];
        counts[0] = static_cast<Real>(n - n_second);
        counts[1] = static_cast<Real>(n_second);
        return;
    }
    std::fill(whole.begin(), whole.end(), 0U);
    for (std::size_t i = 0; i < n; ++i) ++whole[classes[at[i].row]];
    std::copy(whole.begin(), whole.end(), counts);
}

// Puts the items of branch 0 before those of branch 1, each in the order they had; gives the end of
// the first. branch(item) is 0 or 1.
template <class Item, class Branch>
Item* split_in_two(Item* begin, Item* end, std::vector<Item>& scratch, const Branch& branch) {
    const auto n = static_cast<std::size_t>(end - begin);
    if (scratch.size() < n) scratch.resize(n);
    Item *low = begin, *high = scratch.data();
    for (const Item* at = begin; at < end; ++at) {
        const Item item = *at;
        const std::size_t is_high = branch(item);
        *low = item;
        *high = item;
        low += 1 - is_high;
        high += is_high;
    }
    std::copy(scratch.data(), high, low);
    return low;
}

// The same for any number of branches. `start` is for its use.
template <class Item, class Branch>
void sort_by_branch(Item* begin, Item* end, std::size_t n_branches, std::vector<Item>& scratch,
                    std::vector<std::uint32_t>& start, const Branch& branch) {
    scratch.assign(begin, end);
    start.assign(n_branches + 1, 0);
    for (const Item& item : scratch) ++start[branch(item) + 1];
    for (std::size_t b = 0; b < n_branches; ++b) start[b + 1] += start[b];
    for (const Item& item : scratch) begin[start[branch(item)]++] = item;
}

// The cases of a tree in one array, of which a node has a segment. While a branch is visited,
// the cases of the node with missing value stand before those that took the branch, their
// weights scaled by its share. Sums of fractional weights depend on the order of the cases, so
// that order is part of what Release 8 computes: it comes of exchanges within the array.
template <class Real>
class Cases {
  public:
    std::vector<Case<Real>> all;
    bool plain = false;  // all weights are 1 and stay so: any order of the cases gives the same

    Segment fill(const std::vector<std::uint32_t>& rows, const std::vector<Real>& weights);
    Division<Real> divide(const Test<Real>& test, Segment cases, std::uint32_t n_branches,
                          Real total);
    // The known cases of a branch, moved to the front of all known cases.
    Segment group(const Test<Real>& test, Division<Real>& division, std::int32_t branch);
    // The cases to visit the branch with; `leave` undoes what it does.
    Segment enter(Division<Real>& division, Segment group, Real group_weight);
    void leave(const Test<Real>& test, const Division<Real>& division, Segment visited);
    // To be called when all branches were visited.
    void end(const Division<Real>& division);
    Real weigh(Segment cases) const;
    bool all_ones() const;  // every weight is 1, with sums that Real has exactly
    const Case<Real>* at(Segment cases) const { return all.data() + cases.begin; }
    std::vector<std::uint32_t> rows() const;

  private:
    std::size_t gather(const Test<Real>& test, std::int32_t branch, Segment cases);
    Segment gather_group(const Test<Real>& test, Division<Real>& division, std::int32_t branch);
    void encode(const Test<Real>& test, Division<Real>& division);
    std::size_t move_coded_to_front(Segment cases, std::uint8_t* codes, std::uint8_t code);
    template <class Takes>
    std::size_t move_to_front(Segment cases, const Takes& takes);
    std::size_t move_half_to_front(Segment cases, Ranks ranks, const std::uint32_t* rank);
    std::size_t move_rest_to_front(Segment known, std::size_t rest);
    void sort(const Test<Real>& test, std::uint32_t n_branches, Division<Real>& division);

    std::vector<std::uint8_t> codes_;  // of the divisions that have not ended
    std::vector<std::uint32_t> start_;
    std::vector<Case<Real>> scratch_;
};

extern template class Cases<float>;
extern template class Cases<double>;

}  // namespace planetree::c45
