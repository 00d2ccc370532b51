#include "forecasting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forecast_matrices.h"
#include "math/linear_algebra.h"
#include "model/units.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// H and the answers are d × d matrices, and each client takes 2d gradients.
constexpr Index kMostParameters = Coordinates::kMostFull;

}  // namespace

MatrixXd reported_directions(const ModelSpec& model, const Coordinates* coordinates, Index d) {
  Panel image = panel_of(MatrixXd::Identity(d, d)), zero(d, 1);
  if (coordinates != nullptr) coordinates->turn(panel_of(MatrixXd::Identity(d, d)), image);
  if (model.units == nullptr) return matrix_of(image);
  model.units->to_data(image);
  model.units->to_data(zero);
  return matrix_of(image).colwise() - matrix_of(zero).col(0);
}

std::string Forecasting::obstacle(const StatisticalProblem& problem) {
  if (problem.model.is_network()) return "a network, whose curvature at one position says little of others";
  if (!problem.shows_curvature) return "a client that does not show its whole curvature";
  if (problem.dimension() > kMostParameters) return fmt::format("more than {} parameters", kMostParameters);
  return {};
}

std::string Forecasting::obstacle(const Recipe& recipe, const StatisticalProblem& problem) {
  if (recipe.reference) return "a reference or a competitor";
  if (recipe.exact) return "a sampler whose step makes no error";
  if (recipe.personal) return "a model with latents";
  if (std::string why = obstacle(problem); !why.empty()) return why;
  const auto biased = [&](const CompressorSpec& spec) { return spec.kind == "top-k" && spec.k < problem.dimension(); };
  if (biased(recipe.up.compressor) || std::ranges::any_of(recipe.up.per_client, biased) ||
      biased(recipe.down.compressor))
    return "top-k, whose error depends on the path";
  if (recipe.up.memory == Memory::feedback &&
      !std::ranges::all_of(problem.rows, [&](Index n) { return recipe.batch.of(n) == n; }))
    return "minibatches with error feedback, whose noise stays in what is known of a client";
  if (recipe.up.memory == Memory::average && recipe.up.rate * (1 + most_omega(recipe.up, problem.dimension())) >= 2)
    return "a sampler.memory_rate so large that the memory may not settle";
  if (recipe.local && recipe.local->by_size && recipe.participation.policy == ParticipationPolicy::fixed_size &&
      !recipe.participation.replacement && std::ranges::max(problem.rows) > std::ranges::min(problem.rows) + 1)
    return "scheme II on unbalanced data, whose averages are biased";
  if (recipe.local && recipe.local->clip) return "clipped gradients, which have another mean";
  if (recipe.local && recipe.local->decaying) return "a decaying step, which has no stationary law";
  return {};
}

double Forecasting::work(const StatisticalProblem& problem, Index clients) {
  const auto d = static_cast<double>(problem.dimension()), all = static_cast<double>(problem.clients());
  const double rows = std::accumulate(problem.rows.begin(), problem.rows.end(), 0.0);
  return (rows + all) * d * 8 * d * (clients > 0 ? std::min(1.0, static_cast<double>(clients) / all) : 1);
}

Forecasting::Forecasting(const ForecastSubject& subject) : subject_(subject), labels_(subject.problem.model.labels()) {
  const Index d = subject.problem.dimension();
  plan::GaussianSums sums;
  hessian_ = sums.hessian = matrix_of(subject.questions.hessian(subject.questions.mode(), subject.sample));
  const math::Eigenpairs eigen = math::symmetric_eigen(hessian_);
  if (!(eigen.values.minCoeff() > 1e-12 * eigen.values.maxCoeff()))
    throw std::domain_error("the posterior is flat in some direction at its mode");
  const VectorXd spread = (dynamics().temperature * dynamics().heat * eigen.values.cwiseInverse()).cwiseSqrt();
  directions_ = panel_of(eigen.vectors * spread.asDiagonal());
  sums.to_theta = reported_directions(subject.problem.model, subject.coordinates.get(), d);
  if (const ModelSpec& model = subject.problem.model;
      model.family != nullptr && model.family->has_normal_errors(model)) {
    sums.scale = sums.to_theta.row(d - 1).transpose();
    sums.of_rows = hessian_ - prior_curvature(subject.problem.prior, d);
  }
  ask_noise(sums);
  ask_local(sums);
  forecaster_.emplace(sums, dynamics());
  look_around(reported_directions({}, subject.coordinates.get(), d));  // draws may not depend on reported units
  if (subject.exact_work == 0) return;
  not_exact_ = plan::exact_obstacle(subject.recipe, subject.problem.rows, d, subject.exact_work);
  if (std::ssize(subject.problem.potentials) != subject.problem.clients())
    not_exact_ = "clients of other processes, whose Hessians are not seen";
  if (not_exact_.empty()) see_clients();
}

