#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sink/limits.h"
#include "sink/report.h"
#include "sink/text.h"

namespace pollen::sink {
namespace {

stats::ParameterSummary good_parameter() { return {0.5, 0.01, 0.2, 0.1, 0.5, 0.9, 2000, 1500, 1.001}; }

// Two parameters of two chains; the chains of the second one disagree.
struct Example {
  Example() {
    draws.chains = 2;
    draws.length = 100;
    draws.names = {"theta.1", "theta.2"};
    draws.labels = {"age", "size"};
    draws.values.resize(2);
    for (int c = 0; c < 2; ++c)
      for (int s = 0; s < 100; ++s) {
        draws.values[0].push_back(std::sin(s));
        draws.values[1].push_back(c == 0 ? 0 : 5);
      }
    page.folder = "out";
    page.summary.sampler = "qlsd++";
    page.summary.model = "logistic";
    page.summary.names = draws.names;
    page.summary.labels = draws.labels;
    page.summary.parameters = {good_parameter(), good_parameter()};
    page.summary.parameters[1].rhat = 1.7;
    page.summary.parameters[1].ess_bulk = 3;
    page.summary.chains = 2;
    page.summary.draws = 100;
    page.traced = &draws;
    page.summary.warnings = {"R-hat of size is 1.7"};
    page.summary.verdict = Verdict{false, "Not converged.", page.summary.warnings};
  }
  DrawSet draws;
  SummaryPage page;
};

// A coefficient per dollar beside one per year: its ratio is not 1.000, and its strip is not a dot at zero.
TEST(SummaryTable, ParametersOfDifferentUnitsAreReadable) {
  Example example;
  stats::ParameterSummary& dollar = example.page.summary.parameters[0];
  dollar.mean = dollar.q50 = 5.2e-5, dollar.q5 = 4.1e-5, dollar.q95 = 6.3e-5;
  stats::ParameterSummary& year = example.page.summary.parameters[1];
  year.mean = year.q50 = -0.7, year.q5 = -0.9, year.q95 = -0.5;
  example.page.summary.ratios = {"odds ratio", {true, true}};
  const std::string text = summary_text(example.page, {.colour = false, .traces = false, .width = 300});
  EXPECT_NE(text.find("1.000052 (1.000041 to 1.000063)"), std::string::npos) << text;
  EXPECT_NE(text.find("0.50 (0.41 to 0.61)"), std::string::npos) << text;
  EXPECT_NE(text.find("(own scale)"), std::string::npos) << text;
  EXPECT_NE(text.find(interval_strip(dollar, 0, dollar.q95, 25)), std::string::npos) << text;
  year.mean = year.q50 = -9.84, year.q5 = -20.9, year.q95 = -4.67;  // in the decimals of 0.0094 these would be zeros
  EXPECT_NE(summary_text(example.page, {.colour = false, .traces = false, .width = 300}).find("(8.38e-10 to 0.0094)"),
            std::string::npos);
  year.mean = year.q50 = 6e-5, year.q5 = 5e-5, year.q95 = 7e-5;
  EXPECT_EQ(summary_text(example.page, {.colour = false, .traces = false, .width = 300}).find("(own scale)"),
            std::string::npos);
}

TEST(SummaryTable, SaysWhatIsWrongInWords) {
  stats::ParameterSummary p = good_parameter();
  EXPECT_TRUE(faults_of(p).empty());
  p.rhat = 1.034;
  p.ess_bulk = 35;
  EXPECT_EQ(faults_of(p), (std::vector<std::string>{"rhat > 1.01", "ess_bulk < 400"}));
  p.ess_tail = 20;
  EXPECT_EQ(faults_of(p), (std::vector<std::string>{"rhat > 1.01", "ess < 400"}));
  p = good_parameter();
  p.ess_tail = 450;
  EXPECT_TRUE(faults_of(p).empty());
  p.rhat = p.ess_bulk = p.ess_tail = std::nan("");
  p.sd = 0;
  EXPECT_EQ(faults_of(p), std::vector<std::string>{"constant"});
}

TEST(SummaryTable, IsPlainForPrograms) {
  const Example example;
  const std::string text = summary_text(example.page, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("▁"), std::string::npos);
  for (const char* piece : {"out: qlsd++, logistic model, 2 chains × 100 draws\n", "ok\n",
                            "rhat > 1.01; ess_bulk < 400\n", "  verdict: Not converged.\n    - R-hat of size is 1.7\n"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " is not in\n" << text;
  const std::size_t header = text.find("  parameter");
  std::istringstream words(text.substr(header));
  std::string word;
  for (const char* name : {"parameter", "mean", "mcse", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"}) {
    words >> word;
    EXPECT_EQ(word, name);
  }
}

TEST(SummaryTable, TracesShowChainsApart) {
  const Example example;
  const std::string text = summary_text(example.page, {false, true, 0});
  EXPECT_NE(text.find("▁▁▁▁▁▁▁▁▁▁ ██████████"), std::string::npos) << text;
}

TEST(SummaryTable, ColoursChangeNothingElse) {
  const Example example;
  std::string coloured = summary_text(example.page, {true, true, 0});
  EXPECT_NE(coloured.find("\x1b[31m"), std::string::npos);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, summary_text(example.page, {false, true, 0}));
}

TEST(SummaryTable, LeavesOutWhatDoesNotFit) {
  Example example;
  example.page.summary.parameters[1] = good_parameter();
  const auto has = [&](std::size_t width, const char* what) {
    return summary_text(example.page, {false, true, width}).find(what) != std::string::npos;
  };
  EXPECT_TRUE(has(300, "●"));
  EXPECT_TRUE(has(300, "▁"));
  EXPECT_FALSE(has(120, "●"));
  EXPECT_TRUE(has(120, "▁"));
  EXPECT_FALSE(has(60, "▁"));
  EXPECT_TRUE(has(60, "rhat"));
}

TEST(SummaryTable, EstimatesAreNotJudged) {
  Example example;
  example.page.summary.states = "estimates";
  const std::string text = summary_text(example.page, {});
  EXPECT_EQ(text.find("rhat > 1.01"), std::string::npos);
}

TEST(SummaryTable, JsonHasTheSameAndTheChecks) {
  Example example;
  example.page.summary.parameters[0].mcse = std::nan("");
  const auto json = nlohmann::json::parse(summary_json(example.page));
  EXPECT_EQ(json["chains"], 2);
  EXPECT_EQ(json["parameters"][0]["label"], "age");
  EXPECT_TRUE(json["parameters"][0]["check"].empty());
  EXPECT_TRUE(json["parameters"][0]["mcse"].is_null());
  EXPECT_EQ(json["parameters"][1]["check"].size(), 2U);
  EXPECT_EQ(json["parameters"][1]["rhat"], 1.7);
  EXPECT_EQ(json["verdict"]["words"], "Not converged.");
}

TEST(SummaryTable, RatiosStandBesideTheirCoefficients) {
  Example example;
  example.page.summary.units = "coefficients of the log odds of ill = yes, per unit of each column";
  example.page.summary.ratios = {"odds ratio", {false, true}};
  const std::string text = summary_text(example.page, {});
  EXPECT_NE(text.find("  coefficients of the log odds of ill = yes"), std::string::npos) << text;
  EXPECT_NE(text.find("odds ratio (q5 to q95)"), std::string::npos) << text;
  EXPECT_NE(text.find("1.649 (1.105 to 2.460)"), std::string::npos) << text;  // exp of 0.5 (0.1 to 0.9)
  EXPECT_EQ(text.find("1.649"), text.rfind("1.649")) << text;
  EXPECT_EQ(summary_text(example.page, {false, true, 60}).find("odds ratio"), std::string::npos);
  const auto json = nlohmann::json::parse(summary_json(example.page));
  EXPECT_EQ(json["ratio"], "odds ratio");
  EXPECT_FALSE(json["parameters"][0].contains("ratio"));
  EXPECT_NEAR(json["parameters"][1]["ratio_q95"], std::exp(0.9), 1e-12);
}

TEST(Sparkline, IsOneBlockANumber) {
  EXPECT_EQ(sparkline(std::vector<double>{0, 1, 0.5}, 0, 1), "▁█▅");
  EXPECT_EQ(sparkline(std::vector<double>{2, std::nan("")}, 2, 2), "▅ ");
}

}  // namespace
}  // namespace pollen::sink
