#include <algorithm>

#include "pollen/math.h"
#include "pollen/personal.h"

namespace pollen {

namespace {

// λ_max of -∇²log p(z | β_0): by differences of the gradient, exact for a normal population.
double prior_curvature(const Population& population, std::span<const double> beta) {
  const auto d = static_cast<std::size_t>(population.latent());
  std::vector<double> z(d), here(d), there(d);
  double most = 0;
  for (std::size_t j = 0; j < d; ++j) {
    std::ranges::fill(here, 0.0);
    std::ranges::fill(there, 0.0);
    population.value(beta, z, here);
    z[j] = 1;
    population.value(beta, z, there);
    z[j] = 0;
    most = std::max(most, there[j] - here[j]);
  }
  return most;
}

}  // namespace

void pick_steps(const PersonalProblem& problem, std::span<const double> shared, PersonalSettings& settings) {
  const Population& population = *problem.population;
  const std::vector<double> beta = population.start();
  std::vector<double> z(static_cast<std::size_t>(population.latent()), 0.0), one(z.size(), 1.0);
  population.draw(beta, one);  // a typical latent, one sd above the mean
  Scratch scratch;
  double latent = 0, sum = 0;
  for (const PersonalPotential* client : problem.clients) {
    latent = std::max(latent, client->latent_curvature(shared, scratch));
    sum += client->shared_curvature(shared, one);
  }
  const double prior = prior_curvature(population, beta);
  const auto b = static_cast<double>(problem.clients.size());
  if (settings.step == 0) {
    settings.step = 0.25 / (latent + prior);
    if (settings.kernel == LocalKernel::hmc) settings.step = 1 / math::exp(0.5 * math::log(latent + prior));
  }
  if (settings.population_step == 0) settings.population_step = 0.05 / b / std::max(1.0, prior);
  if (settings.shared_step == 0) settings.shared_step = sum > 0 ? 1 / sum : 0.05 / b;
}

}  // namespace pollen
