#include "core/threads.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace planetree {

namespace {

thread_local int allowed = 1;

}  // namespace

int thread_count() { return allowed; }

void set_thread_count(int count) { allowed = std::max(1, count); }

bool run_blocks(std::size_t n_blocks, const std::function<void(std::size_t)>& work, Watch* watch) {
    std::atomic<std::size_t> next{0};
    bool late = false;
    std::exception_ptr failure;
    std::mutex writing;
    const auto run = [&](Watch* asked) {
        try {
            for (std::size_t b; (b = next++) < n_blocks;) {
                work(b);
                if (asked && asked->expired() && next.exchange(n_blocks) < n_blocks) late = true;
            }
        } catch (...) {
            next = n_blocks;
            const std::lock_guard<std::mutex> lock(writing);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        while (others.size() + 1 < std::min(n_blocks, static_cast<std::size_t>(allowed)))
            others.emplace_back(run, nullptr);
    } catch (const std::exception&) {
        // the machine has no more threads, or no memory for them: those there are do the work
    }
    run(watch);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return !late;
}

}  // namespace planetree
