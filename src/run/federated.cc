#include "run/federated.h"

#include <algorithm>

#include "pollen/math.h"

namespace pollen {

std::vector<double> local_weights(const LocalSteps& local, const std::vector<const Potential*>& potentials) {
  std::vector<double> weights(potentials.size(), 1 / static_cast<double>(potentials.size()));
  if (!local.by_size) return weights;
  double total = 0;
  for (const Potential* p : potentials) total += static_cast<double>(p->rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(potentials[i]->rows()) / total;
  return weights;
}

FederatedEngine::FederatedEngine(const FederatedSetup& setup, const MakeTransport& make) : setup_(setup) {
  const Recipe& recipe = *setup.recipe;
  const Index d = setup.dimension;
  const std::size_t b = setup.potentials.size();
  whole_ = make_compressor({}, d);
  if (recipe.up.per_client.empty()) compressors_.push_back(make_compressor(recipe.up.compressor, d));
  for (const CompressorSpec& spec : recipe.up.per_client) compressors_.push_back(make_compressor(spec, d));
  const auto compressor_of = [&](std::size_t i) { return compressors_[compressors_.size() == 1 ? 0 : i].get(); };

  Server::Setup server{setup.seed, d, setup.chains, {}, {}, {}};
  for (std::size_t i = 0; i < b; ++i) {
    server.sizes.push_back(setup.potentials[i]->rows());
    server.compressors.push_back(compressor_of(i));
  }
  if (recipe.local) server.weights = local_weights(*recipe.local, setup.potentials);
  const std::vector<double> weights = server.weights;
  server_ = std::make_unique<Server>(recipe, *setup.prior, std::move(server));
  station_ = std::make_unique<Station>(recipe, d, setup.chains, static_cast<Index>(b), setup.seed);
  clients_.reserve(b);
  for (std::size_t i = 0; i < b; ++i) {
    ClientParts parts{&recipe, setup.prior, 0, 1, static_cast<Index>(b), compressor_of(i), whole_.get()};
    if (!weights.empty()) parts.weight = weights[i];
    if (!recipe.prior_on_server && !setup.prior->precision.empty())
      parts.prior_share = recipe.local ? weights[i] : 1 / static_cast<double>(b);
    clients_.emplace_back(static_cast<std::uint32_t>(i), *setup.potentials[i], parts, setup.chains);
  }
  transport_ = make(*station_, clients_);
  if (recipe.local && recipe.local->emit_every) mean_ = Panel(d, setup.chains);
  if (recipe.oracle == OracleKind::control) anchor_ = gradient_ = Panel(d, setup.chains);
}

std::int64_t FederatedEngine::advance(std::int64_t most) {
  const std::int64_t before = iteration();
  if (server_->refresh_due()) refresh();
  server_->open(most);
  transport_->exchange(*server_);
  server_->close();
  if (!mean_.empty() && !server_->averaged()) gather(mean_);
  return iteration() - before;
}

ConstPanelView FederatedEngine::position() const {
  return mean_.empty() || server_->averaged() ? server_->position() : mean_.view();
}

// Clients answer with w_i times where they are.
void FederatedEngine::gather(Panel& mean) { transport_->query({Query::What::local, server_->position(), {}}, mean); }

// Y = the clients' mean, C from their gradients there. Right after an average all of them stand at it.
void FederatedEngine::refresh() {
  if (!server_->averaged()) gather(anchor_);
  const ConstPanelView anchor = server_->averaged() ? server_->position() : anchor_.view();
  transport_->query({Query::What::gradient, anchor, {}}, gradient_);
  server_->refresh(anchor, gradient_);
}

void FederatedEngine::start_control() {
  transport_->query({Query::What::gradient, server_->position(), {}}, gradient_);
  server_->start_control(server_->position(), gradient_);
}

void FederatedEngine::recipe_changed() {
  server_->set_recipe(*setup_.recipe);
  station_->set_recipe(*setup_.recipe);
}

void FederatedEngine::archive(Archive& archive) {
  server_->archive(archive);
  station_->archive(archive);
  for (Client& client : clients_) client.archive(archive);
  archive.array(mean_.flat());
}

}  // namespace pollen
