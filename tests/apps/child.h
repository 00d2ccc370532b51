// A program that runs beside the test. The test can watch, stop, kill and await it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "program.h"

namespace pollen {

// Polls every few milliseconds until `so` returns true. Returns false if that does not happen in time.
bool await(double seconds, const std::function<bool()>& so);

class Child {
 public:
  // stdout goes to LOG.out and stderr to LOG.err. Both are appended to, so that a restart after a crash continues the
  // log.
  Child(const std::string& program, const Words& arguments, const std::string& folder, const std::string& log);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), code_(other.code_), log_(other.log_) {}
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills the program if it still runs

  bool running();
  pid_t pid() const { return pid_; }
  std::optional<int> wait(double seconds);  // exit code, or 128 + the signal; nothing if it still runs
  void send(int signal) const;
  int kill();  // sends SIGKILL and waits for the end
  std::string out() const { return text_of(".out"); }
  std::string err() const { return text_of(".err"); }

 private:
  std::string text_of(const char* stream) const;

  pid_t pid_ = -1;
  std::optional<int> code_;
  std::string log_;
};

}  // namespace pollen
