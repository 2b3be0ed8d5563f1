// A flag that Python sets and the kernels read.
#pragma once

#include <atomic>

namespace noisyor {

class Cancellation {
  public:
    void cancel() { flag_ = true; }
    bool cancelled() const { return flag_; }
    const std::atomic<bool>& flag() const { return flag_; }

  private:
    std::atomic<bool> flag_{false};
};

}  // namespace noisyor
