// Every file in examples/ runs, and those that promise a number keep the promise.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "support/source_dir.h"
#include "whole_run.h"

namespace pollen {
namespace {

using testing::Whole;
using testing::whole_run;

const std::string kFolder = pollen::source_dir() + "/examples/";

std::vector<std::string> names() {
  std::set<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".toml") out.insert(entry.path().stem().string());
  return {out.begin(), out.end()};
}

class Examples : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string file() { return kFolder + GetParam() + ".toml"; }
};

// Returns the command-line list of files that hospitals.toml needs.
std::string hospitals(const std::string& folder) {
  std::string list;
  for (const char* name : {"cleveland", "hungarian", "switzerland", "va"})
    list += std::string(list.empty() ? "" : ", ") + '"' + folder + "/heart-disease/processed." + name + ".data\"";
  return "data.source=[" + list + "]";
}

TEST_P(Examples, RunsAFewIterations) {
  Overrides overrides = {"run.iterations=200", "run.burn_in=10", "run.thin=1"};
  const bool images = GetParam() == "lenet5-mnist", needs_data = GetParam() == "hospitals" || images;
  if (needs_data) {
    const char* folder = std::getenv("POLLEN_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "POLLEN_DATA is not set";
    if (images)
      overrides = {std::string("data.source=") + folder + "/mnist/t10k-images-idx3-ubyte.gz",
                   std::string("data.ood_source=") + folder + "/fashion-mnist/t10k-images-idx3-ubyte.gz",
                   "data.test_fraction=0.1",
                   "run.iterations=20",
                   "run.burn_in=5",
                   "run.thin=5"};
    else
      overrides.push_back(hospitals(folder));
  }
  if (GetParam() == "million") overrides.emplace_back("data.clients=2000");
  const Whole run = whole_run(read_config_file(file(), overrides));
  EXPECT_TRUE(run.finite);
  // No step is good enough for so few iterations, and the run says so.
  for (const std::string& line : run.warnings)
    EXPECT_TRUE(needs_data || line.starts_with("no step gives accurate draws")) << line;
}

TEST_P(Examples, IsInTheTableOfTheReadme) {
  std::ifstream in(kFolder + "README.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_NE(text.str().find("`" + GetParam() + ".toml`"), std::string::npos);
}

std::string test_name(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(, Examples, ::testing::ValuesIn(names()),
                         [](const auto& one) { return test_name(one.param); });

Whole converged(const std::string& name) {
  Whole run = whole_run(read_config_file(kFolder + name + ".toml"));
  EXPECT_LE(run.worst_rhat, 1.01) << name;
  EXPECT_GE(run.least_ess, 400) << name;
  EXPECT_TRUE(run.warnings.empty()) << name << ": " << run.warnings[0];
  return run;
}

// The numbers are those in the comment of the file.
TEST(ExamplesInFull, GaussianFindsTheExactAnswer) {
  const Whole run = converged("gaussian");
  const double mean[] = {-0.2968, 2.6574}, sd[] = {0.5180, 0.3805}, precision[] = {3.75, 6.95};
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(run.parameters[j].mean, mean[j], 4 * run.parameters[j].mcse);
    EXPECT_NEAR(run.parameters[j].sd, sd[j] * (1 + 0.0025 * precision[j]), 4 * run.parameters[j].mcse);
  }
}

TEST(ExamplesInFull, Converge) {
  for (const char* name :
       {"custom", "gaussian-qlsd-paper", "linear-csv", "poisson-csv", "synthetic-logistic", "titanic-elf"})
    converged(name);
}

}  // namespace
}  // namespace pollen
