#include "c45/grow.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace planetree::c45 {
namespace {

constexpr double kManyValues = 0.3;  // a column with more values than this share of the cases
constexpr double kNoAverage = 1e6;
constexpr std::size_t kFewCases = 16;
constexpr std::size_t kFirstNodes = 128;  // room for a small tree

}  // namespace

template <class Real>
Tree<Real> Grower<Real>::run(const std::vector<std::uint32_t>& rows,
                             const std::vector<std::uint32_t>& columns, Gains<Real>* gains,
                             std::size_t root) {
    watch_.expired();
    start(rows, columns);
    const Segment all{0, cases_.all.size()};
    // The search for subsets may change the least cases of a branch, so that nodes depend on
    // others.
    gains_ = options_.subsets ? nullptr : gains;
    if (gains_ != nullptr) gains_->start_tree();
    open(tree_.add_node(), all, cases_.plain,
         gains_ == nullptr ? Gains<Real>::nowhere : gains_->root(root));
    while (!path_.empty()) advance();
    tree_.rows = cases_.rows();
    tree_.plain = cases_.plain;
    return std::move(tree_);
}

template <class Real>
void Grower<Real>::start(const std::vector<std::uint32_t>& rows,
                         const std::vector<std::uint32_t>& columns) {
    columns_ = columns;
    candidates_.resize(columns.size());
    tested_.assign(columns.size(), false);
    present_.resize(columns.size());
    for (std::vector<char>& levels : present_) levels.clear();
    path_.clear();
    tree_ = {};
    tree_.table_id = table_.id;
    tree_.n_classes = table_.n_classes;
    tree_.nodes.reserve(kFirstNodes);
    tree_.counts.reserve(kFirstNodes * table_.n_classes);
    tree_.children.reserve(kFirstNodes);
    search_.start_tree();
    const Segment all = cases_.fill(rows, table_.weights);
    if (all.size() == 0) throw std::invalid_argument("Every row to grow a tree from has weight 0.");
    training_ = cases_.rows();
    cases_.plain = is_plain();
    presorted_.clear();
    if (cases_.plain) presorted_.start(table_, columns_, training_, watch_);
    many_values_ = kManyValues * static_cast<double>(cases_.weigh(all));
    all_have_many_ = std::all_of(columns_.begin(), columns_.end(), [&](std::uint32_t c) {
        const Column<Real>& column = table_.columns[c];
        return !column.is_number && column.n_levels >= many_values_;
    });
}

template <class Real>
void Grower<Real>::open(std::size_t node, Segment cases, bool all_ones, std::uint32_t place) {
    make_leaf(node, cases, all_ones);
    if (is_final(tree_.nodes[node], tree_.counts_of(node)) || watch_.is_late()) return;
    seen_.group();
    place_ = seen_.unit ? place : Gains<Real>::nowhere;
    const std::size_t slot = choose(cases);
    if (slot == columns_.size()) return;
    split(node, slot);
    if (!seen_.unit || has_unknown(node, cases)) {  // from here on there are fractions
        place_ = Gains<Real>::nowhere;
        reorder(cases);
    }
    const Node<Real>& parent = tree_.nodes[node];
    presorted_.divide(test_of(node), parent.n_branches, cases);
    path_.push_back({node,
                     slot,
                     cases_.divide(test_of(node), cases, parent.n_branches, parent.weight),
                     {},
                     0,
                     seen_.unit,
                     place_});
}

// Whether every case weighs 1 and takes one branch at any test.
template <class Real>
bool Grower<Real>::is_plain() const {
    const auto is_complete = [&](std::uint32_t c) { return !table_.columns[c].has_missing; };
    return !options_.subsets && cases_.all_ones() &&
           std::all_of(columns_.begin(), columns_.end(), is_complete);
}

template <class Real>
void Grower<Real>::make_leaf(std::size_t node, Segment cases, bool all_ones) {
    Real* counts = tree_.counts_of(node);
    seen_.count(table_, cases_.at(cases), cases.size(), all_ones, counts);
    Node<Real>& leaf = tree_.nodes[node];
    leaf.majority =
        static_cast<std::uint32_t>(std::max_element(counts, counts + table_.n_classes) - counts);
    leaf.weight = seen_.total;
    leaf.errors = seen_.total - counts[leaf.majority];
}

template <class Real>
bool Grower<Real>::is_final(const Node<Real>& node, const Real* counts) const {
    return counts[node.majority] == node.weight ||
           static_cast<double>(node.weight) < 2 * search_.min_cases();
}

