#include "c45/subset.hpp"

#include <algorithm>
#include <numeric>

namespace planetree::c45 {
namespace {
constexpr double kHardlySeen = 0.5;
constexpr double kPure = 0.1;
constexpr double kProgress = 1e-5;
constexpr double kMinCases = 1;  // of a block, while blocks are being merged
}  // namespace

template <class Real>
SubsetSearch<Real>::SubsetSearch(Logs<Real>& logs, Watch& watch, const Parts<Real>& parts,
                                 const Options& options, double min_cases, std::size_t n_classes)
    : logs_(logs),
      watch_(watch),
      parts_(parts),
      options_(options),
      min_cases_(min_cases),
      n_classes_(n_classes),
      merged_(n_classes) {}

template <class Real>
void SubsetSearch<Real>::run(const std::vector<Real>& counts, std::size_t n_values,
                             Candidate<Real>& found) {
    open_blocks(counts, n_values);
    now_ = score(kMinCases);
    if (merge_pure_blocks()) now_ = score(kMinCases);
    climb();
    if (now_.worth > 0) finish(found);
}

template <class Real>
void SubsetSearch<Real>::open_blocks(const std::vector<Real>& counts, std::size_t n_values) {
    owner_.assign(n_values, -1);
    for (std::size_t v = 0; v < n_values; ++v) {
        const Real* row = counts.data() + v * n_classes_;
        const Real weight = std::accumulate(row, row + n_classes_, Real{0});
        if (static_cast<double>(weight) <= kHardlySeen) continue;
        owner_[v] = static_cast<std::int32_t>(blocks());
        weight_.push_back(weight);
        mass_.push_back(mass_of(row));
        counts_.insert(counts_.end(), row, row + n_classes_);
    }
}

template <class Real>
Real SubsetSearch<Real>::mass_of(const Real* counts) const {
    return class_mass(logs_, counts, n_classes_);
}

template <class Real>
bool SubsetSearch<Real>::is_pure(std::size_t block, std::size_t cls) const {
    return static_cast<double>(counts_of(block)[cls]) >=
           static_cast<double>(weight_[block]) - kPure;
}

template <class Real>
bool SubsetSearch<Real>::merge_pure_blocks() {
    const std::size_t before = blocks();
    for (std::size_t i = 0; i < blocks(); ++i) {
        const Real* counts = counts_of(i);
        const auto cls = static_cast<std::size_t>(
            std::find_if(counts, counts + n_classes_,
                         [](Real n) { return static_cast<double>(n) >= kPure; }) -
            counts);
        if (cls == n_classes_ || !is_pure(i, cls)) continue;
        for (std::size_t j = i + 1; j < blocks();) is_pure(j, cls) ? merge(i, j) : void(++j);
    }
    return blocks() < before;
}

template <class Real>
void SubsetSearch<Real>::climb() {
    const Real half = now_.gain / 2;
    while (blocks() > 2) {
        const std::size_t n_reasonable = reasonable();
        const Pair best = best_pair(n_reasonable, half);
        const bool may_stop = options_.gain_ratio && n_reasonable >= 2;
        if (best.first == best.second) break;
        if (may_stop &&
            static_cast<double>(best.score.worth) < static_cast<double>(now_.worth) + kProgress)
            break;
        merge(best.first, best.second);
        now_ = best.score;
    }
}

template <class Real>
typename SubsetSearch<Real>::Pair SubsetSearch<Real>::best_pair(std::size_t n_reasonable,
                                                                Real half) const {
    Pair best;
    best.score = {Candidate<Real>::impossible, 0, 0};
    const std::size_t barred = n_reasonable < 3 ? largest() : blocks();
    for (std::size_t i = 0; i < blocks(); ++i) {
        if (i == barred) continue;
        for (std::size_t j = i + 1; j < blocks(); ++j) {
            if (j == barred) continue;
            const Score score = score_merged(i, j);
            if (replaces(best, score, n_reasonable, half)) best = {i, j, score};
        }
        if (watch_.expired_after(blocks() * blocks())) break;
    }
    return best;
}

template <class Real>
bool SubsetSearch<Real>::replaces(const Pair& best, const Score& score, std::size_t n_reasonable,
                                  Real half) const {
    if (score.gain >= half && best.score.gain < half) return true;
    if (score.worth >= best.score.worth) return true;
    return best.first == best.second && (!options_.gain_ratio || n_reasonable < 2);
}

template <class Real>
typename SubsetSearch<Real>::Score SubsetSearch<Real>::score_merged(std::size_t i,
                                                                    std::size_t j) const {
    const Real *a = counts_of(i), *b = counts_of(j);
    for (std::size_t c = 0; c < n_classes_; ++c) merged_[c] = a[c] + b[c];
    return score_of(kMinCases, i, j, weight_[i] + weight_[j], mass_of(merged_.data()));
}

// The split as it is with block j merged into i and the last block in place of j.
template <class Real>
typename SubsetSearch<Real>::Score SubsetSearch<Real>::score_of(double min_cases, std::size_t i,
                                                                std::size_t j, Real merged_weight,
                                                                Real merged_mass) const {
    const std::size_t n = j < blocks() ? blocks() - 1 : blocks();
    Mass<Real> info(logs_);
    info.add(parts_.unknown);
    Real mass = 0, total = parts_.unknown;
    int n_reasonable = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t block = k == j ? n : k;
        const Real weight = k == i ? merged_weight : weight_[block];
        mass += k == i ? merged_mass : mass_[block];
        info.add(weight);
        total += weight;
        if (static_cast<double>(weight) >= min_cases) ++n_reasonable;
    }
    Score score;
    score.gain = n_reasonable < 2 ? Candidate<Real>::impossible : parts_.gain(mass);
    score.info = info.of(total) / parts_.total;
    score.worth = worth(score.gain, score.info, static_cast<Real>(kEpsilon), options_.gain_ratio);
    return score;
}

