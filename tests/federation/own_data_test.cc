// Clients with their own files agree on columns, levels and scaling, and produce the draws of a simulation over the
// same files. Also tests limits and what a client refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

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

// Levels and values that are rare at a client are pooled in the same way wherever its rows are read, and pairs that are
// rare are left out of its curvature.
TEST_F(OwnData, SameDrawsWithSmallCellsPooled) {
  const Overrides keys = {"data.min_cell=4", "sampler.step=auto", "sampler.precondition=full",
                          "data.test_fraction=0.1"};
  put("a.csv", {"rome", "oslo", "rome", "oslo", "rome", "oslo", "rome", "oslo", "bern", "zug"}, 60, 0);
  put("b.csv", {"oslo", "bern", "oslo", "bern", "oslo", "bern", "kiel"}, 60, 1);
  World world(testing::federated_config(kStudy, keys), clients(), {.cut = 5, .kill_client = 5, .seed = 2});
  const auto together = run_federation(world);
  Overrides more = {fmt::format("data.source=[\"{}\", \"{}\", \"{}\"]", path("a.csv"), path("b.csv"), path("c.csv")),
                    "data.partition=given", "run.coupled=true", "output.lp=false"};
  more.insert(more.end(), keys.begin(), keys.end());
  const auto alone = testing::sample(kStudy, more);
  EXPECT_EQ(alone.draws, together.draws);
  more.back() = "data.min_cell=0";
  EXPECT_NE(testing::sample(kStudy, more).draws, alone.draws);
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

// Each site hears what is odd about its own file, and the server what it knows of it anyway.
TEST_F(OwnData, SitesHearOfMistakesInTheirFiles) {
  put("a.csv", {"rome", "oslo"}, 30, 0);
  std::ofstream(path("a.csv"), std::ios::app) << "2020,0,41,rome,,no\n2020,0,43,oslo,N/A,no\n";
  std::ofstream other(path("b.csv"));  // its ages are in decades, and O stands for oslo
  other << "year,ward,age,town,dose,sick\n";
  for (int r = 0; r < 24; ++r)
    other << "2020,1," << 4 + 0.1 * ((r * 7) % 23) << (r % 2 == 0 ? ",O," : ",rome,") << 0.1 * (r % 9)
          << (r % 3 == 0 ? ",yes\n" : ",no\n");
  other.close();
  std::map<std::string, std::string> told;
  auto mine = clients();
  for (auto& options : mine)
    options.tell = [&told, name = options.name](const Notice& notice) {
      if (notice.event == "data") told[name] += notice.text + '\n';
    };
  World world(testing::federated_config(kStudy, {"data.missing=mean", "data.test_fraction=0"}), mine, {});
  run_federation(world);  // clients hear their weights with the first round
  for (auto& options : mine) options.state += "-again", options.tell = [](const Notice&) {};
  World again(world.config(), mine, {});
  ConnectionRegistry registry(again, again.config(), {.shared_seed = true});
  registry.gather();
  std::string notes;
  for (const std::string& note : registry.notes()) notes += note + '\n';
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  };
  expect(told["a"], "2 missing cells took their column's mean");
  expect(told["a"], "1 cell such as \"N/A\" counts as missing");
  expect(told["b"], "this file has \"O\", where others have \"oslo\"");
  expect(told["b"], "in column age, where the others together have");
  expect(told["c"], "all 25 training rows of this file have sick = \"no\"");
  EXPECT_EQ(told["a"].find("in column age"), std::string::npos) << told["a"];
  EXPECT_EQ(told["a"].find("rows of this file have"), std::string::npos) << told["a"];
  expect(notes, "client a: 2 missing cells took their column's mean at that client");
  expect(notes, "client b alone has \"O\" in column town");
  expect(notes, "client b has the mean");
  expect(notes, "client c has one class of sick only: no");
}

