#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/source_dir.h"

namespace pollen {

namespace {

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  std::array<int, 2> ends{};
};

[[noreturn]] void become(const std::string& program, const Words& arguments, const ProgramOptions& options, int out,
                         int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) _exit(120);
  if (options.file_limit > 0) {
    const rlimit limit{static_cast<rlim_t>(options.file_limit), static_cast<rlim_t>(options.file_limit)};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(program.c_str(), argv.data());
  _exit(121);
}

// Reads both pipes to their ends and sends the signal in between.
void listen(pid_t child, std::array<int, 2> ends, const ProgramOptions& options, Outcome& outcome) {
  std::array<pollfd, 2> watched{pollfd{ends[0], POLLIN, 0}, pollfd{ends[1], POLLIN, 0}};
  bool sent = options.stop_signal == 0;
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    ::poll(watched.data(), watched.size(), sent ? -1 : 5);
    if (!sent && options.when()) {
      ::kill(child, options.stop_signal);
      sent = true;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0) continue;
      std::array<char, 65536> part{};
      const ssize_t n = ::read(watched[i].fd, part.data(), part.size());
      if (n > 0)
        (i == 0 ? outcome.out : outcome.err).append(part.data(), static_cast<std::size_t>(n));
      else
        watched[i].fd = -1;
    }
  }
}

}  // namespace

Outcome run_program(const std::string& program, const Words& arguments, const ProgramOptions& options) {
  Pipe out, err;
  const pid_t child = ::fork();
  if (child == 0) become(program, arguments, options, out.ends[1], err.ends[1]);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  Outcome outcome;
  listen(child, {out.ends[0], err.ends[0]}, options, outcome);
  ::close(out.ends[0]);
  ::close(err.ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome pollen(const Words& arguments, const ProgramOptions& options) {
  return run_program(pollen_program(), arguments, options);
}

ProgramTest::ProgramTest(const std::string& base) {
  std::string name = base + "pollen-apps-XXXXXX";
  folder_ = ::mkdtemp(name.data());
  // A site's ledger outlives a test unless it is in the test's own folder.
  ::setenv("XDG_STATE_HOME", path("xdg-state").c_str(), 1);
}

ProgramTest::~ProgramTest() { std::filesystem::remove_all(folder_); }

bool ProgramTest::exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

std::string ProgramTest::slurp(const std::string& name) const {
  std::ifstream in(path(name), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void ProgramTest::put(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

Outcome ProgramTest::run(const Words& arguments, ProgramOptions options) const {
  options.folder = folder_;
  return pollen(arguments, options);
}

std::vector<std::string> ProgramTest::listing(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path(name)))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const char* const kTinyLogistic = R"(seed = 1
[model]
kind = "logistic"
[data]
source = "titanic"
target = "survived"
clients = 5
[sampler]
name = "qlsd++"
step = 2e-4
batch = 0.2
refresh = 20
[participation]
policy = "bernoulli"
probability = 0.7
[run]
iterations = 3000
burn_in = 500
thin = 5
chains = 3
[output]
metrics_every = 100
)";

const char* const kTinyGaussian = R"(seed = 3
[model]
kind = "gaussian"
prior = "flat"
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[[client]]
mean = [0.0, 4.0]
precision = [[1.0, 0.0], [0.0, 5.0]]
[sampler]
name = "lsd"
step = 0.05
[run]
iterations = 4000
chains = 2
)";

const char* const kMixedData = R"(
[model]
kind = "mixed-gaussian"
random = ["intercept", "x"]
[data]
source = "d.csv"
target = "y"
partition = "by-column"
column = "who"
standardize = false
)";

}  // namespace pollen
