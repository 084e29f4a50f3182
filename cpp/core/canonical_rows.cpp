#include "core/canonical_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/simd.hpp"
#include "core/sorting.hpp"
#include "core/threads.hpp"

namespace planetree {

namespace {

constexpr int kLargestExponent = 500;  // of columns that are scaled: products stay normal numbers
constexpr int kRounds =
    3;  // of keys; columns that three do not tell apart were alike in all tables
constexpr int kAtOnce = 4;  // rows that are hashed together, as no step waits for another's
constexpr int kAhead = 16;  // rows asked of memory before they are needed

std::uint64_t bits(double v) {
    std::uint64_t b;
    std::memcpy(&b, &v, sizeof b);
    return b;
}

// Stirred, so that sums of keys tell apart what goes into them.
std::uint64_t stir(std::uint64_t key) {
    key *= 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

// Each bit depends on all bits (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t key) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

std::vector<double> factors_of(const std::vector<int>& exponents) {
    std::vector<double> factors;
    for (const int exponent : exponents) factors.push_back(std::ldexp(1.0, -exponent));
    return factors;
}

// With one zero, not two, and one NaN.
double scaled(double v, double factor) {
    v = v * factor + 0.0;
    return v == v ? v : std::numeric_limits<double>::quiet_NaN();
}

PLANETREE_VECTOR
void add_cells(const double* row, const double* factor, std::uint64_t key, int n,
               std::uint64_t* sums) {
    for (int j = 0; j < n; ++j) sums[j] += stir(bits(scaled(row[j], factor[j])) ^ key);
}

// The cells of a table as they are compared: scaled, in some order of the columns.
class Cells {
  public:
    Cells(const TableRows& rows, const std::vector<int>& exponents)
        : rows_(rows), factors_(factors_of(exponents)), columns_(rows.n) {
        std::iota(columns_.begin(), columns_.end(), 0);
    }

    void reorder(const std::vector<std::int64_t>& columns) {
        columns_.assign(columns.begin(), columns.end());
    }

    std::uint64_t of(std::size_t row, int column) const {
        return bits(scaled(rows_.x[row * rows_.n + column], factors_[column]));
    }

    // Hashes of some rows one after the other in memory.
    template <int n_rows>
    void hash(std::size_t first, std::uint64_t* out) const {
        for (int r = 0; r < n_rows; ++r) out[r] = rows_.part ? rows_.part[first + r] : 0;
        for (const int j : columns_)
            for (int r = 0; r < n_rows; ++r) out[r] = stir(out[r] ^ of(first + r, j));
    }

    // Adds to the sum of each column what a row with this key holds there.
    void add(std::size_t row, std::uint64_t key, std::uint64_t* sums) const {
        add_cells(rows_.x + row * rows_.n, factors_.data(), key, rows_.n, sums);
    }

    bool equal(std::size_t a, std::size_t b) const { return compare(a, b) == 0; }
    bool less(std::size_t a, std::size_t b) const { return compare(a, b) < 0; }

  private:
    int compare(std::size_t a, std::size_t b) const {
        if (rows_.part && rows_.part[a] != rows_.part[b])
            return rows_.part[a] < rows_.part[b] ? -1 : 1;
        for (int j = 0; j < rows_.n; ++j) {
            const std::uint64_t of_a = of(a, j), of_b = of(b, j);
            if (of_a != of_b) return of_a < of_b ? -1 : 1;
        }
        return 0;
    }

    const TableRows& rows_;
    std::vector<double> factors_;
    std::vector<int> columns_;
};

struct RowKey {
    std::uint64_t key;
    std::size_t row;
};

std::vector<RowKey> hashes_of(const TableRows& rows, const Cells& cells, Watch& watch) {
    std::vector<RowKey> keys(rows.m);
    const auto hash = [&](std::size_t i, std::size_t last, std::size_t) {
        std::uint64_t found[kAtOnce];
        for (; i + kAtOnce <= last; i += kAtOnce) {
            cells.hash<kAtOnce>(i, found);
            for (int r = 0; r < kAtOnce; ++r) keys[i + r] = {found[r], i + r};
        }
        for (; i < last; ++i) {
            cells.hash<1>(i, found);
            keys[i] = {found[0], i};
        }
    };
    for_blocks(rows.m, rows_a_block(rows.n), hash, &watch);
    return keys;
}

// Equal rows beside each other, by class and weight. Rows that differ and have the same hash are
// the exception, which costs a look at every row that is not the only one of its hash.
void sort_rows(const TableRows& rows, const Cells& cells, std::vector<RowKey>& keys) {
    const auto by_class = [&](const RowKey& a, const RowKey& b) {
        if (rows.row_class[a.row] != rows.row_class[b.row])
            return rows.row_class[a.row] < rows.row_class[b.row];
        if (rows.weight[a.row] != rows.weight[b.row])
            return rows.weight[a.row] < rows.weight[b.row];
        return a.row < b.row;
    };
    std::vector<RowKey> room;
    sort_by_key(keys, room, [&](const RowKey& a, const RowKey& b) {
        return a.key < b.key || (a.key == b.key && by_class(a, b));
    });
    for (auto first = keys.begin(), last = first; first != keys.end(); first = last) {
        bool alike = true;
        for (last = first + 1; last != keys.end() && last->key == first->key; ++last)
            alike = alike && cells.equal(first->row, last->row);
        if (!alike)
            std::sort(first, last, [&](const RowKey& a, const RowKey& b) {
                if (!cells.equal(a.row, b.row)) return cells.less(a.row, b.row);
                return by_class(a, b);
            });
    }
}

MergedRows of_size(std::size_t kinds, std::size_t rows) {
    using Numbers = std::vector<std::int64_t>;
    return {Numbers(kinds),
            Numbers(rows),
            std::vector<double>(kinds),
            std::vector<std::uint64_t>(kinds),
            {}};
}

MergedRows merge_sorted(const TableRows& rows, const Cells& cells,
                        const std::vector<RowKey>& keys) {
    MergedRows merged;
    merged.which.resize(rows.m);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t row = keys[i].row;
        const bool same = i && keys[i].key == keys[i - 1].key &&
                          rows.row_class[row] == rows.row_class[keys[i - 1].row] &&
                          cells.equal(row, keys[i - 1].row);
        if (!same) {
            merged.first.push_back(static_cast<std::int64_t>(row));
            merged.weight.push_back(0.0);
            merged.hash.push_back(keys[i].key);
        }
        merged.weight.back() += rows.weight[row];
        merged.which[row] = static_cast<std::int64_t>(merged.first.size()) - 1;
    }
    return merged;
}

// Calls `look(row, place, sums)` for the first of each merged row, and adds up the sums of blocks.
template <class Look>
std::vector<std::uint64_t> sum_of_first_rows(const TableRows& rows, const MergedRows& merged,
                                             std::size_t n_sums, Watch& watch, Look&& look) {
    using Keys = std::vector<std::uint64_t>;
    const std::size_t block = rows_a_block(rows.n);
    std::vector<Keys> parts(block_count(rows.m, block), Keys(n_sums, 0));
    const bool all_differ = merged.first.size() == rows.m;
    const auto visit = [&](std::size_t first, std::size_t last, std::size_t b) {
        for (std::size_t i = first; i < last; ++i) {
            const std::int64_t place = merged.which[i];
            if (all_differ || merged.first[place] == static_cast<std::int64_t>(i))
                look(i, place, parts[b].data());
        }
    };
    for_blocks(rows.m, block, visit, &watch);
    Keys sums(n_sums, 0);
    for (const Keys& part : parts)
        for (std::size_t s = 0; s < n_sums; ++s) sums[s] += part[s];
    return sums;
}

// Sums that do not depend on the order of the rows: weights are added from the least up.
std::vector<double> class_weights(const TableRows& rows, const MergedRows& merged) {
    std::vector<std::pair<double, std::int64_t>> weights;
    weights.reserve(merged.first.size());
    for (std::size_t p = 0; p < merged.first.size(); ++p)
        weights.emplace_back(merged.weight[p], rows.row_class[merged.first[p]]);
    if (!std::is_sorted(weights.begin(), weights.end(),
                        [](const auto& a, const auto& b) { return a.first < b.first; }))
        std::sort(weights.begin(), weights.end());
    std::vector<double> totals(rows.k, 0.0);
    for (const auto& [weight, c] : weights) totals[c] += weight;
    return totals;
}

bool all_different(std::vector<std::uint64_t> keys) {
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

// Keys of the rows for another round: what they hold in which columns, and what their classes do.
void tell_rows_apart(const TableRows& rows, const MergedRows& merged, const Cells& cells,
                     const std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& row_key,
                     Watch& watch) {
    const auto tell = [&](std::size_t i, std::int64_t place, std::uint64_t* of_class) {
        for (int j = 0; j < rows.n; ++j) row_key[place] += stir(cells.of(i, j) ^ keys[j]);
        of_class[rows.row_class[i]] += mix(row_key[place]);
    };
    const auto of_class = sum_of_first_rows(rows, merged, rows.k, watch, tell);
    for (std::size_t p = 0; p < row_key.size(); ++p)
        row_key[p] = mix(row_key[p] ^ mix(of_class[rows.row_class[merged.first[p]]]));
}

std::vector<std::int64_t> column_order(const TableRows& rows, const MergedRows& merged,
                                       const Cells& cells,
                                       const std::vector<std::int64_t>& n_categories,
                                       Watch& watch) {
    const std::vector<double> totals = class_weights(rows, merged);
    std::vector<std::uint64_t> row_key(merged.first.size()), keys;
    for (std::size_t p = 0; p < row_key.size(); ++p) {
        const double total = totals[rows.row_class[merged.first[p]]];
        row_key[p] = mix(bits(merged.weight[p]) ^ mix(bits(total)));
    }
    for (const std::int64_t count : n_categories) keys.push_back(std::max<std::int64_t>(0, count));
    for (int round = 0; round < kRounds; ++round) {
        const auto add = [&](std::size_t i, std::int64_t place, std::uint64_t* sums) {
            cells.add(i, row_key[place], sums);
        };
        const auto sums = sum_of_first_rows(rows, merged, rows.n, watch, add);
        for (int j = 0; j < rows.n; ++j) keys[j] += sums[j];
        std::transform(keys.begin(), keys.end(), keys.begin(), mix);
        if (all_different(keys)) break;
        tell_rows_apart(rows, merged, cells, keys, row_key, watch);
    }
    std::vector<std::int64_t> order(rows.n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
    return order;
}

// The merged rows by hashes of their cells in the order of the columns, then by class.
MergedRows sorted_again(const TableRows& rows, const MergedRows& merged, const Cells& cells,
                        Watch& watch) {
    std::vector<RowKey> keys = hashes_of(rows, cells, watch), room;
    const auto place_of = [&](const RowKey& a) { return merged.which[a.row]; };
    const auto is_other = [&](const RowKey& a) {
        return merged.first[place_of(a)] != static_cast<std::int64_t>(a.row);
    };
    if (merged.first.size() < keys.size())
        keys.erase(std::remove_if(keys.begin(), keys.end(), is_other), keys.end());
    sort_by_key(keys, room, [&](const RowKey& a, const RowKey& b) {
        if (a.key != b.key) return a.key < b.key;
        const std::int64_t of_a = rows.row_class[a.row], of_b = rows.row_class[b.row];
        return of_a != of_b ? of_a < of_b : place_of(a) < place_of(b);
    });
    MergedRows sorted = of_size(keys.size(), rows.m);
    std::vector<std::int64_t> place(keys.size());
    for (std::size_t p = 0; p < keys.size(); ++p) {
        const std::int64_t before = place_of(keys[p]);
        place[before] = static_cast<std::int64_t>(p);
        sorted.first[p] = static_cast<std::int64_t>(keys[p].row);
        sorted.weight[p] = merged.weight[before];
        sorted.hash[p] = keys[p].key;
    }
    for (std::size_t i = 0; i < rows.m; ++i) sorted.which[i] = place[merged.which[i]];
    return sorted;
}

}  // namespace

std::vector<int> column_exponents(const TableRows& rows,
                                  const std::vector<std::int64_t>& n_categories, Watch& watch) {
    std::vector<double> largest(rows.n, 0.0);
    for (std::size_t i = 0; i < rows.m; ++i) {
        watch.expired_after(rows.n);
        const double* row = rows.x + i * rows.n;
        for (int j = 0; j < rows.n; ++j) {
            const double size = std::fabs(row[j]);
            largest[j] = size > largest[j] ? size : largest[j];  // not so for NaN
        }
    }
    std::vector<int> exponents(rows.n);
    for (int j = 0; j < rows.n; ++j) {
        std::frexp(largest[j], &exponents[j]);
        if (n_categories[j] >= 0 || std::abs(exponents[j]) >= kLargestExponent) exponents[j] = 0;
    }
    return exponents;
}

MergedRows merge_rows(const TableRows& rows, const std::vector<int>& exponents,
                      const std::vector<std::int64_t>& n_categories, bool keep_columns,
                      Watch& watch) {
    Cells cells(rows, exponents);
    std::vector<RowKey> keys = hashes_of(rows, cells, watch);
    sort_rows(rows, cells, keys);
    MergedRows merged = merge_sorted(rows, cells, keys);
    std::vector<std::int64_t> columns(rows.n);
    std::iota(columns.begin(), columns.end(), 0);
    if (!keep_columns && rows.n > 1) {
        columns = column_order(rows, merged, cells, n_categories, watch);
        cells.reorder(columns);
        merged = sorted_again(rows, merged, cells, watch);
    }
    merged.columns = std::move(columns);
    return merged;
}

void scale_cells(const double* x, int n, const std::vector<int>& exponents,
                 const std::vector<std::uint32_t>& chosen,
                 const std::vector<std::uint32_t>& columns, double* out, Watch& watch) {
    const std::vector<double> factors = factors_of(exponents);
    const auto scale = [&](std::size_t first, std::size_t last, std::size_t) {
        double* to = out + first * columns.size();
        for (std::size_t p = first; p < last; ++p) {
#ifdef __GNUC__
            if (p + kAhead < last)
                for (int j = 0; j < n; j += 8)
                    __builtin_prefetch(x + std::size_t{chosen[p + kAhead]} * n + j);
#endif
            const double* row = x + std::size_t{chosen[p]} * n;
            for (const std::uint32_t j : columns) *to++ = scaled(row[j], factors[j]);
        }
    };
    for_blocks(chosen.size(), rows_a_block(n), scale, &watch);
}

}  // namespace planetree
