#include "server_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/math.h"
#include "pollen/random.h"
#include "round/server_step.h"

namespace pollen {

ServerSteps::ServerSteps(const PersonalProblem& problem, const PersonalSettings& settings)
    : clients_(problem.clients),
      first_(clients_.front()),
      population_(problem.population),
      shared_step_(settings.shared_step),
      population_step_(settings.population_step),
      typical_(static_cast<std::size_t>(population_->latent()), 1.0) {
  population_->draw(population_->start(), typical_);  // one standard deviation above the mean
  if (shared_step_ > 0) return;
  const std::vector<double> zeros(static_cast<std::size_t>(problem.shared()), 0.0);
  first_curvature_ = clients_.front()->shared_curvature(zeros, typical_);
  for (const Index rows : clients_.sizes()) rows_ += static_cast<double>(rows);
  curvature_ = largest_curvature();
}

// Estimates the largest curvature by φ: power iteration on differences of the gradient, over at most 1,000 clients. The
// result is raised by 10 %, because power iteration approaches the largest eigenvalue from below.
double ServerSteps::largest_curvature() {
  const auto shared = static_cast<std::size_t>(clients_.front()->shared());
  const std::size_t k = shared - (clients_.front()->learns_noise() ? 1 : 0);
  if (k == 0) return 0;
  constexpr double kApart = 1e-3;
  std::vector<double> at(shared, 0.0), moved(shared, 0.0), here(shared), there(shared), ignored(typical_.size());
  std::vector<double> v(k), product(k);
  Scratch scratch;
  normals(make_stream(1, 0, Purpose::power), v);
  const std::size_t some = std::min<std::size_t>(clients_.size(), 1000);
  double norm = std::sqrt(math::squared_norm(v));
  for (int n = 0; n < 20 && norm > 0; ++n) {
    math::scale(1 / norm, v);
    std::ranges::fill(product, 0.0);
    for (std::size_t j = 0; j < k; ++j) moved[j] = kApart * v[j];
    for (std::size_t i = 0; i < some; ++i) {
      const auto client = clients_[i];
      client->gradient(at, typical_, ignored, here, scratch);
      client->gradient(moved, typical_, ignored, there, scratch);
      for (std::size_t j = 0; j < k; ++j) product[j] += (there[j] - here[j]) / kApart;
    }
    std::swap(v, product);
    norm = std::sqrt(math::squared_norm(v));
  }
  return 1.1 * norm * static_cast<double>(clients_.size()) / static_cast<double>(some);
}

void ServerSteps::at(std::span<const double> shared, std::span<const double> beta, std::span<double> out) const {
  const auto of_shared = out.first(shared.size()), of_beta = out.subspan(shared.size());
  if (shared_step_ > 0) {
    std::ranges::fill(of_shared, shared_step_);
  } else if (!shared.empty()) {
    const PersonalPotential& one = *first_;
    const double ratio = first_curvature_ > 0 ? one.shared_curvature(shared, typical_) / first_curvature_ : 1;
    std::ranges::fill(of_shared, 0.1 / std::max(curvature_ * ratio, 1e-300));
    if (one.learns_noise()) of_shared.back() = 0.1 / (2 * rows_);
  }
  if (population_step_ > 0) {
    std::ranges::fill(of_beta, population_step_);
  } else {
    population_->variances(beta, of_beta);
    math::scale(0.1 / static_cast<double>(clients_.size()), of_beta);
  }
}

}  // namespace pollen
