// Set-up that asks a random sample of clients for whole Hessians (sampler.curvature_clients), and what it says of its
// choice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Small clients, of whom few take part in a round, so that whole Hessians of all would be most of what they send.
const char* const kMany = R"(
seed = 4
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 3000
dimension = 4
min_size = 5
max_size = 20
test_fraction = 0.0
[sampler]
name = "qlsd++"
[participation]
policy = "fixed-size"
size = 300
[run]
iterations = 1000
chains = 2
[output]
lp = false
)";

std::unique_ptr<Experiment> begun(const Overrides& set) {
  auto experiment = std::make_unique<Experiment>(read_config_text(kMany, "test.toml", set));
  experiment->prepare();
  return experiment;
}

TEST(ClientSample, AnswersForAllWhereAllWouldCostTooMuch) {
  const auto sampled = begun({}), whole = begun({"sampler.precondition=full"});
  const Index asked = sampled->config().sampler.curvature_clients;
  EXPECT_EQ(sampled->config().sampler.precondition, "full");
  EXPECT_GE(asked, 50);
  EXPECT_LT(asked, 3000);
  EXPECT_THAT(sampled->notes(), Contains(HasSubstr(std::to_string(asked) + " of 3000 clients, drawn at random")));
  EXPECT_EQ(whole->config().sampler.curvature_clients, 0);
  ASSERT_NE(sampled->forecast(), nullptr);
  // Coordinates from a sample of m clients are off by factors of (1 ± √(d/m))² at most, about.
  EXPECT_LT(sampled->forecast()->tau, 4 * whole->forecast()->tau);
}

// A repetition from the effective configuration asks the same clients, on any number of threads.
TEST(ClientSample, IsTheSameInARepetition) {
  const std::string asked = std::to_string(begun({"run.iterations=400"})->config().sampler.curvature_clients);
  const Overrides repeated = {"run.iterations=400", "sampler.precondition=full", "sampler.curvature_clients=" + asked};
  EXPECT_EQ(testing::sample(kMany, {"run.iterations=400"}, 1).draws.front(),
            testing::sample(kMany, repeated, 3).draws.front());
}

TEST(ClientSample, TooFewClientsGiveDiagonalCoordinates) {
  const Experiment found(read_config_text(kMany, "test.toml", {"run.iterations=20"}));
  EXPECT_EQ(found.config().sampler.precondition, "diagonal");
  EXPECT_EQ(found.config().sampler.curvature_clients, 0);
  EXPECT_THAT(found.notes(),
              Contains(HasSubstr("\"auto\" is \"diagonal\": whole Hessians would be more than a tenth")));
}

// The limit of whole Hessians is 1,024 parameters, so that 1,000 columns and an intercept are not too many.
TEST(ClientSample, BeyondAThousandColumnsCoordinatesAreDiagonalAndSaidToBe) {
  for (const int columns : {1000, 1024}) {
    const Experiment found(
        read_config_text(kMany, "test.toml",
                         {"data.clients=6", "data.dimension=" + std::to_string(columns), "participation.policy=full",
                          "run.iterations=2000000", "participation.size=6"}));
    EXPECT_EQ(found.config().sampler.precondition, columns == 1000 ? "full" : "diagonal");
    const auto line = HasSubstr("whole Hessians are asked for up to 1024 coefficients, and there are 1025");
    if (columns == 1024) {
      EXPECT_THAT(found.notes(), Contains(line));
    }
  }
}

}  // namespace
}  // namespace pollen
