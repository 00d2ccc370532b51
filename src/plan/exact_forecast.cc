#include "plan/exact_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pollen::plan {

namespace {

using stats::AveragingLawOptions;
using stats::GradientLawOptions;

// Why the recipe has no exact law; empty if it has one.
std::string no_law(const Recipe& recipe, std::span<const Index> rows) {
  const auto closed = [&](const CompressorSpec& spec) {
    return !spec.compresses() || spec.kind == "rand-k" || recipe.noise_share > 0;
  };
  if (!std::ranges::all_of(rows, [&](Index n) { return recipe.batch.of(n) == n; }))
    return "minibatches, whose subsets are too many to list";
  if (!recipe.up.per_client.empty()) return "compressors that differ between clients";
  if (!closed(recipe.up.compressor)) return recipe.up.compressor.kind + ", which has no law in closed form";
  if (!closed(recipe.down.compressor)) return recipe.down.compressor.kind + ", which has no law in closed form";
  if (recipe.oracle == OracleKind::control && recipe.participation.partial(std::ssize(rows)))
    return "control variates with absent clients";
  if (recipe.up.memory == Memory::reference && recipe.participation.partial(std::ssize(rows)))
    return "references of absent clients";
  if (recipe.local && recipe.local->clip) return "clipped gradients";
  if (recipe.local && recipe.local->decaying) return "a decaying step";
  return {};
}

GradientLawOptions::Compressor code_of(const CompressorSpec& spec) {
  using Compressor = GradientLawOptions::Compressor;
  if (!spec.compresses()) return Compressor::identity;
  return spec.scaled ? Compressor::scaled_rand_k : Compressor::rand_k;
}

GradientLawOptions::Participation policy_of(const Participation& who, Index clients) {
  using Policy = GradientLawOptions::Participation;
  if (!who.partial(clients)) return Policy::full;
  if (who.policy == ParticipationPolicy::bernoulli)
    return who.scaling == Scaling::active ? Policy::bernoulli_active : Policy::bernoulli_inverse;
  return who.replacement ? Policy::fixed_size_replacement : Policy::fixed_size;
}

std::vector<double> chances(const Participation& who, std::size_t clients) {
  if (who.probability.size() == 1) return std::vector<double>(clients, who.probability.front());
  return who.probability;
}

stats::QuadraticProblem quadratic(const VisibleProblem& problem) {
  stats::QuadraticProblem result;
  result.prior_precision = problem.prior_curvature.diagonal();
  result.prior_matrix = problem.prior_curvature;
  result.prior_shift = -problem.prior_gradient;
  for (const VisibleClient& client : problem.clients)
    result.clients.push_back({{{client.curvature, -client.gradient}}, static_cast<double>(client.rows)});
  return result;
}

GradientLawOptions gradient_options(const Recipe& recipe, Index clients, Index dimension) {
  GradientLawOptions o;
  if (recipe.oracle == OracleKind::fixed_point) o.oracle = GradientLawOptions::Oracle::fixed_point;
  if (recipe.noise_share == 0) o.up = code_of(recipe.up.compressor);
  o.down = recipe.down.feedback ? code_of(recipe.down.compressor) : GradientLawOptions::Compressor::identity;
  o.participation = policy_of(recipe.participation, clients);
  o.step = recipe.step.size;
  o.temperature = recipe.temperature;
  o.k = static_cast<int>(recipe.up.compressor.k);
  o.down_k = static_cast<int>(recipe.down.compressor.k);
  if (recipe.up.memory == Memory::average) o.memory = recipe.up.rate;
  o.error_feedback = recipe.up.memory == Memory::feedback;
  o.down_feedback = recipe.down.feedback;
  o.probability = chances(recipe.participation, static_cast<std::size_t>(clients));
  o.size = static_cast<int>(recipe.participation.size);
  o.anchor = Eigen::VectorXd::Zero(dimension);
  return o;
}

AveragingLawOptions averaging_options(const Recipe& recipe, Index clients) {
  const LocalSteps& local = *recipe.local;
  AveragingLawOptions o;
  o.by_size = local.by_size;
  o.step = recipe.step.size;
  o.temperature = recipe.temperature;
  o.correlation = local.by_size ? std::sqrt(local.common) : local.common;
  o.steps = static_cast<int>(local.steps);
  o.communicate = local.communicate;
  o.refresh = local.refresh;
  o.up = code_of(recipe.up.compressor);
  o.k = static_cast<int>(recipe.up.compressor.k);
  o.memory = recipe.up.memory == Memory::average ? recipe.up.rate : 0;
  o.participation = policy_of(recipe.participation, clients);
  o.probability = chances(recipe.participation, static_cast<std::size_t>(clients));
  o.size = static_cast<int>(recipe.participation.size);
  return o;
}

double binomial(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

double codes(const CompressorSpec& spec, double dimension) {
  return spec.compresses() ? binomial(dimension, static_cast<double>(spec.k)) : 1;
}

// A rough count of the operations behind a law: of the linear system for the covariance, and of listing all outcomes.
double work(const Recipe& recipe, double clients, double d) {
  const Participation& who = recipe.participation;
  const bool some = who.partial(static_cast<Index>(clients));
  const auto size = static_cast<double>(who.size);
  const double sets = !some                                          ? 1
                      : who.policy == ParticipationPolicy::bernoulli ? std::exp2(clients)
                      : who.replacement                              ? binomial(size + clients - 1, clients - 1)
                                                                     : binomial(clients, size);
  double parts = recipe.up.memory != Memory::none && recipe.noise_share == 0 ? clients + 1 : 1;
  if (recipe.local) parts = clients + (parts - 1) + (recipe.oracle == OracleKind::control ? 1 : 0) + 1;
  if (recipe.down.feedback) parts += 1;
  const double n = d * parts, up = recipe.noise_share > 0 ? 1 : codes(recipe.up.compressor, d),
               down = recipe.down.feedback ? codes(recipe.down.compressor, d) : 1;
  const double rounds = sets * down, spread = up > 1 ? std::pow(d * (n + 1), 3) * clients * down : 0;
  const double deviations = (rounds > 1 ? rounds : 0) + (up > 1 ? clients * down * std::min(up, d * n) : 0) + 1;
  const double solve = n <= 40 ? std::pow(n, 4) * deviations + std::pow(n, 6) / 12 : 800 * std::pow(n, 3) * deviations;
  return solve + 10 * spread + rounds * n * n * clients;
}

stats::Law mean_of(const std::vector<stats::Law>& laws) {
  const auto count = static_cast<double>(laws.size());
  stats::Law mean = {Eigen::VectorXd::Zero(laws.front().mean.size()), 0 * laws.front().covariance};
  for (const stats::Law& law : laws) mean.mean += law.mean / count, mean.covariance += law.covariance / count;
  return mean;
}

}  // namespace

std::string exact_obstacle(const Recipe& recipe, std::span<const Index> rows, Index dimension, double most) {
  if (std::string why = no_law(recipe, rows); !why.empty()) return why;
  if (work(recipe, static_cast<double>(rows.size()), static_cast<double>(dimension)) <= most) return {};
  return fmt::format("{} clients and {} parameters, for which the exact law takes too long", rows.size(), dimension);
}

stats::Law exact_law(const VisibleProblem& problem, const Recipe& recipe) {
  const auto clients = static_cast<Index>(problem.clients.size());
  const stats::QuadraticProblem approximation = quadratic(problem);
  stats::Law law;
  if (!recipe.local) {
    law = mean_of(
        stats::gradient_family_law(approximation, gradient_options(recipe, clients, problem.prior_curvature.rows())));
  } else {
    const auto laws = stats::averaging_family_law(approximation, averaging_options(recipe, clients));
    law = !recipe.local->emit_every ? laws.front() : recipe.local->communicate > 0 ? laws[1] : mean_of(laws);
  }
  law.mean -= approximation.target(recipe.temperature).mean;
  return law;
}

}  // namespace pollen::plan
