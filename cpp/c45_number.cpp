#include "c45_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace planetree::c45 {
namespace {

constexpr double kMinShare = 0.10;  // of the known cases a class has, on each side of a cut
constexpr double kMostMinimum = 25;
constexpr std::size_t kLevelsPerCase = 128;  // up to so many, to mark levels beats sorting

// Class counts below a cut, 0 at first, and above it, those of all known cases at first.
template <class Count>
class TwoClassSides {
  public:
    explicit TwoClassSides(const std::vector<Count>& known) : high_{known[0], known[1]} {}
    static constexpr std::size_t n() { return 2; }
    Count* low() { return low_; }
    Count* high() { return high_; }

  private:
    Count low_[2] = {0, 0};
    Count high_[2];
};

template <class Count>
class ManyClassSides {
  public:
    explicit ManyClassSides(const std::vector<Count>& known) : low_(known.size()), high_(known) {}
    std::size_t n() const { return low_.size(); }
    Count* low() { return low_.data(); }
    Count* high() { return high_.data(); }

  private:
    std::vector<Count> low_, high_;
};

// Moves levels of a number column from the high side to the low side of a cut, in ascending
// order, and keeps the first cut with the largest gain. The correction for the number of cuts
// tried is the same for all of them, so it is charged once, in `finish`.
// `Sides` holds the class counts on either side.
template <class Real, class Count, class Sides>
class CutSearch {
  public:
    CutSearch(Logs<Real>& logs, const std::vector<Real>& level, double min_cases,
              const std::vector<Count>& known)
        : logs_(logs), level_(level.data()), min_cases_(min_cases), sides_(known) {}

    bool start(Real total, Real unknown) {
        const Real known = total - unknown;
        if (static_cast<double>(known) < 2 * min_cases_) return false;
        const Real base = class_mass(logs_, sides_.high(), sides_.n()) / known;
        parts_ = {total, unknown, known, base};
        least_ = smallest_side();
        most_ = known - least_;
        return true;
    }

    void move(std::size_t cls, Count weight) {
        sides_.low()[cls] += weight;
        sides_.high()[cls] -= weight;
        low_weight_ += weight;
    }

    void move(const Count* weights) {
        for (std::size_t c = 0; c < sides_.n(); ++c) move(c, weights[c]);
    }

    // Considers the cut between two neighboring levels; false when no later cut can be tried.
    bool cut(std::uint32_t below, std::uint32_t above) {
        const auto low = static_cast<Real>(low_weight_);
        if (low < least_) return true;
        if (low > most_) return false;
        if (!(static_cast<double>(level_[below]) < static_cast<double>(level_[above]) - kGap))
            return true;
        ++tries_;
        const Real mass = class_mass(logs_, sides_.low(), sides_.n()) +
                          class_mass(logs_, sides_.high(), sides_.n());
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
                                             static_cast<double>(sides_.n()));
        if (static_cast<double>(share) <= min_cases_) return static_cast<Real>(min_cases_);
        return std::min(share, static_cast<Real>(kMostMinimum));
    }

    // Only a smaller mass can have a larger gain, and after rounding it need not.
    void keep(Real low, Real mass, std::uint32_t below, std::uint32_t above) {
        const bool both = static_cast<double>(low) >= min_cases_ &&
                          static_cast<double>(parts_.known - low) >= min_cases_;
        const Real gain = both ? parts_.gain(mass) : Candidate<Real>::impossible;
        if (tries_ > 1 && !(gain > best_gain_)) return;
        best_mass_ = mass;
        best_gain_ = gain;
        best_low_ = static_cast<Real>(sum(sides_.low(), sides_.n()));
        best_high_ = static_cast<Real>(sum(sides_.high(), sides_.n()));
        below_ = below;
        above_ = above;
    }

    Real info() const {
        Mass<Real> mass(logs_);
        const std::array<Real, 3> weights{parts_.unknown, best_low_, best_high_};
        Real total = 0;
        for (const Real weight : weights) {
            mass.add(weight);
            total += weight;
        }
        return mass.of(total) / parts_.total;
    }

    Logs<Real>& logs_;
    const Real* level_;
    double min_cases_;
    Sides sides_;
    Parts<Real> parts_{};
    Real least_ = 0, most_ = 0;
    Count low_weight_ = 0;
    std::size_t tries_ = 0;
    Real best_mass_ = 0, best_gain_ = 0, best_low_ = 0, best_high_ = 0;
    std::uint32_t below_ = 0, above_ = 0;
};

}  // namespace

bool CaseOrder::prefers_chains(std::uint32_t n_levels, std::size_t n) {
    return n_levels <= kLevelsPerCase * n;
}

