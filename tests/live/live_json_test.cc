// Tests what a page is told about a running run.
#include "report/live_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/problems.h"

namespace pollen::report {
namespace {

using sink::LiveClient;
using sink::LiveFeed;
using sink::LiveState;

nlohmann::json parsed(const std::string& text) {
  EXPECT_EQ(text.find('\n'), std::string::npos) << "an event is one line";
  return nlohmann::json::parse(text);
}

TEST(LiveJson, BeforeAnythingIsKnown) {
  const nlohmann::json json = parsed(live_json("a run", nullptr, LiveState(), LiveFindings(), nullptr));
  EXPECT_EQ(json["live"]["phase"], "preparing");
  EXPECT_TRUE(json["live"]["iterations"].is_null());
  EXPECT_EQ(json["runs"][0]["name"], "a run");
  EXPECT_EQ(json["runs"][0]["status"], "running");
  EXPECT_TRUE(json["runs"][0]["parameters"].empty());
}

TEST(LiveJson, NamesAreTextWhateverTheyAre) {
  LiveState state;
  state.phase = LiveState::Phase::waiting;
  LiveClient client;
  client.name = "<script>alert(1)</script>\n\xff\"";
  client.state = LiveClient::State::gone;
  state.clients = {{client}, 1, 0, 0, 0};
  const nlohmann::json json = parsed(live_json("\xfe", nullptr, state, LiveFindings(), nullptr));
  const std::string name = json["live"]["clients"]["shown"][0]["name"];
  EXPECT_EQ(name.substr(0, 26), "<script>alert(1)</script>\n");
  EXPECT_EQ(json["live"]["clients"]["shown"][0]["state"], "gone");
  EXPECT_EQ(json["live"]["clients"]["here"], 0);
}

class LiveRun : public ::testing::Test {
 protected:
  LiveRun() : experiment_(read_config_text(testing::kLogistic, "test.toml", {})) {
    experiment_.prepare();
    feed_.begin(experiment_);
  }
  // Reports in the same way as the recorder.
  class Teller : public pollen::Sink {
   public:
    explicit Teller(LiveFeed& feed) : feed_(feed) {}
    void kept(ConstPanelView position, std::span<const double>) override { feed_.kept(position); }
    void closed(std::int64_t iteration, const Counters& counters, ConstPanelView) override {
      if (iteration % 50 == 0) feed_.scored(iteration, counters, 0.5, {{"accuracy", 0.75}});
      if (iteration == 300) feed_.looked({iteration, 300, 2, 1.5, counters});
    }

   private:
    LiveFeed& feed_;
  };
  nlohmann::json said(const LiveEnd* end = nullptr) {
    LiveState state;
    EXPECT_TRUE(feed_.take(state));
    LiveFindings findings;
    findings.look(state, *feed_.plan());
    return parsed(live_json("run", feed_.plan().get(), state, findings, end));
  }

  Experiment experiment_;
  LiveFeed feed_;
};

TEST_F(LiveRun, HasParametersMetricsAndClients) {
  Teller teller(feed_);
  experiment_.advance(300, teller);
  const nlohmann::json json = said(), run = json["runs"][0];
  EXPECT_EQ(run["facts"]["draws"], 300);
  EXPECT_EQ(run["parametersInAll"], experiment_.dimension());
  ASSERT_EQ(std::ssize(run["parameters"]), experiment_.dimension());
  EXPECT_TRUE(run["parameters"][0]["mean"].is_number());
  EXPECT_GT(run["parameters"][0]["rhat"], 0.9);
  EXPECT_GT(run["parameters"][0]["sd"], 0);
  EXPECT_EQ(run["metrics"]["columns"][0], "round");
  EXPECT_EQ(run["metrics"]["columns"].size(), run["metrics"]["values"].size());
  EXPECT_EQ(run["metrics"]["values"][0].back(), 300);
  EXPECT_EQ(run["communication"]["uplinkBits"], experiment_.counters().uplink_bits);
  EXPECT_EQ(json["live"]["iteration"], 300);
  EXPECT_EQ(json["live"]["iterations"], 300);
  EXPECT_EQ(json["live"]["clients"]["inAll"], 7);
  EXPECT_EQ(json["live"]["diagnostics"]["rhat"].size(), 1u);
  EXPECT_EQ(run["plots"]["chains"], 3);
  EXPECT_EQ(std::ssize(run["plots"]["rows"]), experiment_.dimension());
  EXPECT_EQ(run["plots"]["trace"]["shape"], nlohmann::json({experiment_.dimension(), 3, 300}));
}

TEST_F(LiveRun, SaysHowItEnded) {
  const LiveEnd end{sink::RunStatus::failed, "chain 2 exploded"};
  const nlohmann::json json = said(&end);
  EXPECT_EQ(json["live"]["phase"], "over");
  EXPECT_EQ(json["live"]["ended"]["status"], "failed");
  EXPECT_EQ(json["live"]["ended"]["words"], "chain 2 exploded");
  EXPECT_EQ(json["runs"][0]["status"], "failed");
}

// The page sees draws that were thinned and a rough R-hat; at the end it must show what the terminal shows.
TEST_F(LiveRun, EndsWithTheNumbersOfTheSummary) {
  Teller teller(feed_);
  experiment_.advance(300, teller);
  sink::Summary summary;
  summary.facts = sink::facts_of(experiment_);
  summary.facts.counters.rounds = 14'000;
  summary.draws = 777;
  summary.parameters.resize(static_cast<std::size_t>(experiment_.dimension()),
                            {0.25, 0.01, 1, -1, 0.25, 1, 4321, 4321, 1.001});
  summary.parameters[1].rhat = 1.004;
  summary.parameters[2].ess_bulk = 2310;
  summary.verdict = {true, "Converged by what was checked.", {}};
  const LiveEnd end{sink::RunStatus::complete, "", &summary};
  const nlohmann::json json = said(&end), run = json["runs"][0];
  EXPECT_EQ(json["live"]["rhat"], 1.004);
  EXPECT_EQ(json["live"]["diagnostics"]["rhat"].back(), 1.004);
  EXPECT_EQ(json["live"]["diagnostics"]["ess"].back(), 2310);
  EXPECT_EQ(run["parameters"][1]["rhat"], 1.004);
  EXPECT_EQ(run["parameters"][0]["mean"], 0.25);
  EXPECT_EQ(run["verdict"]["words"], "Converged by what was checked.");
  EXPECT_EQ(run["verdict"]["converged"], true);
  EXPECT_EQ(run["communication"]["rounds"], 14'000);
  EXPECT_EQ(run["facts"]["draws"], 777);
  EXPECT_EQ(run["clientsInAll"], 7);
}

}  // namespace
}  // namespace pollen::report
