// A loop whose turns threads share.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace noisyor {

// Calls body(worker, turn) for every turn below the count, in any order, on up to `workers` threads
// at once, and returns when all are done. If a call throws, no further turns start and one of the
// exceptions is thrown here.
template <class Body>
void share_turns(std::size_t workers, std::size_t count, const Body& body) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(workers);
    const auto work = [&](std::size_t worker) {
        try {
            for (std::size_t turn; (turn = next++) < count;) body(worker, turn);
        } catch (...) {
            failures[worker] = std::current_exception();
            next = count;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t w = 1; w < workers && w < count; ++w) threads.emplace_back(work, w);
        work(0);
    }
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace noisyor
