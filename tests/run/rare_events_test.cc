// Logistic regressions with few events: the posterior against quadrature, what an effective draw costs, and the plan.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "pollen/random.h"
#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen {
namespace {

constexpr int kDoses = 10;

// Rows of doses 0 to 9, of which few have the event.
class RareEvents : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string write(int rows, int events) {
    std::ofstream csv(path_);
    csv << "site,dose,ill\n";
    Sequence random(make_stream(17, 0, Purpose::synthetic));
    count_ = ill_ = {};
    for (int r = 0; r < rows; ++r) {
      const int dose = static_cast<int>(random.below(kDoses));
      ++count_[static_cast<std::size_t>(dose)];
      doses_.push_back(dose);
    }
    std::vector<bool> event(doses_.size());
    for (int n = 0; n < events;) {  // high doses have more of them
      const auto r = static_cast<std::size_t>(random.below(doses_.size()));
      if (event[r] || random.uniform() > std::exp(0.2 * (doses_[r] - 9))) continue;
      event[r] = true;
      ++ill_[static_cast<std::size_t>(doses_[r])];
      ++n;
    }
    for (std::size_t r = 0; r < doses_.size(); ++r)
      csv << fmt::format("s{},{},{}\n", r % 4, doses_[r], event[r] ? "yes" : "no");
    doses_.clear();
    return fmt::format(
        "[model]\nkind = \"logistic\"\n[data]\nsource = \"{}\"\ntarget = \"ill\"\npartition = \"by-column\"\ncolumn = "
        "\"site\"\ntest_fraction = 0.0\n[sampler]\nname = \"lsd\"\n",
        path_);
  }

  // Means and standard deviations of (intercept, dose) under the documented prior, on a grid around the mode.
  struct Moments {
    std::array<double, 2> mean{}, sd{};
  };
  Moments quadrature(std::array<double, 2> centre, std::array<double, 2> width) const {
    double rows = 0, mean = 0, square = 0;
    for (std::size_t x = 0; x < kDoses; ++x) {
      const auto dose = static_cast<double>(x);
      rows += count_[x];
      mean += count_[x] * dose;
      square += count_[x] * dose * dose;
    }
    mean /= rows;
    const double s = std::sqrt(square / rows - mean * mean);
    constexpr int kSide = 240;
    double total = 0, highest = -INFINITY;
    std::array<double, 2> first{}, second{};
    const auto each = [&](const auto& visit) {
      for (int i = -kSide; i <= kSide; ++i)
        for (int j = -kSide; j <= kSide; ++j) {  // at the columns' mean the intercept hardly depends on the slope
          const double at_mean = centre[0] + width[0] * i / kSide, slope = centre[1] + width[1] * j / kSide;
          double log_p = -0.5 * std::pow(at_mean / 2.5, 2) - 0.5 * std::pow(slope * s / 2.5, 2);
          for (std::size_t x = 0; x < kDoses; ++x) {
            const double eta = at_mean + slope * (static_cast<double>(x) - mean);
            log_p += ill_[x] * eta - count_[x] * std::log1p(std::exp(eta));
          }
          visit(log_p, std::array{at_mean - slope * mean, slope});
        }
    };
    each([&](double log_p, const auto&) { highest = std::max(highest, log_p); });
    each([&](double log_p, const std::array<double, 2>& theta) {
      const double p = std::exp(log_p - highest);
      total += p;
      for (std::size_t k = 0; k < 2; ++k) first[k] += p * theta[k], second[k] += p * theta[k] * theta[k];
    });
    Moments m;
    for (std::size_t k = 0; k < 2; ++k) {
      m.mean[k] = first[k] / total;
      m.sd[k] = std::sqrt(second[k] / total - m.mean[k] * m.mean[k]);
    }
    return m;
  }

  std::array<double, kDoses> count_{}, ill_{};
  std::vector<int> doses_;
  std::string path_ = fmt::format("{}rare-{}.csv", ::testing::TempDir(), ::getpid());
};

// The bound on the curvature is that of events with probability ½, here 80 times the curvature at the mode.
TEST_F(RareEvents, CostNoMoreThanOthersAndHaveTheirPosterior) {
  const std::string text = write(8000, 24);
  Experiment experiment(read_config_text(text, "test.toml", {"run.iterations=20000"}), {.threads = 1});
  experiment.prepare();
  ASSERT_NE(experiment.forecast(), nullptr);
  EXPECT_LT(experiment.forecast()->tau, 60);
  for (const std::string& warning : experiment.warnings()) ADD_FAILURE() << warning;
  testing::Collect collect;
  experiment.advance(20000, collect);
  const Moments exact = quadrature({-6.1, 0.17}, {2, 0.6});
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> all;
    for (const auto& chain : collect.draws)
      for (std::size_t t = k; t < chain.size(); t += 2) all.push_back(chain[t]);
    double mean = 0, square = 0;
    for (const double x : all) mean += x / static_cast<double>(all.size());
    for (const double x : all) square += (x - mean) * (x - mean) / static_cast<double>(all.size());
    const double ess = stats::ess_bulk({all, experiment.config().run.chains});
    EXPECT_GT(ess, 1000);
    EXPECT_NEAR(mean, exact.mean[k], (0.1 + 3 / std::sqrt(ess)) * exact.sd[k]) << k;
    EXPECT_NEAR(std::sqrt(square), exact.sd[k], 0.1 * exact.sd[k]) << k;
  }
}

// A repetition with the step as a number is not warned of a bound that the step was allowed to pass, and the plan of a
// run says the step that the run takes.
TEST_F(RareEvents, PlanAndRunAndRepetitionAgree) {
  const std::string text = write(8000, 24);
  Experiment run(read_config_text(text, "test.toml", {}));
  run.prepare();
  const double step = *run.config().sampler.step;
  Experiment again(
      read_config_text(text, "test.toml", {fmt::format("sampler.step={}", step), "sampler.precondition=full"}));
  again.prepare();
  EXPECT_TRUE(again.warnings().empty());
  Experiment planned(read_config_text(text, "test.toml", {}));
  std::string why;
  const auto forecast = planned.plan_forecast(false, why);
  ASSERT_TRUE(forecast) << why;
  EXPECT_EQ(forecast->step, step);
}

}  // namespace
}  // namespace pollen
