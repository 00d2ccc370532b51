#include "federated.h"

#include <utility>

namespace pollen {

FederatedEngine::FederatedEngine(ClientLink& link, std::unique_ptr<ServerStep> step) : link_(link) {
  const FederatedSetup& setup = link.setup();
  const Recipe& recipe = *setup.recipe;
  const Index d = setup.dimension;
  Server::Setup server{setup.seed, d, setup.chains, {setup.sizes.begin(), setup.sizes.end()}, {}, link.weights()};
  for (const auto& compressor : link.host().compressors()) server.compressors.push_back(compressor.get());
  server_ = std::make_unique<Server>(recipe, *setup.prior, std::move(server), std::move(step));
  server_->share_work(link.team());
  if (recipe.local && recipe.local->emit_every) mean_ = Panel(d, setup.chains);
  if (recipe.oracle == OracleKind::control) anchor_ = gradient_ = Panel(d, setup.chains);
}

void FederatedEngine::set_transport(const MakeTransport& make) {
  link_.set_transport(make);
  server_->share_work(link_.team());
}

std::int64_t FederatedEngine::advance(std::int64_t most) {
  const std::int64_t before = iteration();
  if (server_->refresh_due()) refresh();
  server_->open(most);
  link_.transport().exchange(*server_);
  server_->close();
  if (!mean_.empty() && !server_->averaged()) gather(mean_);
  return iteration() - before;
}

ConstPanelView FederatedEngine::position() const {
  return mean_.empty() || server_->averaged() ? server_->position() : mean_.view();
}

// Each client answers with w_i times its position, and the transport adds the answers.
void FederatedEngine::gather(Panel& mean) {
  link_.transport().query({Query::What::local, server_->position(), {}}, mean);
}

// Sets the control variates of VR-FALD*: Y is the mean of the clients' positions, and C comes from their gradients at
// Y. Right after an average all clients are at Y, so their positions need not be gathered.
void FederatedEngine::refresh() {
  if (!server_->averaged()) gather(anchor_);
  const ConstPanelView anchor = server_->averaged() ? server_->position() : anchor_.view();
  link_.transport().query({Query::What::gradient, anchor, {}}, gradient_);
  server_->refresh(anchor, gradient_);
}

void FederatedEngine::start_control() {
  link_.transport().query({Query::What::gradient, server_->position(), {}}, gradient_);
  server_->start_control(server_->position(), gradient_);
}

void FederatedEngine::archive(Archive& archive) {
  server_->archive(archive);
  archive.array(mean_.flat());
  link_.host().archive(archive);
  link_.transport().archive(archive);
}

}  // namespace pollen
