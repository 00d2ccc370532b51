// A client's round of FedSOUL or FedSOUK: local steps for its latents, then the message (J, I). Latents stay with the
// client.
#include <algorithm>
#include <vector>

#include "latent_answers.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

namespace {

constexpr std::uint64_t kAfterRounds = std::uint64_t{1} << 43;  // a round that no run reaches

// The problem, settings and random streams that all clients share.
struct PersonalRounds {
  PersonalProblem problem;
  PersonalSettings settings;
  std::size_t shared = 0;             // coordinates of φ
  std::vector<Stream> coins, starts;  // one per chain
};

class PersonalWork final : public LocalWork {
 public:
  PersonalWork(std::uint32_t client, std::shared_ptr<const PersonalRounds> rounds)
      : client_(client), rounds_(std::move(rounds)) {}

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override {
    make_room();
    reply.gradients = 0;
    for (Index p = 0; p < out.columns; ++p) {
      const std::uint32_t chain = reply.chains[static_cast<std::size_t>(p)];
      reply.gradients += compute(view, chain, out.column(p), work.scratch);
    }
  }

  void commit(const Reply& reply) override {
    for (const std::uint32_t chain : reply.chains) {
      std::ranges::copy(pending_.column(chain), z_.column(chain).begin());
      visited_[chain] = 1;
    }
  }

  void latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const override {
    const auto each = static_cast<std::size_t>(rounds_->problem.population->latent());
    for (Index c = 0; c < position.columns; ++c) {
      const auto z = out.subspan(static_cast<std::size_t>(c) * each, each);
      if (has(c))
        std::ranges::copy(z_.column(c), z.begin());
      else
        draw_latent(round, c, position.column(c), z);
    }
  }

  void look(const LatentQuestion& question, PanelView out, Workspace& work) const override {
    Scratch::Frame frame(work.scratch);
    fill(out, 0.0);
    const auto held = rounds_->problem.clients[client_];
    if (question.about == LatentQuestion::About::pooled) return add_pooled(*held, question.at, out, work.scratch);
    const LocalTarget target{*held, *rounds_->problem.population, question.at.first(rounds_->shared),
                             question.at.subspan(rounds_->shared)};
    if (question.about == LatentQuestion::About::observed) {
      const LocalStreams streams{addressed(make_stream(rounds_->problem.seed, 0, Purpose::local_noise), kAfterRounds),
                                 addressed(rounds_->coins.front(), kAfterRounds)};
      return add_observed(target, streams, question.draws, out);
    }
    const auto chains = rounds_->problem.chains;
    const auto z = work.scratch.take<double>(rounds_->problem.population->latent());
    for (Index c = 0; c < chains; ++c) {
      if (has(c))
        std::ranges::copy(z_.column(c), z.begin());
      else
        draw_latent(question.round, c, question.at, z);
      add_information(target, z, out, work.scratch);
    }
    for (Index j = 0; j < out.columns; ++j) math::scale(1 / static_cast<double>(chains), out.column(j));
  }

  void archive(Archive& archive) override {
    make_room();
    archive.array(z_.flat());
    archive.array(std::span(visited_));
  }

  void archive_pending(Archive& archive) override {
    make_room();
    archive.array(pending_.flat());
  }

 private:
  void make_room() {
    if (!visited_.empty()) return;
    const PersonalProblem& problem = rounds_->problem;
    z_ = pending_ = Panel(problem.population->latent(), problem.chains);
    visited_.assign(static_cast<std::size_t>(problem.chains), 0);
  }

  bool has(Index chain) const { return !visited_.empty() && visited_[static_cast<std::size_t>(chain)] != 0; }

  Stream addressed(Stream stream, std::uint64_t round) const {
    stream.round = round;
    stream.client = client_;
    return stream;
  }

  void draw_latent(std::uint64_t round, Index chain, std::span<const double> position, std::span<double> out) const {
    normals(addressed(rounds_->starts[static_cast<std::size_t>(chain)], round), out);
    rounds_->problem.population->draw(position.subspan(rounds_->shared), out);
  }

  // Computes one chain's (J, I) at the (φ, β) that the client was sent. Returns the number of row gradients.
  std::int64_t compute(const ClientView& view, std::uint32_t chain, std::span<double> message, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const PersonalSettings& settings = rounds_->settings;
    const Population& population = *rounds_->problem.population;
    const std::uint64_t round = view.round();
    const auto position = view.position().column(chain);
    const auto z = pending_.column(chain);
    if (has(chain) && settings.warm_start)
      std::ranges::copy(z_.column(chain), z.begin());
    else
      draw_latent(round, chain, position, z);
    const auto held = rounds_->problem.clients[client_];
    const PersonalPotential& potential = *held;
    const auto shared = position.first(rounds_->shared), beta = position.subspan(rounds_->shared);
    LocalChain local(settings, {potential, population, shared, beta},
                     {addressed(view.local_streams()[chain], round), addressed(rounds_->coins[chain], round)}, scratch);
    local.start(z);
    std::ranges::fill(message, 0.0);
    const auto by_shared = message.first(rounds_->shared), score = message.subspan(rounds_->shared);
    for (Index m = 0; m < settings.local_steps; ++m) {
      local.step(m);
      population.add_score(beta, local.position(), score);
      math::add(local.state().by_shared, by_shared);
    }
    math::scale(1 / static_cast<double>(settings.local_steps), score);
    math::scale(-1 / static_cast<double>(settings.local_steps), by_shared);
    const auto end = local.position();
    if (!math::all_finite(end) || !math::all_finite(message))
      throw NumericError("a latent is not finite; try a smaller sampler.step", static_cast<std::int64_t>(round),
                         client_);
    std::ranges::copy(end, z.begin());
    return settings.evaluations_per_row() * potential.rows();
  }

  std::uint32_t client_;
  std::shared_ptr<const PersonalRounds> rounds_;
  Panel z_, pending_;  // where the last counted round ended, and where the next one ends if it is counted
  std::vector<std::uint8_t> visited_;  // one per chain: whether any round was counted
};

}  // namespace

ClientWork make_personal_work(const PersonalProblem& problem, const PersonalSettings& settings) {
  auto rounds = std::make_shared<PersonalRounds>(
      PersonalRounds{problem, settings, static_cast<std::size_t>(problem.shared()), {}, {}});
  for (Index c = 0; c < problem.chains; ++c) {
    rounds->coins.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::metropolis));
    rounds->starts.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::latent_start));
  }
  return {problem.dimension(),
          [rounds = std::shared_ptr<const PersonalRounds>(rounds)](std::uint32_t client) {
            return std::make_unique<PersonalWork>(client, rounds);
          },
          problem.population->latent()};
}

}  // namespace pollen
