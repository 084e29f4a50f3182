#include "core/plane_scores.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd.hpp"
#include "core/threads.hpp"

namespace planetree {

namespace {

constexpr std::size_t kPacks = 8, kRows = kPacks * kPack;  // sums that stay in registers
constexpr std::size_t kTerms = 64;                         // of a block that stays near

// One term of some rows, `step` numbers apart; rows that are not there have 0.
void read_term(const double* x, std::int64_t step, std::size_t rows, std::int64_t category,
               double* term) {
    for (std::size_t i = 0; i < rows; ++i) term[i] = x[static_cast<std::int64_t>(i) * step];
    if (category >= 0)
        for (std::size_t i = 0; i < rows; ++i)
            if (!std::isnan(term[i])) term[i] = term[i] == static_cast<double>(category);
    std::fill(term + rows, term + kRows, 0.0);
}

// sums += weights . block, term after term.
PLANETREE_VECTOR void add_terms(const double* block, const double* weights, std::size_t terms,
                                double* sums) {
    Pack sum[kPacks];
    for (std::size_t q = 0; q < kPacks; ++q) load(sums + q * kPack, sum[q]);
    for (std::size_t t = 0; t < terms; ++t)
        for (std::size_t q = 0; q < kPacks; ++q) {
            Pack term;
            load(block + t * kRows + q * kPack, term);
            sum[q] += weights[t] * term;
        }
    for (std::size_t q = 0; q < kPacks; ++q) store(sum[q], sums + q * kPack);
}

// Scores of the rows from `first` to before `last`, by the terms that some plane uses.
void score_rows(const TableView& table, const ScorePlanes& planes,
                const std::vector<std::size_t>& used, const std::vector<double>& weights,
                std::size_t first, std::size_t last, double* scores) {
    std::vector<double> block(kTerms * kRows), sums(planes.planes * kRows);
    for (; first < last; first += kRows) {
        const std::size_t rows = std::min(kRows, last - first);
        const double* x = table.x + static_cast<std::int64_t>(first) * table.row_step;
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t begin = 0; begin < used.size(); begin += kTerms) {
            const std::size_t terms = std::min(kTerms, used.size() - begin);
            for (std::size_t t = 0; t < terms; ++t) {
                const std::size_t term = used[begin + t];
                read_term(x + planes.columns[term] * table.column_step, table.row_step, rows,
                          planes.categories[term], &block[t * kRows]);
            }
            for (std::size_t p = 0; p < planes.planes; ++p)
                add_terms(block.data(), &weights[p * used.size() + begin], terms, &sums[p * kRows]);
        }
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t p = 0; p < planes.planes; ++p)
                scores[(first + i) * planes.planes + p] = sums[p * kRows + i] - planes.offsets[p];
    }
}

}  // namespace

void plane_scores(const TableView& table, const ScorePlanes& planes, double* scores, Watch& watch) {
    std::vector<std::size_t> used;
    for (std::size_t t = 0; t < planes.terms; ++t)
        for (std::size_t p = 0; p < planes.planes; ++p)
            if (planes.weights[p * planes.terms + t] != 0) {
                used.push_back(t);
                break;
            }
    std::vector<double> weights;
    for (std::size_t p = 0; p < planes.planes; ++p)
        for (std::size_t t : used) weights.push_back(planes.weights[p * planes.terms + t]);
    const auto score = [&](std::size_t first, std::size_t last, std::size_t) {
        score_rows(table, planes, used, weights, first, last, scores);
    };
    for_blocks(table.rows, rows_a_block(used.size() * (planes.planes + 1)), score, &watch);
}

}  // namespace planetree
