#include "c45_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "c45_subset.hpp"

namespace c45 {
namespace {

constexpr double kMinShare = 0.10;  // of the known cases a class has, on each side of a cut
constexpr double kMostMinimum = 25;
constexpr std::size_t kLevelsPerCase = 128;  // up to so many, counting beats sorting

template <class Count, class Real>
Count amount(const NodeCases<Real>& cases, std::size_t i) {
    if constexpr (std::is_same_v<Count, Real>) return cases.weight[i];
    else return 1;
}

int lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int at = 0;
    while ((bits >> at & 1) == 0) ++at;
    return at;
#endif
}

template <class Count>
Count sum(const Count* counts, std::size_t n) {
    Count total = 0;
    for (std::size_t c = 0; c < n; ++c) total += counts[c];
    return total;
}

// Class counts below a cut, 0 at first, and above it, those of all known cases at first.
template <class Count>
class TwoClassSides {
  public:
    explicit TwoClassSides(const std::vector<Count>& sides) : high_{sides[2], sides[3]} {}
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
    explicit ManyClassSides(std::vector<Count>& sides) : sides_(sides.data()), n_(sides.size() / 2) {}
    std::size_t n() const { return n_; }
    Count* low() { return sides_; }
    Count* high() { return sides_ + n_; }

  private:
    Count* sides_;
    std::size_t n_;
};

// Moves levels of a number column from the high side to the low side of a cut, in ascending
// order, and keeps the first cut with the largest gain. The correction for the number of cuts
// tried is the same for all of them, so it is charged once, in `finish`.
// `Sides` holds the class counts on either side.
template <class Real, class Count, class Sides>
class CutSearch {
  public:
    CutSearch(Logs<Real>& logs, const std::vector<Real>& level, double min_cases, Sides sides)
        : logs_(logs), level_(level.data()), min_cases_(min_cases), sides_(sides) {}

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

template <class Real>
void Search<Real>::evaluate(std::size_t column, const NodeCases<Real>& cases,
                            Candidate<Real>& found) {
    found.gain = Candidate<Real>::impossible;
    found.info = 0;
    found.map.clear();
    pulse_.work(cases.n);
    if (cases.unit) evaluate_as<std::uint32_t>(table_.columns[column], cases, found);
    else evaluate_as<Real>(table_.columns[column], cases, found);
}

template <class Real>
template <class Count>
void Search<Real>::evaluate_as(const Column<Real>& column, const NodeCases<Real>& cases,
                               Candidate<Real>& found) {
    if (!column.is_number) {
        const bool grouped = options_.subsets && column.n_levels > 2;
        grouped ? subsets<Count>(column, cases, found) : categories<Count>(column, cases, found);
        return;
    }
    const bool dense = column.n_levels <= kLevelsPerCase * cases.n;
    dense ? number_by_counts<Count>(column, cases, found)
        : number_by_order<Count>(column, cases, found);
}

// Class counts of each level; the last row is of the cases whose value is missing.
template <class Real>
template <class Count>
std::vector<Count>& Search<Real>::count(const Column<Real>& column, const NodeCases<Real>& cases) {
    std::vector<Count>* counts;
    if constexpr (std::is_same_v<Count, Real>) counts = &real_counts_;
    else counts = &whole_counts_;
    const std::size_t n_classes = table_.n_classes;
    counts->assign((column.n_levels + std::size_t{1}) * n_classes, 0);
    Count* at = counts->data();
    const std::uint32_t* rank = column.rank.data();
    for (std::size_t i = 0; i < cases.n; ++i)
        at[rank[cases.row[i]] * n_classes + cases.cls[i]] += amount<Count>(cases, i);
    return *counts;
}

template <class Real>
template <class Count>
std::vector<Count>& Search<Real>::sides() {
    std::vector<Count>* sides;
    if constexpr (std::is_same_v<Count, Real>) sides = &real_sides_;
    else sides = &whole_sides_;
    sides->assign(2 * table_.n_classes, 0);
    return *sides;
}

// Counts the classes of every level and marks the levels seen, so that a visit of those alone,
// in ascending order, both scans and clears the counts.
template <class Real>
template <class Count>
void Search<Real>::number_by_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                                    Candidate<Real>& found) {
    const std::size_t n_classes = table_.n_classes;
    Count* counts = cleared_counts<Count>(column.n_levels);
    mark_and_count(column, cases, counts);
    Count* missing = counts + column.n_levels * n_classes;
    std::vector<Count>& both = sides<Count>();
    for (std::size_t c = 0; c < n_classes; ++c)
        both[n_classes + c] = static_cast<Count>(cases.counts[c]) - missing[c];
    const Real unknown = static_cast<Real>(sum(missing, n_classes));
    std::fill_n(missing, n_classes, Count{0});
    if (n_classes == 2) scan_levels(column, cases, TwoClassSides<Count>(both), unknown, counts, found);
    else scan_levels(column, cases, ManyClassSides<Count>(both), unknown, counts, found);
}

template <class Real>
template <class Count, class Sides>
void Search<Real>::scan_levels(const Column<Real>& column, const NodeCases<Real>& cases,
                               Sides sides, Real unknown, Count* counts, Candidate<Real>& found) {
    CutSearch<Real, Count, Sides> search(logs_, column.level, min_cases_, sides);
    bool goes_on = search.start(cases.total, unknown);
    std::uint32_t below = column.n_levels;
    for (std::size_t word = 0; word <= column.n_levels / 64; ++word) {
        for (std::uint64_t left = seen_[word]; left != 0; left &= left - 1) {
            const auto level = static_cast<std::uint32_t>(64 * word + lowest_bit(left));
            Count* here = counts + level * sides.n();
            if (goes_on && below < level) goes_on = search.cut(below, level);
            if (goes_on) search.move(here);
            std::fill_n(here, sides.n(), Count{0});
            below = level;
        }
        seen_[word] = 0;
    }
    search.finish(found, table_.log2s);
}

template <class Real>
template <class Count>
Count* Search<Real>::cleared_counts(std::size_t n_levels) {
    std::vector<Count>* counts;
    if constexpr (std::is_same_v<Count, Real>) counts = &real_levels_;
    else counts = &whole_levels_;
    const std::size_t size = (n_levels + 1) * table_.n_classes;
    if (counts->size() < size) counts->resize(size, 0);
    if (seen_.size() <= n_levels / 64) seen_.resize(n_levels / 64 + 1, 0);
    return counts->data();
}

template <class Real>
template <class Count>
void Search<Real>::mark_and_count(const Column<Real>& column, const NodeCases<Real>& cases,
                                  Count* counts) {
    const std::uint32_t* rank = column.rank.data();
    const std::size_t n_classes = table_.n_classes;
    const auto tally = [&](std::size_t i) {
        const std::uint32_t level = rank[cases.row[i]];
        counts[level * n_classes + cases.cls[i]] += amount<Count>(cases, i);
        return level;
    };
    if (column.n_levels < 64) {  // the marks fit a register
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < cases.n; ++i) seen |= std::uint64_t{1} << tally(i);
        seen_[0] = seen;
    } else {
        for (std::size_t i = 0; i < cases.n; ++i) {
            const std::uint32_t level = tally(i);
            seen_[level / 64] |= std::uint64_t{1} << (level % 64);
        }
    }
    seen_[column.n_levels / 64] &= ~(std::uint64_t{1} << (column.n_levels % 64));  // missing
}

