// Tests that the cause of poor draws is named, with draws made for each cause, and that a longer run is recommended
// only with a number and only where it helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_draws.h"

namespace pollen::sink {
namespace {

double as_double(Index i) { return static_cast<double>(i); }

std::string all_reasons(const MadeDraws& made) { return verdict_text(made.verdict(), {}); }

// An autoregression with memory φ has (1 - φ)/(1 + φ) effective draws per draw: here 4 × 2,000/39 = 205. R-hat
// of four chains needs about 830, so that four times as many draws must be kept. The estimate is good to a third.
TEST(Causes, SlowChainsNeedANumberOfIterations) {
  MadeDraws made(2000);
  made.add("a", 0.95);
  made.add("b", 0.95);
  const std::string text = all_reasons(made);
  const std::size_t at = text.find("about ");
  ASSERT_NE(at, std::string::npos) << text;
  const double times = std::stod(text.substr(at + 6));
  EXPECT_GT(times, 2) << text;
  EXPECT_LT(times, 5.5) << text;
  const std::size_t key = text.find("run.iterations = ");
  ASSERT_NE(key, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(key + 17)), times * 3000, 0.1 * times * 3000) << text;
  EXPECT_NE(text.find("gives ESS 830, with which R-hat of 4 chains stays below 1.01"), std::string::npos) << text;
  made.facts.done = 0;
  EXPECT_TRUE(made.says("times as many draws gives ESS 830"));
}

// A burn-in of a tenth grows with the run, another one is the user's.
TEST(Causes, TheNumberCountsTheDrawsThatAreKept) {
  const auto iterations_of = [](std::int64_t burn_in, std::int64_t done, RunStatus status) {
    MadeDraws made(2000);
    made.add("a", 0.95);
    made.facts.burn_in = burn_in;
    made.facts.iterations = 30'000;
    made.facts.done = done;
    made.facts.status = status;
    const std::string text = all_reasons(made);
    const std::size_t at = text.find("run.iterations = ");
    return at == std::string::npos ? 0.0 : std::stod(text.substr(at + 17));
  };
  const double tenth = iterations_of(3000, 30'000, RunStatus::complete);
  EXPECT_GT(tenth, 40'000);
  EXPECT_NEAR(iterations_of(20'000, 30'000, RunStatus::complete) - 20'000, tenth * 10 / 30, 0.1 * tenth);
  EXPECT_EQ(iterations_of(3000, 6000, RunStatus::interrupted), 0) << "the rest of the run is enough";
}

TEST(Causes, AStoppedRunIsToldWhetherItsRestIsEnough) {
  MadeDraws made(2000);
  made.add("a", 0.95);
  made.facts.status = RunStatus::interrupted;
  made.facts.iterations = 100'000;
  made.facts.burn_in = 1000;
  EXPECT_TRUE(made.says("the rest of the run should be enough: about ")) << all_reasons(made);
  EXPECT_FALSE(made.says("times longer"));
  made.facts.iterations = 3100;
  EXPECT_TRUE(made.says("times longer")) << all_reasons(made);
}

TEST(Causes, ASpentPrivacyBudgetAllowsNoLongerRun) {
  MadeDraws made(2000);
  made.add("a", 0.95);
  made.facts.iterations = 2 * made.facts.done;
  made.facts.privacy.spent_at_round = 3000;
  EXPECT_TRUE(made.says("the privacy budget allows no more iterations")) << all_reasons(made);
  EXPECT_FALSE(made.says("times longer"));
}

// A run that is as much longer as the advice says is then green. With 400 effective draws R-hat of four chains would be
// above 1.01 in every second run.
TEST(Causes, TheNumberIsEnough) {
  int green = 0, runs = 0;
  for (std::uint32_t first = 0; first < 36; first += 3) {
    const auto made = [first](Index length) {
      MadeDraws draws(length, 4, first);
      for (const char* label : {"a", "b", "c"}) draws.add(label, 0.9);
      draws.facts.burn_in = draws.facts.iterations / 10;
      return draws;
    };
    const std::string text = all_reasons(made(600));
    const std::size_t at = text.find("about ");
    if (at == std::string::npos || text.find("times longer") == std::string::npos) continue;
    ++runs;
    green += made(static_cast<Index>(600 * std::stod(text.substr(at + 6)))).verdict().converged == true ? 1 : 0;
  }
  EXPECT_GE(runs, 10);
  EXPECT_GE(green, 0.8 * runs);
}

TEST(Causes, ChainsFarApartGetNoNumber) {
  MadeDraws made;
  made.add("walk", 0.9999, [](Index chain, Index, double z) { return z + 2 * as_double(chain); });
  made.add("b");
  EXPECT_FALSE(made.says("times longer")) << all_reasons(made);
}

TEST(Causes, SeparatePlacesAreNotJoinedByMoreIterations) {
  MadeDraws made;
  made.add("mode", 0.3, [](Index chain, Index, double z) { return z + (chain == 3 ? 8 : 0); });
  EXPECT_TRUE(made.says("each at a place of its own")) << all_reasons(made);
  EXPECT_FALSE(made.says("times longer"));
}

// Chains that stand still in two coefficients have settled in what depends on where they stand.
TEST(Causes, ChainsThatStandStillAreNoSeparatePlaces) {
  MadeDraws made;
  made.add("slope", 0.9999, [](Index chain, Index, double z) { return z + 3 * as_double(chain); });
  made.add("log_sigma", 0.3, [](Index chain, Index, double z) { return z + 0.8 * as_double(chain); });
  EXPECT_FALSE(made.says("place of its own")) << all_reasons(made);
  EXPECT_TRUE(made.says("too far apart to tell"));
}

// step = "auto" takes a smaller step once there are enough iterations for it.
TEST(Causes, TheNumberIsThatOfTheStepThatTheForecastAsksFor) {
  MadeDraws made(2000);
  made.add("a", 0.9);
  made.facts.burn_in = 300;
  const auto times = [&] {
    const std::string text = all_reasons(made);
    const std::size_t at = text.find("about ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + 6));
  };
  made.facts.forecast = SamplingForecast{.step = 0.2, .most_ratio = 1.06, .widest = "a", .step_within = 0.1};
  made.draws.length = 500, made.draws.values[0].resize(2000);
  const double smaller = times();
  EXPECT_TRUE(made.says("at the step 0.1 that the forecast asks for")) << all_reasons(made);
  made.facts.forecast.reset();
  EXPECT_GT(times(), 1);
  EXPECT_NEAR(smaller, 2 * times(), 0.2);
}

TEST(Causes, CollinearColumnsLeaveThePriorAlone) {
  MadeDraws made(4000);
  // The data determine the sum of two coefficients; their difference has the prior's law.
  made.add("height_cm", 0.99, [](Index, Index, double z) { return z / std::sqrt(2.0); });
  const std::vector<double> first = made.draws.values[0];
  made.add("height_in", 0, [&](Index chain, Index i, double z) {
    return 0.05 * z - first[static_cast<std::size_t>(chain * 4000 + i)];
  });
  made.add("sex", 0, [](Index, Index, double z) { return 0.01 * z; });
  made.facts.prior_sd = {1, 1, 1};
  EXPECT_TRUE(made.says("collinear columns: the data hardly tell height_cm and height_in apart")) << all_reasons(made);
  EXPECT_TRUE(made.says("sampler.precondition = \"full\""));
  EXPECT_FALSE(made.says("times longer"));
  made.facts.prior_sd = {50, 50, 50};  // now the data determine all of it: only one direction is slow
  EXPECT_FALSE(made.says("collinear")) << all_reasons(made);
  EXPECT_TRUE(made.says("the slowest direction (height_cm, height_in)")) << all_reasons(made);
}

// Chains in good coordinates sample such columns well, and the results are still not what a user may take them for.
TEST(Causes, CollinearColumnsOfGoodDrawsAreACaution) {
  for (const int equal : {1, 2, 3}) {
    MadeDraws made;
    std::vector<double> sum(4000);
    for (int k = 0; k < equal; ++k)
      made.add("x" + std::to_string(k), 0, [&](Index chain, Index i, double z) {
        double& before = sum[static_cast<std::size_t>(chain * 1000 + i)];
        const double value = k == 0 || k + 1 < equal ? z : 0.01 * z - before;
        before += value;
        return value;
      });
    made.add("sex", 0, [](Index, Index, double z) { return 0.01 * z; });
    made.facts.prior_sd.assign(static_cast<std::size_t>(equal) + 1, 1.0);
    const auto lines = cautions(made.facts, made.parameters(), &made.draws);
    EXPECT_EQ(made.verdict().converged, true);
    ASSERT_EQ(lines.size(), equal > 1 ? 1u : 0u);
    if (equal == 1) continue;
    EXPECT_TRUE(lines[0].starts_with("collinear columns: the data hardly tell x0 and x1")) << lines[0];
    made.facts.warnings = {"too few rows: 31 coefficients fit 20 rows without error"};
    EXPECT_THAT(cautions(made.facts, made.parameters(), &made.draws)[0], ::testing::EndsWith("says what helps"));
    made.facts.warnings.clear();
    made.facts.model = "softmax";  // its classes have such directions whatever the columns are
    EXPECT_TRUE(cautions(made.facts, made.parameters(), &made.draws).empty());
    made.facts.model = "linear";
    made.facts.prior_sd.assign(static_cast<std::size_t>(equal) + 1, 10.0);
    EXPECT_TRUE(cautions(made.facts, made.parameters(), &made.draws).empty());
  }
}

// The intercept of a regression on years is where the year is 0, and so follows the slope.
TEST(Causes, AColumnFarFromZeroIsNotCollinearWithTheIntercept) {
  MadeDraws made(2000);
  std::vector<double> slope;
  made.add("year", 0.95, [&](Index, Index, double z) {
    slope.push_back(0.01 * z);
    return slope.back();
  });
  made.add("intercept", 0, [&](Index chain, Index i, double z) {
    return 5 - 2000 * slope[static_cast<std::size_t>(chain * 2000 + i)] + 0.03 * z;
  });
  made.add("size", 0.95);
  EXPECT_FALSE(made.says("collinear")) << all_reasons(made);
  EXPECT_TRUE(made.says("times longer")) << all_reasons(made);
}

// Chains that have only begun to move look as if they were collinear.
TEST(Causes, PathsAreNotTakenForCollinearColumns) {
  MadeDraws made(300);
  for (int j = 0; j < 4; ++j)
    made.add("x" + std::to_string(j), 0.9, [j](Index chain, Index i, double z) {
      return 0.002 * as_double(i) * (j + 1) + 0.3 * as_double(chain) + 0.02 * z;
    });
  made.facts.prior_sd = {1, 1, 1, 1};
  EXPECT_FALSE(made.says("collinear")) << all_reasons(made);
  EXPECT_FALSE(made.says("direction ")) << all_reasons(made);
}

TEST(Causes, WarningsOfSetUpCount) {
  MadeDraws made;
  made.add("a", 0.98);
  made.facts.warnings = {"collinear columns: the data and the columns before it determine b"};
  EXPECT_TRUE(made.says("set-up found collinear columns")) << all_reasons(made);
  made.facts.warnings.emplace_back("too few rows: 31 coefficients fit 20 rows without error");
  EXPECT_TRUE(made.says("set-up found too few rows")) << all_reasons(made);
  EXPECT_FALSE(made.says("leave one of them out")) << all_reasons(made);
}

// With a condition number of 400 a Langevin step that suits the narrow direction moves slowly along the wide one.
TEST(Causes, ALongDirectionIsToldWithItsRatio) {
  MadeDraws made(2000);
  std::vector<double> slow;
  made.add("a", 0.97, [&](Index, Index, double z) {
    slow.push_back(z);
    return z;
  });
  made.add("b", 0,
           [&](Index chain, Index i, double z) { return slow[static_cast<std::size_t>(chain * 2000 + i)] + 0.05 * z; });
  made.add("c", 0.1);
  for (std::size_t i = 0; i < slow.size(); ++i) made.draws.values[0][i] += 0.02 * made.draws.values[2][i];
  const std::string text = all_reasons(made);
  EXPECT_TRUE(made.says("the slowest direction (a, b) has ESS ")) << text;
  EXPECT_TRUE(made.says("sampler.precondition = \"full\"")) << text;
  EXPECT_FALSE(made.says("times longer")) << text;
  made.facts.precondition = "full";  // the posterior's shape no longer matters, so more iterations help
  EXPECT_FALSE(made.says("direction")) << all_reasons(made);
  EXPECT_TRUE(made.says("times longer"));
}

// Behind a likelihood that is flat, a coefficient with the prior N(0, 2.5²) has the law of |N(0, 2.5²)|. Where 80 rows
// are told apart without error by a column, nuts gave the mean 6.5 and the sd 1.4.
TEST(Causes, SeparationIsWhatOnlyThePriorStops) {
  for (const bool flat : {true, false}) {
    MadeDraws made;
    made.facts.model = "logistic";
    made.facts.prior_sd = {2.5, 2.5};
    made.add("age", 0.98, [&](Index, Index, double z) { return flat ? 2.5 * std::abs(z) : 6.5 + 1.4 * z; });
    made.add("intercept");
    EXPECT_TRUE(made.says("without error by age,")) << all_reasons(made);
    EXPECT_EQ(cautions(made.facts, made.parameters(), &made.draws).size(), 1u);
    made.facts.model = "linear";
    EXPECT_FALSE(made.says("separation"));
    EXPECT_TRUE(cautions(made.facts, made.parameters(), &made.draws).empty());
  }
}

TEST(Causes, ALargeCoefficientIsNoSeparation) {
  MadeDraws made;
  made.facts.model = "logistic";
  made.facts.prior_sd = {2.5, 2.5};
  made.add("age", 0.98, [](Index, Index, double z) { return 5 + 1.1 * z; });        // the data determine it
  made.add("intercept", 0.98, [](Index, Index, double z) { return 2 + 1.4 * z; });  // within chance of zero
  EXPECT_FALSE(made.says("separation")) << all_reasons(made);
}

// Draws of the coefficient β of a level of 40 rows with so many events, where the log odds elsewhere are -3 and the
// prior is N(0, 12²), by the inverse of the distribution function.
std::vector<double> draws_of_level(int events, const std::vector<double>& normals) {
  constexpr int kPlaces = 6000;
  constexpr double kReach = 60;
  std::vector<double> at, up_to;
  double sum = 0;
  for (int k = 0; k < kPlaces; ++k) {
    at.push_back(kReach * (2.0 * k / kPlaces - 1));
    const double z = at.back() - 3;
    sum += std::exp(events * z - 40 * std::log1p(std::exp(z)) - 0.5 * at.back() * at.back() / 144);
    up_to.push_back(sum);
  }
  std::vector<double> out;
  for (const double z : normals) {
    const double part = 0.5 * std::erfc(-z / std::sqrt(2.0)) * sum;
    out.push_back(at[static_cast<std::size_t>(std::ranges::lower_bound(up_to, part) - up_to.begin())]);
  }
  return out;
}

// Without an event the likelihood is flat on one side, and the prior's tail is what is seen there. One event is enough
// for a maximum.
TEST(Causes, ALevelWithoutEventsSeparatesAndOneEventIsEnough) {
  for (const int events : {0, 1}) {
    MadeDraws made(2000);
    made.facts.model = "logistic";
    made.facts.prior_sd = {12, 12};
    std::vector<double> normals;
    made.add("site", 0.5, [&](Index, Index, double z) {
      normals.push_back(z);
      return z;
    });
    made.add("ward=d", 0.5);
    made.draws.values[1] = draws_of_level(events, normals);
    const std::vector<std::string> lines = cautions(made.facts, made.parameters(), &made.draws);
    ASSERT_EQ(lines.size(), events == 0 ? 1u : 0u);
    EXPECT_TRUE(events == 1 || lines[0].find("without error by ward=d,") != std::string::npos) << lines[0];
  }
}

// All coefficients of softmax move together with the prior, so that only their differences show separation.
TEST(Causes, DifferencesOfClassesShowSeparation) {
  for (const bool flat : {false, true}) {
    MadeDraws made(2000);
    made.facts.model = "softmax";
    made.facts.prior_sd = {8, 8, 8};
    std::vector<double> common;
    made.add("u: kind=c", 0.5, [&](Index, Index, double z) {
      common.push_back(8 / std::sqrt(3.0) * z);
      return common.back();
    });
    const auto beside = [&](double part) {
      return [&, part](Index chain, Index i, double z) {
        const double apart = flat ? 8 * std::abs(z) : z;  // as wide as the prior, or told by the data
        return common[static_cast<std::size_t>(chain * 2000 + i)] + part * apart;
      };
    };
    made.add("v: kind=c", 0.5, beside(0.1));
    made.add("w: kind=c", 0.5, beside(1));
    const std::vector<std::string> lines = cautions(made.facts, made.parameters(), &made.draws);
    ASSERT_EQ(lines.size(), flat ? 1u : 0u);
    EXPECT_TRUE(!flat || lines[0].find("w: kind=c") != std::string::npos) << lines[0];
  }
}

TEST(Causes, ACoefficientThatGrowsWithoutEndIsSeparation) {
  MadeDraws made;
  made.facts.model = "softmax";
  made.add("b: x", 0, [](Index, Index i, double z) { return -10 - 0.02 * as_double(i) + z; });
  EXPECT_TRUE(made.says("separation")) << all_reasons(made);
  EXPECT_FALSE(made.says("times longer"));
}

TEST(Causes, AConstantColumnLeavesThePrior) {
  MadeDraws made;
  made.facts.prior_sd = {1, 1};
  made.add("always 1", 0.97);
  made.add("x", 0.5, [](Index, Index, double z) { return 3 + 0.1 * z; });
  EXPECT_TRUE(made.says("the data say nothing of always 1, as of a constant column")) << all_reasons(made);
}

TEST(Causes, ARunAwayScaleIsNamed) {
  MadeDraws made;
  made.add("height", 0.9);
  made.add("log_sigma", 0,
           [](Index chain, Index i, double z) { return (chain == 2 ? 0.01 * as_double(i) : 0) + 0.1 * z; });
  EXPECT_TRUE(made.says("log_sigma has run away (in one chain from 0.49")) << all_reasons(made);
  EXPECT_FALSE(made.says("times longer"));
}

TEST(Causes, OnlyTheModelsOwnScalesRunAway) {
  MadeDraws made;
  made.add("log_income", 0.95, [](Index, Index, double z) { return 20'000 + 4000 * z; });
  EXPECT_FALSE(made.says("has run away")) << all_reasons(made);
  EXPECT_TRUE(made.says("times longer"));
}

TEST(Causes, EarlyDrawsShowAShortBurnIn) {
  MadeDraws made(2000);
  made.add("a", 0, [](Index, Index i, double z) { return z + (i < 200 ? 0.6 : 0); });
  made.add("b");
  EXPECT_EQ(made.verdict().converged, false);
  EXPECT_TRUE(made.says("the first tenth of the draws of a is 0.")) << all_reasons(made);
  EXPECT_TRUE(made.says("run.burn_in = 1200")) << all_reasons(made);
}

// Independent draws raise no alarm: the limit allows 1 in 1000 for all parameters of a run together.
TEST(Causes, GoodDrawsRaiseNoAlarm) {
  MadeDraws made;
  for (int j = 0; j < 200; ++j) made.add("x" + std::to_string(j), 0.3);
  EXPECT_EQ(made.verdict().converged, true) << all_reasons(made);
}

}  // namespace
}  // namespace pollen::sink
