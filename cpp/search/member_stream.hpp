// Members on their way from a walk to the caller, a batch at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "search/families.hpp"

namespace noisyor {

// Batches of members, made by a worker thread that waits when it is too far ahead.
class MemberStream {
  public:
    struct Batch {
        std::vector<std::uint32_t> choices;
        std::vector<Ticks> ticks;
    };

    MemberStream(std::size_t batch_size, std::size_t most_waiting)
        : batch_size_(batch_size), most_waiting_(most_waiting) {}
    ~MemberStream() { close(); }
    MemberStream(const MemberStream&) = delete;
    MemberStream& operator=(const MemberStream&) = delete;

    void start(std::function<void(MemberStream&)> produce);
    bool add(const std::vector<std::uint32_t>& choice, Ticks ticks);  // false once closed
    bool next(Batch& batch);                                          // false at the end
    void close();
    const std::atomic<bool>& closed() const { return closed_; }

  private:
    bool flush();

    std::size_t batch_size_, most_waiting_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Batch> waiting_;
    Batch filling_;
    bool finished_ = false;
    std::exception_ptr failure_;  // of the thread, rethrown at the next request
    std::atomic<bool> closed_{false};
    std::thread thread_;
};

}  // namespace noisyor
