#include "c45/tree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace planetree::c45 {
namespace {
constexpr std::uint32_t kMostCodes = 255;

// The bytes of eight that equal those of a pattern, as the highest bit of each.
std::uint64_t equal_bytes(std::uint64_t bytes, std::uint64_t pattern) {
    constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
    const std::uint64_t x = bytes ^ pattern;
    return ~(((x & low) + low) | x | low);
}

}  // namespace

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
    ordered.nodes.reserve(tree.nodes.size());
    ordered.counts.reserve(tree.counts.size());
    ordered.children.reserve(tree.children.size());
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
    codes_.clear();
    all.resize(rows.size());
    std::size_t n = 0;
    for (const std::uint32_t r : rows) {
        all[n] = {r, weights[r]};
        n += weights[r] > 0 ? 1 : 0;
    }
    all.resize(n);
    return {0, n};
}

template <class Real>
std::vector<std::uint32_t> Cases<Real>::rows() const {
    std::vector<std::uint32_t> found;
    found.reserve(all.size());
    for (const Case<Real>& one : all) found.push_back(one.row);
    return found;
}

template <class Real>
Division<Real> Cases<Real>::divide(const Test<Real>& test, Segment cases, std::uint32_t n_branches,
                                   Real total) {
    Division<Real> division{cases, cases.begin, total};
    division.two = n_branches == 2;
    if (plain) {
        sort(test, n_branches, division);
        return division;
    }
    if (test.may_be_unknown()) division.first_known = gather(test, -1, cases);
    if (division.has_unknown()) {
        division.known = total - weigh({cases.begin, division.first_known});
    } else if (n_branches > kMostCodes) {
        sort(test, n_branches, division);
    }
    if ((n_branches > 2 || test.is_mapped()) && n_branches <= kMostCodes) encode(test, division);
    return division;
}

// To look up the branch of each case with each branch would take long.
template <class Real>
void Cases<Real>::encode(const Test<Real>& test, Division<Real>& division) {
    division.coded = true;
    division.first_code = codes_.size();
    codes_.resize(codes_.size() + division.cases.end - division.first_known);
    std::uint8_t* code = codes_.data() + division.first_code;
    for (std::size_t i = division.first_known; i < division.cases.end; ++i) {
        const std::int32_t branch = test.branch(all[i].row);
        if (branch >= 0) division.occupied |= std::uint64_t{1} << (branch & 63);
        *code++ = static_cast<std::uint8_t>(branch);
    }
}

template <class Real>
void Cases<Real>::end(const Division<Real>& division) {
    if (division.coded) codes_.resize(division.first_code);
}

// Exchanges the cases of a code with those at the front; gives the end of them.
template <class Real>
std::size_t Cases<Real>::move_coded_to_front(Segment cases, std::uint8_t* codes,
                                             std::uint8_t code) {
    Case<Real>* at = all.data() + cases.begin;
    const std::uint64_t pattern = 0x0101010101010101ULL * code;
    const std::size_t n = cases.size();
    std::size_t to = 0;
    const auto move = [&](std::size_t i) {
        std::swap(at[i], at[to]);
        std::swap(codes[i], codes[to++]);
    };
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        std::uint64_t eight = 0;
        for (std::size_t j = 0; j < 8; ++j) eight |= std::uint64_t{codes[i + j]} << (8 * j);
        for (std::uint64_t left = equal_bytes(eight, pattern); left != 0; left &= left - 1)
            move(i + lowest_bit(left) / 8);
    }
    for (; i < n; ++i)
        if (codes[i] == code) move(i);
    return cases.begin + to;
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
    for (std::size_t i = cases.begin; i < cases.end; ++i)
        if (takes(all[i].row)) std::swap(all[i], all[to++]);
    return to;
}

// The same without a jump, for branches that no processor foresees.
template <class Real>
std::size_t Cases<Real>::move_half_to_front(Segment cases, Ranks ranks, const std::uint32_t* rank) {
    constexpr std::size_t n_words = sizeof(Case<Real>) / sizeof(std::uint64_t);
    using Words = std::array<std::uint64_t, n_words>;
    Case<Real>* to = all.data() + cases.begin;
    for (Case<Real>*at = to, *end = all.data() + cases.end; at < end; ++at) {
        const bool moves = ranks.contain(rank[at->row]);
        Words here, there;
        std::memcpy(&here, at, sizeof here);
        std::memcpy(&there, to, sizeof there);
        for (std::size_t w = 0; w < n_words; ++w) {
            const std::uint64_t change = (here[w] ^ there[w]) & (std::uint64_t{0} - moves);
            here[w] ^= change;
            there[w] ^= change;
        }
        std::memcpy(at, &here, sizeof here);
        std::memcpy(to, &there, sizeof there);
        to += moves;
    }
    return static_cast<std::size_t>(to - all.data());
}

