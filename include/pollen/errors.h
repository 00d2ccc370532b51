// The exceptions that pollen throws, sorted by what is at fault. Each boundary (command line, gRPC, MPI) translates
// them once.
//
// ConfigError: the input (configuration, data file, command line) is wrong. It carries every problem found, up to ten;
// the program exits with status 2. The others exit with status 1. WireError: bytes from outside do not follow the
// format. NumericError: a state or message is not finite; the text names round and client. IoError: the machine failed,
// for example because the disk is full or a permission is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pollen {

// One line for the user: where the problem is (file, key or row), what was found, and what is accepted.
struct Problem {
  std::string where;  // "experiment.toml: sampler.step" or "heart.csv: row 17, column age"
  std::string what;   // "found -1, accepted: a number above 0 or \"auto\""
};

class ConfigError : public std::runtime_error {
 public:
  static constexpr std::size_t kMost = 10;
  explicit ConfigError(std::vector<Problem> problems);
  ConfigError(std::string where, std::string what)
      : ConfigError(std::vector<Problem>{{std::move(where), std::move(what)}}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// Collects problems and throws them together: call add() as they are found, and raise() where the program cannot
// continue.
class Problems {
 public:
  void add(std::string where, std::string what);
  bool full() const { return found_.size() >= ConfigError::kMost; }
  bool empty() const { return found_.empty(); }
  void raise() const;  // throws ConfigError unless empty

 private:
  std::vector<Problem> found_;
};

// Returns the entry of `names` that is nearest to `word` by edit distance, if it is near enough to be a typing error.
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& names);

class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NumericError : public std::runtime_error {
 public:
  explicit NumericError(const std::string& what) : std::runtime_error(what) {}
  NumericError(const std::string& what, std::int64_t round, std::int64_t client);
};

class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown out of a wait when the user has asked the program to stop.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace pollen
