// What can go wrong, by whose fault it is: each boundary (command line, later gRPC and MPI) translates these once.
//
// ConfigError: the input (configuration, data file, command line) is wrong; carries every problem found, up to ten. Exit 2.
// WireError: bytes from outside do not follow the format. NumericError: a state or message is not finite; names round and
// client. IoError: the machine failed us (disk full, no permission). The last three are exit 1.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pollen {

// One line for the user: where (file, key or row), what was found, what is accepted.
struct Problem {
  std::string where;  // "experiment.toml: sampler.step" or "heart.csv: row 17, column age"
  std::string what;   // "found -1, accepted: a number above 0 or \"auto\""
};

class ConfigError : public std::runtime_error {
 public:
  static constexpr std::size_t kMost = 10;
  explicit ConfigError(std::vector<Problem> problems);
  ConfigError(std::string where, std::string what) : ConfigError(std::vector<Problem>{{std::move(where), std::move(what)}}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// Collects problems and throws them together: `problems.add(...)` as they are found, `problems.raise()` where it must stop.
class Problems {
 public:
  void add(std::string where, std::string what);
  bool full() const { return found_.size() >= ConfigError::kMost; }
  bool empty() const { return found_.empty(); }
  void raise() const;  // throws ConfigError unless empty

 private:
  std::vector<Problem> found_;
};

// The nearest of `names` to `word` by edit distance, if it is near enough to be a slip.
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

// Thrown out of a wait when the user wants to stop.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace pollen
