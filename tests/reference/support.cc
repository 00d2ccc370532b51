#include "support.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace pollen::reference {

using stats::QuadraticClient;

ReferenceProblem Federated::problem(Index chains, std::uint64_t seed, double temperature) const {
  ReferenceProblem result{{}, &prior, dimension, chains, temperature, seed};
  for (const auto& potential : potentials) result.clients.push_back(potential.get());
  return result;
}

stats::QuadraticProblem Federated::pooled() const {
  stats::QuadraticProblem result = exact;
  result.clients.assign(1, {});
  for (const QuadraticClient& client : exact.clients)
    result.clients[0].terms.insert(result.clients[0].terms.end(), client.terms.begin(), client.terms.end());
  return result;
}

void Federated::add_rows(const ModelSpec& spec, const std::vector<std::vector<double>>& rows) {
  const auto features = static_cast<std::size_t>(spec.features);
  auto values = std::make_shared<std::vector<double>>();
  for (const auto& row : rows) values->insert(values->end(), row.begin(), row.begin() + spec.features);
  for (const auto& row : rows) values->push_back(row[features]);
  const auto count = static_cast<Index>(rows.size());
  const Observations observations{{values->data(), count, spec.features, spec.features},
                                  values->data() + rows.size() * features};
  potentials.push_back(make_potential(spec, observations));
  memory.push_back(values);
  if (!spec.quadratic()) return;
  exact.clients.emplace_back();
  for (const auto& row : rows) {
    const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(row.data(), spec.features) / *spec.noise_sd;
    exact.clients.back().terms.push_back({x * x.transpose(), x * (row[features] / *spec.noise_sd)});
  }
}

namespace {

void set_prior(Federated& problem, const std::vector<double>& sd) {
  problem.prior = Prior::normal(sd);
  problem.dimension = static_cast<Index>(sd.size());
  problem.exact.prior_precision =
      Eigen::Map<const Eigen::VectorXd>(sd.data(), problem.dimension).array().square().inverse();
}

}  // namespace

Federated gaussians(const std::vector<std::vector<double>>& means, const std::vector<std::vector<double>>& precisions) {
  Federated result;
  result.dimension = std::ssize(means.front());
  result.prior = Prior::flat();
  result.exact.prior_precision = Eigen::VectorXd::Zero(result.dimension);
  for (std::size_t i = 0; i < means.size(); ++i) {
    result.potentials.push_back(make_gaussian(means[i], precisions[i]));
    const Eigen::MatrixXd curvature =
        Eigen::Map<const Eigen::MatrixXd>(precisions[i].data(), result.dimension, result.dimension);
    const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(means[i].data(), result.dimension);
    result.exact.clients.push_back({{{curvature, curvature * mean}}});
  }
  return result;
}

Federated matrices() {
  Federated result = gaussians({{1.0, -2.0, 0.5}, {0.0, 2.0, -1.0}, {-2.0, 0.5, 1.5}},
                               {{2.0, 0.3, 0.1, 0.3, 1.5, -0.2, 0.1, -0.2, 1.0},
                                {1.0, 0.0, 0.2, 0.0, 3.0, 0.4, 0.2, 0.4, 1.2},
                                {0.8, 0.1, 0.0, 0.1, 0.7, -0.1, 0.0, -0.1, 1.6}});
  set_prior(result, {1.0, 2.0, 0.8});
  return result;
}

Federated regression() {
  Federated result;
  set_prior(result, {1.0, 0.6});
  const ModelSpec spec{
      .family = &model_family("linear"), .features = 2, .noise_sd = 0.8, .feature_names = {}, .class_names = {}};
  result.add_rows(spec, {{1.2, 0.3, 1.0}, {-0.4, 0.9, -1.5}, {0.7, -1.1, 2.0}, {0.2, 0.4, 0.3}});
  result.add_rows(spec, {{0.9, 0.8, -0.5}, {-1.3, 0.2, 1.1}, {0.1, -0.6, 0.8}});
  result.add_rows(spec, {{1.1, -0.5, 2.2}, {0.3, 1.2, -2.0}, {-0.2, 0.1, 0.4}});
  return result;
}

Federated logistic() {
  Federated result;
  set_prior(result, {1.5, 1.5});
  const ModelSpec spec{
      .family = &model_family("logistic"), .features = 2, .noise_sd = {}, .feature_names = {}, .class_names = {}};
  int seed = 0;
  for (const int rows : {12, 8, 20}) {
    std::vector<std::vector<double>> table;
    for (int r = 0; r < rows; ++r, ++seed) {
      const double x = std::sin(1.3 * seed), y = std::cos(2.1 * seed) + 0.4 * (rows % 3);
      table.push_back({x, y, x - 0.7 * y + 0.8 * std::sin(5.7 * seed) > 0 ? 1.0 : 0.0});
    }
    result.add_rows(spec, table);
  }
  return result;
}

Panel start_at(const ReferenceProblem& problem, double value) {
  Panel panel(problem.dimension, problem.chains);
  fill(panel, value);
  return panel;
}

std::unique_ptr<Engine> started(const std::string& name, const ReferenceProblem& problem,
                                const ReferenceSettings& settings, double value) {
  auto engine = make_reference(name, problem, settings);
  engine->start(start_at(problem, value));
  return engine;
}

Sampled run(Engine& engine, const Federated& on, const Length& length) {
  const Eigen::VectorXd centre = on.exact.clients.empty() ? Eigen::VectorXd::Zero(on.dimension) : target_of(on).mean;
  std::vector<laws::Moments> moments(static_cast<std::size_t>(length.phases), laws::Moments(centre));
  while (engine.iteration() < length.burn_in + length.iterations) {
    engine.advance(1);
    if (engine.iteration() <= length.burn_in || !engine.emits()) continue;
    moments[static_cast<std::size_t>((engine.iteration() - 1) % length.phases)].add(engine.position());
  }
  Sampled result{{}, engine.counters()};
  for (const laws::Moments& part : moments) result.phases.push_back(part.estimate());
  return result;
}

stats::Law target_of(const Federated& on, double temperature) { return on.exact.target(temperature); }

void expect_law(const laws::Estimate& found, const stats::Law& law) {
  const double distance = laws::distance(found, law);
  EXPECT_LT(distance, kAgree) << "mean " << found.mean.transpose() << ", not " << law.mean.transpose()
                              << "\ncovariance\n"
                              << found.covariance << "\nnot\n"
                              << law.covariance;
  static int number = 0;  // a test may check several runs
  ::testing::Test::RecordProperty("worst_z_" + std::to_string(++number), std::to_string(distance));
}

}  // namespace pollen::reference
