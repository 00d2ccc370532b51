#include "sink/summary.h"

#include <nlohmann/json.hpp>

#include "fixtures.h"
#include "sink/limits.h"
#include "sink/stan_csv.h"
#include "sink/stored_summary.h"

namespace pollen::sink {
namespace {

using Json = nlohmann::json;

class SummaryTest : public FolderTest {
 protected:
  Summary make(SpoolShape shape, Index draws) {
    write_known_spool(path("draws.spool"), shape, draws);
    return summarize(known_facts(shape), SpoolReader(path("draws.spool")), 2);
  }
};

// A user who waits for a large result is shown how far it is.
TEST_F(SummaryTest, WorkOnTheDrawsIsToldAsItGoesOn) {
  constexpr SpoolShape kWide{600, 2};
  write_known_spool(path("draws.spool"), kWide, 10);
  const SpoolReader spool(path("draws.spool"));
  std::vector<std::int64_t> told;
  const NumbersDone done = [&](std::int64_t more) { told.push_back(more); };
  summarize(known_facts(kWide), spool, 2, done);
  EXPECT_EQ(told, (std::vector<std::int64_t>{256 * 20, 256 * 20, 88 * 20}));
  told.clear();
  write_stan_csv(folder_, known_facts(kWide), spool, done);
  EXPECT_EQ(told, std::vector<std::int64_t>(10, 2 * 601));
}

TEST_F(SummaryTest, HasEveryKeyOfTheInterface) {
  const Json json = Json::parse(to_json(make({3, 2}, 500)));
  EXPECT_EQ(json["sampler"], "qlsd++");
  EXPECT_EQ(json["model"], "logistic");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["chains"], 2);
  EXPECT_EQ(json["draws_per_chain"], 500);
  ASSERT_EQ(json["parameters"].size(), 3u);
  for (const char* key : {"name", "label", "mean", "mcse", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"})
    EXPECT_TRUE(json["parameters"][0].contains(key)) << key;
  EXPECT_EQ(json["parameters"][2]["name"], "theta.3");
  EXPECT_EQ(json["parameters"][2]["label"], "coefficient 2");
  for (const char* key :
       {"rounds", "uplink_bits", "downlink_bits", "broadcast_bits", "uplink_bits_bound", "messages", "setup_bits"})
    EXPECT_TRUE(json["communication"].contains(key)) << key;
  EXPECT_EQ(json["communication"]["uplink_bits"], 1'000'000);
  EXPECT_EQ(json["work"]["iterations_per_second"], 1000.0);
  for (const char* key : {"gradients", "seconds", "cpu_seconds"}) EXPECT_TRUE(json["work"].contains(key)) << key;
  EXPECT_TRUE(json["metrics"].is_object());
  EXPECT_TRUE(json["privacy"]["epsilon"].is_null());
  EXPECT_TRUE(json["privacy"]["why"].is_string());
  EXPECT_TRUE(json["warnings"].is_array());
  EXPECT_EQ(json["verdict"]["converged"], false);
  EXPECT_EQ(json["verdict"]["reasons"], json["warnings"]);
}

// The cost is that of the whole run over the least bulk ESS; what leaves no draws of a posterior has none.
TEST_F(SummaryTest, SaysWhatAnEffectiveDrawHasCost) {
  Summary summary = make({3, 2}, 500);
  summary.parameters[0].ess_bulk = 900;
  summary.parameters[1].ess_bulk = 250;
  summary.parameters[2].ess_bulk = std::nan("");
  summary.facts.counters.rounds = 1000;
  summary.facts.counters.downlink_bits = 2'000'000;
  summary.facts.counters.gradients = 500'000;
  const Json cost = Json::parse(to_json(summary))["per_effective_draw"];
  EXPECT_EQ(cost["effective_draws"], 250.0);
  EXPECT_EQ(cost["rounds"], 4.0);
  EXPECT_EQ(cost["uplink_bits"], 4000.0);
  EXPECT_EQ(cost["downlink_bits"], 8000.0);
  EXPECT_EQ(cost["gradients"], 2000.0);
  const auto words = in_words(*draw_cost(summary.facts.counters, States::draws, summary.parameters));
  EXPECT_EQ(words, "per effective draw: 4 rounds, 4 kbit up, 8 kbit down, 2,000 gradients");
  for (stats::ParameterSummary& p : summary.parameters) p.ess_bulk = std::nan("");
  EXPECT_TRUE(Json::parse(to_json(summary))["per_effective_draw"].is_null());
  summary = make({3, 2}, 500);
  summary.facts.states = States::iterates;
  EXPECT_TRUE(Json::parse(to_json(summary))["per_effective_draw"].is_null());
}

TEST_F(SummaryTest, AFederationIsThereWhereThereWasOne) {
  Summary summary = make({3, 2}, 10);
  EXPECT_FALSE(Json::parse(to_json(summary)).contains("federation"));
  summary.facts.federation = FederationFacts{{{"north", 12}, {"s\xc3\xbc\xff", 3}}, 1, 2, 3, 4, 5, 0.75};
  const Json json = Json::parse(to_json(summary))["federation"];
  ASSERT_EQ(json["clients"].size(), 2u);
  EXPECT_EQ(json["clients"][0], Json({{"name", "north"}, {"rows", 12}}));
  EXPECT_EQ(json["skipped"], 1);
  EXPECT_EQ(json["repeated"], 2);
  EXPECT_EQ(json["brought_up"], 3);
  EXPECT_EQ(json["bytes_in"], 4);
  EXPECT_EQ(json["bytes_out"], 5);
  EXPECT_EQ(json["waiting_share"], 0.75);
}

TEST_F(SummaryTest, MomentsAreThoseOfTheDraws) {
  const Summary summary = make({3, 2}, 400);
  double mean[2] = {0, 0}, product = 0;
  for (Index c = 0; c < 2; ++c)
    for (Index i = 0; i < 400; ++i) mean[0] += known_value(i, c, 0) / 800, mean[1] += known_value(i, c, 1) / 800;
  for (Index c = 0; c < 2; ++c)
    for (Index i = 0; i < 400; ++i) product += (known_value(i, c, 0) - mean[0]) * (known_value(i, c, 1) - mean[1]);
  EXPECT_NEAR(summary.parameters[1].mean, mean[1], 1e-9);
  EXPECT_NEAR(summary.covariance[1], product / 799, 1e-6);
  EXPECT_EQ(summary.covariance[1], summary.covariance[3]);
  EXPECT_NEAR(summary.covariance[0], summary.parameters[0].sd * summary.parameters[0].sd, 1e-6);
}

TEST_F(SummaryTest, NaNIsNullAndLargeCovariancesAreLeftOut) {
  Summary summary = make({201, 1}, 2);
  EXPECT_TRUE(summary.covariance.empty());
  summary.facts.counters.uplink_bits_bound = std::nan("");
  summary.metrics = {{"nnll", INFINITY}};
  summary.facts.labels[0] = "bad \xff utf-8";
  const Json json = Json::parse(to_json(summary));
  EXPECT_TRUE(json["communication"]["uplink_bits_bound"].is_null());
  EXPECT_TRUE(json["metrics"]["nnll"].is_null());
  EXPECT_FALSE(json.contains("covariance"));
}

TEST_F(SummaryTest, EstimatesAreAskedOnlyToSettle) {
  std::vector<stats::ParameterSummary> parameters(3);
  for (auto& p : parameters) p.mean = 2, p.sd = 0.1, p.rhat = 1.5, p.ess_bulk = p.ess_tail = 3;
  const std::vector<std::string> labels = {"a", "log_sigma", "b"};
  const std::string warning = unsettled(parameters, labels, {0, 1});  // 0.1 √(1 - 1/1.5²) = 0.075
  EXPECT_NE(warning.find("all 2 parameters"), std::string::npos) << warning;
  EXPECT_NE(warning.find("log_sigma: by about 0.075"), std::string::npos) << warning;
  parameters[1].sd = parameters[0].sd = 0.01;  // 0.0075 is less than a hundredth of 2, and less than 0.01
  EXPECT_EQ(unsettled(parameters, labels, {0, 1}), "");
  parameters[0].mean = 0.1;
  EXPECT_NE(unsettled(parameters, labels, {0, 1}).find("1 of 2 parameters"), std::string::npos);
  parameters[0].rhat = 1.0;
  EXPECT_EQ(unsettled(parameters, labels, {0, 1}), "");
  parameters[0].rhat = std::nan("");
  EXPECT_EQ(unsettled(parameters, labels, {0, 1}), "");
}

TEST_F(SummaryTest, OnlyDrawsAreHeldAgainstRHatAndEss) {
  const SpoolShape shape{2, 2};
  write_known_spool(path("draws.spool"), shape, 50);
  RunFacts facts = known_facts(shape);
  const auto warnings = [&] { return summarize(facts, SpoolReader(path("draws.spool")), 1).warnings; };
  EXPECT_FALSE(warnings().empty());
  facts.states = States::iterates;
  EXPECT_TRUE(warnings().empty());
  facts.states = States::estimates;
  EXPECT_TRUE(warnings().empty());  // no coordinate is identified
  EXPECT_EQ(Json::parse(to_json(summarize(facts, SpoolReader(path("draws.spool")), 1)))["states"], "estimates");
}

TEST_F(SummaryTest, ChainsApartAreNoFaultOfWeights) {
  const SpoolShape shape{2, 2};
  RunFacts facts = known_facts(shape);
  facts.states = States::weights;
  SpoolWriter spool(path("draws.spool"), shape);
  Panel position(2, 2);
  for (int i = 0; i < 200; ++i) {
    for (Index c = 0; c < 2; ++c) std::ranges::fill(position.column(c), std::sin(1.7 * i));
    position.column(1)[0] += 9;
    spool.append(position, {});
  }
  spool.sync();
  const Summary summary = summarize(facts, SpoolReader(path("draws.spool")), 1);
  EXPECT_EQ(Json::parse(to_json(summary))["states"], "weights");
  EXPECT_TRUE(summary.warnings.empty());
  EXPECT_EQ(summary.verdict.converged, std::nullopt);
  EXPECT_NE(summary.verdict.words.find("units can change places"), std::string::npos);
}

TEST_F(SummaryTest, NoDrawsIsSaid) {
  const Summary summary = make({2, 2}, 0);
  EXPECT_TRUE(summary.parameters.empty());
  EXPECT_EQ(summary.warnings.back(), "no draw was kept");
  EXPECT_EQ(Json::parse(to_json(summary))["parameters"].size(), 0u);
}

TEST_F(SummaryTest, TheWorstParametersAreNamed) {
  std::vector<stats::ParameterSummary> parameters(3);
  for (auto& p : parameters) p.rhat = 1.0, p.ess_bulk = p.ess_tail = 1000;
  const std::vector<std::string> labels = {"a", "b", "c"};
  EXPECT_TRUE(diagnose(parameters, labels).empty());
  parameters[1].rhat = 1.02, parameters[2].rhat = 1.05;
  parameters[0].ess_tail = 100;
  const auto lines = diagnose(parameters, labels);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("2 of 3 parameters (worst 1.050: c)"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("least 100: a"), std::string::npos) << lines[1];
}

TEST_F(SummaryTest, IsReadBack) {
  const Summary summary = make({3, 2}, 50);
  put(path("summary.json"), to_json(summary));
  const auto stored = read_stored_summary(path("summary.json"));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->labels, summary.facts.labels);
  EXPECT_EQ(stored->parameters[1].mean, summary.parameters[1].mean);
  EXPECT_EQ(stored->verdict, summary.verdict);
  EXPECT_EQ(stored->iterations, 2000);
  EXPECT_EQ(stored->burn_in, 200);
  EXPECT_EQ(read_moments(path("summary.json")).covariance, summary.covariance);
  put(path("summary.json"), "{}");
  EXPECT_FALSE(read_stored_summary(path("summary.json")));
}

TEST_F(SummaryTest, HasWhatAReportIsMadeOf) {
  Summary summary = make({3, 2}, 50);
  summary.parameters[1].q5 = 0.1, summary.parameters[1].q50 = 0.5, summary.parameters[1].q95 = 0.9;
  summary.facts.target = "ill";
  summary.facts.units = "coefficients of the log odds of ill = yes";
  summary.facts.ratios = {"odds ratio", {false, true, false}};
  summary.facts.statement = "Logistic regression of ill.";
  summary.scored = {true, 10, 20};
  summary.auc = stats::AucEstimate{0.75, std::nan(""), 0.9, 10, 4};
  summary.calibration = {{0.2, 0.25, 0.1, 0.4, 10}};
  summary.check.words = "All is well.";
  summary.check.groups.resize(1);
  summary.check.groups[0].above = -INFINITY;
  summary.check.groups[0].up_to = 3;
  summary.check.clients.resize(1);
  summary.check.clients[0].client = "north";
  summary.check.clients[0].label = "yes";
  summary.effects = {{"intercept", "x"}, {"coefficient 1", ""}, {"north"}, {{{1, 0, 2}, {3, 2, 4}}}};
  put(path("summary.json"), to_json(summary));
  const Json json = Json::parse(to_json(summary));
  EXPECT_EQ(json["target"], Json({{"name", "ill"}, {"units", summary.facts.units}, {"ratio", "odds ratio"}}));
  EXPECT_EQ(json["statement"], "Logistic regression of ill.");
  EXPECT_NEAR(json["parameters"][1]["ratio"], std::exp(0.5), 1e-12);
  EXPECT_NEAR(json["parameters"][1]["ratio_q95"], std::exp(0.9), 1e-12);
  EXPECT_FALSE(json["parameters"][0].contains("ratio"));
  EXPECT_EQ(json["scored"], Json({{"on", "training"}, {"rows", 10}, {"in_all", 20}}));
  EXPECT_TRUE(json["auc"]["lower"].is_null());
  EXPECT_EQ(json["calibration"][0]["rows"], 10);
  EXPECT_TRUE(json["predictive_check"]["groups"][0]["above"].is_null());
  EXPECT_EQ(json["predictive_check"]["groups"][0]["up_to"], 3);
  EXPECT_EQ(json["predictive_check"]["clients"][0]["client"], "north");
  EXPECT_EQ(json["effects"]["pooled"][0]["estimate"], summary.parameters[1].mean);
  EXPECT_TRUE(json["effects"]["pooled"][1]["estimate"].is_null());
  EXPECT_EQ(json["effects"]["clients"][0],
            Json({{"name", "north"}, {"estimate", {1, 3}}, {"lower", {0, 2}}, {"upper", {2, 4}}}));
  const auto stored = read_stored_summary(path("summary.json"));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->units, summary.facts.units);
  EXPECT_EQ(stored->ratios.name, "odds ratio");
  EXPECT_EQ(stored->ratios.of, summary.facts.ratios.of);
}

}  // namespace
}  // namespace pollen::sink
