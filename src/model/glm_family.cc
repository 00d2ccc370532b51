// Coordinates and predictions of generalised linear models. Predictions are computed one block of rows at a time.
// Nothing here influences a draw.
#include <fmt/core.h>

#include "blocks.h"
#include "families.h"

namespace pollen::model {

std::vector<std::string> GlmFamily::labels(const ModelSpec& spec) const {
  const std::vector<std::string> features = ModelFamily::labels(spec);
  if (columns(spec) == 1) return features;
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(columns(spec) * spec.features));
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns(spec)); ++c) {
    const std::string name = c < spec.class_names.size() ? spec.class_names[c] : fmt::format("class {}", c);
    for (const std::string& feature : features) all.push_back(name + ": " + feature);
  }
  return all;
}

void GlmFamily::class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x,
                                    std::span<double> out, Scratch& scratch) const {
  const auto loss = make_loss_(spec, theta);
  const ConstPanelView beta = coefficients(spec, theta);
  const auto store = [&, at = out.data()](const PanelView& z, const double*, Index) mutable {
    Scratch::Frame frame(scratch);
    const PanelView p = loss->probabilities(z, scratch);
    for (Index r = 0; r < p.rows; ++r)
      for (Index k = 0; k < p.columns; ++k) *at++ = p.data[k * p.stride + r];
  };
  const Observations unlabelled{x, nullptr};
  sweep(Rows(unlabelled), beta, {}, {1, beta.columns, 0}, scratch, store);
}

void GlmFamily::response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x,
                         std::span<double> mean, std::span<double> sd, Scratch&) const {
  math::multiply(x, {theta.data(), spec.features, 1, spec.features}, PanelView{mean.data(), x.rows, 1, x.rows});
  make_loss_(spec, theta)->respond(mean, sd);
}

void GlmFamily::log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                               std::span<double> out, Scratch& scratch) const {
  const auto loss = make_loss_(spec, theta);
  const ConstPanelView beta = coefficients(spec, theta);
  const auto store = [&, at = out.data()](const PanelView& z, const double* y, Index) mutable {
    const PanelView losses{at, z.rows, 1, z.rows};
    loss->losses(z, y, losses, scratch);
    loss->add_constants(y, losses.column(0));
    for (double& each : losses.column(0)) each = -each;
    at += z.rows;
  };
  sweep(Rows(observations), beta, {}, {1, beta.columns, 0}, scratch, store);
}

}  // namespace pollen::model
