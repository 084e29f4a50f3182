#include "c45_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace planetree::c45 {
namespace {

constexpr double kMinShare = 0.10;  // of the known cases a class has, on each side of a cut
constexpr double kMostMinimum = 25;
constexpr std::size_t kLevelsPerCase = 1024;  // up to so many, to mark levels beats sorting

// A class below a cut, 0 at first, and above it, all of its known cases at first; with x log2(x) of
// both, computed again only when they are asked for after a change.
template <class Count>
struct ClassSides {
    Count low = 0, high = 0;
    bool changed = true;
    double low_log = 0, high_log = 0;
};

template <class Count>
class TwoClasses {
  public:
    explicit TwoClasses(const std::vector<Count>& known) {
        for (std::size_t c = 0; c < 2; ++c) classes_[c].high = known[c];
    }
    static constexpr std::size_t size() { return 2; }
    ClassSides<Count>& operator[](std::size_t c) { return classes_[c]; }

  private:
    std::array<ClassSides<Count>, 2> classes_;
};

template <class Count>
class ManyClasses {
  public:
    explicit ManyClasses(const std::vector<Count>& known) : classes_(known.size()) {
        for (std::size_t c = 0; c < known.size(); ++c) classes_[c].high = known[c];
    }
    std::size_t size() const { return classes_.size(); }
    ClassSides<Count>& operator[](std::size_t c) { return classes_[c]; }

  private:
    std::vector<ClassSides<Count>> classes_;
};

// Moves levels of a number column from the high side to the low side of a cut, in ascending
// order, and keeps the first cut with the largest gain. The correction for the number of cuts
// tried is the same for all of them, so it is charged once, in `finish`.
// `Classes` is an array of ClassSides.
template <class Real, class Count, class Classes>
class CutSearch {
  public:
    CutSearch(Logs<Real>& logs, const Column<Real>& column, double min_cases,
              const std::vector<Count>& known)
        : logs_(logs), column_(column), min_cases_(min_cases), classes_(known) {}

    bool start(Real total, Real unknown) {
        const Real known = total - unknown;
        if (static_cast<double>(known) < 2 * min_cases_) return false;
        const Real base = high_mass() / known;
        parts_ = {total, unknown, known, base};
        least_ = smallest_side();
        most_ = known - least_;
        return true;
    }

    void move(std::size_t cls, Count weight) {
        ClassSides<Count>& sides = classes_[cls];
        sides.low += weight;
        sides.high -= weight;
        sides.changed = true;
        low_weight_ += weight;
    }

    void move(const Count* weights) {
        for (std::size_t c = 0; c < classes_.size(); ++c) move(c, weights[c]);
    }

    // Considers the cut between two neighboring levels; false when no later cut can be tried.
    bool cut(std::uint32_t below, std::uint32_t above) {
        const auto low = static_cast<Real>(low_weight_);
        if (low < least_) return true;
        if (low > most_) return false;
        if (column_.has_narrow_gap && !is_wide(column_.level[below], column_.level[above]))
            return true;
        ++tries_;
        const Real high = high_mass();  // brings the logarithms of both sides up to date
        const Real mass = low_mass() + high;
        if (tries_ == 1 || mass < best_mass_) keep(low, mass, below, above);
        return true;
    }

    void finish(Candidate<Real>& found, const std::vector<double>& log2s) {
        if (tries_ == 0) return;
        const double bits =
            tries_ < log2s.size() ? log2s[tries_] : std::log2(static_cast<double>(tries_));
        const Real cost = static_cast<Real>(bits / static_cast<double>(parts_.total));
        const Real net = best_gain_ - cost;
        if (!(net > 0)) return;
        found.gain = net;
        found.info = info();
        found.low = below_;
        found.high = above_;
        found.n_branches = 2;
    }

  private:
    Real smallest_side() const {
        const auto share = static_cast<Real>(kMinShare * static_cast<double>(parts_.known) /
                                             static_cast<double>(classes_.size()));
        if (static_cast<double>(share) <= min_cases_) return static_cast<Real>(min_cases_);
        return std::min(share, static_cast<Real>(kMostMinimum));
    }

    Real high_mass() {
        Real sum = 0;
        Count total = 0;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            ClassSides<Count>& sides = classes_[c];
            if (sides.changed) {
                sides.low_log = logs_(sides.low);
                sides.high_log = logs_(sides.high);
                sides.changed = false;
            }
            sum = static_cast<Real>(static_cast<double>(sum) + sides.high_log);
            total += sides.high;
        }
        return static_cast<Real>(logs_(total) - static_cast<double>(sum));
    }

