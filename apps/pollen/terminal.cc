#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/plain.h"
#include "sink/progress.h"

namespace pollen::app {

namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) { came.store(true); }

}  // namespace

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

// Errors quote files and other parties.
void tell(std::string_view text) { to_stderr(fmt::format("pollen: {}\n", without_controls(text))); }

namespace {

int width_of(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }
int stderr_width() { return width_of(STDERR_FILENO); }
bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }
int stdout_width() { return width_of(STDOUT_FILENO); }

std::function<void(const RunProgress&)> progress_on_stderr() {
  return [line = std::make_shared<std::optional<sink::Progress>>()](const RunProgress& now) {
    if (!*line) {
      sink::ProgressOptions options{.total = now.total,
                                    .start = now.start,
                                    .terminal = stderr_is_terminal(),
                                    .width = stderr_width,
                                    .write = to_stderr};
      if (now.warming_up) options.counted = options.unit = "steps";
      if (now.writing) options.counted = "million numbers", options.unit = "M";
      line->emplace(std::move(options));
    }
    if (!now.last) return (*line)->update(now);
    (*line)->finish(now);
    line->reset();
  };
}

bool wants_colour() {
  const char* no = std::getenv("NO_COLOR");
  return stdout_is_terminal() && (no == nullptr || *no == '\0');
}

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
