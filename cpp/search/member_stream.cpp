#include "search/member_stream.hpp"

namespace noisyor {

void MemberStream::start(std::function<void(MemberStream&)> produce) {
    thread_ = std::thread([this, produce = std::move(produce)] {
        std::exception_ptr failure;
        try {
            produce(*this);
            flush();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        finished_ = true;
        changed_.notify_all();
    });
}

bool MemberStream::add(const std::vector<std::uint32_t>& choice, Ticks ticks) {
    filling_.choices.insert(filling_.choices.end(), choice.begin(), choice.end());
    filling_.ticks.push_back(ticks);
    return filling_.ticks.size() < batch_size_ || flush();
}

bool MemberStream::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || waiting_.size() < most_waiting_; });
    if (closed_) return false;
    if (!filling_.ticks.empty()) waiting_.push_back(std::move(filling_));
    filling_ = {};
    changed_.notify_all();
    return true;
}

bool MemberStream::next(Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished_ || closed_ || !waiting_.empty(); });
    if (waiting_.empty()) {
        if (failure_) std::rethrow_exception(failure_);
        return false;
    }
    batch = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    changed_.notify_all();
    return true;
}

void MemberStream::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace noisyor