    Real low_mass() {
        Real sum = 0;
        Count total = 0;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            sum = static_cast<Real>(static_cast<double>(sum) + classes_[c].low_log);
            total += classes_[c].low;
        }
        return static_cast<Real>(logs_(total) - static_cast<double>(sum));
    }

    // Only a smaller mass can have a larger gain, and after rounding it need not.
    void keep(Real low, Real mass, std::uint32_t below, std::uint32_t above) {
        const bool both = static_cast<double>(low) >= min_cases_ &&
                          static_cast<double>(parts_.known - low) >= min_cases_;
        const Real gain = both ? parts_.gain(mass) : Candidate<Real>::impossible;
        if (tries_ > 1 && !(gain > best_gain_)) return;
        best_mass_ = mass;
        best_gain_ = gain;
        best_low_ = low;
        below_ = below;
        above_ = above;
    }

    Real info() const {
        Mass<Real> mass(logs_);
        const std::array<Real, 3> weights{parts_.unknown, best_low_, parts_.known - best_low_};
        Real total = 0;
        for (const Real weight : weights) {
            mass.add(weight);
            total += weight;
        }
        return mass.of(total) / parts_.total;
    }

    Logs<Real>& logs_;
    const Column<Real>& column_;
    double min_cases_;
    Classes classes_;
    Parts<Real> parts_{};
    Real least_ = 0, most_ = 0;
    Count low_weight_ = 0;
    std::size_t tries_ = 0;
    Real best_mass_ = 0, best_gain_ = 0, best_low_ = 0;
    std::uint32_t below_ = 0, above_ = 0;
};

}  // namespace

bool CaseOrder::prefers_chains(std::uint32_t n_levels, std::size_t n) {
    return n_levels <= kLevelsPerCase * n;
}

void CaseOrder::start(std::size_t n) {
    places_.resize(n);
    std::iota(places_.begin(), places_.end(), 0U);
}

void CaseOrder::sort(const std::uint32_t* rank, std::uint32_t n_levels, const std::uint32_t* row) {
    n_levels_ = n_levels;
    prefers_chains(n_levels, places_.size()) ? sort_by_chains(rank, row) : sort_by_keys(rank, row);
}

void CaseOrder::sort_by_chains(const std::uint32_t* rank, const std::uint32_t* row) {
    if (head_.size() <= n_levels_) head_.resize(n_levels_ + std::size_t{1});
    if (marks_.size() <= n_levels_ / 64) marks_.resize(n_levels_ / 64 + 1, 0);
    next_.resize(places_.size());
    for (std::size_t i = places_.size(); i-- > 0;) {
        const std::uint32_t place = places_[i], level = rank[row[place]];
        std::uint64_t& marks = marks_[level / 64];
        const auto is_last = static_cast<std::uint32_t>(marks >> (level % 64) & 1) - 1;
        next_[place] = head_[level] | is_last;  // all bits set, which is kEnd, if it is
        head_[level] = place;
        marks |= std::uint64_t{1} << (level % 64);
    }
    std::uint32_t* to = places_.data();
    const auto take_chain = [&](std::uint32_t level) {
        for (std::uint32_t i = head_[level]; i != kEnd; i = next_[i]) *to++ = i;
    };
    const std::uint64_t missing = std::uint64_t{1} << (n_levels_ % 64);
    if ((marks_[n_levels_ / 64] & missing) != 0) take_chain(n_levels_);
    marks_[n_levels_ / 64] &= ~missing;
    for (std::size_t word = 0; word <= n_levels_ / 64; ++word) {
        for (std::uint64_t left = marks_[word]; left != 0; left &= left - 1)
            take_chain(static_cast<std::uint32_t>(64 * word) + lowest_bit(left));
        marks_[word] = 0;
    }
}

void CaseOrder::sort_by_keys(const std::uint32_t* rank, const std::uint32_t* row) {
    keys_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::uint64_t level = rank[row[places_[i]]];
        const std::uint64_t key = level == n_levels_ ? 0 : level + 1;
        keys_.push_back(key << 32 | i);
    }
    std::sort(keys_.begin(), keys_.end());
    scratch_ = places_;
    for (std::size_t i = 0; i < keys_.size(); ++i)
        places_[i] = scratch_[static_cast<std::uint32_t>(keys_[i])];
}

