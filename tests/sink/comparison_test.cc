#include "sink/comparison.h"

#include "fixtures.h"
#include "pollen/errors.h"
#include "sink/stan_csv.h"

namespace pollen::sink {
namespace {

class ComparisonTest : public FolderTest {
 protected:
  // Two chains of a 2-dimensional law: spread-out numbers with the given mean and sd.
  void write(const std::string& name, double mean, double sd) {
    std::filesystem::create_directories(path(name));
    SpoolWriter spool(path(name) + "/draws.spool", {2, 2});
    Panel position(2, 2);
    for (int i = 0; i < 1000; ++i) {
      for (Index c = 0; c < 2; ++c)
        for (std::size_t j = 0; j < 2; ++j) {
          const double u = std::fmod(
              0.5 + i * 0.6180339887498949 * (1 + static_cast<double>(j)) + static_cast<double>(c) * 0.31, 1.0);
          position.column(c)[j] = mean + sd * std::sqrt(12.0) * (u - 0.5);
        }
      spool.append(position, std::vector<double>{10.0 + 0.001 * i, 10.0 + 0.001 * i});
    }
    spool.sync();
    write_stan_csv(path(name), known_facts({2, 2}), SpoolReader(path(name) + "/draws.spool"));
  }
};

TEST_F(ComparisonTest, TheSameDrawsAgree) {
  write("a", 1, 2);
  const DrawSet draws = read_draws(path("a"));
  EXPECT_EQ(draws.chains, 2);
  EXPECT_EQ(draws.length, 1000);
  const Comparison same = compare(draws, read_reference(path("a")), 1);
  EXPECT_EQ(same.parameters[0].z, 0);
  EXPECT_NEAR(same.w2, 0, 1e-6);
  ASSERT_TRUE(same.empirical);
  EXPECT_NEAR(same.empirical->value, 0, 1e-6);
  ASSERT_EQ(same.hpd.size(), 3u);
  EXPECT_EQ(same.hpd[0].error, 0);
  EXPECT_NE(comparison_report(same).find("agree within Monte Carlo error"), std::string::npos);
}

TEST_F(ComparisonTest, AShiftIsSeen) {
  write("a", 1, 2);
  write("b", 1.5, 1);
  const Comparison c = compare(read_draws(path("a")), read_reference(path("b")), 2);
  EXPECT_NEAR(c.parameters[1].shift, -0.5, 0.02);
  EXPECT_NEAR(c.parameters[1].sd_ratio, 2, 0.01);
  EXPECT_NEAR(c.w2, std::sqrt(2 * 0.25 + 2 * 1.0), 0.02);
  EXPECT_NE(comparison_report(c).find("differ by more"), std::string::npos);
}

TEST_F(ComparisonTest, JsonGivesAnExactReference) {
  write("a", 1, 2);
  put(path("exact.json"), R"({"mean": [1, 1], "covariance": [[4, 0], [0, 4]]})");
  const Comparison c = compare(read_draws(path("a")), read_reference(path("exact.json")), 1);
  EXPECT_NEAR(c.parameters[0].sd_ratio, 1, 0.01);
  EXPECT_FALSE(c.empirical);
  EXPECT_TRUE(c.hpd.empty());
}

TEST_F(ComparisonTest, WrongReferencesAreConfigErrors) {
  write("a", 1, 2);
  const DrawSet draws = read_draws(path("a"));
  for (const char* text : {"{", "{}", "[1, 2]", R"({"mean": [1], "covariance": [[1, 2]]})",
                           R"({"mean": ["x"], "covariance": [[1]]})", R"({"mean": [], "covariance": []})"}) {
    put(path("bad.json"), text);
    EXPECT_THROW(read_reference(path("bad.json")), ConfigError) << text;
  }
  put(path("one.json"), R"({"mean": [1], "covariance": [[1]]})");
  EXPECT_THROW(compare(draws, read_reference(path("one.json")), 1), ConfigError);
  EXPECT_THROW(read_reference(path("nothing")), ConfigError);
  EXPECT_THROW(read_draws(folder_), ConfigError);
}

TEST_F(ComparisonTest, ChainsComeInTheOrderOfTheirNumbers) {
  for (const char* name : {"chain_10.csv", "chain_9.csv", "chain_1.csv", "metrics.csv", "notes.txt"})
    put(path(name), "lp__,a\n1,2\n");
  const auto files = draw_files(folder_);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_TRUE(files[0].ends_with("chain_1.csv"));
  EXPECT_TRUE(files[1].ends_with("chain_9.csv"));
  EXPECT_TRUE(files[2].ends_with("chain_10.csv"));
}

}  // namespace
}  // namespace pollen::sink