template <class Real>
template <class Count>
void Search<Real>::number_by_order(const Column<Real>& column, const NodeCases<Real>& cases,
                                   Candidate<Real>& found) {
    std::vector<Count>& both = sides<Count>();
    Count* known = both.data() + table_.n_classes;
    Count unknown = 0;
    keys_.clear();
    for (std::size_t i = 0; i < cases.n; ++i) {
        const std::uint64_t rank = column.rank[cases.row[i]];
        if (rank == column.n_levels) {
            unknown += amount<Count>(cases, i);
            continue;
        }
        keys_.push_back(rank << 32 | i);
        known[cases.cls[i]] += amount<Count>(cases, i);
    }
    CutSearch<Real, Count, ManyClassSides<Count>> search(logs_, column.level, min_cases_,
                                                         ManyClassSides<Count>(both));
    if (!search.start(cases.total, static_cast<Real>(unknown))) return;
    std::sort(keys_.begin(), keys_.end());
    auto below = static_cast<std::uint32_t>(keys_.front() >> 32);
    for (const std::uint64_t key : keys_) {
        const auto level = static_cast<std::uint32_t>(key >> 32);
        if (level != below && !search.cut(below, level)) break;
        const auto i = static_cast<std::uint32_t>(key);
        search.move(cases.cls[i], amount<Count>(cases, i));
        below = level;
    }
    search.finish(found, table_.log2s);
}

