#include "core/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/simd.hpp"

namespace planetree {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t block = 32;  // voters are padded to full blocks, at an infinite distance

// Distances in one column more, for whole blocks.
PLANETREE_VECTOR void add_column(const double* __restrict column, double x, double* __restrict base,
                                 std::size_t n) {
#pragma omp simd
    for (std::size_t j = 0; j < n; ++j) base[j] += (x - column[j]) * (x - column[j]);
}

// The least distance of each block, in one column more.
PLANETREE_VECTOR void least_with_column(const double* __restrict base,
                                        const double* __restrict column, double x,
                                        double* __restrict least, std::size_t n_blocks) {
    for (std::size_t b = 0; b < n_blocks; ++b, base += block, column += block) {
        double found = infinity;
#pragma omp simd reduction(min : found)
        for (std::size_t j = 0; j < block; ++j) {
            const double sum = base[j] + (x - column[j]) * (x - column[j]);
            found = sum < found ? sum : found;
        }
        least[b] = found;
    }
}

// The least sum of each block.
PLANETREE_VECTOR void least_of_sums(const double* __restrict one, const double* __restrict other,
                                    double* __restrict least, std::size_t n_blocks) {
    for (std::size_t b = 0; b < n_blocks; ++b, one += block, other += block) {
        double found = infinity;
#pragma omp simd reduction(min : found)
        for (std::size_t j = 0; j < block; ++j) {
            const double sum = one[j] + other[j];
            found = sum < found ? sum : found;
        }
        least[b] = found;
    }
}

// The nearest voters, of enough weight together; of equally near ones the first.
class Nearest {
  public:
    Nearest(const std::vector<int>& classes, const std::vector<double>& weights, double enough,
            int n_classes)
        : classes_(classes), weights_(weights), enough_(enough), votes_(n_classes) {
        const double lightest = *std::min_element(weights.begin(), weights.end());
        n_bounding_ = static_cast<std::size_t>(std::ceil(std::min(enough / lightest, 1e9)));
    }

    // The class that the nearest vote for, given the distance of each voter and the least of each
    // block.
    template <class Distance>
    int vote(const std::vector<double>& least, Distance distance) {
        restart(least);
        for (std::size_t b = 0; b < least.size(); ++b) {
            if (!(least[b] < limit_)) continue;
            for (std::size_t j = b * block; j < (b + 1) * block; ++j)
                if (const double found = distance(j); found < limit_) take(found, j);
        }
        return winner();
    }

  private:
    struct Voter {
        double distance;
        std::size_t voter;
    };

    // So many blocks hold voters of enough weight, so the nearest are no farther than the nearest
    // of each of them, up to rounding. Blocks are joined into a few heaps, which costs no branches.
    void restart(const std::vector<double>& least) {
        found_.clear();
        total_ = 0;
        limit_ = infinity;
        if (n_bounding_ > least.size()) return;
        const std::size_t n_heaps = 3 * n_bounding_;
        heaps_.assign(n_heaps, infinity);
        for (std::size_t first = 0; first < least.size(); first += n_heaps) {
            const std::size_t n = std::min(n_heaps, least.size() - first);
            for (std::size_t h = 0; h < n; ++h)
                heaps_[h] = least[first + h] < heaps_[h] ? least[first + h] : heaps_[h];
        }
        bounds_.assign(n_bounding_, infinity);
        for (const double bound : heaps_) {
            if (!(bound < bounds_.back())) continue;
            std::size_t place = n_bounding_ - 1;
            for (; place > 0 && bounds_[place - 1] > bound; --place)
                bounds_[place] = bounds_[place - 1];
            bounds_[place] = bound;
        }
        limit_ = bounds_.back() * (1 + 1e-9) + std::numeric_limits<double>::min();
    }

    void take(double distance, std::size_t voter) {
        auto place = found_.end();
        while (place != found_.begin() && (place - 1)->distance > distance) --place;
        found_.insert(place, {distance, voter});
        total_ += weights_[voter];
        while (total_ - weights_[found_.back().voter] >= enough_) {
            total_ -= weights_[found_.back().voter];
            found_.pop_back();
        }
        if (total_ >= enough_) limit_ = found_.back().distance;
    }

    // The class with most votes, the first of equals; the last voter has what is left of them.
    int winner() {
        std::fill(votes_.begin(), votes_.end(), 0.0);
        double left = enough_;
        for (const Voter& each : found_) {
            votes_[classes_[each.voter]] += std::min(left, weights_[each.voter]);
            left -= weights_[each.voter];
        }
        return static_cast<int>(std::max_element(votes_.begin(), votes_.end()) - votes_.begin());
    }

    const std::vector<int>& classes_;
    const std::vector<double>& weights_;
    double enough_;
    std::size_t n_bounding_;
    std::vector<double> votes_, heaps_, bounds_;
    std::vector<Voter> found_;
    double total_ = 0, limit_ = infinity;
};

}  // namespace

