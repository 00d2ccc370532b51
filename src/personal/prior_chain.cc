#include "prior_chain.h"

#include <algorithm>

#include "local_chain.h"
#include "math/math.h"

namespace pollen {

namespace {

class NoRows final : public PersonalPotential {
 public:
  explicit NoRows(Index latent) : latent_(latent) {}
  Index latent() const override { return latent_; }
  Index shared() const override { return 0; }
  Index rows() const override { return 0; }
  double gradient(std::span<const double>, std::span<const double>, std::span<double> by_latent, std::span<double>,
                  Scratch&) const override {
    std::ranges::fill(by_latent, 0.0);
    return 0;
  }
  double latent_curvature(std::span<const double>, Scratch&) const override { return 0; }
  double shared_curvature(std::span<const double>, std::span<const double>) const override { return 0; }

 private:
  Index latent_;
};

// The client number in the random stream of a particle. It counts down from the highest number, so that it never meets
// a real client's.
std::uint32_t client_of(Index particle) { return 0xffffffffU - static_cast<std::uint32_t>(particle); }

}  // namespace

PriorChains::PriorChains(const PersonalProblem& problem, const PersonalSettings& settings)
    : population_(problem.population),
      settings_(settings),
      clients_(static_cast<double>(problem.clients.size())),
      particles_(settings.particles),
      nothing_(std::make_unique<NoRows>(problem.population->latent())),
      z_(problem.population->latent(), problem.chains * settings.particles) {
  // The bias of unadjusted Langevin steps would have no advantage here.
  if (settings_.kernel == LocalKernel::langevin) settings_.kernel = LocalKernel::mala;
  settings_.step = 0;
  for (Index c = 0; c < problem.chains; ++c) {
    noise_.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::local_noise));
    coins_.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::metropolis));
    Stream stream = make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::latent_start);
    for (Index p = 0; p < particles_; ++p) {
      stream.client = client_of(p);
      const auto z = z_.column(c * particles_ + p);
      normals(stream, z);
      population_->draw(population_->start(), z);
    }
  }
}

void PriorChains::subtract_mean_score(std::uint64_t round, Index chain, std::span<const double> beta,
                                      std::span<double> out, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const auto score = scratch.take<double>(static_cast<Index>(out.size()));
  std::ranges::fill(score, 0.0);
  for (Index p = 0; p < particles_; ++p) {
    Scratch::Frame inner(scratch);
    LocalStreams streams{noise_[static_cast<std::size_t>(chain)], coins_[static_cast<std::size_t>(chain)]};
    streams.noise.round = streams.coins.round = round;
    streams.noise.client = streams.coins.client = client_of(p);
    const auto z = z_.column(chain * particles_ + p);
    LocalChain local(settings_, {*nothing_, *population_, {}, beta}, streams, scratch);
    local.start(z);
    for (Index m = 0; m < settings_.local_steps; ++m) {
      local.step(m);
      population_->add_score(beta, local.position(), score);
    }
    std::ranges::copy(local.position(), z.begin());
  }
  math::axpy(-clients_ / static_cast<double>(particles_ * settings_.local_steps), score, out);
}

}  // namespace pollen
