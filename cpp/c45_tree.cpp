#include "c45_tree.hpp"

#include <algorithm>
#include <utility>

namespace planetree::c45 {
namespace {
constexpr std::uint32_t kFewBranches = 16;
}

template <class Real>
Tree<Real> in_preorder(const Tree<Real>& tree) {
    struct Pending {
        std::size_t node;
        std::size_t slot;  // of `children` that awaits its number
    };
    Tree<Real> ordered;
    ordered.table_id = tree.table_id;
    ordered.n_classes = tree.n_classes;
    ordered.maps = tree.maps;
    ordered.rows = tree.rows;
    std::vector<Pending> pending{{0, 0}};
    while (!pending.empty()) {
        const Pending next = pending.back();
        pending.pop_back();
        Node<Real> node = tree.nodes[next.node];
        if (!ordered.nodes.empty())
            ordered.children[next.slot] = static_cast<std::uint32_t>(ordered.nodes.size());
        const Real* counts = tree.counts_of(next.node);
        ordered.counts.insert(ordered.counts.end(), counts, counts + tree.n_classes);
        const std::size_t first = ordered.children.size();
        for (std::size_t b = node.n_branches; b-- > 0;)
            pending.push_back({tree.child(node, b), first + b});
        ordered.children.resize(first + node.n_branches);
        node.first_child = first;
        ordered.nodes.push_back(node);
    }
    return ordered;
}

template <class Real>
Segment Cases<Real>::fill(const std::vector<std::uint32_t>& rows, const std::vector<Real>& weights) {
    row.clear();
    weight.clear();
    for (const std::uint32_t r : rows) {
        if (!(weights[r] > 0)) continue;
        row.push_back(r);
        weight.push_back(weights[r]);
    }
    return {0, row.size()};
}

template <class Real>
Division<Real> Cases<Real>::divide(const Test<Real>& test, Segment cases, std::uint32_t n_branches,
                                   Real total) {
    Division<Real> division{cases, cases.begin, total};
    division.two = n_branches == 2;
    if (test.may_be_unknown()) division.first_known = gather(test, -1, cases);
    if (division.has_unknown()) {
        division.known = total - weigh({cases.begin, division.first_known});
    } else if (n_branches > kFewBranches) {
        sort_by_branch(test, n_branches, cases);
        division.sorted = true;
    }
    return division;
}

// Exchanges the cases that take the branch with those at the front; gives the end of them.
template <class Real>
std::size_t Cases<Real>::gather(const Test<Real>& test, std::int32_t branch, Segment cases) {
    if (test.is_mapped())
        return move_to_front(cases, [&](std::uint32_t r) { return test.branch(r) == branch; });
    const Ranks ranks = test.ranks_of(branch);
    const std::uint32_t* rank = test.ranks();
    return move_to_front(cases, [=](std::uint32_t r) { return ranks.contain(rank[r]); });
}

template <class Real>
template <class Takes>
std::size_t Cases<Real>::move_to_front(Segment cases, const Takes& takes) {
    std::uint32_t* rows = row.data();
    Real* weights = weight.data();
    std::size_t to = cases.begin;
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        const std::uint32_t r = rows[i], r_front = rows[to];
        const Real w = weights[i], w_front = weights[to];
        const bool moves = takes(r);
        rows[i] = moves ? r_front : r;
        rows[to] = moves ? r : r_front;
        weights[i] = moves ? w_front : w;
        weights[to] = moves ? w : w_front;
        to += moves ? 1 : 0;
    }
    return to;
}

// What `gather` does where all cases from `rest` on take the branch, and none before.
template <class Real>
std::size_t Cases<Real>::move_rest_to_front(Segment known, std::size_t rest) {
    std::size_t to = known.begin;
    if (rest == to) return known.end;
    for (std::size_t i = rest; i < known.end; ++i, ++to) {
        std::swap(row[i], row[to]);
        std::swap(weight[i], weight[to]);
    }
    return to;
}

// To gather a thousand branches one by one would take as many passes.
template <class Real>
void Cases<Real>::sort_by_branch(const Test<Real>& test, std::uint32_t n_branches, Segment cases) {
    row_scratch_.assign(row.data() + cases.begin, row.data() + cases.end);
    weight_scratch_.assign(weight.data() + cases.begin, weight.data() + cases.end);
    branch_.resize(cases.size());
    next_.assign(n_branches + std::size_t{1}, 0);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        branch_[i] = static_cast<std::uint32_t>(test.branch(row_scratch_[i]));
        ++next_[branch_[i] + 1];
    }
    next_[0] = cases.begin;
    for (std::size_t b = 0; b < n_branches; ++b) next_[b + 1] += next_[b];
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::size_t to = next_[branch_[i]]++;
        row[to] = row_scratch_[i];
        weight[to] = weight_scratch_[i];
    }
}

template <class Real>
Segment Cases<Real>::group(const Test<Real>& test, Division<Real>& division,
                           std::int32_t branch) {
    const Segment known{division.first_known, division.cases.end};
    if (!division.sorted) {
        const bool rest = division.two && branch == 1;  // all that branch 0 has left
        division.group_end = rest ? move_rest_to_front(known, division.group_end)
                                  : gather(test, branch, known);
        return {known.begin, division.group_end};
    }
    const std::uint32_t *first = row.data() + known.begin, *last = row.data() + known.end;
    const auto begin = std::partition_point(
        first, last, [&](std::uint32_t r) { return test.branch(r) < branch; });
    const auto end = std::partition_point(
        begin, last, [&](std::uint32_t r) { return test.branch(r) == branch; });
    return {static_cast<std::size_t>(begin - row.data()), static_cast<std::size_t>(end - row.data())};
}

template <class Real>
Segment Cases<Real>::enter(Division<Real>& division, Segment group) {
    if (!division.has_unknown()) return group;
    division.share = weigh(group) / division.known;
    if (!(division.share > 0)) division.share = 1;  // weights too small for Real
    for (std::size_t i = division.cases.begin; i < division.first_known; ++i)
        weight[i] *= division.share;
    return {division.cases.begin, group.end};
}

template <class Real>
void Cases<Real>::leave(const Test<Real>& test, const Division<Real>& division, Segment visited) {
    if (!division.has_unknown()) return;
    gather(test, -1, visited);
    for (std::size_t i = division.cases.begin; i < division.first_known; ++i)
        weight[i] /= division.share;
}

template <class Real>
Real Cases<Real>::weigh(Segment cases) const {
    Real sum = 0;
    for (std::size_t i = cases.begin; i < cases.end; ++i) sum += weight[i];
    return sum;
}

template class Cases<float>;
template class Cases<double>;
template Tree<float> in_preorder(const Tree<float>&);
template Tree<double> in_preorder(const Tree<double>&);

}  // namespace planetree::c45