NeighborVotes::NeighborVotes(const VotingRows& rows, double n_neighbors, std::size_t max_kept)
    : n_columns_(rows.n_columns), n_classes_(rows.n_classes), n_neighbors_(n_neighbors) {
    const std::size_t m = rows.voters.size(), n = rows.n_columns;
    n_blocks_ = (m + block - 1) / block;
    columns_.assign(n * padded(), 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        const double* row = rows.x + rows.voters[i] * n;
        for (std::size_t j = 0; j < n; ++j) columns_[j * padded() + i] = row[j];
        voter_class_.push_back(rows.row_class[rows.voters[i]]);
        voter_weight_.push_back(rows.weight[rows.voters[i]]);
    }
    for (const std::uint32_t i : rows.tests) {
        tests_.insert(tests_.end(), rows.x + i * n, rows.x + (i + 1) * n);
        test_class_.push_back(rows.row_class[i]);
        weights_.push_back(rows.weight[i]);
        test_weight_ += rows.weight[i];
    }
    keep_ = padded() * test_class_.size() <= max_kept;
    kept_.resize(keep_ ? padded() * test_class_.size() : padded());
    forget();
}

std::size_t NeighborVotes::padded() const { return n_blocks_ * block; }

// Distances in no column: 0, and infinite for those that fill the last block.
void NeighborVotes::clear(double* distances) const {
    std::fill(distances, distances + voter_class_.size(), 0.0);
    std::fill(distances + voter_class_.size(), distances + padded(), infinity);
}

void NeighborVotes::forget() {
    in_kept_.clear();
    for (std::size_t i = 0; i < kept_.size(); i += padded()) clear(&kept_[i]);
}

// Columns that the kept distances lack; if they have too many, they start again.
std::vector<std::uint32_t> NeighborVotes::to_add(const std::vector<std::uint32_t>& chosen) {
    std::vector<std::uint32_t> wanted(chosen), missing;
    std::sort(wanted.begin(), wanted.end());
    if (!std::includes(wanted.begin(), wanted.end(), in_kept_.begin(), in_kept_.end())) forget();
    std::set_difference(wanted.begin(), wanted.end(), in_kept_.begin(), in_kept_.end(),
                        std::back_inserter(missing));
    if (keep_) in_kept_ = wanted;
    return missing;
}

void NeighborVotes::add(std::size_t test, std::size_t j, double* distances) const {
    add_column(column(j), value(test, j), distances, padded());
}

std::vector<double> NeighborVotes::with_each(const std::vector<std::uint32_t>& chosen,
                                             const std::vector<std::uint32_t>& candidates,
                                             Watch& watch) {
    const std::vector<std::uint32_t> missing = to_add(chosen);
    Nearest nearest(voter_class_, voter_weight_, n_neighbors_, n_classes_);
    std::vector<double> right(candidates.size(), 0.0), least(n_blocks_);
    for (std::size_t i = 0; i < test_class_.size(); ++i) {
        if (watch.expired_after((missing.size() + candidates.size()) * padded())) {
            forget();  // some have distances that others lack
            return {};
        }
        double* base = kept_.data() + (keep_ ? i * padded() : 0);
        if (!keep_) clear(base);
        for (const std::uint32_t j : missing) add(i, j, base);
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            const double* values = column(candidates[c]);
            const double x = value(i, candidates[c]);
            least_with_column(base, values, x, least.data(), n_blocks_);
            const int winner = nearest.vote(
                least, [&](std::size_t j) { return base[j] + (x - values[j]) * (x - values[j]); });
            if (winner == test_class_[i]) right[c] += weights_[i];
        }
    }
    return right;
}

// The sum of all columns but one is that of the ones before it and that of the ones after it:
// nothing is subtracted, so distances of 0 stay 0.
std::vector<double> NeighborVotes::without_each(const std::vector<std::uint32_t>& chosen,
                                                Watch& watch) const {
    const std::size_t d = chosen.size();
    Nearest nearest(voter_class_, voter_weight_, n_neighbors_, n_classes_);
    std::vector<double> right(d, 0.0), least(n_blocks_), before(padded());
    std::vector<double> after((d + 1) * padded());
    for (std::size_t i = 0; i < test_class_.size(); ++i) {
        if (watch.expired_after(2 * d * padded())) return {};
        clear(&after[d * padded()]);
        for (std::size_t t = d; t-- > 0;) {
            std::copy_n(&after[(t + 1) * padded()], padded(), &after[t * padded()]);
            add(i, chosen[t], &after[t * padded()]);
        }
        clear(before.data());
        for (std::size_t t = 0; t < d; ++t) {
            const double* rest = &after[(t + 1) * padded()];
            least_of_sums(before.data(), rest, least.data(), n_blocks_);
            const int winner =
                nearest.vote(least, [&](std::size_t j) { return before[j] + rest[j]; });
            if (winner == test_class_[i]) right[t] += weights_[i];
            add(i, chosen[t], before.data());
        }
    }
    return right;
}

}  // namespace planetree
