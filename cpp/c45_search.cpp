#include "c45_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "c45_subset.hpp"

namespace c45 {
namespace {

constexpr double kMinShare = 0.10;  // of the known cases a class has, on each side of a cut
constexpr double kMostMinimum = 25;
constexpr std::size_t kCountsPerCase = 8;  // counting beats sorting up to so many counters a case
constexpr std::size_t kRadixSize = 96;

template <class Count, class Real>
Count amount(const NodeCases<Real>& cases, std::size_t i) {
    if constexpr (std::is_same_v<Count, Real>) return cases.weight[i];
    else return 1;
}

// Moves levels of a number column from the high side to the low side of a cut, in ascending
// order, and keeps the first cut with the largest gain. The correction for the number of cuts
// tried is the same for all of them, so it is charged once, in `finish`.
template <class Real, class Count>
class CutSearch {
  public:
    CutSearch(Logs<Real>& logs, const std::vector<Real>& level, double min_cases,
              const Count* known_counts, std::size_t n_classes)
        : logs_(logs), level_(level), min_cases_(min_cases), n_classes_(n_classes),
          low_(n_classes), high_(known_counts, known_counts + n_classes) {}

    bool start(Real total, Real unknown) {
        const Real known = total - unknown;
        if (static_cast<double>(known) < 2 * min_cases_) return false;
        const Real base = class_mass(logs_, high_.data(), n_classes_) / known;
        parts_ = {total, unknown, known, base};
        least_ = smallest_side();
        most_ = known - least_;
        return true;
    }

    void move(std::size_t cls, Count weight) {
        low_[cls] += weight;
        high_[cls] -= weight;
        low_weight_ += weight;
    }

    // Considers the cut between two neighboring levels; false when no later cut can be tried.
    bool cut(std::uint32_t below, std::uint32_t above) {
        const auto low = static_cast<Real>(low_weight_);
        if (low < least_) return true;
        if (low > most_) return false;
        if (!(static_cast<double>(level_[below]) < static_cast<double>(level_[above]) - kGap))
            return true;
        ++tries_;
        const Real mass = class_mass(logs_, low_.data(), n_classes_) +
                          class_mass(logs_, high_.data(), n_classes_);
        if (tries_ == 1 || mass < best_mass_) keep(low, mass, below, above);
        return true;
    }

    void finish(Candidate<Real>& found) {
        if (tries_ == 0) return;
        const Real cost = static_cast<Real>(std::log2(static_cast<double>(tries_)) /
                                            static_cast<double>(parts_.total));
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
                                             static_cast<double>(n_classes_));
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
        best_low_ = sum_of(low_);
        best_high_ = sum_of(high_);
        below_ = below;
        above_ = above;
    }

    static Real sum_of(const std::vector<Count>& counts) {
        return static_cast<Real>(std::accumulate(counts.begin(), counts.end(), Count{0}));
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
    const std::vector<Real>& level_;
    double min_cases_;
    std::size_t n_classes_;
    std::vector<Count> low_, high_;
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
    const bool few = column.n_levels * table_.n_classes <= kCountsPerCase * cases.n;
    few ? number_by_counts<Count>(column, cases, found)
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

template <class Count>
static Count sum(const Count* counts, std::size_t n) {
    Count total = 0;
    for (std::size_t c = 0; c < n; ++c) total += counts[c];
    return total;
}

template <class Real>
template <class Count>
void Search<Real>::number_by_counts(const Column<Real>& column, const NodeCases<Real>& cases,
                                    Candidate<Real>& found) {
    const std::size_t n_classes = table_.n_classes;
    const std::vector<Count>& counts = count<Count>(column, cases);
    std::vector<Count> known(n_classes, 0);
    for (std::size_t k = 0; k < column.n_levels * n_classes; ++k) known[k % n_classes] += counts[k];
    const Count unknown = sum(counts.data() + column.n_levels * n_classes, n_classes);
    CutSearch<Real, Count> search(logs_, column.level, min_cases_, known.data(), n_classes);
    if (!search.start(cases.total, static_cast<Real>(unknown))) return;
    std::uint32_t below = column.n_levels;
    for (std::uint32_t level = 0; level < column.n_levels; ++level) {
        const Count* here = counts.data() + level * n_classes;
        if (!std::any_of(here, here + n_classes, [](Count n) { return n > 0; })) continue;
        if (below < level && !search.cut(below, level)) break;
        for (std::size_t c = 0; c < n_classes; ++c) search.move(c, here[c]);
        below = level;
    }
    search.finish(found);
}

template <class Real>
template <class Count>
void Search<Real>::number_by_order(const Column<Real>& column, const NodeCases<Real>& cases,
                                   Candidate<Real>& found) {
    std::vector<Count> known(table_.n_classes, 0);
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
    CutSearch<Real, Count> search(logs_, column.level, min_cases_, known.data(), table_.n_classes);
    if (!search.start(cases.total, static_cast<Real>(unknown))) return;
    sort_keys(column.n_levels);
    auto below = static_cast<std::uint32_t>(keys_.front() >> 32);
    for (const std::uint64_t key : keys_) {
        const auto level = static_cast<std::uint32_t>(key >> 32);
        if (level != below && !search.cut(below, level)) break;
        const auto i = static_cast<std::uint32_t>(key);
        search.move(cases.cls[i], amount<Count>(cases, i));
        below = level;
    }
    search.finish(found);
}

// Sorts the keys by their upper half, which is less than `most`.
template <class Real>
void Search<Real>::sort_keys(std::uint32_t most) {
    if (keys_.size() < kRadixSize) {
        std::sort(keys_.begin(), keys_.end());
        return;
    }
    key_scratch_.resize(keys_.size());
    for (int shift = 32; shift < 64 && (std::uint64_t{most} >> (shift - 32)) > 0; shift += 8) {
        std::array<std::uint32_t, 257> start{};
        for (const std::uint64_t key : keys_) ++start[((key >> shift) & 255) + 1];
        for (std::size_t d = 0; d < 256; ++d) start[d + 1] += start[d];
        for (const std::uint64_t key : keys_) key_scratch_[start[(key >> shift) & 255]++] = key;
        keys_.swap(key_scratch_);
    }
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