void CaseOrder::arrange(const std::uint32_t* rank, std::uint32_t n_levels, const std::uint32_t* row,
                        std::size_t n) {
    n_levels_ = n_levels;
    stopped_ = false;
    missing_ = kEnd;
    next_.resize(n);
    sorted_ = !prefers_chains(n_levels, n);
    sorted_ ? sort(rank, row, n) : chain(rank, row, n);
}

void CaseOrder::chain(const std::uint32_t* rank, const std::uint32_t* row, std::size_t n) {
    if (head_.size() <= n_levels_) head_.resize(n_levels_ + std::size_t{1});
    if (marks_.size() <= n_levels_ / 64) marks_.resize(n_levels_ / 64 + 1, 0);
    const auto hang = [&](std::size_t i, std::uint64_t& marks) {
        const std::uint32_t level = rank[row[i]];
        const std::uint64_t bit = std::uint64_t{1} << (level % 64);
        next_[i] = (marks & bit) != 0 ? head_[level] : kEnd;
        head_[level] = static_cast<std::uint32_t>(i);
        marks |= bit;
    };
    if (n_levels_ < 64) {
        std::uint64_t marks = 0;
        for (std::size_t i = n; i-- > 0;) hang(i, marks);
        marks_[0] = marks;
    } else {
        for (std::size_t i = n; i-- > 0;) hang(i, marks_[rank[row[i]] / 64]);
    }
    std::uint64_t& last = marks_[n_levels_ / 64];
    const std::uint64_t bit = std::uint64_t{1} << (n_levels_ % 64);
    if ((last & bit) != 0) missing_ = head_[n_levels_];
    last &= ~bit;
}

void CaseOrder::sort(const std::uint32_t* rank, const std::uint32_t* row, std::size_t n) {
    keys_.clear();
    for (std::size_t i = n; i-- > 0;) {
        const std::uint64_t level = rank[row[i]];
        if (level < n_levels_) {
            keys_.push_back(level << 32 | i);
        } else {
            next_[i] = missing_;
            missing_ = static_cast<std::uint32_t>(i);
        }
    }
    std::sort(keys_.begin(), keys_.end());
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
        two ? scan_counts<TwoClassSides<std::uint32_t>>(column, cases, min_cases, found)
            : scan_counts<ManyClassSides<std::uint32_t>>(column, cases, min_cases, found);
    } else {
        two ? scan_cases<TwoClassSides<Real>>(column, cases, min_cases, found)
            : scan_cases<ManyClassSides<Real>>(column, cases, min_cases, found);
    }
}

template <class Real>
template <class Sides>
void NumberSearch<Real>::scan_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                                     double min_cases, Candidate<Real>& found) {
    counts_.count(column.rank.data(), column.n_levels, cases.row, cases.cls, cases.n, n_classes_);
    const std::uint32_t* missing = counts_.missing();
    const Real unknown = static_cast<Real>(sum(missing, n_classes_));
    whole_known_.resize(n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c)
        whole_known_[c] = static_cast<std::uint32_t>(cases.counts[c]) - missing[c];
    CutSearch<Real, std::uint32_t, Sides> search(logs_, column.level, min_cases, whole_known_);
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

// Fractional weights are added case by case, as the sums depend on it.
template <class Real>
template <class Sides>
void NumberSearch<Real>::scan_cases(const Column<Real>& column, const NodeCases<Real>& cases,
                                    double min_cases, Candidate<Real>& found) {
    order_.arrange(column.rank.data(), column.n_levels, cases.row, cases.n);
    const Real unknown = split_known(cases);
    CutSearch<Real, Real, Sides> search(logs_, column.level, min_cases, known_);
    const bool starts = search.start(cases.total, unknown);
    std::uint32_t below = column.n_levels;
    order_.visit_known([&](std::uint32_t level, std::uint32_t i) {
        if (level != below) {
            if (!starts || (below < level && !search.cut(below, level))) return false;
            below = level;
        }
        search.move(cases.cls[i], cases.weight[i]);
        return true;
    });
    search.finish(found, log2s_);
}

// Class counts of the known cases into known_; gives the weight of the others.
template <class Real>
Real NumberSearch<Real>::split_known(const NodeCases<Real>& cases) {
    known_.assign(cases.counts, cases.counts + n_classes_);
    if (!order_.has_missing()) return 0;
    Real unknown = 0;
    is_missing_.assign(cases.n, 0);
    order_.visit_missing([&](std::uint32_t i) {
        is_missing_[i] = 1;
        unknown += cases.weight[i];
    });
    std::fill(known_.begin(), known_.end(), Real{0});
    for (std::size_t i = 0; i < cases.n; ++i)
        if (!is_missing_[i]) known_[cases.cls[i]] += cases.weight[i];
    return unknown;
}

template class NumberSearch<float>;
template class NumberSearch<double>;

}  // namespace planetree::c45
