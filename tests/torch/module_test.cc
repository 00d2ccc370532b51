// Tests finding the module, and the message if the file is something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "network/network.h"
#include "support/source_dir.h"

namespace pollen::testing {
namespace {

using ::testing::EndsWith;

// Runs in a process of its own, because a process loads the module once. The message goes to stderr.
[[noreturn]] void make_with(const std::string& module) {
  setenv("POLLEN_TORCH_MODULE", module.c_str(), 1);
  try {
    make_torch_network({});
  } catch (const std::runtime_error& error) {
    std::fputs(error.what(), stderr);
  }
  std::exit(0);
}

TEST(Module, IsFoundNextToThisProgram) { EXPECT_THAT(torch_module(), EndsWith("lib/libpollen_torch.so")); }

TEST(ModuleDeathTest, SaysWhatIsWrongWithAnotherOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ended = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(make_with("/nowhere/module.so"), ended, "/nowhere/module.so: no such file.*Debian: libtorch-dev");
  const std::string text = ::testing::TempDir() + "text.so";
  std::ofstream(text) << "not a library";
  EXPECT_EXIT(make_with(text), ended, "text.so cannot be loaded");
  EXPECT_EXIT(make_with(build_dir() + "/tests/torch/libother_library.so"), ended, "without pollen_make_network");
}

}  // namespace
}  // namespace pollen::testing
