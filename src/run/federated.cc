#include "federated.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "math/math.h"

namespace pollen {

FederatedEngine::FederatedEngine(ClientLink& link, std::unique_ptr<ServerStep> step, const Judgement& judgement)
    : link_(link) {
  approximation_ = dynamic_cast<Approximation*>(step.get());
  joint_ = dynamic_cast<exact::JointStep*>(step.get());
  const FederatedSetup& setup = link.setup();
  const Recipe& recipe = *setup.recipe;
  const Index d = setup.dimension;
  Server::Setup server{
      setup.seed,        d, setup.chains, {setup.sizes.begin(), setup.sizes.end()}, {}, link.weights(), judgement.from,
      judgement.believed};
  for (const auto& compressor : link.host().compressors()) server.compressors.push_back(compressor.get());
  server_ = std::make_unique<Server>(recipe, *setup.prior, std::move(server), std::move(step));
  server_->share_work(link.team());
  if (recipe.local && recipe.local->emit_every) mean_ = Panel(d, setup.chains);
  if (split() != nullptr && !setup.apart) mean_ = Panel(split()->whole, setup.chains);
  if (recipe.oracle == OracleKind::control) anchor_ = gradient_ = Panel(d, setup.chains);
}

void FederatedEngine::set_transport(const MakeTransport& make) {
  link_.set_transport(make);
  server_->share_work(link_.team());
}

const ClientWork* FederatedEngine::split() const {
  const ClientWork* const work = link_.setup().work;
  return work != nullptr && work->whole > 0 ? work : nullptr;
}

// A client's own part of a model starts where the server's does.
void FederatedEngine::start(ConstPanelView position) {
  if (joint_ != nullptr) return server_->start(joint_->start(position));
  if (split() == nullptr) return server_->start(position);
  const ClientWork& work = *split();
  server_->start({position.data + work.first, work.shown, position.columns, position.stride});
  if (!mean_.empty()) copy_into(position, mean_);
  Panel nothing(1, 1);
  if (work.latents > 0) link_.transport().query({Query::What::start, position, {}}, nothing);
}

std::int64_t FederatedEngine::advance(std::int64_t most) {
  const std::int64_t before = iteration();
  if (server_->refresh_due()) refresh();
  if (approximation_ != nullptr && approximation_->needs_information(server_->round())) ask_information();
  do {  // an iteration may take several exchanges
    server_->open(most);
    link_.transport().exchange(*server_);
    server_->close();
  } while (joint_ == nullptr && iteration() == before);  // a state between two leapfrog steps can be saved, too
  if (split() != nullptr && !mean_.empty())
    put_together();
  else if (!mean_.empty() && !server_->averaged())
    gather(mean_);
  return iteration() - before;
}

bool FederatedEngine::emits() const {
  if (joint_ != nullptr) return joint_->emits();
  return server_->averaged() || server_->recipe().local->emit_every;
}

std::int64_t FederatedEngine::iteration() const {
  return joint_ != nullptr ? joint_->iteration() : server_->iteration();
}

std::span<const Transition> FederatedEngine::transitions() const {
  return joint_ != nullptr ? joint_->transitions() : std::span<const Transition>();
}

ConstPanelView FederatedEngine::position() const {
  if (joint_ != nullptr) return joint_->position();
  const ConstPanelView at = server_->position();
  if (split() != nullptr && mean_.empty()) return {at.data, split()->shown, at.columns, at.stride};
  return mean_.empty() || (server_->averaged() && split() == nullptr) ? at : mean_.view();
}

ConstPanelView FederatedEngine::latents() {
  const FederatedSetup& setup = link_.setup();
  if (latents_at_ == iteration()) return latents_;
  if (latents_.empty()) latents_ = Panel(setup.work->latents * setup.chains, std::ssize(setup.sizes));
  if (!latents_.empty()) link_.transport().query({Query::What::latents, position(), {}, server_->round()}, latents_);
  latents_at_ = iteration();
  return latents_;
}

// Where the server has no part of a model, a chain's position is the mean of the clients' parts, weighted by N_i.
void FederatedEngine::put_together() {
  const ClientWork& work = *split();
  const std::span<const Index> sizes = link_.setup().sizes;
  const auto first = static_cast<std::size_t>(work.first), shown = static_cast<std::size_t>(work.shown);
  const auto own = static_cast<std::size_t>(work.whole - work.shown), each = static_cast<std::size_t>(work.latents);
  const ConstPanelView kept = own > 0 ? latents() : ConstPanelView();
  const double rows = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  for (Index c = 0; c < mean_.columns(); ++c) {
    const auto column = mean_.column(c);
    std::ranges::copy(server_->position().column(c).first(shown), column.subspan(first).begin());
    const auto mean = column.subspan(first > 0 ? 0 : shown, own);
    std::ranges::fill(mean, 0.0);
    for (std::size_t i = 0; own > 0 && i < sizes.size(); ++i) {
      const auto part = kept.column(static_cast<Index>(i)).subspan(static_cast<std::size_t>(c) * each, own);
      math::axpy(static_cast<double>(sizes[i]) / rows, part, mean);
    }
  }
}

// Asks the clients for the information about φ at the mean position of all chains.
void FederatedEngine::ask_information() {
  const ConstPanelView position = server_->position();
  Panel mean(position.rows, 1);
  for (Index c = 0; c < position.columns; ++c)
    math::axpy(1 / static_cast<double>(position.columns), position.column(c), mean.column(0));
  const Index k = position.rows - link_.setup().recipe->up.whole_tail;
  Panel sum(k, k);
  link_.transport().query({Query::What::information, mean, {}, server_->round()}, sum);
  approximation_->take_information(mean.column(0), sum);
  counters().setup_bits += 64 * std::ssize(link_.setup().sizes) * (position.rows + k * (k + 1) / 2);
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
  latents_at_ = -1;
  link_.host().archive(archive);
  link_.transport().archive(archive);
}

}  // namespace pollen
