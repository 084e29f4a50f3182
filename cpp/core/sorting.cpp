#include "core/sorting.hpp"

#include <algorithm>
#include <array>

namespace planetree {

namespace {

constexpr std::size_t kFew = 128;     // are sorted by comparison
constexpr int kDigit = 11;            // bits of a pass
constexpr int kFirstDigit = 64 - 33;  // three passes: the first 33 bits
constexpr std::size_t kDigits = std::size_t{1} << kDigit;

bool in_order(const ValueOfRow& a, const ValueOfRow& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
}

std::size_t digit(const ValueOfRow& v, int shift) { return (v.key >> shift) & (kDigits - 1); }

using Counts = std::array<std::size_t, kDigits>;

// Move values into the order of one digit; false if all have the same one and none was moved.
bool distribute(const std::vector<ValueOfRow>& from, std::vector<ValueOfRow>& to, int shift,
                Counts& counts) {
    if (counts[digit(from[0], shift)] == from.size()) return false;
    std::size_t start = 0;
    for (std::size_t& count : counts) {
        const std::size_t here = count;
        count = start;
        start += here;
    }
    for (const ValueOfRow& v : from) to[counts[digit(v, shift)]++] = v;
    return true;
}

// Values with the same first bits, which lie together, by their last ones.
void sort_runs(std::vector<ValueOfRow>& values) {
    for (std::size_t start = 0; start < values.size();) {
        std::size_t end = start + 1;
        bool sorted = true;
        while (end < values.size() &&
               values[end].key >> kFirstDigit == values[start].key >> kFirstDigit) {
            sorted = sorted && values[end - 1].key <= values[end].key;
            ++end;
        }
        if (!sorted) std::sort(values.begin() + start, values.begin() + end, in_order);
        start = end;
    }
}

}  // namespace

void sort_values(std::vector<ValueOfRow>& values, std::vector<ValueOfRow>& room) {
    if (values.size() < kFew) {
        std::sort(values.begin(), values.end(), in_order);
        return;
    }
    std::array<Counts, 3> counts{};
    for (const ValueOfRow& v : values)
        for (int pass = 0; pass < 3; ++pass) ++counts[pass][digit(v, kFirstDigit + pass * kDigit)];
    room.resize(values.size());
    for (int pass = 0; pass < 3; ++pass)
        if (distribute(values, room, kFirstDigit + pass * kDigit, counts[pass])) values.swap(room);
    sort_runs(values);
}

}  // namespace planetree
