#include "c45/data.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace planetree::c45 {
namespace {

constexpr std::size_t kMaxLogs = std::size_t{1} << 20;
constexpr float kMissingNumber = -999.0F;           // Release 8 stores a missing number as this one
constexpr int kDigitBits = 8, kMostDigitBits = 11;  // sorted by at a time, few items and many
constexpr std::size_t kFewItems = 4096;
constexpr std::size_t kLookup = 4;          // work that it takes to find a cell of a column, about
constexpr std::size_t kRowsAtATime = 1024;  // between two looks at the watch

template <class Real>
using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

template <class Real>
struct Keyed {
    Bits<Real> key;
    std::uint32_t row;
};

// An unsigned key in the order of the numbers.
template <class Real>
Bits<Real> ordered_bits(Real value) {
    using Key = Bits<Real>;
    Key bits;
    std::memcpy(&bits, &value, sizeof bits);
    const Key sign = Key{1} << (8 * sizeof(Key) - 1);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

template <class Real>
void sort_by_digit(std::vector<Keyed<Real>>& items, std::vector<Keyed<Real>>& scratch, int shift,
                   int n_bits) {
    const std::size_t n_digits = std::size_t{1} << n_bits;
    std::array<std::uint32_t, (std::size_t{1} << kMostDigitBits) + 1> start;
    std::fill_n(start.begin(), n_digits + 1, 0U);
    const auto digit = [=](const Keyed<Real>& item) {
        return static_cast<std::size_t>(item.key >> shift) & (n_digits - 1);
    };
    for (const auto& item : items) ++start[digit(item) + 1];
    if (start[digit(items.front()) + 1] == items.size()) return;
    for (std::size_t d = 0; d < n_digits; ++d) start[d + 1] += start[d];
    for (const auto& item : items) scratch[start[digit(item)]++] = item;
    items.swap(scratch);
}

// Gives whether time sufficed.
template <class Real>
bool sort_by_key(std::vector<Keyed<Real>>& items, Watch& watch) {
    if (items.empty()) return true;
    std::vector<Keyed<Real>> scratch(items.size());
    const int n_bits = items.size() < kFewItems ? kDigitBits : kMostDigitBits;
    for (int shift = 0; shift < 8 * static_cast<int>(sizeof(Real)); shift += n_bits) {
        if (watch.expired_after(items.size())) return false;
        sort_by_digit(items, scratch, shift, n_bits);
    }
    return true;
}

// The number as C4.5 stores it; beyond the range of Real it is the largest of that range.
template <class Real>
Real stored(double value) {
    const double bound = static_cast<double>(std::numeric_limits<Real>::max());
    return static_cast<Real>(std::clamp(value, -bound, bound)) + Real{0};  // + 0: no negative zero
}

template <class Real>
bool is_missing(double value) {
    if (std::isnan(value)) return true;
    return sizeof(Real) == 4 && stored<Real>(value) == static_cast<Real>(kMissingNumber);
}

template <class Real>
void leave_unread(Column<Real>& column) {
    column.n_levels = 0;
    column.level.clear();
    column.largest.clear();
    std::fill(column.rank.begin(), column.rank.end(), 0U);
    column.has_missing = true;
}

template <class Real>
void rank_numbers(const RawTable& raw, std::size_t c, Column<Real>& column, Watch& watch) {
    std::vector<Keyed<Real>> items;
    items.reserve(raw.n_rows);
    const auto cell = [&](std::size_t row) { return raw.values[row * raw.n_columns + c]; };
    const auto late = [&](std::size_t done) {
        return done % kRowsAtATime == 0 && watch.expired_after(kRowsAtATime * kLookup);
    };
    for (std::size_t row = 0; row < raw.n_rows; ++row) {
        if (late(row)) return leave_unread(column);
        if (!is_missing<Real>(cell(row)))
            items.push_back(
                {ordered_bits(stored<Real>(cell(row))), static_cast<std::uint32_t>(row)});
    }
    if (!sort_by_key(items, watch)) return leave_unread(column);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (late(i)) return leave_unread(column);
        const double value = cell(items[i].row);
        if (i == 0 || items[i].key != items[i - 1].key) {
            const Real level = stored<Real>(value);
            if (!column.level.empty())
                column.has_narrow_gap |= !is_wide(column.level.back(), level);
            column.level.push_back(level);
            column.largest.push_back(value);
        }
        column.largest.back() = std::max(column.largest.back(), value);
        column.rank[items[i].row] = static_cast<std::uint32_t>(column.level.size() - 1);
    }
    column.n_levels = static_cast<std::uint32_t>(column.level.size());
    column.has_missing = items.size() < raw.n_rows;
    if (!column.has_missing) return;
    for (std::size_t row = 0; row < raw.n_rows; ++row)
        if (is_missing<Real>(cell(row))) {
            column.rank[row] = column.n_levels;
            column.has_stand_in |= !std::isnan(cell(row));
        }
}

template <class Real>
void rank_categories(const RawTable& raw, std::size_t c, Column<Real>& column) {
    column.n_levels = static_cast<std::uint32_t>(raw.n_categories[c]);
    for (std::size_t row = 0; row < raw.n_rows; ++row) {
        const double code = raw.values[row * raw.n_columns + c];
        if (std::isnan(code)) {
            column.rank[row] = column.n_levels;
            column.has_missing = true;
        } else if (code >= 0 && code < column.n_levels) {
            column.rank[row] = static_cast<std::uint32_t>(code);
        } else {
            throw std::invalid_argument("Column " + std::to_string(c) + " has " +
                                        std::to_string(column.n_levels) + " categories, but row " +
                                        std::to_string(row) + " holds the code " +
                                        std::to_string(code) + ".");
        }
    }
}

template <class Real>
void check_size(const RawTable& raw) {
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    if (raw.n_rows >= most || raw.n_columns >= most || raw.n_classes >= most)
        throw std::invalid_argument("C4.5 takes fewer than 2**31 rows, columns and classes.");
    for (std::size_t c = 0; c < raw.n_columns; ++c)
        if (raw.n_categories[c] >= static_cast<std::int64_t>(most))
            throw std::invalid_argument("C4.5 takes fewer than 2**31 categories in a column.");
}

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

template <class Real>
Table<Real>::Table(const RawTable& raw, Watch& watch)
    : id(next_id()), n_rows(raw.n_rows), n_classes(raw.n_classes), columns(raw.n_columns) {
    check_size<Real>(raw);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (raw.classes[row] < 0 || raw.classes[row] >= static_cast<std::int64_t>(n_classes))
            throw std::invalid_argument("Row " + std::to_string(row) + " has the class code " +
                                        std::to_string(raw.classes[row]) + ", but there are " +
                                        std::to_string(n_classes) + " classes.");
        if (!(raw.weights[row] >= 0) || std::isinf(raw.weights[row]))
            throw std::invalid_argument("Row " + std::to_string(row) + " has the weight " +
                                        std::to_string(raw.weights[row]) +
                                        ", but a weight is finite and not negative.");
        classes.push_back(static_cast<std::uint32_t>(raw.classes[row]));
        weights.push_back(stored<Real>(raw.weights[row]));
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c].is_number = raw.n_categories[c] < 0;
        columns[c].rank.resize(n_rows);
        if (watch.expired_after(n_rows)) {
            leave_unread(columns[c]);
            continue;
        }
        columns[c].is_number ? rank_numbers(raw, c, columns[c], watch)
                             : rank_categories(raw, c, columns[c]);
    }
    const Real total = std::accumulate(weights.begin(), weights.end(), Real{0});
    const auto whole = static_cast<std::size_t>(std::min(total, static_cast<Real>(kMaxLogs)));
    const std::size_t most = std::max(n_rows, whole);
    logs.resize(most + most / 4 + n_classes + 16);  // sums are rounded, up as well as down
    log2s.resize(logs.size());
    for (std::size_t k = 2; k < logs.size(); ++k) {
        log2s[k] = std::log2(static_cast<double>(k));
        logs[k] = static_cast<double>(k) * log2s[k];
    }
}

template struct Table<float>;
template struct Table<double>;

}  // namespace planetree::c45
