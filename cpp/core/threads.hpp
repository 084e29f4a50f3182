// Passes over rows by several threads.
//
// A pass is cut into blocks whose size does not depend on the threads, and what the blocks give is
// joined in their order: an answer has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/watch.hpp"

namespace planetree {

constexpr std::size_t kBlockRows = std::size_t{1} << 15;
constexpr std::size_t kBlockSteps = 50'000'000;  // of a block: an interrupt waits no longer

// Rows of a block, if one takes so many steps.
inline std::size_t rows_a_block(std::size_t steps) {
    return std::max<std::size_t>(1, std::min(kBlockRows, kBlockSteps / (steps + 1)));
}

// How many threads the passes use that are begun in this thread, and by no other: those of a pass
// begin none of their own.
int thread_count();
void set_thread_count(int count);

// Calls work(b) for every block b. This thread takes part, and asks `watch` after each of its
// blocks. What is thrown in a block ends the others and is thrown here. False if the time was over
// before all were done.
bool run_blocks(std::size_t n_blocks, const std::function<void(std::size_t)>& work,
                Watch* watch = nullptr);

inline std::size_t block_count(std::size_t count, std::size_t block) {
    return (count + block - 1) / block;
}

// Calls work(first, last, b) for blocks of `block` items that together are 0..count - 1.
template <class Work>
bool for_blocks(std::size_t count, std::size_t block, Work&& work, Watch* watch = nullptr) {
    const auto run = [&](std::size_t b) { work(b * block, std::min(count, (b + 1) * block), b); };
    return run_blocks(block_count(count, block), run, watch);
}

// The sum over blocks of what work(first, last) gives.
template <class Work>
double sum_blocks(std::size_t count, std::size_t block, Work&& work) {
    std::vector<double> parts(block_count(count, block));
    for_blocks(count, block, [&](std::size_t first, std::size_t last, std::size_t b) {
        parts[b] = work(first, last);
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

}  // namespace planetree
