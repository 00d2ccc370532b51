// What a forecast knows of the noise of a run's gradients, cause by cause, and of what its rounds do without noise:
// from sums that clients send once, and from the recipe.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "forecast_matrices.h"
#include "forecasting.h"
#include "pollen/compress.h"
#include "pollen/plan.h"
#include "round/client_host.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using plan::Cause;
using Part = NoiseQuestion::Part;

MatrixXd from_lower_half(const VectorXd& half, Index d) {
  MatrixXd result(d, d);
  for (Index j = 0, at = 0; j < d; ++j)
    for (Index i = j; i < d; ++i) result(i, j) = result(j, i) = half(at++);
  return result;
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

// The errors of coded messages are the noise of the step, which a forecast counts already.
bool adds_noise(const Recipe& recipe) {
  return recipe.noise_share == 0 && (recipe.up.compressor.compresses() || !recipe.up.per_client.empty());
}

}  // namespace

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

double most_omega(const Uplink& up, Index dimension) {
  double most = up.per_client.empty() ? make_compressor(up.compressor, dimension)->omega(dimension) : 0;
  for (const CompressorSpec& spec : up.per_client)
    most = std::max(most, make_compressor(spec, dimension)->omega(dimension));
  return most;
}

VectorXd Forecasting::ask(Part part, Index rows) {
  const std::vector<double>& at = subject_.questions.mode();
  const auto d = std::ssize(at);
  const NoiseQuestion question{part, rows};
  Panel answer(question.numbers(d), 1);
  subject_.questions.transport().query({.what = Query::What::noise,
                                        .at = {at.data(), d, 1, d},
                                        .direction = directions_,
                                        .step = question.packed(),
                                        .who = subject_.sample.who},
                                       answer);
  const ClientSample& sample = subject_.sample;
  exchanges_.push_back({.down_bits = sample.mean_bits(64 * d * (d + 1)),
                        .up_bits = sample.mean_bits(64 * question.numbers(d)),
                        .columns = sample.mean_bits(2 * d)});
  return sample.by_clients * VectorXd::Map(answer.column(0).data(), question.numbers(d));
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
  const bool references = recipe.up.memory == Memory::reference;
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
    if (!memory && !references && recipe.oracle != OracleKind::fixed_point && recipe.prior_on_server) {
      const VectorXd sum = prior_gradient(subject_.problem.prior, subject_.questions.mode());  // -Σ g_i
      noise += presence.common * sum * sum.transpose();
    }
    // With control variates or references, clients at the anchor move alike, so that absent ones are not missed. The
    // code of a reference has a quarter of the message's variance as its error.
    if (references) noise *= 1.25;
    add(Cause::participation, longer * noise, control || references, memory && !control);
  }
  MatrixXd minibatch;
  if (drawn) add(Cause::minibatch, minibatch = presence.square * matrix(Part::minibatch), anchored, false);
  if (adds_noise(recipe) && !feedback)
    add(Cause::compression, presence.square * matrix(Part::compression), false, memory);
  if (!memory || !drawn) return;
  const double rate = recipe.up.rate * (1 + most_omega(recipe.up, d)), f = rate / (2 - rate);
  if (presence.excess > 0)
    add(Cause::participation, presence.excess / (1 + presence.excess) * f * minibatch, anchored, false);
  if (adds_noise(recipe))
    add(Cause::compression, presence.square * (1 + f) * matrix(Part::row_compression), anchored, false);
}

// What local steps and error feedback do without noise.
void Forecasting::ask_local(plan::GaussianSums& sums) {
  const Recipe& recipe = subject_.recipe;
  const auto d = hessian_.rows();
  if (recipe.local && dynamics().further_steps > 0) {
    sums.squares = from_lower_half(ask(Part::squares, 0), d);
    // (H_i/w_i)² is at most Σ H_i²/w_i over w_i.
    double least = 1;
    for (Index i = 0; i < subject_.problem.clients(); ++i)
      least = std::min(least, weight_in(subject_.weights, static_cast<std::size_t>(i)));
    local_curvature_ = std::sqrt(math::symmetric_eigenvalues(sums.squares).maxCoeff() / least);
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
  // A client that is absent at a refresh keeps its own anchor for one more.
  if (recipe.up.memory == Memory::reference) dynamics.anchor_rounds /= presence.chance;
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

}  // namespace pollen