// Whoever is told what it would send is told of every question that the contract has.
TEST(Disclosed, WhateverIsAskedForIsListed) {
  const auto told = [](const Overrides& keys, const char* words, bool curvature = true) {
    std::string all;
    for (const std::string& line :
         disclosed_messages(Contract(testing::federated_config(kStudy, keys), {.curvature = curvature})))
      all += line + '\n';
    return all.find(words) != std::string::npos;
  };
  EXPECT_TRUE(told({}, "Hessian")) << "starts around the mode";
  EXPECT_TRUE(told({}, "lower half"));
  EXPECT_FALSE(told({}, "lower half", false));
  EXPECT_TRUE(told({"sampler.precondition=none"}, "Hessian"));
  const Overrides still = {"run.init=zero", "sampler.precondition=none", "sampler.step=0.01"};
  const auto more = [&](const char* key) {
    Overrides keys = still;
    keys.emplace_back(key);
    return keys;
  };
  EXPECT_FALSE(told(still, "Hessian"));
  EXPECT_TRUE(told(still, "the product of its curvature with a vector")) << "the step is held against it";
  EXPECT_TRUE(told(more("warm_up.epochs=1"), "gradient of a minibatch"));
  EXPECT_TRUE(told(more("sampler.name=vr-fald*"), "answers in the rounds"));
  EXPECT_TRUE(told(more("sampler.memory_init=gradient"), "where each chain starts"));
  const Overrides covered = {"sampler.name=fa-ld", "sampler.step=0.01", "privacy.delta=1e-4", "run.init=zero"};
  EXPECT_FALSE(told(covered, "answers"));
}

