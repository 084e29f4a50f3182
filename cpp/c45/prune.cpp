#include "c45/prune.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace planetree::c45 {
namespace {

constexpr double kSlack = 0.1;  // a simpler tree may be estimated this much worse

template <class Real>
class Pruner {
  public:
    Pruner(const Table<Real>& table, const Tree<Real>& tree, double confidence, Watch& watch)
        : table_(table),
          tree_(tree),
          added_(confidence),
          watch_(watch),
          counts_(table.n_classes),
          whole_counts_(table.n_classes) {}

    Tree<Real> run();

  private:
    enum class Stage { kEnter, kBranches, kCompare, kRaise };

    // A node whose errors are being estimated for some cases; `update` also prunes it.
    struct Visit {
        std::size_t node;
        Segment cases;
        bool update;
        bool own;       // the cases are those of the growing, still in the order of the branches
        bool all_ones;  // every case weighs 1; what was divided and put together again may not
        Stage stage = Stage::kEnter;
        std::uint32_t next = 0;  // branch to visit
        Division<Real> division{};
        Segment visited{};  // cases of that branch
        Real leaf_errors = 0, tree_errors = 0;
        Real largest_weight = 0;
        std::uint32_t largest = 0;  // branch with the most known cases
    };

    void step();
    void enter();
    void leave(Real errors);
    void next_branch();
    void start(std::size_t node, Segment cases, bool update, bool all_ones, bool own = false) {
        path_.push_back({node, cases, update, own, all_ones});
    }
    void enter_own();
    Segment next_own(Visit& visit);
    void compare();
    void raise();
    std::uint32_t count(const Visit& visit, Real& total);
    Real weigh(const Visit& visit, Segment cases) const;
    void make_leaf(std::size_t node);

