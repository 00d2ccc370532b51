// Clients that do not answer are skipped or waited for, or the run ends, as [federation] says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pollen/errors.h"
#include "world.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::World;

// Every client is drawn in every round, and the sampler is one that may skip clients.
const Overrides kSkip{"participation.policy=bernoulli", "participation.probability=0.99999999",
                      "federation.on_missing=skip", "federation.round_deadline=0.01"};

Overrides with(Overrides set, const Overrides& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

// A world with silence that counts rounds and records what its server says.
struct Scene {
  Scene(const std::string& problem, const Overrides& set, std::vector<std::string> files = {})
      : world(problem, set, {}, folder.path(), std::move(files)) {
    world.may_wait = true;
    world.overhear = [this](std::uint32_t, const Bytes& frame) {
      over = wire::type_of(frame) == wire::Type::end;
      if (wire::type_of(frame) != wire::Type::broadcast) return;
      Broadcast heard;
      std::vector<std::uint32_t> chains;
      wire::decode(frame, heard, chains);
      round = static_cast<std::int64_t>(heard.round);
    };
  }
  testing::FederationOutcome run() {
    RegistryOptions options{.shared_seed = true};
    options.tell = [this](const Notice& notice) { said += fmt::format("{}\n", notice.text); };
    return run_federation(world, options);
  }
  testing::Folder folder;
  World world;
  std::int64_t round = -1;  // the last round that was opened
  bool over = false;
  std::string said;
};

bool finite(const testing::FederationOutcome& outcome) {
  for (const auto& chain : outcome.draws)
    for (const double x : chain)
      if (!std::isfinite(x)) return false;
  return !outcome.draws.empty();
}

// Two of three clients count one and a half times each, which is what the weights b/|A| give if one client is always
// missing.
const char* kTwoOfThree = R"(
seed = 5
[model]
kind = "gaussian"
prior_sd = 3.0
[[client]]
mean = [1.0, -2.0]
precision = [[3.0, 0.45], [0.45, 1.5]]
[[client]]
mean = [0.0, 4.0]
precision = [[1.5, 0.0], [0.0, 7.5]]
[run]
iterations = 40
burn_in = 0
chains = 3
[sampler]
name = "lsd"
step = 0.05
)";

TEST(Skip, TheRestCountsForAll) {
  Scene scene(testing::kGaussian, with(kSkip, {"run.iterations=40"}));
  scene.world.silent = [&](std::uint32_t client) { return client == 2 && scene.round >= 0 && !scene.over; };
  const auto outcome = scene.run();
  const auto expected = testing::sample(kTwoOfThree);
  ASSERT_EQ(outcome.draws.size(), expected.draws.size());
  for (std::size_t c = 0; c < expected.draws.size(); ++c) {
    ASSERT_EQ(outcome.draws[c].size(), expected.draws[c].size());
    for (std::size_t i = 0; i < expected.draws[c].size(); ++i)
      EXPECT_NEAR(outcome.draws[c][i], expected.draws[c][i], 1e-10);
  }
  EXPECT_EQ(outcome.statistics.skipped, 40);
  EXPECT_EQ(outcome.statistics.turns, 40);
  EXPECT_EQ(outcome.counters.messages, 40 * 2 * 3);
  EXPECT_THAT(scene.said, HasSubstr("round 7: went on without c2"));
}

// Without noise the chain reaches the mode, unless the memories of the server and of a skipped client differ.
TEST(Skip, MemoriesStayTheSame) {
  const Overrides quiet{"sampler.name=qlsd++",    "sampler.oracle=full",     "sampler.step=0.05",
                        "run.iterations=400",     "model.temperature=1e-30", "federation.round_deadline=0.02",
                        "sampler.memory_rate=0.1"};
  const auto end_of = [](const std::vector<double>& chain) {
    return std::vector<double>(chain.end() - 5, chain.end());
  };
  Scene scene(testing::kLogistic, with(kSkip, quiet));
  scene.world.silent = [&](std::uint32_t client) { return client == 4 && scene.round >= 10 && scene.round < 20; };
  scene.world.away = [&](std::uint32_t client) { return client == 1 && scene.round >= 30 && scene.round < 33; };
  const auto outcome = scene.run();
  const auto alone = testing::sample(testing::kLogistic, with(quiet, {"run.coupled=true"}));
  EXPECT_GE(outcome.statistics.skipped, 10);
  EXPECT_GE(outcome.statistics.brought_up, 1);
  for (std::size_t c = 0; c < alone.draws.size(); ++c) {
    const auto here = end_of(outcome.draws[c]), there = end_of(alone.draws[c]);
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-5);
  }
}

