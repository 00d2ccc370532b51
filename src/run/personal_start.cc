// The starting positions of chains for a problem with latents.
#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "network_model.h"
#include "personal.h"
#include "pollen/random.h"

namespace pollen {

Panel network_start(const PersonalParts& parts, const Config& config) {
  const auto d = static_cast<Index>(parts.net().dimension());
  Panel theta(d, config.run.chains);
  const std::vector<double> stored = stored_start(config, *parts.network);
  for (Index c = 0; c < theta.columns(); ++c)
    if (!stored.empty())
      std::ranges::copy(stored, theta.column(c).begin());
    else
      draw_start(parts.net(), config.seed, static_cast<std::uint32_t>(c), theta.column(c));
  return theta;
}

Prior warm_up_prior(const PersonalParts& parts) {
  Prior prior{parts.problem.shared_precision};
  if (!prior.precision.empty()) prior.precision.resize(static_cast<std::size_t>(parts.net().dimension()), 0.0);
  return prior;
}

void warm_up_together(const PersonalParts& parts, const Config& config, const Federation& data,
                      const MakeTransport& make, const Descend& descend) {
  const auto d = static_cast<Index>(parts.net().dimension());
  const Prior prior = warm_up_prior(parts);
  std::vector<std::shared_ptr<const Potential>> potentials;
  for (Index i = 0; i < data.clients(); ++i) {
    const Index first = data.train_begin[static_cast<std::size_t>(i)];
    potentials.push_back(make_potential(
        *parts.network, {data.train.view().slice(first, data.train_rows(i)), data.train.y.data() + first}));
  }
  const Potentials clients(std::move(potentials));
  const Recipe questions;  // a default recipe: these clients only answer questions
  const FederatedSetup setup{&questions, &prior, &clients, 0, parts.sizes, d, config.run.chains, config.seed};
  ClientLink link(setup, make);
  descend(link.transport(), prior, parts.sizes);
}

Panel personal_start(const PersonalParts& parts, const Config& config, ConstPanelView theta) {
  const auto k = static_cast<std::size_t>(parts.model->shared());
  const PopulationConfig& p = config.population;
  const bool layer = parts.baseline || (p.prior == "normal" && p.mean == "vector" && p.mean_start.empty());
  Panel start(parts.dimension(), config.run.chains);
  for (Index c = 0; c < start.columns(); ++c) {
    const auto column = start.column(c);
    if (!parts.baseline) std::ranges::copy(parts.population->start(), column.subspan(k).begin());
    if (parts.network) std::ranges::copy(theta.column(c).first(layer ? theta.column(c).size() : k), column.begin());
    if (!parts.may_rotate()) continue;
    const std::size_t columns = parts.mixed->fixed.size();
    const auto phi = column.first(columns * static_cast<std::size_t>(parts.mixed->latent));
    normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), phi);
    math::scale(1 / std::sqrt(static_cast<double>(columns)), phi);
  }
  return start;
}

void draw_spreads(const PersonalParts& parts, const Config& config, PanelView start) {
  const exact::JointPrior& prior = *parts.prior;
  std::vector<double> normal(static_cast<std::size_t>(start.rows));
  for (Index c = 0; c < start.columns; ++c) {
    Stream stream = make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init);
    stream.step = 1;
    normals(stream, normal);
    for (std::size_t j = 0; j < normal.size(); ++j)
      if (const double scale = prior.half_normal[j]; scale > 0)
        start.column(c)[j] = math::log(scale * std::abs(normal[j]));
  }
}

}  // namespace pollen