    const Table<Real>& table_;
    Tree<Real> tree_;
    AddedErrors<Real> added_;
    Watch& watch_;
    Cases<Real> cases_;
    std::vector<Real> counts_;
    std::vector<std::uint32_t> whole_counts_;
    std::vector<Visit> path_;
    Real returned_ = 0;  // by the visit that just ended
};

template <class Real>
Tree<Real> Pruner<Real>::run() {
    cases_.plain = tree_.plain;
    const Segment all = cases_.fill(tree_.rows, table_.weights);
    start(0, all, true, cases_.all_ones(), tree_.plain);
    while (!path_.empty() && !watch_.is_late()) step();
    return std::move(tree_);
}

template <class Real>
void Pruner<Real>::step() {
    switch (path_.back().stage) {
        case Stage::kEnter:
            return enter();
        case Stage::kBranches:
            return next_branch();
        case Stage::kCompare:
            return compare();
        case Stage::kRaise:
            return raise();
    }
}

// Class counts of the cases into counts_; the class is the node's own unless another is larger.
template <class Real>
std::uint32_t Pruner<Real>::count(const Visit& visit, Real& total) {
    const Case<Real>* at = cases_.at(visit.cases);
    const std::size_t n = visit.cases.size();
    if (visit.all_ones) {
        count_up(at, n, table_.classes.data(), whole_counts_, counts_.data());
        total = static_cast<Real>(n);
    } else {
        std::fill(counts_.begin(), counts_.end(), Real{0});
        total = add_up(at, n, table_.classes.data(), counts_.size(), counts_.data()).weight;
    }
    std::uint32_t majority = tree_.nodes[visit.node].majority;
    for (std::uint32_t c = 0; c < counts_.size(); ++c)
        if (counts_[c] > counts_[majority]) majority = c;
    return majority;
}

template <class Real>
Real Pruner<Real>::weigh(const Visit& visit, Segment cases) const {
    return visit.all_ones ? static_cast<Real>(cases.size()) : cases_.weigh(cases);
}

template <class Real>
void Pruner<Real>::enter() {
    Visit& visit = path_.back();
    watch_.expired_after(visit.own ? 1 : visit.cases.size());
    if (visit.own) return enter_own();
    Node<Real>& node = tree_.nodes[visit.node];
    Real total = 0;
    if (visit.update || node.is_leaf()) {
        const std::uint32_t majority = count(visit, total);
        const Real errors = total - counts_[majority];
        visit.leaf_errors = errors + added_(total, errors);
        if (visit.update) {
            node.majority = majority;
            node.weight = total;
            std::copy(counts_.begin(), counts_.end(), tree_.counts_of(visit.node));
        }
        if (node.is_leaf()) return leave(visit.leaf_errors);
    }
    const Test<Real> test(table_, tree_, node);
    if (!visit.update && test.may_be_unknown()) total = weigh(visit, visit.cases);
    visit.division = cases_.divide(test, visit.cases, node.n_branches, total);
    visit.all_ones &= !visit.division.has_unknown();
    visit.stage = Stage::kBranches;
}

// What was counted when the node was grown need not be counted again.
template <class Real>
void Pruner<Real>::enter_own() {
    Visit& visit = path_.back();
    const Node<Real>& node = tree_.nodes[visit.node];
    const Real errors = node.weight - tree_.counts_of(visit.node)[node.majority];
    visit.leaf_errors = errors + added_(node.weight, errors);
    if (node.is_leaf()) return leave(visit.leaf_errors);
    visit.division.group_end = visit.cases.begin;
    visit.stage = Stage::kBranches;
}

template <class Real>
Segment Pruner<Real>::next_own(Visit& visit) {
    const std::size_t child = tree_.child(tree_.nodes[visit.node], visit.next);
    const std::size_t begin = visit.division.group_end;
    visit.division.group_end += static_cast<std::size_t>(tree_.nodes[child].weight);
    return {begin, visit.division.group_end};
}

template <class Real>
void Pruner<Real>::leave(Real errors) {
    if (path_.back().update) tree_.nodes[path_.back().node].errors = errors;
    returned_ = errors;
    const bool all_ones = path_.back().all_ones;
    path_.pop_back();
    if (!path_.empty()) path_.back().all_ones &= all_ones;
}

template <class Real>
void Pruner<Real>::next_branch() {
    Visit& visit = path_.back();
    const Node<Real>& node = tree_.nodes[visit.node];
    const Test<Real> test(table_, tree_, node);
    if (visit.visited.size() > 0) {
        visit.tree_errors += returned_;
        cases_.leave(test, visit.division, visit.visited);
        visit.visited = {};
    }
    for (; visit.next < node.n_branches; ++visit.next) {
        const Segment known =
            visit.own ? next_own(visit)
                      : cases_.group(test, visit.division, static_cast<std::int32_t>(visit.next));
        if (known.size() == 0) continue;
        const Real weight = weigh(visit, known);
        if (weight >= visit.largest_weight) {
            visit.largest_weight = weight;
            visit.largest = visit.next;
        }
        visit.visited = cases_.enter(visit.division, known, weight);
        return start(tree_.child(node, visit.next++), visit.visited, visit.update, visit.all_ones,
                     visit.own);
    }
    cases_.end(visit.division);
    if (!visit.update) return leave(visit.tree_errors);
    visit.stage = Stage::kCompare;
    const std::size_t largest = tree_.child(node, visit.largest);
    if (tree_.nodes[largest].is_leaf())
        returned_ = visit.leaf_errors;  // as it would find
    else
        start(largest, visit.cases, false, visit.all_ones);
}

template <class Real>
void Pruner<Real>::compare() {
    Visit& visit = path_.back();
    const double leaf = static_cast<double>(visit.leaf_errors);
    const double branch = static_cast<double>(returned_);
    const double tree = static_cast<double>(visit.tree_errors);
    if (leaf <= branch + kSlack && leaf <= tree + kSlack) {
        make_leaf(visit.node);
        return leave(visit.leaf_errors);
    }
    if (branch > tree + kSlack) return leave(visit.tree_errors);
    visit.stage = Stage::kRaise;
    start(tree_.child(tree_.nodes[visit.node], visit.largest), visit.cases, true, visit.all_ones);
}

// The largest branch, by now pruned for all cases of the node, takes the node's place.
template <class Real>
void Pruner<Real>::raise() {
    const Visit& visit = path_.back();
    const std::size_t branch = tree_.child(tree_.nodes[visit.node], visit.largest);
    tree_.nodes[visit.node] = tree_.nodes[branch];
    std::copy_n(tree_.counts_of(branch), table_.n_classes, tree_.counts_of(visit.node));
    leave(returned_);
}

template <class Real>
void Pruner<Real>::make_leaf(std::size_t node) {
    tree_.nodes[node].column = -1;
    tree_.nodes[node].map = -1;
    tree_.nodes[node].n_branches = 0;
}

// Categories that can still occur at a node, as tests of subsets above it narrow them down. The
// last branch of such a test keeps only those, and goes where none is left.
template <class Real>
class PossibleValues {
  public:
    PossibleValues(const Table<Real>& table, Tree<Real>& tree) : table_(table), tree_(tree) {}

    void trim() {
        descend(0);
        while (!path_.empty()) {
            Level& level = path_.back();
            const Node<Real>& node = tree_.nodes[level.node];
            if (level.next == node.n_branches) {
                std::swap(possible_of(node), level.before);
                path_.pop_back();
                continue;
            }
            const auto branch = static_cast<std::int32_t>(level.next++);
            if (!table_.columns[static_cast<std::size_t>(node.column)].is_number)
                narrow(node, branch, level.before);
            descend(tree_.child(node, static_cast<std::size_t>(branch)));
        }
    }

