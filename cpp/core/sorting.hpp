// Values of a column with the numbers of their rows, sorted; rows of equal values keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace planetree {

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

// Sort by value, in time linear in their number where they are many and differ in their first 32
// bits. `room` is kept between calls.
void sort_values(std::vector<ValueOfRow>& values, std::vector<ValueOfRow>& room);

}  // namespace planetree
