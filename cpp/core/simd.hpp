// Hot loops are compiled once for each level of vector instructions; the machine picks at load
// time.
#pragma once

#include <cstring>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(PLANETREE_SANITIZE) && !defined(PLANETREE_BASELINE)
#define PLANETREE_VECTOR \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PLANETREE_VECTOR
#endif

namespace planetree {

// Four numbers that are added and multiplied at once. A pack is as wide as one register of most
// machines: sums of a few packs stay in registers, which those of wider ones do not everywhere.
constexpr int kPack = 4;
#if defined(__GNUC__) && !defined(PLANETREE_PORTABLE)
typedef double Pack __attribute__((vector_size(8 * kPack)));
#else
struct Pack {
    double v[kPack];
    double operator[](int i) const { return v[i]; }
    Pack& operator+=(const Pack& other) {
        for (int i = 0; i < kPack; ++i) v[i] += other.v[i];
        return *this;
    }
};
inline Pack operator*(double factor, Pack pack) {
    for (double& v : pack.v) v *= factor;
    return pack;
}
inline Pack operator*(Pack a, const Pack& b) {
    for (int i = 0; i < kPack; ++i) a.v[i] *= b.v[i];
    return a;
}
inline Pack operator+(Pack a, const Pack& b) { return a += b; }
#endif

inline void load(const double* from, Pack& to) { std::memcpy(&to, from, sizeof to); }
inline void store(const Pack& from, double* to) { std::memcpy(to, &from, sizeof from); }

}  // namespace planetree
