#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace pollen::app {

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void tell(std::string_view text) { to_stderr(fmt::format("pollen: {}\n", text)); }

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

int stderr_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace pollen::app
