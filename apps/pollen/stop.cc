#include "stop.h"

#include <csignal>

namespace pollen::app {

namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) { came.store(true); }

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The run goes on if the reader of its progress goes away.
  std::signal(SIGPIPE, SIG_IGN);
}

void watch_forwarded_signal() { std::signal(SIGUSR1, on_signal); }

void ignore_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, SIG_IGN);
}

bool interrupted() { return came.load(); }
const std::atomic<bool>& stop_flag() { return came; }

}  // namespace pollen::app
