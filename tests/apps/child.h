// A program that runs beside the test: looked at while it works, stopped, killed and waited for.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "program.h"

namespace pollen {

// Asks every few milliseconds until it is so; false where it never was in that time.
bool await(double seconds, const std::function<bool()>& so);

class Child {
 public:
  // stdout goes to LOG.out and stderr to LOG.err; both are appended to, so that a life after a crash adds to the story.
  Child(const std::string& program, const Words& arguments, const std::string& folder, const std::string& log);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), code_(other.code_), log_(other.log_) {}
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills what still runs

  bool running();
  std::optional<int> wait(double seconds);  // exit code, or 128 + the signal; nothing where it still runs
  void send(int signal) const;
  int kill();  // -9, and waits: nothing of it runs any more
  std::string out() const { return text_of(".out"); }
  std::string err() const { return text_of(".err"); }

 private:
  std::string text_of(const char* stream) const;

  pid_t pid_ = -1;
  std::optional<int> code_;
  std::string log_;
};

}  // namespace pollen
