#include "forecasting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/linear_algebra.h"
#include "math/math.h"
#include "model/units.h"
#include "pollen/compress.h"
#include "pollen/plan.h"
#include "round/client_host.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using plan::Cause;
using Part = NoiseQuestion::Part;

constexpr Index kMostParameters = 1000;  // H and the answers are d × d matrices, and each client takes 2d gradients

MatrixXd matrix_of(ConstPanelView view) {
  MatrixXd result(view.rows, view.columns);
  for (Index c = 0; c < view.columns; ++c) std::ranges::copy(view.column(c), result.col(c).begin());
  return result;
}

Panel panel_of(const MatrixXd& matrix) {
  Panel result(matrix.rows(), matrix.cols());
  for (Index c = 0; c < matrix.cols(); ++c) std::ranges::copy(matrix.col(c), result.column(c).begin());
  return result;
}

MatrixXd from_lower_half(const VectorXd& half, Index d) {
  MatrixXd result(d, d);
  for (Index j = 0, at = 0; j < d; ++j)
    for (Index i = j; i < d; ++i) result(i, j) = result(j, i) = half(at++);
  return result;
}

MatrixXd prior_curvature(const Prior& prior, Index d) {
  Panel result(d, d);
  std::vector<double> unit(static_cast<std::size_t>(d));
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    prior.add_curvature(unit, 1.0, result.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
  return matrix_of(result);
}

VectorXd prior_gradient(const Prior& prior, const std::vector<double>& at) {
  std::vector<double> gradient(at.size());
  prior.add_gradient(at, 1.0, gradient);
  return VectorXd::Map(gradient.data(), std::ssize(gradient));
}

// With weights w_i of the clients' messages, Var Σ w_i v_i = Σ own_i v_i v_iᵀ + common (Σ v_i)(Σ v_i)ᵀ and E w_i² =
// square_i. These are the factors that all clients share; Client::noise() has those in which they differ.
struct Presence {
  double own = 1, common = 0, square = 1;
  double chance = 1;  // that a client takes part
  double excess = 0;  // the mean of E w_i² - 1
};

Presence presence_of(const Participation& who, Index clients) {
  const auto b = static_cast<double>(clients), s = static_cast<double>(who.size);
  if (!who.partial(clients)) return {.own = 0};
  if (who.policy == ParticipationPolicy::bernoulli && who.scaling == Scaling::inverse_probability) {
    double inverse = 0, chance = 0;
    for (const double p : who.probability) inverse += 1 / p, chance += p;
    const auto count = static_cast<double>(who.probability.size());
    return {.chance = chance / count, .excess = inverse / count - 1};
  }
  if (who.policy == ParticipationPolicy::fixed_size && who.replacement)
    return {.common = -1 / s, .chance = 1 - std::pow(1 - 1 / b, s), .excess = (b - 1) / s};
  const bool coins = who.policy == ParticipationPolicy::bernoulli;
  const double inverse = coins ? plan::mean_inverse_share(b, who.probability.front()) : b / s;
  const double own = (inverse - 1) * b / (b - 1), common = (1 - inverse) / (b - 1);
  const double p = coins ? who.probability.front() : 0;
  return {own, common, inverse, coins ? p / (1 - std::pow(1 - p, b)) : s / b, inverse - 1};
}

// How much of a change the compressor passes on in the mean.
double passes(const CompressorSpec& spec, Index dimension) {
  const auto compressor = make_compressor(spec, dimension);
  return compressor->unbiased() ? 1 : compressor->alpha(dimension);
}

// Whether what error feedback knows is older for some clients than for others.
bool ages_differ(const Recipe& recipe, Index clients) {
  const Participation& who = recipe.participation;
  return !recipe.up.per_client.empty() || (who.partial(clients) && (who.probability.size() > 1 || who.replacement));
}

double most_omega(const Uplink& up, Index dimension) {
  double most = up.per_client.empty() ? make_compressor(up.compressor, dimension)->omega(dimension) : 0;
  for (const CompressorSpec& spec : up.per_client)
    most = std::max(most, make_compressor(spec, dimension)->omega(dimension));
  return most;
}

// The linear part of the map from the coordinates of the run to the parameters as they are reported.
MatrixXd reported_directions(const ModelSpec& model, const Coordinates* coordinates, Index d) {
  Panel image = panel_of(MatrixXd::Identity(d, d)), zero(d, 1);
  if (coordinates != nullptr) coordinates->turn(panel_of(MatrixXd::Identity(d, d)), image);
  if (model.units == nullptr) return matrix_of(image);
  model.units->to_data(image);
  model.units->to_data(zero);
  return matrix_of(image).colwise() - matrix_of(zero).col(0);
}

bool compresses(const Uplink& up) { return up.compressor.compresses() || !up.per_client.empty(); }

}  // namespace

