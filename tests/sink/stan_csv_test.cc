#include "sink/stan_csv.h"

#include "fixtures.h"
#include "pollen/errors.h"
#include "pollen/version.h"

namespace pollen::sink {
namespace {

using StanCsvTest = FolderTest;
constexpr SpoolShape kShape{3, 2};

TEST_F(StanCsvTest, HeaderIsTheOneRstanReads) {
  const std::string expected =
      std::string(
          "# model = logistic_model\n"
          "# method = sample\n"
          "#   num_samples = 150\n"
          "#   num_warmup = 200\n"
          "#   save_warmup = 0\n"
          "#   thin = 3\n"
          "#   algorithm = qlsd++\n"
          "#     sampler_t = qlsd++\n"
          "#     stepsize = 0.0001\n"
          "# id = 2\n"
          "# seed = 7\n"
          "# pollen_version = ") +
      version() +
      "\n# sampler = qlsd++\n"
      "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta.1,theta.2,theta.3\n"
      "# Adaptation terminated\n"
      "# Step size = 0.0001\n"
      "# Diagonal elements of inverse mass matrix:\n"
      "# 1, 1, 1\n";
  EXPECT_EQ(stan_csv_header(known_facts(kShape), 1, 50), expected);
}

TEST_F(StanCsvTest, WrittenDrawsReadBackExactly) {
  write_known_spool(path("draws.spool"), kShape, 200);
  write_stan_csv(folder_, known_facts(kShape), SpoolReader(path("draws.spool")));
  for (Index c = 0; c < 2; ++c) {
    const StanCsv csv = read_stan_csv(path(stan_csv_name(c)));
    ASSERT_EQ(csv.names, (std::vector<std::string>{"theta.1", "theta.2", "theta.3"}));
    ASSERT_EQ(csv.rows(), 200);
    for (Index i = 0; i < 200; ++i) {
      for (Index j = 0; j < 3; ++j)
        ASSERT_EQ(csv.columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)], known_value(i, c, j));
      ASSERT_EQ(csv.lp[static_cast<std::size_t>(i)], -known_potential(i, c) / 2);  // temperature 2
    }
  }
}

TEST_F(StanCsvTest, RowsHaveTheSamplerColumns) {
  write_known_spool(path("draws.spool"), {1, 1}, 1, false);
  RunFacts facts = known_facts({1, 1});
  write_stan_csv(folder_, facts, SpoolReader(path("draws.spool")));
  const std::string text = slurp(path("draws-1.csv"));
  EXPECT_NE(text.find("\nnan,1,0.0001,0,0,0,nan,"), std::string::npos) << text;
  EXPECT_NE(text.find("Elapsed Time"), std::string::npos);
}

TEST_F(StanCsvTest, ReadsCmdStansOwnFiles) {
  const StanCsv csv = parse_stan_csv(
      "# stan_version_major = 2\r\n#     num_warmup = 3 (Default)\r\n#     save_warmup = true\r\n#     thin = 2\r\n"
      "lp__,accept_stat__,mu,beta.1.2\r\n-1,0.5,1e0,2\r\n-2,0.5,3,4\r\n# Adaptation terminated\r\n-3,1,5,-inf\r\n\r\n"
      "# Elapsed Time: 1 seconds\r\n",
      "file");
  EXPECT_EQ(csv.names, (std::vector<std::string>{"mu", "beta.1.2"}));
  EXPECT_EQ(csv.columns[0], (std::vector<double>{5}));  // two rows of warm-up are left out
  EXPECT_EQ(csv.lp, (std::vector<double>{-3}));
}

TEST_F(StanCsvTest, NoDrawsGiveAFileWithoutRows) {
  write_known_spool(path("draws.spool"), kShape, 0);
  write_stan_csv(folder_, known_facts(kShape), SpoolReader(path("draws.spool")));
  EXPECT_EQ(read_stan_csv(path("draws-1.csv")).rows(), 0);
}

}  // namespace
}  // namespace pollen::sink
