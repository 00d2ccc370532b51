#include <fmt/format.h>

#include "program.h"

namespace pollen {
namespace {

class Determinism : public ProgramTest {};

TEST_F(Determinism, AnyNumberOfThreadsGivesTheSameBytes) {
  put("a.toml", kTinyLogistic);
  for (const char* threads : {"1", "2", "5"})
    ASSERT_EQ(run({"run", "a.toml", "--quiet", "--threads", threads, "--out", threads}).code, 0);
  for (int chain = 1; chain <= 3; ++chain) {
    const std::string name = fmt::format("/draws-{}.csv", chain);
    EXPECT_EQ(slurp("1" + name), slurp("2" + name));
    EXPECT_EQ(slurp("1" + name), slurp("5" + name));
  }
}

TEST_F(Determinism, SeedsDiffer) {
  put("a.toml", kTinyLogistic);
  for (const char* seed : {"0", "1", "2"})
    ASSERT_EQ(run({"run", "a.toml", "--quiet", "--seed", seed, "--out", seed}).code, 0);
  const auto body = [&](const std::string& name) {
    const std::string text = slurp(name);
    return text.substr(text.find("lp__"));
  };
  EXPECT_NE(body("0/draws-1.csv"), body("1/draws-1.csv"));
  EXPECT_NE(body("1/draws-1.csv"), body("2/draws-1.csv"));
  EXPECT_NE(body("0/draws-1.csv"), body("0/draws-2.csv"));
}

}  // namespace
}  // namespace pollen
