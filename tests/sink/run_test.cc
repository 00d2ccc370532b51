#include "pollen/run.h"

#include <filesystem>

#include "fixtures.h"
#include "pollen/errors.h"
#include "run/experiment.h"
#include "sink/facts.h"

namespace pollen::sink {
namespace {

using RunTest = FolderTest;

Config two_clients() {
  return read_config_text(R"(
seed = 3
model = {kind = "gaussian", prior = "flat"}
sampler = {name = "qlsd", step = 0.01}
run = {iterations = 2000, chains = 2}
client = [{mean = [1.0, 0.0], precision = [[1.0, 0.0], [0.0, 1.0]]}, {mean = [3.0, 0.0], precision = [[3.0, 0.0], [0.0, 1.0]]}]
)",
                          "test");
}

// Asks for a stop after so many iterations.
class StopAfter : public Sink {
 public:
  explicit StopAfter(std::int64_t iterations) : iterations_(iterations) {}
  void closed(std::int64_t iteration, const Counters&, ConstPanelView) override {
    if (iteration >= iterations_) stop = true;
  }
  std::atomic<bool> stop{false};

 private:
  std::int64_t iterations_;
};

std::vector<double> numbers(const Panel& draws) { return {draws.flat().begin(), draws.flat().end()}; }

TEST_F(RunTest, LeavesItsFilesAndItsDraws) {
  std::vector<RunProgress> told;
  pollen::Run run(two_clients(),
                  {.folder = path("out"), .on_progress = [&](const RunProgress& now) { told.push_back(now); }});
  run.start();
  EXPECT_EQ(run.sample(), RunStatus::complete);
  const auto& summary = run.finish();
  EXPECT_EQ(summary.iterations, 2000);
  EXPECT_EQ(run.draws().columns(), 2 * summary.draws);
  EXPECT_NEAR(summary.parameters[0].mean, 2.5, 0.2);
  EXPECT_EQ(summary.labels, (std::vector<std::string>{"theta.1", "theta.2"}));
  EXPECT_TRUE(std::filesystem::exists(path("out/summary.json")));
  EXPECT_TRUE(std::filesystem::exists(path("out/draws-2.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("out/draws.spool")));
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(told.back().last);
  EXPECT_EQ(told.back().iteration, 2000);
  EXPECT_EQ(told.back().total, 2000);
}

TEST_F(RunTest, AResumedRunDrawsWhatAnUninterruptedOneDoes) {
  pollen::Run whole(two_clients(), {.folder = path("whole")});
  whole.start();
  whole.sample();
  StopAfter early(1500);
  {
    pollen::Run first(two_clients(), {.folder = path("out"), .stop = &early.stop, .sinks = {&early}});
    first.start();
    EXPECT_EQ(first.sample(), RunStatus::interrupted);
    EXPECT_EQ(first.finish().status, RunStatus::interrupted);
    EXPECT_EQ(first.iteration(), 1500);
  }
  pollen::Run second(two_clients(), {.folder = path("out"), .resume = true});
  EXPECT_FALSE(second.finished());
  second.start();
  EXPECT_EQ(second.iteration(), 1500);
  EXPECT_EQ(second.sample(), RunStatus::complete);
  EXPECT_EQ(numbers(second.draws()), numbers(whole.draws()));
  second.finish();
  EXPECT_TRUE(pollen::Run(two_clients(), {.folder = path("out"), .resume = true}).finished());
}

TEST_F(RunTest, WithoutAFolderNothingIsLeft) {
  std::string folder;
  {
    pollen::Run run(two_clients(), {});
    run.start();
    folder = run.config().output.dir;
    EXPECT_TRUE(std::filesystem::exists(folder));
    run.sample();
    run.finish();
    EXPECT_GT(run.draws().columns(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

TEST_F(RunTest, PotentialsMustFitTogether) {
  const std::shared_ptr<const Potential> one = make_gaussian({0.0}, {1.0}), two = make_gaussian({0, 0}, {1, 0, 0, 1});
  const auto make = [&](Posterior posterior) { pollen::Run(two_clients(), {.posterior = std::move(posterior)}); };
  EXPECT_THROW(make({.clients = {}}), ConfigError);
  EXPECT_THROW(make({.clients = {one, two}}), ConfigError);
  EXPECT_THROW(make({.clients = {one}, .prior = Prior::normal({1, 1})}), ConfigError);
  EXPECT_THROW(make({.clients = {one}, .labels = {"a", "b"}}), ConfigError);
}

// Chains are dependent by run.coupled only if there are absences that they can share.
TEST(RunFacts, ChainsAreCoupledOnlyIfClientsCanBeAbsent) {
  const auto coupled = [](const char* participation) {
    Config config = two_clients();
    config.run.coupled = true;
    config.participation.policy = participation;
    config.participation.size = 1;
    config.participation.scaling = "active";
    return facts_of(Experiment(config)).coupled;
  };
  EXPECT_FALSE(coupled("full"));
  EXPECT_TRUE(coupled("fixed-size"));
}

}  // namespace
}  // namespace pollen::sink
