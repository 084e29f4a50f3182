#include "changes/cheapest_change.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "changes/box_program.hpp"

namespace planetree {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kWhole = 1e-9;   // of a step: what counts as a whole number of steps
constexpr double kStill = 1e-11;  // a smaller move is none
constexpr double kEqual = 1e-10;  // of the cost: what does not beat it by more is no better
constexpr std::size_t kMostPrograms = 200000;

// What the search has settled: which moves may be made, must be made, and between which sizes.
struct Node {
    std::vector<double> low, high;
    std::vector<char> may_rest, alive;  // of the moves
    std::vector<char> must, counted;    // of the groups: one of its moves is made; it is charged
    double bound = 0;
    std::vector<double> values;  // of the relaxation
};

struct Branching {
    enum Kind { none, size, move, group } kind = none;
    std::size_t which = 0;
    double at = 0;  // sizes up to it on one side, the next step on the other
};

class RegionSearch {
  public:
    RegionSearch(const Moves& moves, const Region& region, std::size_t max_changes)
        : moves_(moves), max_changes_(max_changes) {
        root_.low = moves.low;
        root_.high = moves.high;
        root_.may_rest.assign(moves.size(), 1);
        root_.alive.assign(moves.size(), 1);
        root_.must.assign(moves.n_groups, 0);
        root_.counted.assign(moves.n_groups, 0);
        const std::size_t m = region.right.size();
        bool possible = true;
        for (std::size_t i = 0; i < m && possible; ++i)
            possible = read_row(&region.rows[i * moves.size()], region.right[i]);
        if (!possible || !relax(root_)) root_.bound = kInfinite;
    }

    double first_bound() const { return root_.bound; }
    std::size_t n_programs() const { return n_programs_; }

    // Improves `best`; what it leaves unsearched costs `best.bound` or more.
    bool improve(CheapestChange& best, Watch& watch) {
        bool better = false;
        std::vector<Node> open;
        open.push_back(std::move(root_));
        while (!open.empty()) {
            Node node = std::move(open.back());
            open.pop_back();
            const bool stop = watch.expired_after(1000) || n_programs_ > kMostPrograms;
            if (stop || node.values.empty() || !beats(node.bound, best)) {
                best.bound = std::min(best.bound, node.bound);
                continue;
            }
            const Branching branching = first_violation(node);
            if (branching.kind == Branching::none) {
                better |= take(node, best);
                continue;
            }
            Node other = node;
            split(node, other, branching);
            for (Node* child : {&other, &node})  // the last is searched first
                if (relax(*child)) open.push_back(std::move(*child));
        }
        return better;
    }

  private:
    static bool beats(double bound, const CheapestChange& best) {
        return best.sizes.empty() || bound < best.cost - kEqual * (1 + best.cost);
    }

    // A row that reads one cell bounds its moves; others are kept. False if none can satisfy it.
    bool read_row(const double* row, double right) {
        std::size_t first = moves_.size();
        double size = 0;
        bool single = true;
        for (std::size_t j = 0; j < moves_.size(); ++j) {
            if (row[j] == 0) continue;
            size = std::max(size, std::abs(row[j]));
            if (first == moves_.size()) first = j;
            single &= moves_.group[j] == moves_.group[first];
        }
        if (first == moves_.size()) return right >= 0;
        if (single) {
            bound_group(moves_.group[first], row, right);
            return true;
        }
        for (std::size_t j = 0; j < moves_.size(); ++j) rows_.push_back(row[j] / size);
        right_.push_back(right / size);
        return true;
    }

    void bound_group(std::size_t group, const double* row, double right) {
        if (right < 0) root_.must[group] = root_.counted[group] = 1;
        for (std::size_t j = 0; j < moves_.size(); ++j) {
            if (moves_.group[j] != group) continue;
            if (row[j] > 0)
                root_.high[j] = std::min(root_.high[j], right / row[j]);
            else if (row[j] < 0 && right < 0)
                root_.low[j] = std::max(root_.low[j], right / row[j]);
            else if (right < 0)
                root_.alive[j] = 0;
        }
    }

