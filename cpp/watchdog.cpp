#include "watchdog.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace noisyor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kErrors = 2;             // standard error
constexpr int kExitBySignal = 128;     // as shells count, plus the number of the signal
constexpr int kPollMilliseconds = 50;  // once a signal has come
constexpr std::string_view kMessage = "interrupted\n";
constexpr std::string_view kShowCursor = "\r\033[?25h";  // which a progress bar hides

Clock::duration in_seconds(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void print(std::string_view text) {
    // A terminal that is stopped, or a pipe that nobody reads, must not keep the process.
    pollfd errors{kErrors, POLLOUT, 0};
    if (poll(&errors, 1, 0) != 1) return;
    // Nothing can be done about an error here.
    [[maybe_unused]] const auto written = write(kErrors, text.data(), text.size());
}

}  // namespace

struct Watchdog::State {
    int descriptor;
    double grace, last_grace;
    std::mutex mutex;  // guards the rest
    std::optional<Clock::time_point> first, end;
    int number = 0;  // of the first signal
    bool extended = false, muted = false;

    void notice(int signal) {
        if (signal != SIGINT && signal != SIGTERM) return;
        std::scoped_lock lock(mutex);
        const Clock::time_point now = Clock::now();
        if (!first) {
            first = now;
            number = signal;
            if (!extended) end = now + in_seconds(grace);
        } else if (now >= *first + in_seconds(last_grace)) {
            end = std::min(*end, now + in_seconds(last_grace));
            extended = true;  // Python may react to the first signal only now
        }
        if (signal == SIGTERM) {  // leaves no time for a result, whichever other signal came too
            end = std::min(*end, now + in_seconds(grace));
            extended = true;
        }
    }

    // Without destructors and handlers: one of these may be what the process waits for. Files
    // appear whole or not at all, and the system releases locks.
    void end_if_late() {
        std::scoped_lock lock(mutex);
        if (!first || Clock::now() < *end) return;
        if (isatty(kErrors)) print(kShowCursor);
        if (!muted) print(kMessage);
        _exit(kExitBySignal + number);
    }

    void watch() {
        for (;;) {
            pollfd waiting{descriptor, POLLIN, 0};
            const bool armed = [&] {
                std::scoped_lock lock(mutex);
                return first.has_value();
            }();
            const int ready = poll(&waiting, 1, armed ? kPollMilliseconds : -1);
            if (ready < 0 && errno != EINTR) return;
            if (ready > 0) {
                unsigned char bytes[16];
                const auto count = read(descriptor, bytes, sizeof bytes);
                if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return;
                for (std::ptrdiff_t i = 0; i < count; ++i) notice(bytes[i]);
            }
            end_if_late();
        }
    }
};

Watchdog::Watchdog(int descriptor, double grace, double last_grace)
    : state_(std::make_shared<State>()) {
    state_->descriptor = descriptor;
    state_->grace = grace;
    state_->last_grace = last_grace;
    // Its thread takes no signals: these are for the thread that runs Python's handlers.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([state = state_] { state->watch(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watchdog::extend(double seconds) {
    std::scoped_lock lock(state_->mutex);
    if (state_->extended) return;
    state_->extended = true;
    state_->end = Clock::now() + in_seconds(seconds);
}

void Watchdog::mute() {
    std::scoped_lock lock(state_->mutex);
    state_->muted = true;
}

}  // namespace noisyor
