#include "launch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/source_dir.h"

namespace pollen {

namespace fs = std::filesystem;

MpiTest::MpiTest() {
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

Words MpiTest::job(int ranks, const Words& arguments) {
  Words all = {"--oversubscribe",     "--bind-to",     "none", "--timeout", "240", "-n",
               std::to_string(ranks), pollen_program()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Outcome MpiTest::mpi(int ranks, const Words& arguments) const {
  ProgramOptions options;
  options.folder = folder_;
  return run_program(POLLEN_MPIRUN, job(ranks, arguments), options);
}

Child MpiTest::start(int ranks, const Words& arguments, const std::string& log) const {
  return Child(POLLEN_MPIRUN, job(ranks, arguments), folder_, path(log));
}

pid_t MpiTest::process_of(int rank) const {
  const std::string wanted = fmt::format("OMPI_COMM_WORLD_RANK={}", rank);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code none;
    const fs::path folder = fs::read_symlink(entry.path() / "cwd", none);
    if (none || folder != fs::canonical(folder_)) continue;
    std::ifstream in(entry.path() / "environ", std::ios::binary);
    for (std::string word; std::getline(in, word, '\0');)
      if (word == wanted) return static_cast<pid_t>(std::stol(entry.path().filename()));
  }
  return -1;
}

void MpiTest::expect_same_draws(const std::string& a, const std::string& b, int chains) const {
  for (int chain = 1; chain <= chains; ++chain) {
    const std::string name = fmt::format("/draws-{}.csv", chain);
    EXPECT_FALSE(slurp(a + name).empty());
    EXPECT_TRUE(slurp(a + name) == slurp(b + name)) << a << " and " << b << name;
  }
}

int times(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace pollen