// Entropy of the known cases of a category column; here Release 8 sums in double.
template <class Real>
template <class Count>
Real Search<Real>::known_base(const std::vector<Count>& counts, std::size_t n_levels, Real known) {
    const std::size_t n_classes = table_.n_classes;
    double mass = logs_(known);
    for (std::size_t c = 0; c < n_classes; ++c) {
        Count total = 0;
        for (std::size_t v = 0; v < n_levels; ++v) total += counts[v * n_classes + c];
        mass -= logs_(total);
    }
    return static_cast<Real>(mass / static_cast<double>(known));
}

template <class Real>
template <class Count>
void Search<Real>::categories(const Column<Real>& column, const NodeCases<Real>& cases,
                              Candidate<Real>& found) {
    const std::size_t n_classes = table_.n_classes;
    const std::vector<Count>& counts = count<Count>(column, cases);
    const auto row = [&](std::size_t v) { return counts.data() + v * n_classes; };
    const Count unknown = sum(row(column.n_levels), n_classes);
    Mass<Real> info(logs_);
    info.add(unknown);
    Count total = unknown;
    Real mass = 0;
    int n_reasonable = 0;
    for (std::size_t v = 0; v < column.n_levels; ++v) {
        const Count weight = sum(row(v), n_classes);
        if (!(weight > 0)) continue;
        if (static_cast<double>(weight) >= min_cases_) ++n_reasonable;
        mass += class_mass(logs_, row(v), n_classes);
        info.add(weight);
        total += weight;
    }
    const Real known = cases.total - static_cast<Real>(unknown);
    if (n_reasonable < 2 || !(known > 0)) return;
    const Real base = known_base(counts, column.n_levels, known);
    found.gain = Parts<Real>{cases.total, static_cast<Real>(unknown), known, base}.gain(mass);
    found.info = info.of(total) / cases.total;
    found.n_branches = column.n_levels;
}

template <class Real>
template <class Count>
void Search<Real>::subsets(const Column<Real>& column, const NodeCases<Real>& cases,
                           Candidate<Real>& found) {
    const std::vector<Count>& counts = count<Count>(column, cases);
    const Real unknown = static_cast<Real>(
        sum(counts.data() + column.n_levels * table_.n_classes, table_.n_classes));
    const Real known = cases.total - unknown;
    if (static_cast<double>(known) < kEpsilon) {
        if constexpr (std::is_same_v<Real, float>) min_cases_ = 1;  // so does Release 8
        return;
    }
    const Real base = known_base(counts, column.n_levels, known);
    const Parts<Real> parts{cases.total, unknown, known, base};
    const std::vector<Real> real(counts.begin(), counts.end());
    SubsetSearch<Real> search(logs_, pulse_, parts, options_, min_cases_, table_.n_classes);
    search.run(real, column.n_levels, found);
}

template class Search<float>;
template class Search<double>;

}  // namespace c45