std::string Forecasting::obstacle(const Recipe& recipe, const StatisticalProblem& problem) {
  if (recipe.reference) return "a reference or a competitor";
  if (recipe.personal) return "a model with latents";
  if (problem.model.is_network()) return "a network, whose curvature at one position says little of others";
  if (!problem.shows_curvature) return "a client that does not show its whole curvature";
  if (problem.dimension() > kMostParameters) return fmt::format("more than {} parameters", kMostParameters);
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

double Forecasting::work(const StatisticalProblem& problem) {
  const auto d = static_cast<double>(problem.dimension());
  const double rows = std::accumulate(problem.rows.begin(), problem.rows.end(), 0.0);
  return (rows + static_cast<double>(problem.clients())) * d * 8 * d;
}

Forecasting::Forecasting(const ForecastSubject& subject) : subject_(subject), labels_(subject.problem.model.labels()) {
  const Index d = subject.problem.dimension();
  plan::GaussianSums sums;
  hessian_ = sums.hessian = matrix_of(subject.questions.hessian(subject.questions.mode(), true));
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
  if (subject.exact_work == 0) return;
  not_exact_ = plan::exact_obstacle(subject.recipe, subject.problem.rows, d, subject.exact_work);
  if (std::ssize(subject.problem.potentials) != subject.problem.clients())
    not_exact_ = "clients of other processes, whose Hessians are not seen";
  if (not_exact_.empty()) see_clients();
}

VectorXd Forecasting::ask(Part part, Index rows) {
  const std::vector<double>& at = subject_.questions.mode();
  const auto d = std::ssize(at);
  const NoiseQuestion question{part, rows};
  Panel answer(question.numbers(d), 1);
  subject_.questions.transport().query(
      {.what = Query::What::noise, .at = {at.data(), d, 1, d}, .direction = directions_, .step = question.packed()},
      answer);
  exchanges_.push_back({.down_bits = 64 * d * (d + 1), .up_bits = 64 * question.numbers(d), .columns = 2 * d});
  return VectorXd::Map(answer.column(0).data(), question.numbers(d));
}

// The noise of the gradient, cause by cause. With a memory η_i of what client i sent, messages are H_i - η_i, so that
// the terms at the mode vanish; what is left are the terms of positions around it, which are marked from_memory, and
// the noise that minibatches leave in the memory, in the proportion f to theirs.
void Forecasting::ask_noise(plan::GaussianSums& sums) {
  const Recipe& recipe = subject_.recipe;
  const auto d = hessian_.rows();
  const std::span<const Index> sizes = subject_.problem.rows;
  const Index clients = subject_.problem.clients(), rows = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  const Presence presence = presence_of(recipe.participation, clients);
  const bool memory = recipe.up.memory == Memory::average, feedback = recipe.up.memory == Memory::feedback;
  const bool control = recipe.oracle == OracleKind::control, anchored = recipe.oracle == OracleKind::svrg || control;
  const bool drawn = std::ranges::any_of(sizes, [&](Index n) { return recipe.batch.of(n) < n; });
  const double longer = recipe.local ? recipe.local->mean_square_steps() : 1;  // a whole round's change is weighted
  const MatrixXd s = dynamics().temperature * dynamics().heat * math::LinearSystem(hessian_).inverse();
  const auto matrix = [&](Part part) { return from_lower_half(ask(part, rows), d); };
  const auto add = [&](Cause cause, MatrixXd covariance, bool from_anchor, bool from_memory) {
    sums.noise.push_back({cause, std::move(covariance), from_anchor, from_memory});
  };
  const MatrixXd prior = recipe.prior_on_server ? prior_curvature(subject_.problem.prior, d) : MatrixXd::Zero(d, d);
  if (recipe.participation.partial(clients) && !feedback) {
    const MatrixXd all = hessian_ - prior;  // Σ H_i
    MatrixXd noise = presence.own * matrix(Part::participation) + presence.common * all * s * all;
    if (!memory && recipe.oracle != OracleKind::fixed_point && recipe.prior_on_server) {
      const VectorXd sum = prior_gradient(subject_.problem.prior, subject_.questions.mode());  // -Σ g_i
      noise += presence.common * sum * sum.transpose();
    }
    // With control variates, clients at the anchor move alike, so that absent ones are not missed.
    add(Cause::participation, longer * noise, control, memory && !control);
  }
  MatrixXd minibatch;
  if (drawn) add(Cause::minibatch, minibatch = presence.square * matrix(Part::minibatch), anchored, false);
  if (compresses(recipe.up) && !feedback)
    add(Cause::compression, presence.square * matrix(Part::compression), false, memory);
  if (!memory || !drawn) return;
  const double rate = recipe.up.rate * (1 + most_omega(recipe.up, d)), f = rate / (2 - rate);
  if (presence.excess > 0)
    add(Cause::participation, presence.excess / (1 + presence.excess) * f * minibatch, anchored, false);
  if (compresses(recipe.up))
    add(Cause::compression, presence.square * (1 + f) * matrix(Part::row_compression), anchored, false);
}

// What local steps and error feedback do without noise.
void Forecasting::ask_local(plan::GaussianSums& sums) {
  const Recipe& recipe = subject_.recipe;
  const auto d = hessian_.rows();
  if (recipe.local && dynamics().further_steps > 0) {
    sums.squares = from_lower_half(ask(Part::squares, 0), d);
    if (recipe.oracle != OracleKind::control) sums.drift = ask(Part::drift, 0);
  }
  const Index clients = subject_.problem.clients();
  const bool feedback = recipe.up.memory == Memory::feedback, differ = feedback && ages_differ(recipe, clients);
  double lag = 0;
  if (feedback && !differ)
    lag = 1 / (presence_of(recipe.participation, clients).chance * passes(recipe.up.compressor, d)) - 1;
  if (recipe.down.feedback) lag += 1 / passes(recipe.down.compressor, d) - 1;
  if (lag == 0 && !differ) return;
  sums.delayed = lag * hessian_;
  if (recipe.prior_on_server) sums.delayed -= lag * prior_curvature(subject_.problem.prior, d);
  if (!differ) return;
  const std::span<const Index> sizes = subject_.problem.rows;
  sums.delayed += from_lower_half(ask(Part::delay, std::accumulate(sizes.begin(), sizes.end(), Index{0})), d);
}

plan::Dynamics Forecasting::dynamics() const {
  const Recipe& recipe = subject_.recipe;
  const Index clients = subject_.problem.clients();
  const Presence presence = presence_of(recipe.participation, clients);
  plan::Dynamics dynamics;
  dynamics.temperature = recipe.temperature;
  dynamics.presence = presence.chance;
  dynamics.stride = static_cast<double>(subject_.run.thin);
  if (recipe.oracle == OracleKind::svrg) dynamics.anchor_rounds = static_cast<double>(recipe.refresh);
  if (recipe.up.memory == Memory::average) {
    dynamics.memory_rate = recipe.up.rate;
    dynamics.omega = most_omega(recipe.up, subject_.problem.dimension());
  }
  if (!recipe.local) return dynamics;
  const LocalSteps& local = *recipe.local;
  dynamics.unit = local.unit(clients);
  dynamics.mean_steps = local.mean_steps();
  dynamics.further_steps = (local.mean_square_steps() - 1) / 2;
  dynamics.anchor_chance = recipe.oracle == OracleKind::control ? local.refresh : 0;
  dynamics.heat = 1 + (1 - local.common) * presence.excess;
  if (!local.emit_every) dynamics.stride *= dynamics.mean_steps;
  return dynamics;
}

void Forecasting::see_clients() {
  const StatisticalProblem& problem = subject_.problem;
  const auto d = hessian_.rows();
  const bool split = !subject_.recipe.prior_on_server && !subject_.recipe.local;
  const double share = split ? 1 / static_cast<double>(problem.clients()) : 0;
  const MatrixXd prior = prior_curvature(problem.prior, d);
  const VectorXd pull = prior_gradient(problem.prior, subject_.questions.mode());
  visible_.emplace();
  visible_->prior_curvature = split ? MatrixXd(MatrixXd::Zero(d, d)) : prior;
  visible_->prior_gradient = split ? VectorXd(VectorXd::Zero(d)) : pull;
  for (std::size_t i = 0; i < problem.potentials.size(); ++i) {
    std::shared_ptr<const Potential> potential = problem.potentials[i];
    if (subject_.coordinates) potential = in_coordinates(std::move(potential), subject_.coordinates);
    visible_->clients.push_back(see(*potential));
    visible_->clients.back().rows = problem.rows[i];
    visible_->clients.back().curvature += share * prior;
    visible_->clients.back().gradient += share * pull;
  }
}

// A client's likelihood at the mode, by differences of gradients along the directions, which are orthogonal.
plan::VisibleClient Forecasting::see(const Potential& potential) const {
  constexpr double kStep = 1e-3;  // in posterior standard deviations
  const auto d = hessian_.rows();
  const VectorXd mode = VectorXd::Map(subject_.questions.mode().data(), d);
  const MatrixXd along = matrix_of(directions_);
  MatrixXd ends(d, 2 * d + 1);
  ends << (kStep * along).colwise() + mode, (-kStep * along).colwise() + mode, mode;
  const Panel at = panel_of(ends);
  Panel slopes(d, 2 * d + 1);
  Scratch scratch;
  potential.gradient(at, slopes, scratch);
  const MatrixXd g = matrix_of(slopes), change = (g.leftCols(d) - g.middleCols(d, d)) / (2 * kStep);
  const VectorXd lengths = along.colwise().squaredNorm().transpose();
  const MatrixXd curvature = change * lengths.cwiseInverse().asDiagonal() * along.transpose();
  return {0.5 * (curvature + curvature.transpose()), g.col(2 * d), 1};
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

// The search goes through Eigen and libm, whose last bits may differ between machines. A step of twenty bits hides
// that, so that draws are the same everywhere.
plan::StepChoice Forecasting::choose(double iterations, double most) const {
  const plan::StepWanted wanted{
      .iterations = iterations, .chains = static_cast<double>(subject_.run.chains), .most = most};
  plan::StepChoice choice = plan::choose_step(*forecaster_, wanted);
  int exponent = 0;
  const double part = std::frexp(choice.step, &exponent);
  choice.step = std::ldexp(std::floor(part * 0x1p20) * 0x1p-20, exponent);
  return choice;
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
  return result;
}

}  // namespace pollen
