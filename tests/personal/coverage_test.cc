// Intervals for the mean response of clients, over generated data sets (bench/mixed_coverage is the long version).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "pollen/random.h"
#include "run/experiment.h"

namespace pollen {
namespace {

constexpr Index kClients = 40, kAsked = 20;

// Data of one kind: y at x is normal with sd 6 around z_0 + z_1 x, or yes with the probability of the logit z_0 + z_1
// x.
struct Generated {
  bool classes;
  std::vector<std::array<double, 2>> z = {};

  double mean(std::size_t client, double x) const {
    const double eta = z[client][0] + z[client][1] * x;
    return classes ? 1 / (1 + std::exp(-eta)) : eta;
  }
  void write(const std::string& path, std::uint64_t seed) {
    Sequence draws(make_stream(seed, 0, Purpose::synthetic));
    std::ofstream file(path);
    file << "who,x,y\n";
    for (std::size_t i = 0; i < kClients; ++i) {
      if (classes)
        z.push_back({-0.5 + draws.normal(), 0.8});
      else
        z.push_back({50 + 8 * draws.normal(), 4 + 2 * draws.normal()});
      for (int r = 0; r < (classes ? 15 : 8); ++r) {
        const double x = classes ? 1.5 * draws.normal() : 7 * draws.uniform(), mean = this->mean(i, x);
        if (classes)
          file << fmt::format("c{},{},{}\n", i, x, draws.uniform() < mean ? "yes" : "no");
        else
          file << fmt::format("c{},{},{}\n", i, x, mean + 6 * draws.normal());
      }
    }
  }
};

// A table with the one row x, as the run has standardized it.
Table row_at(const Federation& data, double x) {
  Table out;
  out.rows = 1;
  out.columns = data.train.columns;
  out.stride = data.train.stride;
  out.x = Numbers(static_cast<std::size_t>(out.stride));
  out.x.data()[0] = 1;
  out.x.data()[1] = (x - data.scaling.mean[0]) / data.scaling.sd[0];
  return out;
}

class Coverage : public ::testing::TestWithParam<bool> {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // The share of the asked clients whose mean response at x is in its 90 % interval.
  double covered(std::uint64_t seed) const {
    Generated truth{GetParam()};
    truth.write(path_, seed);
    Experiment experiment(read_config_text(
        fmt::format("[model]\nkind = \"{}\"\n{}[data]\nsource = \"{}\"\ntarget = \"y\"\npartition = \"by-column\"\n"
                    "column = \"who\"\ntest_fraction = 0.0\n[run]\niterations = 400\nchains = 1\n",
                    GetParam() ? "mixed-logistic" : "mixed-gaussian",
                    GetParam() ? "" : "random = [\"intercept\", \"x\"]\n", path_),
        "test.toml"));
    experiment.prepare();
    Sink nobody;
    experiment.advance(400, nobody);
    const PersonalResults& personal = *experiment.personal();
    const Estimates estimates = personal.estimates();
    EXPECT_FALSE(estimates.covariance.empty()) << estimates.why;
    const Learnt learnt{personal.learnt(), estimates.own_covariance};
    const double x = GetParam() ? 1 : 5;
    const Table row = row_at(experiment.data(), x), none = row.part(0, 0);
    double inside = 0;
    for (Index i = 0; i < kAsked; ++i) {
      const Forecast f = personal.forecast({row, i, none}, learnt, 300, 0.9);
      const double low = GetParam() ? f.lower[0] : f.mean_lower[0], high = GetParam() ? f.upper[0] : f.mean_upper[0];
      const std::string& name = experiment.data().client_names[static_cast<std::size_t>(i)];
      const double mean = truth.mean(std::stoul(name.substr(1)), x);
      inside += low <= mean && mean <= high ? 1 : 0;
    }
    return inside / kAsked;
  }

  std::string path_ = fmt::format("{}coverage-{}.csv", ::testing::TempDir(), ::getpid());
};

// With 8 data sets and 20 clients of each, a share of 0.9 has a standard error of 0.024, and of 0.03 if a third of the
// variance is common to the clients of a data set.
TEST_P(Coverage, NineOfTenIntervalsHoldTheMeanResponse) {
  constexpr int kSets = 8;
  double share = 0;
  for (int n = 0; n < kSets; ++n) share += covered(100 + static_cast<std::uint64_t>(n)) / kSets;
  EXPECT_NEAR(share, 0.9, 3 * 0.03);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Coverage, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "logistic" : "gaussian"; });

}  // namespace
}  // namespace pollen
