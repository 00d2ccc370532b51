// What can go wrong, by whose fault it is. All of them are std::runtime_error; what() is one line or more for the user.
//
//   try { ... } catch (const pollen::ConfigError& error) { for (const auto& p : error.problems()) show(p.where,
//   p.what); }
//
// ConfigError: the input (configuration, data file, command line) is wrong; it carries every problem found, up to ten.
// The program then exits with 2. WireError: bytes from outside do not follow the format. NumericError: a state or a
// message is not finite; it names round and client. IoError: the machine failed (disk full, no permission). After these
// three the program exits with 1.
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

// Collects problems and throws them together: `problems.add(...)` as they are found, `problems.raise()` where it must
// stop.
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
