// Hot loops are compiled once for each level of vector instructions; the machine picks at load time.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(PLANETREE_SANITIZE)
#define PLANETREE_VECTOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PLANETREE_VECTOR
#endif
