#include "sink/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::sink {
namespace {

using MetricsTest = FolderTest;

ModelSpec of(const std::string& kind) {
  ModelSpec model;
  model.family = &model_family(kind);
  return model;
}

TEST_F(MetricsTest, HeaderFollowsTheModel) {
  { const MetricsFile file(path("a"), {score_names(of("softmax"))}); }
  EXPECT_EQ(slurp(path("a")), "round,uplink_bits,downlink_bits,gradients,seconds,accuracy,ece,brier,nnll\n");
  { const MetricsFile file(path("b"), {score_names(of("poisson"))}); }
  EXPECT_EQ(slurp(path("b")), "round,uplink_bits,downlink_bits,gradients,seconds,rmse,nnll\n");
  { const MetricsFile file(path("c"), {score_names(of("gaussian"))}); }
  EXPECT_EQ(slurp(path("c")), "round,uplink_bits,downlink_bits,gradients,seconds\n");
}

TEST_F(MetricsTest, RowsAndResume) {
  Counters counters;
  counters.rounds = 100, counters.uplink_bits = 5, counters.downlink_bits = 6, counters.gradients = 7;
  std::int64_t bytes = 0;
  {
    MetricsFile file(path("a"), {score_names(of("linear"))});
    file.row(counters, 0.5, {{"rmse", std::nan("")}, {"nnll", std::nan("")}});
    bytes = file.bytes();
    counters.rounds = 200;
    file.row(counters, 1, {{"rmse", 0.25}, {"nnll", 1}});
    file.sync();
  }
  const std::string first = "round,uplink_bits,downlink_bits,gradients,seconds,rmse,nnll\n100,5,6,7,0.500000,,\n";
  EXPECT_EQ(slurp(path("a")), first + "200,5,6,7,1.000000,0.25,1\n");
  { const MetricsFile file(path("a"), bytes); }
  EXPECT_EQ(slurp(path("a")), first);
  const std::string said =
      fmt::format("a: found {} bytes, accepted: at least {}, as in the checkpoint", bytes, bytes + 1);
  EXPECT_THAT([&] { const MetricsFile file(path("a"), bytes + 1); },
              testing::ThrowsMessage<IoError>(testing::HasSubstr(said)));
}

TEST_F(MetricsTest, SimulatedSecondsAfterTheRealOnes) {
  {
    MetricsFile file(path("a"), {score_names(of("linear")), true, true});
    Counters counters;
    counters.rounds = 3;
    file.row(counters, 0.5, {{"rmse", 1}, {"nnll", 2}}, {.spending = PrivacySpending{}, .simulated = 1234.5});
    file.sync();
  }
  EXPECT_EQ(slurp(path("a")),
            "round,uplink_bits,downlink_bits,gradients,seconds,simulated_seconds,epsilon,epsilon_renyi,rmse,nnll\n"
            "3,0,0,0,0.500000,1234.500000,,,1,2\n");
}

TEST_F(MetricsTest, PrivacyHasColumnsWhereItIsAskedFor) {
  {
    MetricsFile file(path("a"), {.privacy = true});
    Counters counters;
    counters.rounds = 3;
    PrivacySpending spending;
    spending.theorem.epsilon = 0.5;
    spending.renyi.epsilon = 0.25;
    file.row(counters, 0, {}, {.spending = spending});
    spending.theorem.epsilon.reset();
    file.row(counters, 0, {}, {.spending = spending});
    file.sync();
  }
  EXPECT_EQ(slurp(path("a")),
            "round,uplink_bits,downlink_bits,gradients,seconds,epsilon,epsilon_renyi\n"
            "3,0,0,0,0.000000,0.5,0.25\n3,0,0,0,0.000000,,0.25\n");
}

}  // namespace
}  // namespace pollen::sink
