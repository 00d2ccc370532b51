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

TEST_F(Rstan, NamesTheSamplerAndCountsDivergences) {
  const Outcome there = run_program("Rscript", {"-e", "stopifnot(requireNamespace('rstan'))"});
  if (there.code != 0) GTEST_SKIP() << "needs Rscript with rstan (r-cran-rstan)";
  put("a.toml",
      "[model]\nkind = \"gaussian\"\nprior = \"flat\"\n[[client]]\nmean = [0.0]\nprecision = [[1.0]]\n"
      "[run]\niterations = 60\nburn_in = 20\nchains = 2\ninit = [40.0]\n");
  const auto make = [&](const std::string& name, const std::string& step) {
    ASSERT_EQ(run({"run", "a.toml", "--quiet", "--out", name, "--set", "sampler.name=" + name, "--set",
                   "sampler.step=" + step})
                  .code,
              0);
  };
  make("lsd", "0.1");
  make("nuts", "2.5");  // the leapfrog is unstable, so every transition diverges
  const std::string code =
      "for (d in c('lsd', 'nuts')) { f <- rstan::read_stan_csv(Sys.glob(paste0(d, '/draws-*.csv')));"
      "cat(d, attr(f@sim$samples[[1]], 'args')$sampler_t, rstan::get_num_divergent(f), '\\n') }";
  const Outcome read = run_program("Rscript", {"-e", "setwd('" + path("") + "'); " + code});
  EXPECT_NE(read.out.find("lsd lsd 0"), std::string::npos) << read.out << read.err;
  EXPECT_NE(read.out.find("nuts NUTS(diag_e) 80"), std::string::npos) << read.out << read.err;
  const std::string shown = run({"summary", "nuts"}).out;
  EXPECT_NE(shown.find("80 of 80 transitions after burn-in diverged"), std::string::npos) << shown;
}

}  // namespace
}  // namespace pollen