plan::Forecast Forecasting::at(double step) const {
  if (!visible_) return forecaster_->at(step);
  Recipe recipe = subject_.recipe;
  recipe.step.size = step;
  try {
    const stats::Law law = plan::exact_law(*visible_, recipe);
    return forecaster_->with_law(step, law.mean, law.covariance);
  } catch (const std::domain_error&) {
    return forecaster_->unstable(step);
  } catch (const std::invalid_argument&) {  // too much to list
    return forecaster_->at(step);
  }
}

// The bound on a logistic model's curvature is that of events with probability ½. Where events are rare or classes well
// apart, it is far above the curvature near the mode. This step is stable if the curvature elsewhere is eight times as
// large, also with local steps of the client that bends most.
double Forecasting::most_near_mode() const {
  double most = forecaster_->stable() / 8;
  const plan::Dynamics how = dynamics();
  if (local_curvature_ > 0) most = std::min(most, 0.5 / (local_curvature_ * how.mean_steps * how.unit));
  return most;
}

// The search goes through Eigen and libm, whose last bits may differ between machines. A step of twenty bits hides
// that, so that draws are the same everywhere.
plan::StepChoice Forecasting::choose(double iterations, double most) const {
  plan::StepChoice choice = plan::choose_step(
      *forecaster_,
      {.iterations = iterations, .chains = static_cast<double>(subject_.run.chains), .most = most_allowed(most)});
  int exponent = 0;
  const double part = std::frexp(choice.step, &exponent);
  choice.step = std::ldexp(std::floor(part * 0x1p20) * 0x1p-20, exponent);
  return choice;
}

// The largest step that keeps a bound on the curvature, or the caution that is in its place near the mode.
double Forecasting::most_allowed(double most) const {
  if (subject_.problem.curvature_is_bound) most = std::max(most, most_near_mode());
  return most > 0 ? std::min(most, room_) : room_;
}

std::optional<plan::Forecast> Forecasting::largest(const plan::Tolerance& tolerance, double most) const {
  const plan::StepChoice choice = plan::choose_step(*forecaster_, {.most = most_allowed(most), .tolerance = tolerance});
  constexpr int kTries = 20;  // an exact law differs little from the first order at such a step
  double step = choice.within;
  for (int n = 0; n < kTries && step > 0; ++n, step *= 0.97)
    if (plan::Forecast found = at(step); plan::within(found, tolerance)) return found;
  return std::nullopt;
}

// The largest step up to that of the forecast which keeps the tolerances; 0 if none does.
double Forecasting::step_within(const plan::Forecast& forecast) const {
  double step = plan::choose_step(*forecaster_, {.most = forecast.step, .tolerance = {.ess = 0}}).within;
  constexpr int kTries = 5;  // an exact law differs little from the first order at such a step
  for (int n = 0; n < kTries && forecast.exact && step > 0 && !plan::within(at(step)); ++n) step *= 0.97;
  return step;
}

SamplingForecast Forecasting::describe(const plan::Forecast& forecast) const {
  SamplingForecast result;
  result.step = forecast.step;
  result.least_ratio = forecast.ratio.minCoeff();
  result.most_ratio = forecast.ratio.maxCoeff();
  result.widest = labels_[static_cast<std::size_t>(forecast.widest())];
  result.bias = std::abs(forecast.bias(forecast.biased()));
  result.most_biased = labels_[static_cast<std::size_t>(forecast.biased())];
  result.tau = forecast.slowest();
  result.exact = forecast.exact;
  result.ok = plan::within(forecast);
  result.cause = plan::name_of(forecast.worst());
  result.step_within = result.ok ? forecast.step : step_within(forecast);
  constexpr double kSlack = 1.5;
  if (!(forecast.step > kSlack * room_)) return result;
  if (result.ok) result.cause = "a posterior that bends much more than at its mode";
  result.ok = false;
  result.step_within = std::min(result.step_within, room_);
  return result;
}

}  // namespace pollen
