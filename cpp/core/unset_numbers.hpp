// Many numbers that are written before they are read.
//
// They are left as they are, so that the threads that write them share the work of getting their
// memory. Linux is asked for huge pages: those of a large array take a third of the time to get.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace planetree {

constexpr std::size_t kHugePage = std::size_t{1} << 21;  // bytes

template <class T>
struct Unset : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = Unset<U>;
    };
    using std::allocator<T>::allocator;

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < 2 * kHugePage) return std::allocator<T>::allocate(count);
        void* at = ::operator new(bytes, std::align_val_t{kHugePage});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        madvise(at, bytes, MADV_HUGEPAGE);  // a wish: without it, pages are small
#endif
        return static_cast<T*>(at);
    }
    void deallocate(T* at, std::size_t count) {
        if (count * sizeof(T) < 2 * kHugePage) return std::allocator<T>::deallocate(at, count);
        ::operator delete(at, std::align_val_t{kHugePage});
    }

    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Given>
    void construct(U* at, Given&&... given) {
        ::new (static_cast<void*>(at)) U(std::forward<Given>(given)...);
    }
};
using UnsetNumbers = std::vector<double, Unset<double>>;

}  // namespace planetree
