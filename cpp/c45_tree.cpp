#include "c45_tree.hpp"

#include <algorithm>

namespace c45 {

template <class Real>
Tree<Real> in_preorder(const Tree<Real>& tree) {
    struct Pending {
        std::size_t node;
        std::size_t slot;  // of `children` that awaits its number
    };
    Tree<Real> ordered;
    ordered.n_classes = tree.n_classes;
    ordered.maps = tree.maps;
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
    bounds_.clear();
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
    const std::size_t first = bounds_.size();
    bounds_.resize(first + n_branches + 1, 0);
    std::size_t* bounds = bounds_.data() + first;
    next_.assign(n_branches + 1, 0);
    branch_.resize(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::int32_t branch = test.branch(row[cases.begin + i]);
        branch_[i] = branch < 0 ? n_branches : static_cast<std::uint32_t>(branch);
        ++next_[branch_[i]];
    }
    bounds[0] = cases.begin;
    for (std::size_t b = 0; b < n_branches; ++b) bounds[b + 1] = bounds[b] + next_[b];
    permute(cases, n_branches, bounds);
    const Segment unknown{bounds[n_branches], cases.end};
    return {cases, first, n_branches, unknown.size() > 0, total - weigh(unknown)};
}

template <class Real>
void Cases<Real>::permute(Segment cases, std::uint32_t n_branches, const std::size_t* bounds) {
    std::copy(bounds, bounds + n_branches + 1, next_.begin());
    row_scratch_.assign(row.begin() + static_cast<std::ptrdiff_t>(cases.begin),
                        row.begin() + static_cast<std::ptrdiff_t>(cases.end));
    weight_scratch_.assign(weight.begin() + static_cast<std::ptrdiff_t>(cases.begin),
                           weight.begin() + static_cast<std::ptrdiff_t>(cases.end));
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::size_t to = next_[branch_[i]]++;
        row[to] = row_scratch_[i];
        weight[to] = weight_scratch_[i];
    }
}

template <class Real>
Segment Cases<Real>::group(const Division<Real>& division, std::size_t branch) const {
    const std::size_t* bounds = bounds_.data() + division.bounds;
    return {bounds[branch], bounds[branch + 1]};
}

template <class Real>
Segment Cases<Real>::child(const Division<Real>& division, std::size_t branch) {
    const Segment known = group(division, branch);
    if (!division.has_unknown) return known;
    const Real share = division.known > 0 ? weigh(known) / division.known : Real{0};
    const Segment unknown{bounds_[division.bounds + division.n_branches], division.cases.end};
    const Segment copy{row.size(), row.size() + known.size() + unknown.size()};
    row.resize(copy.end);
    weight.resize(copy.end);
    std::size_t to = copy.begin;
    for (std::size_t i = known.begin; i < known.end; ++i, ++to) {
        row[to] = row[i];
        weight[to] = weight[i];
    }
    for (std::size_t i = unknown.begin; i < unknown.end; ++i, ++to) {
        row[to] = row[i];
        weight[to] = weight[i] * share;
    }
    return copy;
}

template <class Real>
void Cases<Real>::release(Segment child, const Division<Real>& parent) {
    if (!parent.has_unknown) return;
    row.resize(child.begin);
    weight.resize(child.begin);
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

}  // namespace c45
