#include "local_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pollen/errors.h"
#include "pollen/plan.h"
#include "round/client_host.h"

namespace pollen {

LocalBounds find_local_bounds(Transport& transport, std::span<const double> weights, std::span<const double> at,
                              Index clients, bool convexity) {
  const auto d = static_cast<Index>(at.size());
  Panel values(convexity ? 2 : 1, clients);
  transport.query({Query::What::bounds, {at.data(), d, 1, d}, {}}, values);
  LocalBounds bounds{0, convexity ? std::numeric_limits<double>::infinity() : 0, clients};
  for (Index i = 0; i < clients; ++i) {
    const double weight = weight_in(weights, static_cast<std::size_t>(i));
    bounds.smoothness = std::max(bounds.smoothness, values.column(i)[0] / weight);
    if (convexity) bounds.convexity = std::min(bounds.convexity, values.column(i)[1] / weight);
  }
  return bounds;
}

double auto_local_step(const Recipe& recipe, const LocalBounds& bounds, double one_step) {
  const LocalSteps& local = *recipe.local;
  return std::min(one_step, 0.2 / bounds.smoothness) / local.mean_steps() / local.unit(bounds.clients);
}

double most_local_step(const LocalSteps& local, const LocalBounds& bounds) {
  return 1 / bounds.smoothness / local.mean_steps() / local.unit(bounds.clients);
}

namespace {

// Returns the factor on the temperature if clients with equal weights are absent: ρ' + (1-ρ') E[b/|A|]. A client's
// private noise has variance 2γ'T(1-ρ')b, and the average over |A| of them divides it by |A|, not by b.
double heat(const LocalSteps& local, const Participation& who, Index clients) {
  if (!who.partial(clients)) return 1;
  const auto b = static_cast<double>(clients);
  const double inverse = who.policy == ParticipationPolicy::fixed_size
                             ? b / static_cast<double>(who.size)
                             : plan::mean_inverse_share(b, who.probability.front());
  return local.common + (1 - local.common) * inverse;
}

void warn_of_heat(const Recipe& recipe, Index clients, std::vector<std::string>& warnings) {
  const double factor = heat(*recipe.local, recipe.participation, clients);
  // With a memory the absent clients' noise counts, too, and this factor is not known.
  if (factor == 1 || recipe.up.memory != Memory::none) return;
  const bool fixed = recipe.participation.policy == ParticipationPolicy::fixed_size;
  warnings.push_back(fmt::format(
      "{} with absent clients and correlation below 1 does not sample the target: its temperature is {:.4g} "
      "times too high (tau + (1-tau) {})",
      recipe.name, factor, fixed ? "clients/size" : "times the mean of clients/present clients"));
}

void check_schemes(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
                   std::vector<std::string>& warnings) {
  if (recipe.participation.policy != ParticipationPolicy::fixed_size) return;
  const auto [least, most] = std::ranges::minmax(sizes);
  const bool two = !recipe.participation.replacement;
  if (two && most - least > 1 && !config.sampler.allow_unbalanced)
    throw ConfigError(
        config.file + ": sampler.scheme",
        fmt::format("found \"II\" on unbalanced data (clients of {} to {} rows), whose averages are biased; "
                    "accepted: \"I\", or allow_unbalanced = true",
                    least, most));
  const double common = recipe.local->common;
  if (common == 1) return;
  const double b = static_cast<double>(sizes.size()), s = static_cast<double>(recipe.participation.size);
  if (two)
    warnings.push_back(
        fmt::format("scheme II with correlation below 1 does not sample the target: its temperature is {:.4g} "
                    "times too high (rho² + (1-rho²) clients/size)",
                    common + (1 - common) * b / s));
  else
    warnings.push_back(
        fmt::format("scheme I with correlation below 1 does not sample the target: its mean is right, its "
                    "spread too wide (private noise counts {:.4g} times)",
                    1 + (b - 1) / s));
}

}  // namespace

void check_sizes(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
                 std::vector<std::string>& warnings) {
  if (!recipe.local) return;
  if (recipe.local->by_size)
    check_schemes(config, recipe, sizes, warnings);
  else
    warn_of_heat(recipe, static_cast<Index>(sizes.size()), warnings);
}

}  // namespace pollen
