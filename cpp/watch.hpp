// A deadline and a way to be interrupted, asked now and then by every long loop of the core.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace planetree {

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
        return limited_ && now > seconds_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Clock::time_point start_ = Clock::now();
    bool limited_ = false;
    double seconds_ = 0;
    double asked_ = 0;
    std::function<void()> interrupt_;
};

}  // namespace planetree