// What `gather` does where all cases from `rest` on take the branch, and none before.
template <class Real>
std::size_t Cases<Real>::move_rest_to_front(Segment known, std::size_t rest) {
    std::size_t to = known.begin;
    if (rest == to) return known.end;
    for (std::size_t i = rest; i < known.end; ++i, ++to) std::swap(all[i], all[to]);
    return to;
}

// Sorts the known cases by their branch: any order does where the cases are plain, and to gather a
// thousand branches one by one would take as many passes.
template <class Real>
void Cases<Real>::sort(const Test<Real>& test, std::uint32_t n_branches, Division<Real>& division) {
    Case<Real>*begin = all.data() + division.cases.begin, *end = all.data() + division.cases.end;
    const auto branch = [&](const Case<Real>& one) {
        return static_cast<std::size_t>(test.branch(one.row));
    };
    division.sorted = true;
    if (!division.two) return sort_by_branch(begin, end, n_branches, scratch_, start_, branch);
    const Ranks high = test.ranks_of(1);
    const std::uint32_t* rank = test.ranks();
    const auto is_high = [=](const Case<Real>& one) {
        return high.contain(rank[one.row]) ? 1U : 0U;
    };
    const Case<Real>* first_high = split_in_two(begin, end, scratch_, is_high);
    division.group_end = static_cast<std::size_t>(first_high - all.data());
}

template <class Real>
Segment Cases<Real>::gather_group(const Test<Real>& test, Division<Real>& division,
                                  std::int32_t branch) {
    const Segment known{division.first_known, division.cases.end};
    if (division.coded) {
        if ((division.occupied >> (branch & 63) & 1) == 0) return {known.begin, known.begin};
        std::uint8_t* codes = codes_.data() + division.first_code;
        return {known.begin, move_coded_to_front(known, codes, static_cast<std::uint8_t>(branch))};
    }
    if (!division.two || test.is_mapped()) return {known.begin, gather(test, branch, known)};
    division.group_end = branch == 1
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
    const Case<Real>*first = all.data() + known.begin, *last = all.data() + known.end;
    const auto begin = std::partition_point(
        first, last, [&](const Case<Real>& one) { return test.branch(one.row) < branch; });
    const auto end = std::partition_point(
        begin, last, [&](const Case<Real>& one) { return test.branch(one.row) == branch; });
    return {static_cast<std::size_t>(begin - all.data()),
            static_cast<std::size_t>(end - all.data())};
}

template <class Real>
Segment Cases<Real>::enter(Division<Real>& division, Segment group, Real group_weight) {
    if (!division.has_unknown()) return group;
    division.share = group_weight / division.known;
    if (!(division.share > 0)) division.share = 1;  // weights too small for Real
    for (std::size_t i = division.cases.begin; i < division.first_known; ++i)
        all[i].weight *= division.share;
    return {division.cases.begin, group.end};
}

template <class Real>
void Cases<Real>::leave(const Test<Real>& test, const Division<Real>& division, Segment visited) {
    if (!division.has_unknown()) return;
    gather(test, -1, visited);
    for (std::size_t i = division.cases.begin; i < division.first_known; ++i)
        all[i].weight /= division.share;
}

template <class Real>
bool Cases<Real>::all_ones() const {
    const auto is_one = [](const Case<Real>& one) { return one.weight == 1; };
    return all.size() < kExact && std::all_of(all.begin(), all.end(), is_one);
}

template <class Real>
Real Cases<Real>::weigh(Segment cases) const {
    if (plain) return static_cast<Real>(cases.size());
    Real sum = 0;
    for (std::size_t i = cases.begin; i < cases.end; ++i) sum += all[i].weight;
    return sum;
}

template class Cases<float>;
template class Cases<double>;
template Tree<float> in_preorder(const Tree<float>&);
template Tree<double> in_preorder(const Tree<double>&);

}  // namespace planetree::c45
