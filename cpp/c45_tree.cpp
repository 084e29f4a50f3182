#include "c45_tree.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
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
    ordered.plain = false;  // what was pruned may have moved them
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
Segment Cases<Real>::fill(const std::vector<std::uint32_t>& rows,
                          const std::vector<Real>& weights) {
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
    division.few = n_branches <= 4;
    if (plain) {
        division.sorted = true;
        if (division.two)
            division.group_end = split_in_two(test, cases);
        else
            sort_by_branch(test, n_branches, cases);
        return division;
    }
    if (test.may_be_unknown()) division.first_known = gather(test, -1, cases);
    if (division.has_unknown()) {
        division.known = total - weigh({cases.begin, division.first_known});
    } else if (n_branches > kFewBranches) {
        sort_by_branch(test, n_branches, cases);
        division.sorted = true;
    }
    if (n_branches > 2 && !division.sorted) {
        division.occupied = 0;
        for (std::size_t i = division.first_known; i < cases.end; ++i)
            division.occupied |= std::uint64_t{1} << (test.branch(row[i]) & 63);
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
    std::size_t to = cases.begin;
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        if (!takes(row[i])) continue;
        std::swap(row[i], row[to]);
        std::swap(weight[i], weight[to++]);
    }
    return to;
}

// Exchanges two values if `mask` has all bits set, not if it has none.
template <class Bits, class T>
void exchange(T& a, T& b, Bits mask) {
    static_assert(sizeof(T) == sizeof(Bits));
    Bits x, y;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    const Bits difference = (x ^ y) & mask;
    x ^= difference;
    y ^= difference;
    std::memcpy(&a, &x, sizeof x);
    std::memcpy(&b, &y, sizeof y);
}

// The same without a jump, for branches that no processor foresees.
template <class Real>
std::size_t Cases<Real>::move_half_to_front(Segment cases, Ranks ranks, const std::uint32_t* rank) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    std::uint32_t* rows = row.data();
    Real* weights = weight.data();
    std::size_t to = cases.begin;
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        const std::size_t moves = ranks.contain(rank[rows[i]]) ? 1 : 0;
        exchange(rows[i], rows[to], static_cast<std::uint32_t>(0 - moves));
        exchange(weights[i], weights[to], static_cast<Bits>(0 - moves));
        to += moves;
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

// Sorts plain cases into two branches, each in the order that it had; gives the end of the first.
template <class Real>
std::size_t Cases<Real>::split_in_two(const Test<Real>& test, Segment cases) {
    if (row_scratch_.size() < cases.size()) row_scratch_.resize(cases.size());
    const Ranks ranks = test.ranks_of(0);
    const std::uint32_t* rank = test.ranks();
    std::uint32_t *low = row.data() + cases.begin, *high = row_scratch_.data();
    for (std::size_t i = cases.begin; i < cases.end; ++i) {
        const std::uint32_t r = row[i];
        const std::size_t is_low = ranks.contain(rank[r]) ? 1 : 0;
        *low = r;
        *high = r;
        low += is_low;
        high += 1 - is_low;
    }
    std::copy(row_scratch_.data(), high, low);
    return static_cast<std::size_t>(low - row.data());
}

// To gather a thousand branches one by one would take as many passes.
template <class Real>
void Cases<Real>::sort_by_branch(const Test<Real>& test, std::uint32_t n_branches, Segment cases) {
    row_scratch_.assign(row.data() + cases.begin, row.data() + cases.end);
    if (!plain) weight_scratch_.assign(weight.data() + cases.begin, weight.data() + cases.end);
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
        if (!plain) weight[to] = weight_scratch_[i];
    }
}

template <class Real>
Segment Cases<Real>::gather_group(const Test<Real>& test, Division<Real>& division,
                                  std::int32_t branch) {
    const Segment known{division.first_known, division.cases.end};
    if (branch < 64 && (division.occupied >> branch & 1) == 0) return {known.begin, known.begin};
    if (!division.few || test.is_mapped()) return {known.begin, gather(test, branch, known)};
    division.group_end = division.two && branch == 1
                             ? move_rest_to_front(known, division.group_end)
                             : move_half_to_front(known, test.ranks_of(branch), test.ranks());
    return {known.begin, division.group_end};
}

template <class Real>
Segment Cases<Real>::group(const Test<Real>& test, Division<Real>& division, std::int32_t branch) {
    const Segment known{division.first_known, division.cases.end};
    if (!division.sorted) return gather_group(test, division, branch);
    if (division.two)
        return branch == 0 ? Segment{known.begin, division.group_end}
                           : Segment{division.group_end, known.end};
    const std::uint32_t *first = row.data() + known.begin, *last = row.data() + known.end;
    const auto begin =
        std::partition_point(first, last, [&](std::uint32_t r) { return test.branch(r) < branch; });
    const auto end = std::partition_point(
        begin, last, [&](std::uint32_t r) { return test.branch(r) == branch; });
    return {static_cast<std::size_t>(begin - row.data()),
            static_cast<std::size_t>(end - row.data())};
}

template <class Real>
Segment Cases<Real>::enter(Division<Real>& division, Segment group, Real group_weight) {
    if (!division.has_unknown()) return group;
    division.share = group_weight / division.known;
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
    if (plain) return static_cast<Real>(cases.size());
    Real sum = 0;
    for (std::size_t i = cases.begin; i < cases.end; ++i) sum += weight[i];
    return sum;
}

template class Cases<float>;
template class Cases<double>;
template Tree<float> in_preorder(const Tree<float>&);
template Tree<double> in_preorder(const Tree<double>&);

}  // namespace planetree::c45
