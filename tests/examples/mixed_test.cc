// examples/mixed.toml must find what the closed form of the linear mixed model gives.
#include <gtest/gtest.h>

#include "run/experiment.h"
#include "stats/mixed_law.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

// The model is reaction ~ 1 + days + (1 + days || subject) on data like lme4's sleepstudy, with the exact maximum
// likelihood.
TEST(MixedExample, FindsTheMaximumLikelihood) {
  Experiment experiment(read_config_file(pollen::source_dir() + "/examples/mixed.toml",
                                         {"data.test_fraction=0.0", "run.iterations=8000"}));
  experiment.prepare();
  Sink nobody;
  experiment.advance(8000, nobody);
  const Federation& data = experiment.data();
  std::vector<stats::MixedClient> clients;
  for (Index i = 0; i < data.clients(); ++i) {
    const Index n = data.train_rows(i), first = data.train_begin[static_cast<std::size_t>(i)];
    stats::MixedClient client;
    client.random.resize(n, 2);
    client.y.resize(n);
    for (Index r = 0; r < n; ++r) {
      for (Index j = 0; j < 2; ++j) client.random(r, j) = data.train.view().row(first + r)[j];
      client.y(r) = data.train.y[static_cast<std::size_t>(first + r)];
    }
    clients.push_back(client);
  }
  stats::MixedParameters start;
  start.mean = Eigen::VectorXd::Zero(2);
  start.log_sd = Eigen::VectorXd::Zero(2);
  const stats::MixedParameters mle = stats::mixed_mle(clients, start);
  const double exact[] = {mle.log_noise, mle.mean[0], mle.mean[1], mle.log_sd[0], mle.log_sd[1]};
  const double close[] = {0.01, 0.02, 0.005, 0.05, 0.05};  // a tenth to a quarter of the standard errors
  for (std::size_t j = 0; j < 5; ++j) {
    double mean = 0;
    for (Index c = 0; c < 4; ++c) mean += experiment.personal()->averaged().column(c)[j] / 4;
    EXPECT_NEAR(mean, exact[j], close[j]) << experiment.labels()[j];
  }
}

}  // namespace
}  // namespace pollen
