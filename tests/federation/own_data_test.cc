// Clients with their own files agree on columns, levels and scaling, and produce the draws of a simulation over the
// same files. Also tests limits and what a client refuses.
#include <gtest/gtest.h>

#include <fstream>

#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::World;

const std::string kStudy = std::string(kSick) + "[federation]\nexpect = [\"a\", \"b\", \"c\"]\n";

class OwnData : public ::testing::Test {
 protected:
  OwnData() {
    put("a.csv", {"rome", "oslo"}, 30, 0);
    put("b.csv", {"oslo", "bern"}, 20, 1);
    put("c.csv", {"rome"}, 25, 2);  // this client has only healthy people
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void put(const std::string& name, const std::vector<std::string>& towns, int rows, int shift) {
    std::ofstream file(path(name));
    file << "year,ward,age,town,dose,sick\n";  // one year everywhere, one ward in each file
    for (int r = 0; r < rows; ++r)
      file << "2020," << shift << ',' << 40 + (r * 7 + shift * 3) % 23 << ','
           << towns[static_cast<std::size_t>(r) % towns.size()] << ',' << 0.1 * ((r * 5 + shift) % 9) << ','
           << (shift != 2 && (r * 3 + shift) % 5 < 2 ? "yes" : "no") << '\n';
  }

  std::vector<ParticipantOptions> clients() const {
    std::vector<ParticipantOptions> all;
    for (const char* name : {"a", "b", "c"}) {
      ParticipantOptions options;
      options.name = name;
      options.data = path(fmt::format("{}.csv", name));
      options.state = path(fmt::format("state-{}", name));
      options.shared_seed = true;
      all.push_back(options);
    }
    return all;
  }

  testing::Folder at_;
  const std::string folder_ = at_.path();
};

TEST_F(OwnData, SameDrawsAsTheSimulationOverTheSameFiles) {
  World world(testing::federated_config(kStudy, {}), clients(), {.cut = 5, .kill_client = 5, .seed = 2});
  const auto together = run_federation(world);
  const std::string files =
      fmt::format("data.source=[\"{}\", \"{}\", \"{}\"]", path("a.csv"), path("b.csv"), path("c.csv"));
  const auto alone = testing::sample(kStudy, {files, "data.partition=given", "run.coupled=true", "output.lp=false"});
  ASSERT_EQ(alone.draws.size(), 2U);
  EXPECT_EQ(alone.draws, together.draws);
}

// Everything that set-up asks clients for: moments, curvature, the mode, starts, the forecast and the step.
TEST_F(OwnData, SameDrawsWithTheDefaults) {
  for (const char* batch : {"sampler.batch=1.0", "sampler.batch=0.5"}) {
    const Overrides keys = {"sampler.step=auto", "sampler.precondition=full", batch};
    auto mine = clients();
    for (auto& options : mine) options.state += batch;
    World world(testing::federated_config(kStudy, keys), mine, {.cut = 5, .kill_client = 5, .seed = 3});
    Overrides more = {fmt::format("data.source=[\"{}\", \"{}\", \"{}\"]", path("a.csv"), path("b.csv"), path("c.csv")),
                      "data.partition=given", "run.coupled=true", "output.lp=false"};
    more.insert(more.end(), keys.begin(), keys.end());
    EXPECT_EQ(testing::sample(kStudy, more).draws, run_federation(world).draws) << batch;
  }
}

TEST_F(OwnData, SameDrawsWithoutStandardisation) {
  const Overrides keys = {"data.standardize=false", "sampler.step=1e-5"};
  World world(testing::federated_config(kStudy, keys), clients(), {});
  const auto together = run_federation(world);
  Overrides more = {fmt::format("data.source=[\"{}\", \"{}\", \"{}\"]", path("a.csv"), path("b.csv"), path("c.csv")),
                    "data.partition=given", "run.coupled=true", "output.lp=false"};
  more.insert(more.end(), keys.begin(), keys.end());
  const auto alone = testing::sample(kStudy, more);
  EXPECT_EQ(alone.draws, together.draws);
  EXPECT_EQ(alone.draws.front().size(), 6U * 40);  // intercept, ward, age, two towns, dose, but no year
}

// Whoever is told what it would send is told of every question about its curvature.
TEST(Disclosed, CurvatureIsListedWheneverItIsAskedFor) {
  const auto told = [](const Overrides& keys, bool curvature = true) {
    std::string all;
    for (const std::string& line : disclosed_messages(testing::federated_config(kStudy, keys), curvature)) all += line;
    return all.find("Hessian") != std::string::npos;
  };
  EXPECT_TRUE(told({})) << "starts around the mode";
  EXPECT_TRUE(told({"sampler.precondition=none"}));
  EXPECT_FALSE(told({"run.init=zero"}));
  EXPECT_TRUE(told({"run.init=zero", "sampler.precondition=full"}));
  const Overrides covered = {"sampler.name=fa-ld", "sampler.step=auto", "privacy.delta=1e-4", "run.init=zero"};
  EXPECT_FALSE(told(covered, false));
  Overrides accepted = covered;
  accepted.emplace_back("privacy.accept=[\"precondition\"]");
  EXPECT_TRUE(told(accepted, false));
}

// A client that does not show its whole Hessian makes the coordinates of all diagonal, and is never asked for it.
TEST_F(OwnData, AClientMayKeepItsHessian) {
  const Overrides keys = {"sampler.step=auto", "run.iterations=2000"};
  const Config config = testing::federated_config(kStudy, keys);
  for (const bool curvature : {true, false}) {
    auto mine = clients();
    mine[1].limits.curvature = curvature;
    for (auto& options : mine) options.state += curvature ? "-open" : "-closed";
    World world(config, mine, {});
    Index longest = 0;
    world.overhear = [&](std::uint32_t, const Bytes& frame) {
      if (wire::type_of(frame) != wire::Type::ask) return;
      const auto ask = wire::decode<wire::Ask>(frame);
      if (static_cast<Query::What>(ask.what) == Query::What::hessian) longest = std::max<Index>(longest, ask.rows);
    };
    run_federation(world);
    for (const std::string& why : world.ended) EXPECT_EQ(why, "done");
    EXPECT_EQ(longest, curvature ? 21 : 6);
  }
}

TEST_F(OwnData, SecretSeedsGiveOtherDrawsOfTheSameLaw) {
  auto mine = clients();
  for (auto& options : mine) options.shared_seed = false;
  World world(testing::federated_config(kStudy, {}), mine, {});
  const auto one = run_federation(world, {.shared_seed = false});
  for (auto& options : mine) options.state += "-again";
  World other(testing::federated_config(kStudy, {}), mine, {});
  const auto two = run_federation(other, {.shared_seed = false});
  EXPECT_NE(one.draws, two.draws);
}

// Returns what a client said when it refused. The server waits for it in vain, which the world notices.
std::string refusal(std::vector<ParticipantOptions> clients, const Overrides& overrides = {}) {
  World world(testing::federated_config(kStudy, overrides), std::move(clients), {});
  EXPECT_THROW(run_federation(world), std::logic_error);
  return world.ended.empty() ? "nobody refused" : world.ended.front();
}

TEST_F(OwnData, OtherColumnsAreRefused) {
  std::ofstream(path("c.csv")) << "age,city,dose,sick\n40,rome,0.1,no\n41,rome,0.2,yes\n";
  EXPECT_NE(refusal(clients()).find("columns are not those of the other clients"), std::string::npos);
}

TEST_F(OwnData, AClientMayRefuse) {
  auto few = clients();
  few[1].limits.least_rows = 1000;
  EXPECT_NE(refusal(few).find("--min-rows"), std::string::npos);
  auto other = clients();
  other[2].limits.samplers = {"fa-ld", "lsd"};
  EXPECT_NE(refusal(other).find("this client allows fa-ld, lsd"), std::string::npos);
  auto tired = clients();
  tired[0].limits.most_rounds = 7;
  EXPECT_NE(refusal(tired).find("7 rounds"), std::string::npos);
  auto careful = clients();
  careful[0].limits.most_epsilon = 1;
  EXPECT_NE(refusal(careful).find("no epsilon can be given"), std::string::npos);
}

TEST_F(OwnData, EpsilonHasALimit) {
  auto careful = clients();
  careful[0].limits.most_epsilon = 1e-6;
  const std::string why =
      refusal(careful, {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.clip=0.1", "sampler.correlation=0.3",
                        "sampler.batch=0.2", "sampler.step=1e-6", "privacy.delta=1e-4", "data.standardize=false",
                        "privacy.accept=[\"levels\"]"});
  EXPECT_NE(why.find("above its --max-epsilon"), std::string::npos) << why;
}

}  // namespace
}  // namespace pollen
