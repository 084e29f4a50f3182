// Hot loops are compiled once for each level of vector instructions; the machine picks at load
// time.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(PLANETREE_SANITIZE)
#define PLANETREE_VECTOR \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PLANETREE_VECTOR
#endif

namespace planetree {

// Eight numbers that are added and multiplied at once.
#ifdef __GNUC__
typedef double Pack __attribute__((vector_size(64)));
#else
struct Pack {
    double v[8];
    Pack& operator+=(const Pack& other) {
        for (int i = 0; i < 8; ++i) v[i] += other.v[i];
        return *this;
    }
};
inline Pack operator*(double factor, Pack pack) {
    for (double& v : pack.v) v *= factor;
    return pack;
}
#endif

}  // namespace planetree
