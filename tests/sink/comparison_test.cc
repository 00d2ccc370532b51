#include "sink/comparison.h"

#include <algorithm>

#include "fixtures.h"
#include "pollen/errors.h"
#include "sink/stan_csv.h"

namespace pollen::sink {
namespace {

class ComparisonTest : public FolderTest {
 protected:
  // Writes two chains of a 2-dimensional law: spread-out numbers with the given mean and sd.
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

TEST_F(ComparisonTest, StatesComeFromTheDiskAsFromMemory) {
  write("a", 1, 2);
  const DrawSet set = read_draws(path("a"));
  for (const Index most : {1, 7, 1000, 2000, 5000}) {
    const Panel expected = set.thinned(most);
    const ChosenDraws stream(path("a"), most, 0);
    EXPECT_EQ(stream.dimension(), 2);
    EXPECT_EQ(stream.count(), std::min<Index>(most, 2000));
    Index at = 0;
    stream.visit([&](ConstPanelView states, Index first) {
      EXPECT_EQ(first, at);
      for (Index c = 0; c < states.columns; ++c, ++at)
        EXPECT_TRUE(at < expected.columns() && std::ranges::equal(states.column(c), expected.column(at)));
    });
    EXPECT_EQ(at, expected.columns());
  }
}

TEST_F(ComparisonTest, AShorterChainShortensTheOthers) {
  put(path("chain-1.csv"), "lp__,a\n-1,1\n-1,2\n-1,3\n");
  put(path("chain-2.csv"), "# num_warmup = 2\n# save_warmup = 1\nlp__,a\n-1,8\n-1,9\n-1,4\n-1,5\n");
  std::vector<double> found;
  ChosenDraws(folder_, 100, 0).visit([&](ConstPanelView states, Index) {
    for (Index c = 0; c < states.columns; ++c) found.push_back(states.column(c)[0]);
  });
  EXPECT_EQ(found, (std::vector<double>{1, 2, 4, 5}));
  put(path("chain-3.csv"), "lp__,b\n-1,1\n");
  EXPECT_THROW(ChosenDraws(folder_, 100), ConfigError);
  EXPECT_THROW(ChosenDraws(path("nothing"), 100), ConfigError);
}

// Uses a network without hidden layers, whose states both comparisons accept. The draws are read from the disk, as
// those of a large network are.
TEST_F(ComparisonTest, NetworksAreComparedByWhatTheyPredict) {
  write("a", 1, 2);
  write("b", 1.3, 1.5);
  ModelSpec model;
  model.family = &model_family("logistic");
  model.features = 2;
  Table test;
  test.rows = 3;
  test.columns = 2;
  test.stride = 8;
  test.x.assign(24, 0.0);
  test.x[0] = 1, test.x[9] = -0.3, test.x[16] = 0.2, test.x[17] = -0.4;
  test.y = {1, 0, 1};
  const ComparedNetworks found =
      compare_networks(ChosenDraws(path("a"), 1000, 0), ChosenDraws(path("b"), 1000, 0), model, test, 15, 2);
  const ComparedPredictives expected =
      compare_predictives(read_draws(path("a")), read_draws(path("b")), model, test, 1);
  EXPECT_EQ(found.draws, 1000);
  EXPECT_NEAR(found.predictives.total_variation, expected.total_variation, 1e-12);
  EXPECT_GT(expected.total_variation, 0);
  EXPECT_EQ(found.predictives.agreement, expected.agreement);
  EXPECT_NE(network_report(found).find("total variation"), std::string::npos);
}

TEST(Agreement, IsSaidInWordsByChanceAndBySize) {
  using Summaries = std::vector<stats::ParameterSummary>;
  const auto words = [](double mean, double sd, double mcse) {
    Summaries reference(2), ours(2);
    for (Summaries* all : {&reference, &ours})
      for (stats::ParameterSummary& p : *all) p.mcse = mcse, p.sd = 1;
    reference[0].mean = 1;
    ours[0].mean = mean, ours[0].sd = sd;
    ours[1].mean = 9;
    return agreement(matched({"a", "b"}, ours, {"a", "c"}, reference));
  };
  EXPECT_EQ(words(1.001, 1, 0.01).find("the posteriors agree: the means agree within"), 0u) << words(1.001, 1, 0.01);
  EXPECT_EQ(words(1.05, 1, 0.001).find("the posteriors differ by more than chance, but by little"), 0u);
  EXPECT_EQ(words(1.5, 1, 0.01).find("the posteriors differ: the means differ"), 0u);
  EXPECT_EQ(words(1.001, 1.3, 0.01).find("the means agree, but not closely enough"), 0u);
  EXPECT_EQ(words(1.001, 1, 0.01).find(" b"), std::string::npos) << "only parameters of the same name are compared";
  EXPECT_EQ(agreement({}), "the runs have no parameter of the same name");
}

}  // namespace
}  // namespace pollen::sink
