// `mpirun pollen run` produces the files of `pollen run`, byte for byte, and prints everything once.
#include "launch.h"

#include "support/source_dir.h"

namespace pollen {
namespace {

class Launched : public MpiTest {};

TEST_F(Launched, EverySamplerOverTwoThreeAndFiveRanks) {
  for (const int ranks : {2, 3, 5}) {
    const Outcome outcome = run_program(POLLEN_MPIRUN, {"--oversubscribe", "--bind-to", "none", "--timeout", "240",
                                                        "-n", std::to_string(ranks), build_dir() + "/bin/mpi_parity"});
    EXPECT_EQ(outcome.code, 0) << ranks << " ranks: " << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "0 wrong\n");
  }
}

TEST_F(Launched, TheSameFilesAndOneReport) {
  put("a.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--out", "alone", "--quiet"}).code, 0);
  const Outcome over = mpi(3, {"run", "a.toml", "--out", "over", "--threads", "2"});
  ASSERT_EQ(over.code, 0) << over.err;
  expect_same_draws("alone", "over", 3);
  // They differ in the name of the folder.
  EXPECT_EQ(slurp("alone/config.toml").size(), slurp("over/config.toml").size() + 1);
  EXPECT_EQ(listing("alone"), listing("over"));
  EXPECT_EQ(times(over.out, "  5 clients"), 1);
  EXPECT_EQ(times(over.err, "pollen: 100%"), 1) << over.err;
}

TEST_F(Launched, ReferencesSayThatRanksAreIdle) {
  put("a.toml", kTinyGaussian);
  const Outcome over = mpi(3, {"run", "a.toml", "--out", "over", "--set", "sampler.name=ula"});
  ASSERT_EQ(over.code, 0) << over.err;
  EXPECT_EQ(times(over.err, "2 ranks are idle"), 1) << over.err;
}

TEST_F(Launched, VersionSaysMpi) { EXPECT_NE(run({"--version"}).out.find("mpi yes"), std::string::npos); }

}  // namespace
}  // namespace pollen
