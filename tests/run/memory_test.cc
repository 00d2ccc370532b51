// The memory of a run does not grow with its rounds, in the engine and in the program with everything that it records.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/problems.h"
#include "support/sanitized.h"
#include "support/source_dir.h"

extern char** environ;

namespace pollen {
namespace {

// Returns the resident kilobytes of a process.
long resident(const std::string& process) {
  std::ifstream in("/proc/" + process + "/status");
  std::string word;
  while (in >> word) {
    long kilobytes = 0;
    if (word == "VmRSS:" && in >> kilobytes) return kilobytes;
  }
  return -1;
}

constexpr long kMegabyte = 1024;

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (POLLEN_SANITIZED) GTEST_SKIP() << "a sanitizer keeps memory of its own";
    if (resident("self") <= 0) GTEST_SKIP() << "/proc/self/status does not tell the resident memory";
  }
};

// The problem has 20 clients in 50 dimensions, memories, messages that are really encoded, and clients that come and
// go.
const char* kMillionRounds = R"(
seed = 2
[model]
kind = "gaussian"
[data]
source = "synthetic-gaussian"
clients = 20
dimension = 50
max_size = 20
[sampler]
name = "qlsd++"
batch = 2
refresh = 100
step = 5e-5
[participation]
policy = "bernoulli"
probability = 0.25
[run]
iterations = 1000000
burn_in = 1000
thin = 100
chains = 1
)";

TEST_F(Memory, OfTheEngineIsConstantOverAMillionRounds) {
  Experiment experiment(read_config_text(kMillionRounds, "test.toml"), {.threads = 1});
  experiment.prepare();
  Sink nothing;
  experiment.advance(100'000, nothing);
  const long early = resident("self");
  experiment.advance(900'000, nothing);
  EXPECT_EQ(experiment.counters().rounds, 1'000'000);
  EXPECT_LT(resident("self") - early, kMegabyte) << "kilobytes, after " << early;
}

// Reads a pipe line by line.
class Lines {
 public:
  explicit Lines(int descriptor) : file_(fdopen(descriptor, "r")) {}
  ~Lines() { std::fclose(file_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  bool next(std::string& line) {
    line.clear();
    for (int c = 0; (c = std::fgetc(file_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return !std::feof(file_);
  }

 private:
  std::FILE* file_;
};

// The program reports progress at tenths of the run, at most once a second. Its memory is read at these moments.
TEST_F(Memory, OfTheProgramIsConstantOverAMillionRounds) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pollen-memory-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string config = (folder / "test.toml").string(), out = (folder / "out").string();
  std::ofstream(config) << kMillionRounds;

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  const std::string program = pollen_program();
  std::string words[] = {program, "run", config, "--out", out, "--threads", "1"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);

  long first = 0, last = 0;
  std::string line;
  for (Lines lines(ends[0]); lines.next(line);) {
    if (line.find("%, ") == std::string::npos || line.find("100%") != std::string::npos) continue;
    last = resident(std::to_string(child));
    if (first == 0) first = last;
  }
  int status = -1;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(status, 0) << line;
  ASSERT_GT(first, 0) << "no line of progress";
  EXPECT_LT(last - first, kMegabyte) << "kilobytes, after " << first;
}

}  // namespace
}  // namespace pollen
