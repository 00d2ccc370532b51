// Compares diagnostics with the numbers of R's posterior package, which data/posterior.R makes.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pollen/stats.h"
#include "series.h"
#include "support/source_dir.h"

namespace pollen::stats {
namespace {

using Transform = std::function<double(double y, double chain, double index)>;

const std::map<std::string, Transform>& transforms() {
  static const std::map<std::string, Transform> table = {
      {"plain", [](double y, double, double) { return y; }},
      {"ties", [](double y, double, double) { return std::floor(10 * y); }},
      {"binary", [](double y, double, double) { return y > 0 ? 1.0 : 0.0; }},
      {"sign", [](double y, double, double) { return y > 0 ? 1.0 : -1.0; }},
      {"rare", [](double y, double, double) { return y > 0.48 ? 1.0 : 0.0; }},
      {"shifted", [](double y, double c, double) { return y + 0.25 * c; }},
      {"scaled", [](double y, double c, double) { return y * (1 + c); }},
      {"heavy", [](double y, double, double) { return 1 / y; }},
      {"trend", [](double y, double, double t) { return y + 0.01 * t; }},
      {"tiny", [](double y, double, double) { return y * 1e-17; }},
      {"large", [](double y, double, double) { return 1e6 + y; }},
      {"constant", [](double, double, double) { return 0.1; }},
      {"chainwise", [](double, double c, double) { return c; }},
      {"alternating", [](double, double, double t) { return 1 - 2 * std::fmod(t, 2); }}};
  return table;
}

std::vector<double> draws_of(const nlohmann::json& test) {
  const auto chains = test["chains"].get<std::size_t>(), length = test["length"].get<std::size_t>();
  std::vector<double> values = autoregression(test["phi"], chains, length, test["seed"].get<std::uint64_t>());
  const Transform& transform = transforms().at(test["transform"]);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = transform(values[i], static_cast<double>(i / length), static_cast<double>(i % length));
  return values;
}

void expect_same(double ours, const nlohmann::json& test, const char* field, double scale = 0) {
  if (test[field].is_null()) {
    EXPECT_TRUE(std::isnan(ours)) << field << " is " << ours;
  } else if (const double theirs = test[field]; theirs > 1e12) {
    EXPECT_GT(ours, 1e12) << field;  // for chains that do not move it is infinite up to rounding
  } else {
    EXPECT_NEAR(ours, theirs, 1e-8 * std::max(std::abs(theirs), scale)) << field;
  }
}

TEST(Posterior, KnownAnswers) {
  std::ifstream file(pollen::source_dir() + "/tests/stats/data/posterior.json");
  const nlohmann::json cases = nlohmann::json::parse(file);
  ASSERT_GT(cases.size(), 50U);
  for (const auto& test : cases) {
    SCOPED_TRACE(test.dump());
    const std::vector<double> values = draws_of(test);
    const Draws draws{values, test["chains"].get<Index>()};
    const ParameterSummary summary = summarize(draws);
    expect_same(rhat(draws), test, "rhat");
    expect_same(ess_bulk(draws), test, "ess_bulk");
    expect_same(ess_tail(draws), test, "ess_tail");
    expect_same(ess_mean(draws), test, "ess_mean");
    expect_same(mcse_mean(draws), test, "mcse_mean");
    expect_same(summary.mcse, test, "mcse_mean");
    expect_same(summary.rhat, test, "rhat");
    expect_same(summary.ess_bulk, test, "ess_bulk");
    expect_same(summary.ess_tail, test, "ess_tail");
    expect_same(summary.mean, test, "mean", summary.sd);
    expect_same(summary.sd, test, "sd");
    expect_same(summary.q5, test, "q5");
    expect_same(summary.q50, test, "q50", summary.sd);
    expect_same(summary.q95, test, "q95");
  }
}

}  // namespace
}  // namespace pollen::stats