void LevelCounts::count(const std::uint32_t* rank, std::uint32_t n_levels, const std::uint32_t* row,
                        const std::uint32_t* cls, std::size_t n, std::size_t n_classes) {
    n_levels_ = n_levels;
    n_classes_ = n_classes;
    const std::size_t size = (n_levels + std::size_t{1}) * n_classes;
    if (counts_.size() < size) counts_.resize(size, 0);
    if (marks_.size() <= n_levels / 64) marks_.resize(n_levels / 64 + 1, 0);
    std::uint32_t* counts = counts_.data();
    if (n_levels < 64) {  // the marks fit a register
        std::uint64_t marks = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t level = rank[row[i]];
            ++counts[level * n_classes + cls[i]];
            marks |= std::uint64_t{1} << level;
        }
        marks_[0] = marks;
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t level = rank[row[i]];
            ++counts[level * n_classes + cls[i]];
            marks_[level / 64] |= std::uint64_t{1} << (level % 64);
        }
    }
    marks_[n_levels / 64] &= ~(std::uint64_t{1} << (n_levels % 64));
}

template <class Real>
void NumberSearch<Real>::run(const Column<Real>& column, const NodeCases<Real>& cases,
                             double min_cases, Candidate<Real>& found) {
    const bool two = n_classes_ == 2;
    if (cases.unit && CaseOrder::prefers_chains(column.n_levels, cases.n)) {
        two ? scan_counts<TwoClasses<std::uint32_t>>(column, cases, min_cases, found)
            : scan_counts<ManyClasses<std::uint32_t>>(column, cases, min_cases, found);
    } else {
        two ? scan_cases<TwoClasses<Real>>(column, cases, min_cases, found)
            : scan_cases<ManyClasses<Real>>(column, cases, min_cases, found);
    }
}

template <class Real>
template <class Classes>
void NumberSearch<Real>::scan_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                                     double min_cases, Candidate<Real>& found) {
    counts_.count(column.rank.data(), column.n_levels, cases.row, cases.cls, cases.n, n_classes_);
    const std::uint32_t* missing = counts_.missing();
    const Real unknown = static_cast<Real>(sum(missing, n_classes_));
    whole_known_.resize(n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c)
        whole_known_[c] = static_cast<std::uint32_t>(cases.counts[c]) - missing[c];
    CutSearch<Real, std::uint32_t, Classes> search(logs_, column, min_cases, whole_known_);
    const bool starts = search.start(cases.total, unknown);
    std::uint32_t below = column.n_levels;
    counts_.visit_known([&](std::uint32_t level, const std::uint32_t* counts) {
        if (!starts || (below < level && !search.cut(below, level))) return false;
        search.move(counts);
        below = level;
        return true;
    });
    search.finish(found, log2s_);
}

// Fractional weights are added case by case, in the order of the column; their total in the order
// that the column before it left. Both is what Release 8 does, and it shows in the last bit.
template <class Real>
template <class Classes>
void NumberSearch<Real>::scan_cases(const Column<Real>& column, const NodeCases<Real>& cases,
                                    double min_cases, Candidate<Real>& found) {
    Real total = 0;
    for (const std::uint32_t i : places()) total += cases.weight[i];
    sort(column, cases);
    const Real unknown = sum_known(column, cases);
    CutSearch<Real, Real, Classes> search(logs_, column, min_cases, known_);
    if (!search.start(total, unknown)) return;
    const std::uint32_t* rank = column.rank.data();
    std::uint32_t below = column.n_levels;
    for (const std::uint32_t i : places()) {
        const std::uint32_t level = rank[cases.row[i]];
        if (level == column.n_levels) continue;
        if (below < level && !search.cut(below, level)) break;
        search.move(cases.cls[i], cases.weight[i]);
        below = level;
    }
    search.finish(found, log2s_);
}

// Class counts of the known cases into known_; gives the weight of the others.
template <class Real>
Real NumberSearch<Real>::sum_known(const Column<Real>& column, const NodeCases<Real>& cases) {
    Real unknown = 0;
    if (!column.has_missing) {
        known_.assign(cases.counts, cases.counts + n_classes_);
        return unknown;
    }
    known_.assign(n_classes_, 0);
    for (const std::uint32_t i : places()) {
        const bool known = column.rank[cases.row[i]] < column.n_levels;
        (known ? known_[cases.cls[i]] : unknown) += cases.weight[i];
    }
    return unknown;
}

template class NumberSearch<float>;
template class NumberSearch<double>;

}  // namespace planetree::c45