template <class Real>
void SubsetSearch<Real>::merge(std::size_t i, std::size_t j) {
    const std::size_t last = blocks() - 1;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        counts_[i * n_classes_ + c] += counts_[j * n_classes_ + c];
        counts_[j * n_classes_ + c] = counts_[last * n_classes_ + c];
    }
    weight_[i] += weight_[j];
    mass_[i] = mass_of(counts_of(i));
    weight_[j] = weight_[last];
    mass_[j] = mass_[last];
    weight_.pop_back();
    mass_.pop_back();
    counts_.resize(last * n_classes_);
    for (std::int32_t& owner : owner_) {
        if (owner == static_cast<std::int32_t>(j))
            owner = static_cast<std::int32_t>(i);
        else if (owner == static_cast<std::int32_t>(last))
            owner = static_cast<std::int32_t>(j);
    }
}

template <class Real>
std::size_t SubsetSearch<Real>::reasonable() const {
    return static_cast<std::size_t>(std::count_if(weight_.begin(), weight_.end(), [&](Real w) {
        return static_cast<double>(w) >= min_cases_;
    }));
}

template <class Real>
std::size_t SubsetSearch<Real>::largest() const {
    return static_cast<std::size_t>(std::max_element(weight_.begin(), weight_.end()) -
                                    weight_.begin());
}

template <class Real>
void SubsetSearch<Real>::finish(Candidate<Real>& found) const {
    found.gain = score(min_cases_).gain;
    found.info = now_.info;
    found.map = owner_;
    const auto n_blocks = static_cast<std::int32_t>(blocks());
    found.n_branches = static_cast<std::uint32_t>(n_blocks);
    for (std::int32_t& branch : found.map) {
        if (branch >= 0) continue;
        branch = n_blocks;
        found.n_branches = static_cast<std::uint32_t>(n_blocks) + 1;
    }
}

template class SubsetSearch<float>;
template class SubsetSearch<double>;

}  // namespace planetree::c45
