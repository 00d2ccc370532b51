#include "personal/latent_draws.h"

#include <algorithm>
#include <vector>

#include "local_chain.h"

namespace pollen {

void draw_latents(const PersonalPotential& client, const Population& population, std::span<const double> position,
                  const LatentDraws& how, const LatentVisitor& visit) {
  const Index warm_up = how.from.empty() ? 20 : 5;
  const auto shared = static_cast<std::size_t>(client.shared());
  LocalStreams streams{make_stream(how.seed, 0, Purpose::local_noise), make_stream(how.seed, 0, Purpose::metropolis)};
  streams.noise.round = streams.coins.round = how.number;
  Scratch scratch;
  Scratch::Frame frame(scratch);
  LocalChain chain(kQuarterPeriods, {client, population, position.first(shared), position.subspan(shared)}, streams,
                   scratch);
  std::vector<double> z(static_cast<std::size_t>(population.latent()), 0.0);
  population.draw(position.subspan(shared), z);
  chain.start(how.from.empty() ? z : how.from);
  for (Index m = 0; m < warm_up + how.count; ++m) {
    chain.step(m);
    if (m >= warm_up) visit(chain.position());
  }
}

}  // namespace pollen
