// Radix sort of items by whole numbers, and of the values of a column with the numbers of their
// rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace planetree {

constexpr std::size_t kFewItems = 256;   // are sorted by comparison
constexpr int kDigit = 11, kPasses = 3;  // bits of a pass
constexpr int kFirstDigit = 64 - kPasses * kDigit;
constexpr std::size_t kDigits = std::size_t{1} << kDigit;

// A double as the whole number that is in the same order, missing values last, -0 the same as 0.
struct ValueOfRow {
    static constexpr std::uint64_t kMissing = ~std::uint64_t{0};
    static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

    std::uint64_t key;
    std::size_t row;

    static ValueOfRow of(double value, std::size_t row) {
        if (value != value) return {kMissing, row};
        value += 0.0;
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return {bits & kSign ? ~bits : bits | kSign, row};
    }

    bool is_missing() const { return key == kMissing; }

    double value() const {
        const std::uint64_t bits = key & kSign ? key ^ kSign : ~key;
        double found;
        std::memcpy(&found, &bits, sizeof found);
        return found;
    }
};

// Sort items by the first bits of their `key`, three passes of kDigit bits; equal ones keep their
// order. `room` is kept between calls.
template <class Item>
void sort_by_first_bits(std::vector<Item>& items, std::vector<Item>& room) {
    std::array<std::array<std::size_t, kDigits>, kPasses> counts{};
    const auto digit = [](const Item& item, int pass) {
        return (item.key >> (kFirstDigit + pass * kDigit)) & (kDigits - 1);
    };
    for (const Item& item : items)
        for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(item, pass)];
    room.resize(items.size());
    for (int pass = 0; pass < kPasses; ++pass) {
        auto& places = counts[pass];
        if (places[digit(items[0], pass)] == items.size()) continue;  // all have the same
        std::size_t start = 0;
        for (std::size_t& place : places) start += std::exchange(place, start);
        for (const Item& item : items) room[places[digit(item, pass)]++] = item;
        items.swap(room);
    }
}

// Sort items that have a `key`, in time linear in their number where they are many and differ in
// the first bits of their keys. `before` must put lower keys first.
template <class Item, class Before>
void sort_by_key(std::vector<Item>& items, std::vector<Item>& room, Before&& before) {
    if (items.size() < kFewItems) return std::sort(items.begin(), items.end(), before);
    sort_by_first_bits(items, room);
    for (auto first = items.begin(); first != items.end();) {
        auto last = first + 1;
        while (last != items.end() && last->key >> kFirstDigit == first->key >> kFirstDigit) ++last;
        if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
        first = last;
    }
}

inline void sort_values(std::vector<ValueOfRow>& values, std::vector<ValueOfRow>& room) {
    sort_by_key(values, room, [](const ValueOfRow& a, const ValueOfRow& b) {
        return a.key < b.key || (a.key == b.key && a.row < b.row);
    });
}

}  // namespace planetree
