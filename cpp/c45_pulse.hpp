// Long runs ask now and then whether to go on: `beat` throws to stop them.
#pragma once
#include <cstddef>

namespace planetree::c45 {

class Pulse {
  public:
    explicit Pulse(void (*beat)()) : beat_(beat) {}

    void work(std::size_t amount) {
        done_ += amount;
        if (done_ < kInterval) return;
        done_ = 0;
        if (beat_ != nullptr) beat_();
    }

  private:
    static constexpr std::size_t kInterval = std::size_t{1} << 24;
    void (*beat_)();
    std::size_t done_ = 0;
};

}  // namespace planetree::c45