// A client that was not drawn for a while is brought up to date: with the anchor only if its batch is not all its rows.
TEST(CatchUp, AnchorsThatNobodyUsesAreNotSent) {
  const auto longest = [](const std::string& batch) {
    Scene scene(testing::kLogistic, {"run.iterations=40", "sampler.refresh=5", "participation.policy=fixed-size",
                                     "participation.size=2", "sampler.batch=" + batch});
    std::size_t bytes = 0;
    scene.world.overhear = [&](std::uint32_t, const Bytes& frame) {
      if (wire::type_of(frame) == wire::Type::catch_up) bytes = std::max(bytes, frame.size());
    };
    EXPECT_GE(scene.run().statistics.brought_up, 1);
    return bytes;
  };
  const std::size_t kChains = 3, kAnchor = 8 * (static_cast<std::size_t>(padded(6)) + 1);  // and the round's number
  EXPECT_EQ(longest("3"), longest("1.0") + kChains * kAnchor);
}

TEST(Skip, LocalSteps) {
  Scene scene(
      testing::kLogistic,
      {"sampler.name=fa-ld", "sampler.local_steps=3", "sampler.scheme=II", "sampler.allow_unbalanced=true",
       "participation.size=5", "federation.on_missing=skip", "federation.round_deadline=0.01", "run.iterations=90"});
  scene.world.silent = [&](std::uint32_t client) { return client == 2 && scene.round >= 3 && scene.round < 15; };
  const auto outcome = scene.run();
  EXPECT_GE(outcome.statistics.skipped, 1);
  EXPECT_TRUE(finite(outcome));
}

TEST(Abort, SaysWhoDidNotAnswer) {
  Scene scene(testing::kLogistic, {"federation.on_missing=abort", "federation.round_deadline=0.02"});
  scene.world.silent = [&](std::uint32_t client) { return (client == 2 || client == 3) && scene.round >= 4; };
  try {
    scene.run();
    ADD_FAILURE() << "the run went on";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), HasSubstr("round 4: c2, c3 did not answer within 0.02 s"));
  }
}

TEST(Abort, QuestionsToo) {
  Scene scene(testing::kLogistic,
              {"federation.on_missing=abort", "federation.round_deadline=0.02", "sampler.step=auto"});
  int heard = 0;
  scene.world.overhear = [&](std::uint32_t, const Bytes& frame) {
    if (wire::type_of(frame) == wire::Type::ask) ++heard;
  };
  scene.world.silent = [&](std::uint32_t client) { return client == 2 && heard > 20; };
  EXPECT_THROW(scene.run(), NumericError);
}

TEST(Quorum, IsWaitedFor) {
  Scene scene(testing::kLogistic, with(kSkip, {"run.iterations=30", "federation.quorum=6"}));
  std::optional<Deadline> left;
  scene.world.away = [&](std::uint32_t client) {
    if (client > 1 || scene.round < 5) return false;
    if (!left) left = scene.world.now();
    return scene.world.now() < *left + std::chrono::milliseconds(300) || client == 0;
  };
  const Deadline begin = scene.world.now();
  const auto outcome = scene.run();
  EXPECT_GE(scene.world.now() - begin, std::chrono::milliseconds(300));
  EXPECT_TRUE(finite(outcome));
  EXPECT_THAT(scene.said, HasSubstr("still waiting for c0, c1"));
  EXPECT_THAT(scene.said, HasSubstr("went on without c0"));
}

