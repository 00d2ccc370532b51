// Forecasts of single causes of error, in combinations in which they are easily mistaken: each against an exact law, or
// against what must hold for any data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecasts.h"
#include "pollen/client.h"

namespace pollen {
namespace {

using forecasts::expect_near;
using forecasts::ratios;
using laws::Problem;
using stats::AveragingLawOptions;
using stats::GradientLawOptions;
using Who = GradientLawOptions::Participation;
using Code = GradientLawOptions::Compressor;
using ::testing::HasSubstr;
using Part = NoiseQuestion::Part;

// The forecast with which a run checks its own step. It is of first order also where there is an exact law.
SamplingForecast checked(const Problem& problem, Overrides overrides, double step) {
  overrides.push_back("sampler.step=" + std::to_string(step));
  Experiment experiment(read_config_text(problem.text, "t.toml", overrides));
  experiment.prepare();
  EXPECT_NE(experiment.forecast(), nullptr);
  return experiment.forecast() != nullptr ? *experiment.forecast() : SamplingForecast();
}

std::string obstacle_of(const Problem& problem, const Overrides& overrides) {
  Experiment experiment(read_config_text(problem.text, "t.toml", overrides));
  std::string why;
  EXPECT_FALSE(experiment.plan_forecast(false, why));
  return why;
}

// Three clients of equal curvature whose modes are far apart.
Problem alike() {
  Problem problem{"[model]\nkind = \"gaussian\"\nprior_sd = 10.0\n", {}, nullptr};
  const Eigen::Matrix2d precision = (Eigen::Matrix2d() << 1, 0.2, 0.2, 2).finished();
  problem.exact.prior_precision = Eigen::Vector2d::Constant(0.01);
  for (const Eigen::Vector2d& mean : {Eigen::Vector2d(30, 0), Eigen::Vector2d(-30, 5), Eigen::Vector2d(0, -40)}) {
    problem.text += fmt::format("[[client]]\nmean = [{}, {}]\nprecision = [[1, 0.2], [0.2, 2]]\n", mean(0), mean(1));
    problem.exact.clients.push_back({{{precision, precision * mean}}});
  }
  return problem;
}

// What is known of absent clients is as old as each client's own absence, not as the mean absence. With few clients,
// drawing empty rounds again makes them present more often.
TEST(ForecastCauses, ErrorFeedbackOfAbsentClients) {
  const Problem problem = laws::matrices();
  const Overrides elf{"sampler.name=d-elf", "sampler.compressor=rand-k", "sampler.k=2", "sampler.scaled=true",
                      "participation.policy=bernoulli"};
  const auto expect = [&](GradientLawOptions o, Overrides overrides, const char* name) {
    o.step = 0.004;
    o.up = Code::scaled_rand_k;
    o.k = 2;
    o.error_feedback = true;
    overrides.insert(overrides.begin(), elf.begin(), elf.end());
    expect_near(checked(problem, overrides, o.step),
                ratios(stats::gradient_family_law(problem.exact, o), problem.exact.target()), name);
  };
  GradientLawOptions o;
  o.participation = Who::bernoulli_inverse;
  o.probability = {0.9, 0.9, 0.1};
  expect(o, {"participation.probability=[0.9, 0.9, 0.1]"}, "unequal");
  o.participation = Who::bernoulli_active;
  o.probability = {0.2, 0.2, 0.2};
  expect(o, {"participation.probability=0.2"}, "active");
}

// Over K local steps the memory falls behind by K steps, and minibatches add √K where gradients add K.
TEST(ForecastCauses, CompressedChangesOfLocalSteps) {
  const Problem problem = laws::regression();
  const auto target = problem.exact.target();
  const auto expect = [&](AveragingLawOptions o, Overrides overrides, const char* name) {
    o.up = Code::rand_k;
    o.k = 1;
    overrides.insert(overrides.end(), {"sampler.name=fald", "sampler.compressor=rand-k", "sampler.k=1"});
    expect_near(checked(problem, overrides, o.step), ratios({averaging_family_law(problem.exact, o).front()}, target),
                name);
  };
  expect({.step = 0.006, .steps = 12, .memory = 0.5}, {"sampler.local_steps=12"}, "memory");
  expect({.step = 0.003, .steps = 12, .batch = 1},
         {"sampler.local_steps=12", "sampler.batch=1", "sampler.memory=false"}, "minibatches");
}

// With control variates clients of equal curvature take the same steps, however far apart their modes are, so that
// nothing is lost if some are absent.
TEST(ForecastCauses, ControlVariatesOfAbsentClients) {
  const Problem problem = alike();
  const Overrides all{"sampler.name=vr-fald*", "sampler.communicate=0.25"};
  Overrides some = all;
  some.insert(some.end(), {"participation.policy=fixed-size", "participation.size=1"});
  const SamplingForecast whole = checked(problem, all, 0.01), part = checked(problem, some, 0.01);
  EXPECT_NEAR(part.most_ratio, whole.most_ratio, 1e-6);
  EXPECT_NEAR(part.least_ratio, whole.least_ratio, 1e-6);
}

TEST(ForecastCauses, CombinationsWithoutAForecast) {
  const Problem problem = laws::regression(), unequal = laws::lopsided();
  EXPECT_THAT(obstacle_of(problem, {"sampler.name=custom", "sampler.oracle=minibatch", "sampler.batch=1",
                                    "sampler.error_feedback=true", "sampler.compressor=rand-k", "sampler.k=1",
                                    "sampler.scaled=true"}),
              HasSubstr("error feedback"));
  EXPECT_THAT(obstacle_of(problem, {"sampler.name=qlsd++", "sampler.compressor=rand-k", "sampler.k=1",
                                    "sampler.memory_rate=1.0"}),
              HasSubstr("memory_rate"));
  EXPECT_THAT(obstacle_of(unequal, {"sampler.name=fa-ld", "sampler.scheme=II", "participation.size=2",
                                    "sampler.allow_unbalanced=true"}),
              HasSubstr("unbalanced"));
}

TEST(ForecastCauses, AStepThatIsNotCheckedIsToldSo) {
  Experiment experiment(
      read_config_text(laws::matrices().text, "t.toml", {"sampler.name=d-elf", "sampler.k=1", "sampler.step=0.01"}));
  experiment.prepare();
  EXPECT_EQ(experiment.forecast(), nullptr);
  EXPECT_THAT(experiment.notes(), ::testing::Contains(HasSubstr("top-k")));
}

// The sum of a lower half, column by column.
Eigen::MatrixXd answer(Experiment& experiment, Part part, const Panel& directions) {
  const Index d = directions.rows();
  const NoiseQuestion question{part, 0};
  const std::vector<double> at(static_cast<std::size_t>(d), 0.1);
  Panel half(question.numbers(d), 1);
  experiment.questions().transport().query(
      {.what = Query::What::noise, .at = {at.data(), d, 1, d}, .direction = directions, .step = question.packed()},
      half);
  Eigen::MatrixXd result(d, d);
  const double* next = half.column(0).data();
  for (Index j = 0; j < d; ++j)
    for (Index i = j; i < d; ++i) result(i, j) = result(j, i) = *next++;
  return result;
}

// The covariance of rand-k depends on second moments alone, which the other answers give. Only a part of the pairs of a
// row and a direction is looked at: it must not prefer some directions, and no rows that come at regular places.
TEST(ForecastCauses, RowsAndDirectionsThatAreLookedAtAreTypical) {
  constexpr Index d = 4;
  for (const int rows : {500, 1000, 2000}) {
    std::string data;
    for (int r = 0; r < rows; ++r)
      data += fmt::format("{}[{}, {}, {}, {}]", r > 0 ? ", " : "", r % 2 == 0 ? 9 : 1, std::cos(3.0 * r),
                          2 * std::sin(7.0 * r), std::cos(11.0 * r));
    const std::string text = "[model]\nkind = \"gaussian\"\n[[client]]\ndata = [" + data + "]\n";
    Experiment experiment(read_config_text(
        text, "t.toml",
        {"sampler.name=qlsd#", "sampler.batch=1", "sampler.compressor=rand-k", "sampler.k=1", "sampler.step=1e-6"}));
    Panel directions(d, d);
    for (Index j = 0; j < d; ++j) directions.column(j)[static_cast<std::size_t>(j)] = 1 + static_cast<double>(j);
    const Eigen::MatrixXd minibatch = answer(experiment, Part::minibatch, directions);
    double at_mode = 0;
    for (int r = 0; r < rows; ++r) at_mode += std::pow((r % 2 == 0 ? 9 : 1) - 5, 2);
    EXPECT_NEAR(minibatch(0, 0), rows * at_mode, 0.05 * rows * at_mode) << rows << " rows";
    const Eigen::MatrixXd moments = answer(experiment, Part::participation, directions) + minibatch;
    const Eigen::VectorXd coded = answer(experiment, Part::compression, directions).diagonal();
    const Eigen::VectorXd wanted = (d - 1) * moments.diagonal();
    EXPECT_LT((coded - wanted).cwiseQuotient(wanted).cwiseAbs().maxCoeff(), 0.1) << rows << " rows\n"
                                                                                 << coded << "\n\n"
                                                                                 << wanted;
  }
}

}  // namespace
}  // namespace pollen
