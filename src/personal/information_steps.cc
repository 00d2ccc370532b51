#include "information_steps.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"

namespace pollen {

InformationSteps::InformationSteps(const PersonalProblem& problem, const PersonalSettings& settings)
    : population_(problem.population),
      shared_precision_(problem.shared_precision),
      population_precision_(problem.population_precision),
      clients_(static_cast<double>(problem.clients.size())),
      burn_in_(static_cast<std::uint64_t>(settings.averaged_from)),
      learns_noise_(problem.clients.front()->learns_noise()) {
  for (const Index rows : problem.clients.sizes()) rows_ += static_cast<double>(rows);
}

bool InformationSteps::fit(const PersonalProblem& problem, const PersonalSettings& settings) {
  return !settings.gives_steps() && problem.shared() <= kMost && problem.clients.front()->has_hessian();
}

bool InformationSteps::needs(std::uint64_t round) const {
  return round == 0 || (round <= burn_in_ / 2 && (round == burn_in_ / 4 || round == burn_in_ / 2));
}

void InformationSteps::take(std::span<const double> at, ConstPanelView sum) {
  constexpr double kRidge = 1e-8;
  const Index k = sum.rows - (learns_noise_ ? 1 : 0);
  if (learns_noise_) log_noise_ = at[static_cast<std::size_t>(k)];
  if (k == 0) return;
  Panel information = copy_of({sum.data, k, k, sum.stride});
  double trace = 0;
  for (Index j = 0; j < k; ++j) {
    double& own = information.column(j)[static_cast<std::size_t>(j)];
    if (!shared_precision_.empty()) own += shared_precision_[static_cast<std::size_t>(j)];
    trace += own;
  }
  for (Index j = 0; j < k; ++j)
    information.column(j)[static_cast<std::size_t>(j)] += kRidge * trace / static_cast<double>(k);
  inverse_ = Coordinates(std::vector<double>(static_cast<std::size_t>(k)), information, true);
}

void InformationSteps::turn(std::span<const double> position, std::span<double> gradient, Scratch& scratch) const {
  const std::size_t k = gradient.size() - static_cast<std::size_t>(population_->parameters());
  turn_shared(position.first(k), gradient.first(k), scratch);
  turn_population(position.subspan(k), gradient.subspan(k), scratch);
}

void InformationSteps::turn_shared(std::span<const double> shared, std::span<double> gradient, Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  constexpr double kMostNoise = 1;  // the most by which log σ moves in a round
  const Index k = inverse_.dimension();
  if (learns_noise_) {
    double& noise = gradient.back();
    noise = std::clamp(noise / (2 * rows_ + (shared_precision_.empty() ? 0 : shared_precision_.back())), -kMostNoise,
                       kMostNoise);
  }
  if (k == 0) return;
  const PanelView coefficients{gradient.data(), k, 1, k}, pulled = scratch.panel(k, 1), step = scratch.panel(k, 1);
  inverse_.pull_back(coefficients, pulled);
  inverse_.turn(pulled, step);
  copy_into(step, coefficients);
  // The information about coefficients is in units of 1/σ², and σ has moved since.
  if (learns_noise_) math::scale(math::exp(2 * (shared.back() - log_noise_)), coefficients.column(0));
}

// A step of β is at most two standard errors that a single known latent would leave. A population whose constant is
// estimated has no closed form for its information, so it moves with caution.
void InformationSteps::turn_population(std::span<const double> beta, std::span<double> gradient,
                                       Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const auto variances = scratch.take<double>(std::ssize(beta));
  population_->variances(beta, variances);
  const double caution = population_->leaves_out_constant() ? 0.1 : 1;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    const double precision = population_precision_.empty() ? 0 : population_precision_[j];
    const double most = 2 * std::sqrt(variances[j]);
    gradient[j] = std::clamp(caution * gradient[j] / (clients_ / variances[j] + precision), -most, most);
  }
}

void InformationSteps::archive(Archive& archive) {
  std::uint64_t dimension = static_cast<std::uint64_t>(inverse_.dimension());
  archive.fields(dimension, log_noise_);
  if (dimension > static_cast<std::uint64_t>(kMost))
    throw WireError("saved steps: found more coefficients than such steps are made for");
  if (dimension > 0) inverse_.archive(archive, static_cast<Index>(dimension));
}

}  // namespace pollen