// The slot of the best column, or columns_.size() where none is worth a test.
template <class Real>
std::size_t Grower<Real>::choose(Segment cases) {
    search_.start_node(seen_);
    Real average = 0;
    std::size_t n_averaged = 0;
    for (std::size_t slot = 0; slot < columns_.size(); ++slot) {
        candidates_[slot].gain = Candidate<Real>::impossible;
        if (!may_test(slot)) continue;
        evaluate(slot, cases);
        if (watch_.is_late()) return columns_.size();
        if (!candidates_[slot].possible() || !counts_in_average(slot)) continue;
        average += candidates_[slot].gain;
        ++n_averaged;
    }
    average =
        n_averaged > 0 ? average / static_cast<Real>(n_averaged) : static_cast<Real>(kNoAverage);
    std::size_t best = columns_.size();
    Real best_worth = Candidate<Real>::impossible;
    for (std::size_t slot = 0; slot < columns_.size(); ++slot) {
        const Candidate<Real>& candidate = candidates_[slot];
        if (!candidate.possible()) continue;
        const Real value = worth(candidate.gain, candidate.info, average, options_.gain_ratio);
        if (!(value > best_worth)) continue;
        best = slot;
        best_worth = value;
    }
    return best;
}

// Finds what a column offers, or remembers it.
template <class Real>
void Grower<Real>::evaluate(std::size_t slot, Segment cases) {
    Candidate<Real>& found = candidates_[slot];
    const SortedItem* sorted = presorted_.list(slot, cases.begin);
    if (!keeps()) return search_.evaluate(columns_[slot], sorted, seen_, found);
    Offer<Real>& offer = gains_->offer(place_, columns_[slot]);
    if (offer.known()) return recall(slot, offer);
    search_.evaluate(columns_[slot], sorted, seen_, found);
    if (watch_.is_late()) return;  // not all was looked at
    offer.gain = found.gain;
    offer.info = found.info;
    offer.low = found.low;
    offer.high = found.high;
}

template <class Real>
void Grower<Real>::recall(std::size_t slot, const Offer<Real>& offer) {
    const Column<Real>& column = table_.columns[columns_[slot]];
    Candidate<Real>& found = candidates_[slot];
    found.gain = offer.gain;
    found.info = offer.info;
    found.low = offer.low;
    found.high = offer.high;
    found.n_branches = column.is_number ? 2 : column.n_levels;
    found.map.clear();
}

// Puts the cases into the order that sorting by all number columns leaves them in.
template <class Real>
void Grower<Real>::reorder(Segment cases) {
    if (seen_.unit) search_.sort(columns_, seen_);
    Case<Real>* to = cases_.all.data() + cases.begin;
    for (const SortedCase<Real>& one : search_.sorted()) *to++ = {one.row, one.weight};
}

template <class Real>
bool Grower<Real>::has_unknown(std::size_t node, Segment cases) const {
    const Test<Real> test = test_of(node);
    if (!test.may_be_unknown()) return false;
    const auto unknown = [&](const Case<Real>& one) { return test.branch(one.row) < 0; };
    return std::any_of(cases_.at(cases), cases_.at(cases) + cases.size(), unknown);
}

template <class Real>
bool Grower<Real>::may_test(std::size_t slot) const {
    const Column<Real>& column = table_.columns[columns_[slot]];
    return !tested_[slot] || (options_.subsets && column.n_levels > 2);
}

template <class Real>
bool Grower<Real>::counts_in_average(std::size_t slot) const {
    const Column<Real>& column = table_.columns[columns_[slot]];
    return all_have_many_ || options_.subsets || column.is_number || column.n_levels < many_values_;
}

template <class Real>
void Grower<Real>::split(std::size_t node, std::size_t slot) {
    Node<Real>& parent = tree_.nodes[node];
    const Column<Real>& column = table_.columns[columns_[slot]];
    const Candidate<Real>& found = candidates_[slot];
    parent.column = static_cast<std::int32_t>(columns_[slot]);
    parent.n_branches = found.n_branches;
    parent.first_child = tree_.children.size();
    tree_.children.resize(tree_.children.size() + found.n_branches);
    if (column.is_number) {
        parent.cut = threshold(slot, found);
        return;
    }
    tested_[slot] = true;
    if (found.map.empty()) return;
    parent.map = static_cast<std::int64_t>(tree_.maps.size());
    tree_.maps.insert(tree_.maps.end(), found.map.begin(), found.map.end());
}

template <class Real>
std::uint32_t Grower<Real>::threshold(std::size_t slot, const Candidate<Real>& cut) {
    if (!keeps()) return find_threshold(slot, cut);
    std::uint32_t& kept = gains_->offer(place_, columns_[slot]).threshold;
    if (kept == Offer<Real>::unset) kept = find_threshold(slot, cut);
    return kept;
}