    // Numbers of steps are doubles: a bound may be more steps away than an integer holds.
    double step_of(std::size_t j, double size, bool up) const {
        const double steps = (size - moves_.low[j]) / moves_.step[j];
        const double whole = up ? std::ceil(steps - kWhole) : std::floor(steps + kWhole);
        return std::max(0.0, whole);
    }
    double size_of(std::size_t j, double steps) const {
        return moves_.low[j] + steps * moves_.step[j];
    }

    void round_inward(Node& node, std::size_t j) const {
        if (moves_.step[j] == 0 || !node.alive[j]) return;
        node.low[j] = size_of(j, step_of(j, node.low[j], true));
        if (node.high[j] < moves_.low[j] - kWhole * moves_.step[j])
            node.alive[j] = 0;
        else if (std::isfinite(node.high[j]))
            node.high[j] = size_of(j, step_of(j, node.high[j], false));
    }

    void still(Node& node, std::size_t j) const { node.alive[j] = 0; }
    void make(Node& node, std::size_t j) const {
        node.may_rest[j] = 0;
        node.must[moves_.group[j]] = node.counted[moves_.group[j]] = 1;
        for (std::size_t i = 0; i < moves_.size(); ++i)
            if (i != j && moves_.group[i] == moves_.group[j]) still(node, i);
    }

    // Draws what follows from what is settled; false if nothing is left.
    bool settle(Node& node) const {
        for (std::size_t j = 0; j < moves_.size(); ++j) {
            round_inward(node, j);
            if (node.alive[j] && node.low[j] > node.high[j]) still(node, j);
            if (!node.alive[j] && !node.may_rest[j]) return false;
        }
        std::vector<std::size_t> left(moves_.n_groups, 0), last(moves_.n_groups, 0);
        for (std::size_t j = 0; j < moves_.size(); ++j)
            if (node.alive[j]) {
                ++left[moves_.group[j]];
                last[moves_.group[j]] = j;
            }
        std::size_t charged = 0;
        for (std::size_t g = 0; g < moves_.n_groups; ++g) {
            if (node.must[g] && left[g] == 0) return false;
            if (node.must[g] && left[g] == 1) node.may_rest[last[g]] = 0;
            charged += node.counted[g] != 0;
        }
        if (charged > max_changes_) return false;
        if (charged == max_changes_)
            for (std::size_t j = 0; j < moves_.size(); ++j)
                if (!node.counted[moves_.group[j]]) still(node, j);
        return true;
    }

    BoxProgram program_of(const Node& node) const {
        const std::size_t n = moves_.size();
        BoxProgram program;
        program.cost = moves_.cost;
        program.low.assign(n, 0.0);
        program.high.assign(n, 0.0);
        for (std::size_t j = 0; j < n; ++j) {
            if (!node.alive[j]) continue;
            program.low[j] = node.may_rest[j] ? 0.0 : node.low[j];
            program.high[j] = node.high[j];
        }
        program.rows = rows_;
        program.right = right_;
        add_counts(node, program);
        return program;
    }

    // Of the groups not charged yet, so many may move; of one that must move, a move is whole.
    void add_counts(const Node& node, BoxProgram& program) const {
        const std::size_t n = moves_.size();
        std::vector<double> count(n, 0.0), must(moves_.n_groups * n, 0.0);
        std::vector<std::size_t> choices(moves_.n_groups, 0);
        std::size_t charged = 0, free = 0;
        for (std::size_t g = 0; g < moves_.n_groups; ++g) charged += node.counted[g] != 0;
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t g = moves_.group[j];
            if (!node.alive[j]) continue;
            if (!node.counted[g] && std::isfinite(node.high[j]) && node.high[j] > 0) {
                count[j] = 1.0 / node.high[j];
                ++free;
            }
            if (node.must[g] && node.may_rest[j]) {
                must[g * n + j] = node.low[j] > 1e-6 ? -1.0 / node.low[j] : -kInfinite;
                ++choices[g];
            }
        }
        if (free > max_changes_ - charged) {
            program.rows.insert(program.rows.end(), count.begin(), count.end());
            program.right.push_back(static_cast<double>(max_changes_ - charged));
        }
        for (std::size_t g = 0; g < moves_.n_groups; ++g) {
            const auto first = must.begin() + static_cast<std::ptrdiff_t>(g * n);
            const auto end = first + static_cast<std::ptrdiff_t>(n);
            if (!choices[g] || std::find(first, end, -kInfinite) != end) continue;
            program.rows.insert(program.rows.end(), first, end);
            program.right.push_back(-1.0);
        }
    }

