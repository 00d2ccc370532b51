#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

class Rstan : public ProgramTest {};

TEST_F(Rstan, ReadsTheDrawsAndAgreesWithTheSummary) {
  const Outcome there = run_program("Rscript", {"-e", "stopifnot(requireNamespace('rstan'))"});
  if (there.code != 0) GTEST_SKIP() << "needs Rscript with rstan (r-cran-rstan)";
  put("a.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--quiet", "--out", "on"}).code, 0);
  ASSERT_EQ(run({"run", "a.toml", "--quiet", "--out", "off", "--set", "output.lp=false", "--set", "run.chains=1"}).code,
            0);
  const Outcome outcome =
      run_program("Rscript", {pollen::source_dir() + "/tests/apps/read_stan_csv.R", path("on"), path("off")});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace pollen
