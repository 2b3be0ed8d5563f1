// Ends the process if a signal has asked it to end and it does not.
//
// Python handles a signal between two of its own instructions. While a library computes, or holds a
// lock that a thread waits for, there are none, and the process would go on for as long as that
// takes. So a thread of its own, which needs nothing of Python, ends the process then.
#pragma once

#include <memory>

namespace noisyor {

class Watchdog {
  public:
    // Reads the numbers of signals from `descriptor`, one byte each. SIGINT and SIGTERM begin a
    // time of `grace` seconds. A second one, if it comes `last_grace` seconds after the first at
    // least, cuts what is left of it to as many: shells and wrappers may send the same one twice.
    Watchdog(int descriptor, double grace, double last_grace);

    // Gives the process so many seconds from now, once, because a signal has come; nothing after
    // a second one has cut the time, and nothing with SIGTERM, whether that comes before or after.
    void extend(double seconds);
    // The message has been printed already.
    void mute();

  private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the thread, which ends with the process
};

}  // namespace noisyor
