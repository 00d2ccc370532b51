#include <fmt/core.h>

#include <stdexcept>

#include "families.h"
#include "network/network.h"
#include "stats/mixtures.h"

namespace pollen {

ModelFamily::PriorScale ModelFamily::prior_scale(const ModelSpec&, std::span<const double>) const { return {}; }

namespace {

[[noreturn]] void refuse_prediction() { throw std::logic_error("the family of this model does not predict this"); }

}  // namespace

std::vector<std::string> model::feature_labels(const ModelSpec& spec, const char* stem) {
  std::vector<std::string> result = spec.feature_names;
  const auto features = static_cast<std::size_t>(spec.features);
  result.resize(std::min(result.size(), features));
  while (result.size() < features) result.push_back(fmt::format("{}{}", stem, result.size() + 1));
  return result;
}

Index ModelSpec::dimension() const { return family == nullptr ? features : family->dimension(*this); }

std::vector<std::string> ModelSpec::labels() const {
  return family == nullptr ? model::feature_labels(*this, "theta.") : family->labels(*this);
}

bool ModelSpec::quadratic() const { return family != nullptr && family->quadratic(*this); }

std::string ModelSpec::not_convex() const {
  return family == nullptr ? "nothing is known of the program's own potentials" : family->not_convex(*this);
}

bool ModelSpec::predicts() const { return family != nullptr && family->predicts(); }

Index ModelSpec::outcomes() const {
  const TargetKind target = family == nullptr ? TargetKind::none : family->target(*this);
  return target == TargetKind::binary ? 2 : target == TargetKind::classes ? classes : 0;
}

bool ModelSpec::interchangeable() const {
  if (!is_network()) return false;
  const NetworkSpec& spec = network.network->spec();
  return spec.kind != "mlp" || !spec.hidden.empty();
}

std::vector<std::string> ModelFamily::labels(const ModelSpec& spec) const { return model::feature_labels(spec, "x."); }

void ModelFamily::class_probabilities(const ModelSpec&, std::span<const double>, const RowsView&, std::span<double>,
                                      Scratch&) const {
  refuse_prediction();
}

void ModelFamily::response(const ModelSpec&, std::span<const double>, const RowsView&, std::span<double>,
                           std::span<double>, Scratch&) const {
  refuse_prediction();
}

void ModelFamily::log_likelihood(const ModelSpec&, std::span<const double>, const Observations&, std::span<double>,
                                 Scratch&) const {
  refuse_prediction();
}

double ModelFamily::quantile(const ModelSpec& spec, std::span<const double> mean, std::span<const double> sd,
                             double p) const {
  return target(spec) == TargetKind::count ? stats::poisson_mixture_quantile(mean, p)
                                           : stats::normal_mixture_quantile(mean, sd, p);
}

void ModelFamily::distribution(const ModelSpec& spec, double mean, double sd, std::span<const double> at,
                               std::span<double> out) const {
  if (target(spec) == TargetKind::count) return stats::poisson_cdfs(mean, at, out);
  for (std::size_t k = 0; k < at.size(); ++k) out[k] = stats::normal_cdf(at[k], mean, sd);
}

}  // namespace pollen