// If all clients are gone, the server says so, waits without working, and later continues to the same draws.
TEST(Wait, AllClientsGone) {
  Scene scene(testing::kLogistic, {"run.iterations=30"});
  std::optional<Deadline> left;
  int looks = 0, last = 0;  // of the server, when the clients left and before they came back
  scene.world.away = [&](std::uint32_t) {
    if (scene.round < 5) return false;
    if (!left) left = scene.world.now(), looks = scene.world.looks;
    const bool away = scene.world.now() < *left + std::chrono::milliseconds(1300);
    if (away) last = scene.world.looks;
    return away;
  };
  const auto outcome = scene.run();
  EXPECT_LE(last - looks, 20);  // it sleeps in the links, which it asks about five times per second
  EXPECT_THAT(scene.said, HasSubstr("all clients are gone; waiting"));
  const auto alone = testing::sample(testing::kLogistic, {"run.iterations=30", "run.coupled=true"});
  EXPECT_EQ(outcome.draws, alone.draws);
}

const char* kOwn = R"(
seed = 3
[model]
kind = "logistic"
[data]
source = "each.csv"
[federation]
expect = ["c0", "c1", "c2", "c3"]
quorum = 2
start_timeout = 0.1
[run]
iterations = 20
burn_in = 0
chains = 2
[sampler]
name = "qlsd++"
step = 0.01
)";

std::string own_file(const std::string& folder, int i) {
  std::string path = fmt::format("{}/{}.csv", folder, i);
  std::ofstream out(path);
  out << "x,z,t\n";
  for (int r = 0; r < 20; ++r)
    out << fmt::format("{},{},{}\n", (r * 7 + i) % 5, (r * 3) % 4, (r + i) % 2 ? "yes" : "no");
  return path;
}

// After start_timeout the connected clients form the federation. A client that comes later is told so.
TEST(StartTimeout, StartsWithoutTheMissing) {
  testing::Folder data;
  std::vector<std::string> files;
  for (int i = 0; i < 4; ++i) files.push_back(own_file(data.path(), i));
  Scene scene(kOwn, {}, files);
  scene.world.away = [&](std::uint32_t client) { return client == 1 || (client == 2 && scene.round < 5); };
  const auto outcome = scene.run();
  EXPECT_TRUE(finite(outcome));
  EXPECT_EQ(outcome.counters.messages, 20 * 2 * 2);
  EXPECT_THAT(scene.said, HasSubstr("starting without c1, c2"));
  EXPECT_THAT(scene.world.ended, ::testing::Contains("the run began without a client named c2"));
}

// Clients that may not take part any more: their certificate is revoked, or the operator has removed them.
class Removed : public ::testing::Test {
 protected:
  // Runs a federation in which client 2 is cut off after a few looks, and barred when it comes back.
  std::string run(const Overrides& set) {
    World world(testing::small_problem({.clients = 4, .iterations = 40}), set, {}, folder_.path());
    bool barred = false;
    int replies = 0;
    world.tamper = [&](std::uint32_t client, Bytes& frame) {
      if (client == 2 && wire::type_of(frame) == wire::Type::reply) ++replies;
    };
    world.away = [&](std::uint32_t client) {
      const bool cut = client == 2 && replies == 5 && !barred;
      barred = barred || cut;
      return cut;
    };
    std::string told;
    RegistryOptions options{.shared_seed = true};
    options.tell = [&](const Notice& n) {
      if (n.event == "removed" || n.event == "paused") told += n.event + " " + n.text + "\n";
    };
    options.barred = [&](const std::string& name, const std::string&) {
      return barred && name == "c2" ? std::string("its certificate is revoked") : std::string();
    };
    EXPECT_NO_THROW(
        try { run_federation(world, options); } catch (const Paused&) { told += "stopped"; });
    EXPECT_THAT(world.ended, ::testing::Contains("its certificate is revoked"));
    return told;
  }
  testing::Folder folder_;
};

TEST_F(Removed, TheRunGoesOnWhereTheTheoryHasClientsMissing) {
  const std::string told =
      run({"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.9"});
  EXPECT_THAT(told, ::testing::HasSubstr("removed round "));
  EXPECT_THAT(told, ::testing::HasSubstr("goes on for good without c2\n"));
  EXPECT_THAT(told, ::testing::Not(::testing::HasSubstr("stopped")));
}

TEST_F(Removed, TheRunStopsWhereEverybodyIsNeeded) {
  const std::string told = run({"sampler.name=qlsd++"});
  EXPECT_THAT(told, ::testing::HasSubstr("paused the run stops, because c2 may not take part any more"));
  EXPECT_THAT(told, ::testing::EndsWith("stopped"));
}

}  // namespace
}  // namespace pollen
