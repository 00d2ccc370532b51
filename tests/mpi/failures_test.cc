// A failure is reported once, by rank 0, with the exit code of a run in one process.
#include <stdlib.h>

#include "launch.h"

namespace pollen {
namespace {

class MpiFailures : public MpiTest {
 protected:
  MpiFailures() { put("a.toml", kTinyLogistic); }
};

TEST_F(MpiFailures, AWrongKeyIsToldOnce) {
  const Outcome outcome = mpi(3, {"run", "a.toml", "--out", "out", "--set", "sampler.stepp=1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(times(outcome.err, "did you mean sampler.step?"), 1) << outcome.err;
  EXPECT_FALSE(exists("out"));
}

TEST_F(MpiFailures, AFileThatIsNotThereIsToldOnce) {
  const Outcome outcome = mpi(3, {"run", "a.toml", "--out", "out", "--set", "data.source=none.csv"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(times(outcome.err, "pollen: "), 1) << outcome.err;
  EXPECT_EQ(times(outcome.err, "none.csv: found no such file"), 1) << outcome.err;
}

// The third client's gradient is not finite, and this client is on the last rank.
TEST_F(MpiFailures, AnErrorOnARankIsThatOfOneProcess) {
  put("b.toml", std::string(kTinyGaussian) + R"(
[[client]]
mean = [1e308, 0.0]
precision = [[1e10, 0.0], [0.0, 1.0]]
)");
  const Words words = {"run", "b.toml", "--quiet", "--set", "sampler.name=qlsd", "--out"};
  const auto in = [&](const char* folder) {
    Words all = words;
    all.emplace_back(folder);
    return all;
  };
  const Outcome alone = run(in("alone")), over = mpi(3, in("over"));
  EXPECT_EQ(alone.code, 1);
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(alone.err.find("round 0, client 3: "), std::string::npos) << alone.err;
  EXPECT_EQ(times(over.err, alone.err), 1) << over.err;
  EXPECT_EQ(listing("alone"), listing("over"));
}

TEST_F(MpiFailures, WithoutTheModuleSeveralRanksAreRefused) {
  ::setenv("POLLEN_MPI_MODULE", path("none.so").c_str(), 1);
  const Outcome several = mpi(2, {"run", "a.toml", "--out", "two", "--quiet"});
  const Outcome one = mpi(1, {"run", "a.toml", "--out", "one", "--quiet"});
  const Outcome version = run({"--version"});
  ::unsetenv("POLLEN_MPI_MODULE");
  EXPECT_EQ(several.code, 2);
  EXPECT_EQ(times(several.err, "found 2 processes"), 1) << several.err;
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(version.out.find("mpi no"), std::string::npos);
}

}  // namespace
}  // namespace pollen