// The largest level of the training cases that is not above the middle of the gap. The middle of
// neighboring numbers may be rounded to the upper one; a test of it would divide nothing, and
// Release 8 repeats it without end. Here the level below it is taken.
template <class Real>
std::uint32_t Grower<Real>::find_threshold(std::size_t slot, const Candidate<Real>& cut) {
    const std::vector<Real>& level = table_.columns[columns_[slot]].level;
    const auto half = [&](std::uint32_t rank) { return static_cast<double>(level[rank]) / 2; };
    const Real middle = static_cast<Real>(half(cut.low) + half(cut.high));
    const auto first = level.begin() + cut.low + 1;
    const auto past = std::upper_bound(first, level.begin() + cut.high, middle);
    auto rank = static_cast<std::uint32_t>(past - level.begin()) - 1;
    while (rank > cut.low && !present(slot)[rank]) --rank;
    return rank;
}

template <class Real>
const std::vector<char>& Grower<Real>::present(std::size_t slot) {
    std::vector<char>& levels = present_[slot];
    if (!levels.empty()) return levels;
    const Column<Real>& column = table_.columns[columns_[slot]];
    levels.assign(column.n_levels + std::size_t{1}, 0);
    for (const std::uint32_t row : training_) levels[column.rank[row]] = 1;
    return levels;
}

// Grows the next child of the deepest open node, or closes it.
template <class Real>
void Grower<Real>::advance() {
    Frame& frame = path_.back();
    const Test<Real> test = test_of(frame.node);
    watch_.expired_after(frame.division.cases.size());
    if (frame.visited.size() > 0) cases_.leave(test, frame.division, frame.visited);
    frame.visited = {};
    const std::int32_t branch = frame.next++;
    if (branch == static_cast<std::int32_t>(tree_.nodes[frame.node].n_branches)) return close();
    const std::size_t child = add_child(frame.node, static_cast<std::size_t>(branch));
    const Segment known = cases_.group(test, frame.division, branch);
    if (known.size() == 0) return add_empty_leaf(child, frame.node);
    frame.visited = cases_.enter(frame.division, known,
                                 frame.division.has_unknown() ? cases_.weigh(known) : Real{0});
    if (frame.visited.size() == frame.division.cases.size())
        throw std::logic_error("A test of C4.5 leaves all cases of a node together.");
    const std::uint32_t place = place_of(frame, static_cast<std::size_t>(branch));
    const bool all_ones = frame.all_ones && !frame.division.has_unknown();
    open(child, frame.visited, all_ones, place);  // may move `frame`
}

// Where what columns offer at the child being visited is kept, unless it is soon found again.
template <class Real>
std::uint32_t Grower<Real>::place_of(const Frame& frame, std::size_t branch) {
    if (frame.place == Gains<Real>::nowhere || frame.visited.size() < kFewCases)
        return Gains<Real>::nowhere;
    const std::size_t n_branches = tree_.nodes[frame.node].n_branches;
    return gains_->child(frame.place, columns_[frame.slot], branch, n_branches);
}

template <class Real>
std::size_t Grower<Real>::add_child(std::size_t node, std::size_t branch) {
    const std::size_t child = tree_.add_node();
    tree_.children[tree_.nodes[node].first_child + branch] = static_cast<std::uint32_t>(child);
    return child;
}

template <class Real>
void Grower<Real>::add_empty_leaf(std::size_t node, std::size_t parent) {
    tree_.nodes[node].majority = tree_.nodes[parent].majority;
    std::copy_n(tree_.counts_of(parent), table_.n_classes, tree_.counts_of(node));
}

template <class Real>
void Grower<Real>::close() {
    const Frame frame = path_.back();
    path_.pop_back();
    cases_.end(frame.division);
    if (!table_.columns[columns_[frame.slot]].is_number) tested_[frame.slot] = false;
    Node<Real>& node = tree_.nodes[frame.node];
    Real errors = 0;
    for (std::size_t b = 0; b < node.n_branches; ++b)
        errors += tree_.nodes[tree_.child(node, b)].errors;
    const double leaf_errors =
        static_cast<double>(node.weight - tree_.counts_of(frame.node)[node.majority]);
    if (static_cast<double>(errors) >= leaf_errors - kEpsilon)
        collapse(frame.node);
    else
        node.errors = errors;
}

// Everything below the node was added after it, so it can be cut off the ends of the arrays.
template <class Real>
void Grower<Real>::collapse(std::size_t node) {
    Node<Real>& leaf = tree_.nodes[node];
    tree_.children.resize(leaf.first_child);
    if (leaf.map >= 0) tree_.maps.resize(static_cast<std::size_t>(leaf.map));
    leaf.column = -1;
    leaf.map = -1;
    leaf.n_branches = 0;
    tree_.nodes.resize(node + 1);
    tree_.counts.resize((node + 1) * table_.n_classes);
}

template class Grower<float>;
template class Grower<double>;

}  // namespace planetree::c45