  private:
    struct Level {
        std::size_t node;
        std::uint32_t next;
        std::vector<char> before;  // what was possible for the node's column above it
    };

    std::vector<char>& possible_of(const Node<Real>& node) {
        if (possible_.empty()) possible_.resize(table_.columns.size());
        auto& values = possible_[static_cast<std::size_t>(node.column)];
        const auto& column = table_.columns[static_cast<std::size_t>(node.column)];
        if (values.empty() && !column.is_number) values.assign(column.n_levels, 1);
        return values;
    }

    void descend(std::size_t at) {
        Node<Real>& node = tree_.nodes[at];
        if (node.is_leaf()) return;
        const std::vector<char>& possible = possible_of(node);
        if (node.map >= 0) cut_last_branch(node, possible);
        path_.push_back({at, 0, possible});
    }

    void cut_last_branch(Node<Real>& node, const std::vector<char>& possible) {
        std::int32_t* map = tree_.maps.data() + node.map;
        const auto last = static_cast<std::int32_t>(node.n_branches) - 1;
        bool any = false;
        for (std::size_t v = 0; v < possible.size(); ++v) {
            if (map[v] != last) continue;
            if (possible[v])
                any = true;
            else
                map[v] = -1;
        }
        if (!any) --node.n_branches;
    }

    void narrow(const Node<Real>& node, std::int32_t branch, const std::vector<char>& before) {
        std::vector<char>& values = possible_of(node);
        for (std::size_t v = 0; v < values.size(); ++v) {
            const std::int32_t to = node.map < 0
                                        ? static_cast<std::int32_t>(v)
                                        : tree_.maps[static_cast<std::size_t>(node.map) + v];
            values[v] = before[v] && to == branch;
        }
    }

    const Table<Real>& table_;
    Tree<Real>& tree_;
    std::vector<std::vector<char>> possible_;
    std::vector<Level> path_;
};

}  // namespace

template <class Real>
AddedErrors<Real>::AddedErrors(double confidence) : confidence_(static_cast<Real>(confidence)) {
    constexpr std::array<double, 9> level{0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
    constexpr std::array<double, 9> deviate{4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
    std::size_t i = 1;
    while (i < level.size() - 1 && confidence_ > static_cast<Real>(level[i])) ++i;
    const auto at = [](double x) { return static_cast<Real>(x); };
    const Real z = at(deviate[i - 1]) + (at(deviate[i]) - at(deviate[i - 1])) *
                                            (confidence_ - at(level[i - 1])) /
                                            (at(level[i]) - at(level[i - 1]));
    z2_ = z * z;
}

template <class Real>
Real AddedErrors<Real>::none(Real n) const {
    const auto cases = static_cast<double>(n);
    return static_cast<Real>(cases *
                             (1 - std::exp(std::log(static_cast<double>(confidence_)) / cases)));
}

template <class Real>
Real AddedErrors<Real>::operator()(Real n, Real e) const {
    const auto cases = static_cast<double>(n), errors = static_cast<double>(e);
    if (errors < 1e-6) return none(n);
    if (errors < 0.9999) {
        const Real zero = none(n);
        return static_cast<Real>(zero + e * ((*this)(n, Real{1}) - zero));
    }
    if (errors + 0.5 >= cases) return static_cast<Real>(0.67 * static_cast<double>(n - e));
    const double half = errors + 0.5;
    const double spread = std::sqrt(static_cast<double>(z2_) *
                                    (half * (1 - half / cases) + static_cast<double>(z2_ / 4)));
    const auto limit = static_cast<Real>((half + static_cast<double>(z2_ / 2) + spread) /
                                         static_cast<double>(n + z2_));
    return n * limit - e;
}

template <class Real>
Tree<Real> prune(const Table<Real>& table, const Tree<Real>& tree, double confidence, bool subsets,
                 Watch& watch) {
    Tree<Real> pruned = in_preorder(Pruner<Real>(table, tree, confidence, watch).run());
    if (watch.is_late()) return in_preorder(tree);
    if (!subsets) return pruned;
    PossibleValues<Real>(table, pruned).trim();
    return in_preorder(pruned);
}

template class AddedErrors<float>;
template class AddedErrors<double>;
template Tree<float> prune(const Table<float>&, const Tree<float>&, double, bool, Watch&);
template Tree<double> prune(const Table<double>&, const Tree<double>&, double, bool, Watch&);

}  // namespace planetree::c45
