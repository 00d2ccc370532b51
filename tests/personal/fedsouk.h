// Runs FedSOUL and FedSOUK in one process as ordinary rounds, with the two sides from src/personal.
#pragma once

#include <memory>

#include "personal/local_chain.h"
#include "personal/personal.h"
#include "problems.h"
#include "round/local_work.h"
#include "run/federated.h"

namespace pollen::testing {

class Fedsouk final : public Engine {
 public:
  // The recipe gives the uplink and the participation.
  Fedsouk(const PersonalProblem& problem, const PersonalSettings& settings, const Recipe& recipe,
          const MakeTransport& make = in_this_process)
      : problem_(problem), recipe_(recipe), work_(make_personal_work(problem, settings)) {
    recipe_.up.whole_tail = problem.population->parameters();
    auto step = make_approximation(problem_, settings, recipe_.up.rate);
    step_ = step.get();
    const FederatedSetup setup{.recipe = &recipe_,
                               .prior = &prior_,
                               .sizes = problem_.clients.sizes(),
                               .dimension = problem_.dimension(),
                               .chains = problem_.chains,
                               .seed = problem_.seed,
                               .work = &work_,
                               .with_work = std::ssize(problem_.clients.sizes())};
    link_ = std::make_unique<ClientLink>(setup, make);
    engine_ = std::make_unique<FederatedEngine>(*link_, std::move(step));
  }

  void start(ConstPanelView position) override { engine_->start(position); }
  std::int64_t advance(std::int64_t most) override { return engine_->advance(most); }
  ConstPanelView position() const override { return engine_->position(); }
  std::int64_t iteration() const override { return engine_->iteration(); }
  Counters& counters() override { return engine_->counters(); }
  void archive(Archive& archive) override { engine_->archive(archive); }
  ConstPanelView average() const { return step_->average(); }

  // Returns the sum of the clients' answers at one position.
  Panel ask(Query::What what, std::span<const double> at, Index batch, Index columns) {
    const auto d = static_cast<Index>(at.size());
    Panel sum(d, columns);
    link_->transport().query({what, {at.data(), d, 1, d}, {}, 0, batch}, sum);
    return sum;
  }

  // Returns z of a client in a chain.
  std::vector<double> latent(Index client, Index chain) {
    const Index each = problem_.population->latent();
    Panel all(each * problem_.chains, client + 1);
    link_->transport().query(
        {.what = Query::What::latents, .at = position(), .direction = {}, .step = engine_->server().round()}, all);
    const auto z = all.column(client).subspan(static_cast<std::size_t>(chain * each), static_cast<std::size_t>(each));
    return {z.begin(), z.end()};
  }

 private:
  static std::unique_ptr<Transport> in_this_process(ClientView& view, Clients& clients) {
    return make_thread_transport(view, clients, 1);
  }

  PersonalProblem problem_;
  Recipe recipe_;
  Prior prior_ = Prior::flat();
  ClientWork work_;
  Approximation* step_ = nullptr;
  std::unique_ptr<ClientLink> link_;
  std::unique_ptr<FederatedEngine> engine_;
};

inline std::unique_ptr<Fedsouk> make_fedsouk(const PersonalProblem& problem, const PersonalSettings& settings,
                                             const Recipe& recipe = {}) {
  return std::make_unique<Fedsouk>(problem, settings, recipe);
}

// Returns the share of proposals that clients accept with the server at `at`, after as many steps that are not counted.
inline double acceptance(const PersonalProblem& problem, const PersonalSettings& settings, std::span<const double> at,
                         Index steps) {
  const auto shared = at.first(static_cast<std::size_t>(problem.shared())), beta = at.subspan(shared.size());
  Index accepted = 0;
  for (std::size_t i = 0; i < problem.clients.size(); ++i) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const auto client = problem.clients[i];
    LocalStreams streams{make_stream(1, 0, Purpose::local_noise), make_stream(1, 0, Purpose::metropolis)};
    streams.noise.client = streams.coins.client = static_cast<std::uint32_t>(i);
    LocalChain chain(settings, {*client, *problem.population, shared, beta}, streams, scratch);
    std::vector<double> z(static_cast<std::size_t>(problem.population->latent()), 0.0);
    problem.population->draw(beta, z);
    chain.start(z);
    for (Index m = 0; m < steps; ++m) chain.step(m);
    accepted -= chain.accepted();
    for (Index m = steps; m < 2 * steps; ++m) chain.step(m);
    accepted += chain.accepted();
  }
  return static_cast<double>(accepted) / static_cast<double>(steps * std::ssize(problem.clients.sizes()));
}

}  // namespace pollen::testing
