// A deadline and a way to be interrupted, asked now and then by every long loop of the core.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace planetree {

struct OutOfTime {};  // thrown where work is of no use unless it is done in whole

class Watch {
  public:
    Watch() = default;
    // `interrupt` may throw; it is called at most a few times a second.
    Watch(double seconds, std::function<void()> interrupt)
        : limited_(seconds >= 0), seconds_(seconds), interrupt_(std::move(interrupt)) {}

    // True once the time limit has passed.
    bool expired() {
        const double now = elapsed();
        if (interrupt_ && now - asked_ > 0.1) {
            asked_ = now;
            interrupt_();
        }
        late_ = limited_ && now > seconds_;
        return late_;
    }

    // The same, but it reads the clock only now and then: `work` is what was done since the last
    // call, a unit taking some nanoseconds.
    bool expired_after(std::size_t work) {
        done_ += work;
        if (done_ < kInterval) return late_;
        done_ = 0;
        return expired();
    }

    // Throws once the time limit has passed.
    void check() {
        if (expired()) throw OutOfTime();
    }

    // Whether the time limit had passed when the clock was read last.
    bool is_late() const { return late_; }

  private:
    static constexpr std::size_t kInterval = std::size_t{1} << 18;
    using Clock = std::chrono::steady_clock;
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Clock::time_point start_ = Clock::now();
    bool limited_ = false;
    double seconds_ = 0;
    double asked_ = 0;
    bool late_ = false;
    std::size_t done_ = 0;
    std::function<void()> interrupt_;
};

}  // namespace planetree
