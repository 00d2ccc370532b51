// A client's round of any personalised baseline. It puts the server's part of the model and its own together, trains,
// and sends how far the server's part moved. Its own part stays with it.
#include <fmt/format.h>

#include <algorithm>

#include "baseline_rules.h"
#include "engine_parts.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"

namespace pollen::baselines {

Rounds::Rounds(const Rule& of, const PersonalProblem& on, const BaselineSettings& how)
    : rule(of), problem(on), settings(how), any(on.clients.front()) {
  const auto shared = static_cast<std::size_t>(any->shared()), latent = static_cast<std::size_t>(any->latent());
  dimension = shared + latent;
  phi = {0, shared};
  z = {shared, latent};
  const auto part = [&](Rule::Part p) {
    return p == Rule::Part::none     ? Slice{}
           : p == Rule::Part::shared ? phi
           : p == Rule::Part::latent ? z
                                     : Slice{0, dimension};
  };
  sent = part(rule.sent);
  kept = part(rule.kept);
  message = tosses() ? static_cast<Index>(dimension) : rule.row.per_coordinate * static_cast<Index>(sent.count);
  latents = static_cast<Index>(kept.count + (mixes() ? 1 : 0));
  state = control() ? static_cast<Index>(dimension) : latents;
  for (Index c = 0; c < problem.chains; ++c)
    coins.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::baseline));
}

bool Rounds::aggregates(std::uint32_t chain, std::uint64_t round) const {
  Stream coin = coins[chain];
  coin.round = round;
  return Sequence(coin).uniform() < settings.aggregate;
}

void Rounds::check(std::span<const double> w, bool shared, std::uint64_t round, std::int64_t client) const {
  const bool away = shared && noise_ran_away(*any, w.first(phi.count));
  if (!away && math::all_finite(w)) return;
  throw NumericError(fmt::format("{}; try a smaller sampler.step or sampler.penalty",
                                 away ? "a model's log_sigma has run away" : "a model is not finite"),
                     static_cast<std::int64_t>(round), client);
}

void mean_gradient(const PersonalPotential& client, std::span<const double> w, std::span<double> g, Scratch& scratch) {
  if (client.rows() == 0) {
    std::ranges::fill(g, 0.0);
    return;
  }
  const auto k = static_cast<std::size_t>(client.shared());
  client.gradient(w.first(k), w.subspan(k), g.subspan(k), g.first(k), scratch);
  math::scale(1 / static_cast<double>(client.rows()), g);
}

void Training::gradient(std::span<const double> at, std::span<double> g) {
  mean_gradient(client, at, g, scratch);
  gradients += client.rows();
}

void Training::descend(Slice part, std::span<double> g) {
  gradient(w, g);
  math::axpy(-rounds.settings.step, part.of(g), part.of(w));
}

namespace {

class BaselineWork final : public LocalWork {
 public:
  BaselineWork(std::uint32_t client, std::shared_ptr<const Rounds> rounds)
      : client_(client), rounds_(std::move(rounds)), state_(rounds_->state, rounds_->problem.chains), pending_(state_) {
    for (Index c = 0; rounds_->mixes() && c < state_.columns(); ++c)
      state_.column(c).back() = rounds_->settings.mixture;
  }

  void start(ConstPanelView position) override {
    for (Index c = 0; c < position.columns; ++c)
      std::ranges::copy(rounds_->kept.of(position.column(c)), state_.column(c).begin());
  }

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override {
    const auto held = rounds_->problem.clients[client_];
    reply.gradients = 0;
    for (std::size_t p = 0; p < reply.chains.size(); ++p) {
      Scratch::Frame frame(work.scratch);
      const std::uint32_t chain = reply.chains[p];
      std::ranges::copy(state_.column(chain), pending_.column(chain).begin());
      const auto message = reply.silent ? std::span<double>() : out.column(static_cast<Index>(p));
      std::ranges::fill(message, 0.0);
      Training training{*rounds_,
                        *held,
                        view.round(),
                        chain,
                        view.position().column(chain),
                        pending_.column(chain),
                        message,
                        work.scratch.take<double>(static_cast<Index>(rounds_->dimension)),
                        work.scratch};
      train(training);
      reply.gradients += training.gradients;
    }
  }

  void commit(const Reply& reply) override {
    for (const std::uint32_t chain : reply.chains)
      std::ranges::copy(pending_.column(chain), state_.column(chain).begin());
  }

  void latents(ConstPanelView, std::uint64_t, std::span<double> out) const override {
    const auto each = static_cast<std::size_t>(rounds_->latents);
    for (Index c = 0; c < state_.columns(); ++c)
      std::ranges::copy(state_.column(c).first(each), out.subspan(static_cast<std::size_t>(c) * each, each).begin());
  }

  void archive(Archive& archive) override { archive.array(state_.flat()); }
  void archive_pending(Archive& archive) override { archive.array(pending_.flat()); }

 private:
  void train(Training& training) const {
    const Slice sent = rounds_->sent, kept = rounds_->kept;
    const bool split = sent.count < rounds_->dimension;  // the client's own part belongs to the model that is trained
    const auto received = training.server.first(sent.count);
    std::ranges::copy(received, sent.of(training.w).begin());
    if (split) std::ranges::copy(training.own, kept.of(training.w).begin());
    rounds_->rule.train(training);
    if (split) std::ranges::copy(kept.of(training.w), training.own.begin());
    rounds_->check(training.w, true, training.round, client_);
    const bool whole = kept.count == rounds_->dimension;
    if (kept.count > 0) rounds_->check(training.own.first(kept.count), whole, training.round, client_);
    if (sent.count > 0) math::subtract(sent.of(training.w), received, training.message.first(sent.count));
  }

  std::uint32_t client_;
  std::shared_ptr<const Rounds> rounds_;
  Panel state_, pending_;  // what the client keeps, and what it keeps if its last reply is counted
};

}  // namespace

ClientWork make_work(const std::shared_ptr<const Rounds>& rounds) {
  return {.dimension = rounds->message,
          .make = [rounds](std::uint32_t client) { return std::make_unique<BaselineWork>(client, rounds); },
          .latents = rounds->latents,
          .whole = static_cast<Index>(rounds->dimension),
          .first = static_cast<Index>(rounds->sent.first),
          .shown = static_cast<Index>(rounds->sent.count)};
}

}  // namespace pollen::baselines