    // False if no point is feasible. Where none was found, the node stays with its bound alone.
    bool relax(Node& node) {
        if (!settle(node)) return false;
        BoxAnswer answer = solve(program_of(node));
        ++n_programs_;
        node.bound = std::max(node.bound, answer.bound);
        node.values = std::move(answer.values);
        return node.bound < kInfinite;
    }

    Branching first_violation(const Node& node) const {
        std::vector<std::size_t> moved(moves_.n_groups, 0);
        for (std::size_t j = 0; j < moves_.size(); ++j) {
            const double value = node.values[j];
            if (!node.alive[j] || value <= kStill) continue;
            if (value < node.low[j] * (1 - 1e-12)) return {Branching::move, j, 0};
            if (moves_.step[j] > 0) {
                const double steps = (value - moves_.low[j]) / moves_.step[j];
                if (std::abs(steps - std::round(steps)) > kWhole)
                    return {Branching::size, j, std::floor(steps)};
            }
            if (++moved[moves_.group[j]] > 1) return {Branching::move, j, 0};
        }
        std::size_t n_moved = 0, open = moves_.n_groups;
        for (std::size_t g = 0; g < moves_.n_groups; ++g) {
            if (!moved[g] && node.must[g])
                for (std::size_t j = 0; j < moves_.size(); ++j)
                    if (moves_.group[j] == g && node.alive[j] && node.may_rest[j])
                        return {Branching::move, j, 0};
            n_moved += moved[g] || node.counted[g];
            if (moved[g] && !node.counted[g]) open = g;
        }
        if (n_moved > max_changes_) return {Branching::group, open, 0};
        return {};
    }

    void split(Node& first, Node& second, const Branching& at) const {
        if (at.kind == Branching::move) {
            make(first, at.which);
            still(second, at.which);
        } else if (at.kind == Branching::size) {
            first.high[at.which] = size_of(at.which, at.at);
            second.low[at.which] = size_of(at.which, at.at + 1);
            make(second, at.which);
        } else {
            first.counted[at.which] = 1;
            for (std::size_t j = 0; j < moves_.size(); ++j)
                if (moves_.group[j] == at.which) still(second, j);
        }
    }

    bool take(const Node& node, CheapestChange& best) const {
        std::vector<double> sizes(moves_.size(), 0.0);
        double cost = 0;
        for (std::size_t j = 0; j < moves_.size(); ++j) {
            if (!node.alive[j] || node.values[j] <= kStill) continue;
            sizes[j] = node.values[j];
            if (moves_.step[j] > 0) sizes[j] = size_of(j, step_of(j, sizes[j], false));
            cost += moves_.cost[j] * sizes[j];
        }
        best.bound = std::min(best.bound, node.bound);
        if (!best.sizes.empty() && cost >= best.cost) return false;
        best.sizes = std::move(sizes);
        best.cost = cost;
        return true;
    }

    const Moves& moves_;
    std::size_t max_changes_, n_programs_ = 0;
    std::vector<double> rows_, right_;
    Node root_;
};

}  // namespace

CheapestChange cheapest_change(const Moves& moves, const std::vector<Region>& regions,
                               std::size_t max_changes, Watch& watch) {
    std::vector<RegionSearch> searches;
    searches.reserve(regions.size());
    for (const Region& region : regions) searches.emplace_back(moves, region, max_changes);
    std::vector<std::size_t> order(regions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::make_pair(searches[a].first_bound(), a) <
               std::make_pair(searches[b].first_bound(), b);
    });
    CheapestChange best;
    best.bound = kInfinite;
    for (const std::size_t r : order) {
        if (searches[r].first_bound() == kInfinite) break;
        if (searches[r].improve(best, watch)) best.region = static_cast<int>(r);
        best.n_programs += searches[r].n_programs();
    }
    if (!best.sizes.empty()) best.bound = std::min(best.bound, best.cost);
    return best;
}

}  // namespace planetree