// A client that does not show its whole Hessian makes the coordinates of all diagonal, and is never asked for it.
TEST_F(OwnData, AClientMayKeepItsHessian) {
  const Overrides keys = {"sampler.step=auto", "run.iterations=2000"};
  const Config config = testing::federated_config(kStudy, keys);
  for (const bool curvature : {true, false}) {
    auto mine = clients();
    mine[1].curvature = curvature;
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
  few[1].policy.min_rows = 1000;
  EXPECT_NE(refusal(few).find("min_rows: found 16 training rows, accepted: at least 1000"), std::string::npos);
  auto other = clients();
  other[2].policy.samplers = {{"fa-ld", "lsd"}};
  EXPECT_NE(refusal(other).find("found the sampler qlsd++, accepted: fa-ld, lsd"), std::string::npos);
  auto tired = clients();
  tired[0].policy.max_rounds = 7;
  EXPECT_NE(refusal(tired).find("found a study of 40 rounds, accepted: at most 7"), std::string::npos);
  auto careful = clients();
  careful[0].policy.max_epsilon = 1;
  EXPECT_NE(refusal(careful).find("no epsilon can be given"), std::string::npos);
}

// A client that is asked for more rounds than the configuration needs, as by a changed server, stops at its limit.
TEST_F(OwnData, RoundsHaveALimitAlsoWhenTheyAreAsked) {
  auto tired = clients();
  tired[0].policy.max_rounds = 7;
  EXPECT_NE(refusal(tired, {"run.iterations=100", "participation.policy=bernoulli", "participation.probability=0.06"})
                .find("answered 7 rounds"),
            std::string::npos);
}

// Nothing is sent to the server that depends on the data before the policy has been held against all of it.
TEST_F(OwnData, ThePolicyComesBeforeAnythingThatIsSent) {
  std::ofstream(path("c.csv")) << "patient_id,age,town,dose,sick\n1,40,rome,,no\n2,41,oslo,0.2,yes\n";
  auto mine = clients();
  mine[2].policy = Policy();
  World world(testing::federated_config(kStudy, {}), mine, {});
  int frames = 0;
  world.tamper = [&](std::uint32_t client, Bytes& frame) {
    if (client == 2 && wire::type_of(frame) != wire::Type::hello) ++frames;
  };
  EXPECT_THROW(run_federation(world), std::logic_error);
  EXPECT_EQ(frames, 0);
  ASSERT_EQ(world.ended.size(), 1U);
  for (const char* line : {"trust_server: found a study whose answers are exact, because it has no section [privacy]",
                           "deny_columns: found the column \"patient_id\"", "row 2, column dose: found no value",
                           "min_cell: found a study with data.min_cell = 0, accepted: at least 5"})
    EXPECT_NE(world.ended.front().find(line), std::string::npos) << line << " is not in\n" << world.ended.front();
}

// Without the site's word, a study's own epsilon is held by the client, whatever the server does.
TEST_F(OwnData, AStudyWithPrivacyNeedsNoWord) {
  const Overrides keys = {"sampler.name=fa-ld",      "sampler.local_steps=2", "sampler.clip=0.1",
                          "sampler.correlation=0.3", "sampler.batch=0.2",     "sampler.step=1e-6",
                          "data.standardize=false"};
  const auto with = [&](Overrides more) {
    more.insert(more.end(), keys.begin(), keys.end());
    auto mine = clients();
    mine[0].policy.trust_server = false;
    return refusal(mine, more);
  };
  EXPECT_NE(with({"privacy.delta=1e-4"}).find("neither privacy.target_epsilon nor"), std::string::npos);
  // What looks at the data without noise counts, whether the study accepts it or does not say so.
  for (const Overrides& look : {Overrides{"privacy.accept=[\"init\"]"}, Overrides{"run.init=auto"}})
    EXPECT_NE(with({"privacy.target_epsilon=1", look.front()}).find("looks at the data without noise (run.init"),
              std::string::npos);
  EXPECT_NE(with({"privacy.target_epsilon=1", "sampler.emit=every"}).find("shows positions between messages"),
            std::string::npos);
  EXPECT_NE(with({"privacy.target_epsilon=1e-6", "privacy.on_spent=warn", "privacy.accept=[\"levels\"]"})
                .find("above its limit 1e-06"),
            std::string::npos);
}

// A section [privacy] alone hides nothing: its numbers count, and a hub sees who takes part.
TEST_F(OwnData, AStudyWithWeakPrivacyNeedsTheWord) {
  const auto with = [&](
                        Overrides more, const std::function<void(Policy&)>& allow = [](Policy&) {}) {
    more.insert(more.end(),
                {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.clip=0.1", "sampler.correlation=0.3",
                 "sampler.batch=0.2", "sampler.step=1e-6", "data.standardize=false", "privacy.accept=[\"levels\"]",
                 "privacy.on_spent=warn", "run.chains=1"});
    auto mine = clients();
    mine[0].policy.trust_server = false;
    allow(mine[0].policy);
    return refusal(mine, more);
  };
  const std::string weak = "where noise hides nothing", whole = "with which a row may be shown whole";
  EXPECT_NE(with({"privacy.target_epsilon=21"}).find(weak), std::string::npos);
  EXPECT_EQ(with({"privacy.target_epsilon=21"}, [](Policy& p) { p.max_epsilon = 1e-6; }).find(weak), std::string::npos);
  EXPECT_NE(with({"privacy.target_epsilon=1", "privacy.delta=0.5"}).find(whole), std::string::npos);
  const auto drawn = [&](const char* adversary) {
    return with({"privacy.target_epsilon=1e-6", fmt::format("privacy.adversary={}", adversary), "sampler.scheme=II",
                 "sampler.allow_unbalanced=true", "participation.size=1"});
  };
  EXPECT_NE(drawn("outside").find("above its limit 1e-06"), std::string::npos) << drawn("outside");
  EXPECT_EQ(drawn("outside"), drawn("server"));
}

TEST_F(OwnData, EpsilonHasALimit) {
  auto careful = clients();
  careful[0].policy.max_epsilon = 1e-6;
  const std::string why =
      refusal(careful, {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.clip=0.1", "sampler.correlation=0.3",
                        "sampler.batch=0.2", "sampler.step=1e-6", "privacy.delta=1e-4", "data.standardize=false",
                        "privacy.accept=[\"levels\"]"});
  EXPECT_NE(why.find("above its limit"), std::string::npos) << why;
}

}  // namespace
}  // namespace pollen
