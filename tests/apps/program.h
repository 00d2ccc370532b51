// Runs the built program in its own process, as a user would, and reports the outcome.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace pollen {

struct Outcome {
  int code = -1;  // exit code, or 128 + the signal
  std::string out, err;
};

using Words = std::vector<std::string>;

struct ProgramOptions {
  std::string folder;           // working directory
  std::int64_t file_limit = 0;  // RLIMIT_FSIZE in bytes; 0 means no limit
  int stop_signal = 0;          // sent once `when` returns true
  std::function<bool()> when;   // called every few milliseconds
};

Outcome run_program(const std::string& program, const Words& arguments, const ProgramOptions& options = {});
Outcome pollen(const Words& arguments, const ProgramOptions& options = {});  // the program under test

// A test with a folder of its own, which is the working directory of the programs it runs.
class ProgramTest : public testing::Test {
 protected:
  // The test's folder is made in `base`.
  explicit ProgramTest(const std::string& base = testing::TempDir());
  ~ProgramTest() override;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  bool exists(const std::string& name) const;
  std::string slurp(const std::string& name) const;
  void put(const std::string& name, const std::string& text) const;
  Outcome run(const Words& arguments, ProgramOptions options = {}) const;  // runs in the folder
  std::vector<std::string> listing(const std::string& name = ".") const;   // sorted names in a folder

  std::string folder_;
};

// Small problems that take a fraction of a second.
extern const char* const kTinyLogistic;
extern const char* const kTinyGaussian;
// A random intercept and slope for every `who` in d.csv, which the test writes. The text ends inside [data].
extern const char* const kMixedData;

}  // namespace pollen
