#include "federated.h"

#include <algorithm>

#include "math/math.h"
#include "round/server_step.h"

namespace pollen {

FederatedEngine::FederatedEngine(const FederatedSetup& setup, const MakeTransport& make,
                                 std::unique_ptr<ServerStep> step)
    : setup_(setup) {
  const Recipe& recipe = *setup.recipe;
  const Index d = setup.dimension;
  const std::size_t b = setup.sizes.size();
  compressors_ = compressors_of(recipe, d);
  Server::Setup server{setup.seed, d, setup.chains, {setup.sizes.begin(), setup.sizes.end()}, {}, {}};
  for (const auto& compressor : compressors_) server.compressors.push_back(compressor.get());
  if (recipe.local) server.weights = local_weights(*recipe.local, setup.sizes);
  server_ = std::make_unique<Server>(recipe, *setup.prior, std::move(server), std::move(step));
  ClientHost::MemberAt member = [this](std::size_t place) {
    const auto i = static_cast<std::uint32_t>(place + static_cast<std::size_t>(setup_.first));
    auto potential = setup_.potentials != nullptr ? (*setup_.potentials)[place] : nullptr;
    return Member{i, std::move(potential), server_->weight_of(i)};
  };
  const Potentials* const potentials = setup.potentials;
  const std::size_t own = potentials != nullptr ? potentials->size() : static_cast<std::size_t>(setup.with_work);
  const HostSetup host{&recipe,
                       setup.prior,
                       d,
                       setup.chains,
                       static_cast<Index>(b),
                       setup.seed,
                       setup.seed,
                       potentials == nullptr || potentials->light(),
                       setup.work};
  host_ = std::make_unique<ClientHost>(host, own, std::move(member));
  set_transport(make);
  if (recipe.local && recipe.local->emit_every) mean_ = Panel(d, setup.chains);
  if (recipe.oracle == OracleKind::control) anchor_ = gradient_ = Panel(d, setup.chains);
}

void FederatedEngine::set_transport(const MakeTransport& make) {
  transport_ = make(host_->view(), host_->clients());
  if (!transport_) return;  // a rank other than 0 has no transport: it only answers
  server_->share_work(transport_->team());
  host_->view().share_work(transport_->team());
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

// Each client answers with w_i times its position, and the transport adds the answers.
void FederatedEngine::gather(Panel& mean) { transport_->query({Query::What::local, server_->position(), {}}, mean); }

// Sets the control variates of VR-FALD*: Y is the mean of the clients' positions, and C comes from their gradients at
// Y. Right after an average all clients are at Y, so their positions need not be gathered.
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
  host_->view().set_recipe(*setup_.recipe);
  transport_->recipe_changed(*setup_.recipe);
}

void FederatedEngine::archive(Archive& archive) {
  server_->archive(archive);
  host_->archive(archive);
  transport_->archive_others(archive);
  archive.array(mean_.flat());
  transport_->archive(archive);
}

}  // namespace pollen
