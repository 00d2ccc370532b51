#include "local_round.h"

#include <algorithm>
#include <limits>

#include "local_chain.h"
#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

Stream addressed(Stream stream, std::uint64_t round, std::uint32_t client) {
  stream.round = round;
  stream.client = client;
  return stream;
}

}  // namespace

LocalRounds::LocalRounds(const PersonalProblem& problem, const PersonalSettings& settings)
    : problem_(problem),
      settings_(settings),
      shared_(static_cast<std::size_t>(problem.shared())),
      compressor_(make_compressor(settings.compressor, std::max<Index>(1, problem.shared()))),
      own_(problem.clients.size()) {
  for (Index c = 0; c < problem.chains; ++c) {
    const auto stream = [&](Purpose purpose) {
      return make_stream(problem.seed, static_cast<std::uint32_t>(c), purpose);
    };
    streams_.push_back({stream(Purpose::local_noise), stream(Purpose::metropolis), stream(Purpose::latent_start),
                        stream(Purpose::compress_up)});
  }
}

std::unique_ptr<LocalRounds::Own> LocalRounds::make_own() const {
  const Index chains = problem_.chains;
  return std::make_unique<Own>(Own{Panel(problem_.population->latent(), chains),
                                   settings_.memory ? Panel(problem_.shared(), chains) : Panel(),
                                   std::vector<std::uint8_t>(static_cast<std::size_t>(chains), 0)});
}

void LocalRounds::draw_latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain,
                              std::span<const double> position, std::span<double> out) const {
  normals(addressed(streams_[chain].start, round, client), out);
  problem_.population->draw(position.subspan(shared_), out);
}

void LocalRounds::latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain,
                         std::span<const double> position, std::span<double> out) const {
  const Own* const own = own_[client].get();
  if (own == nullptr || own->visited[chain] == 0) return draw_latent(round, client, chain, position, out);
  std::ranges::copy(own->z.column(chain), out.begin());
}

LocalRounds::Receipt LocalRounds::answer(std::uint64_t round, std::uint32_t client, std::uint32_t chain,
                                         std::span<const double> position, std::span<double> message,
                                         Scratch& scratch) {
  Scratch::Frame frame(scratch);
  if (!own_[client]) own_[client] = make_own();
  Own& own = *own_[client];
  const auto z = own.z.column(chain);
  if (own.visited[chain] == 0 || !settings_.warm_start) draw_latent(round, client, chain, position, z);
  own.visited[chain] = 1;
  const Streams& streams = streams_[chain];
  const auto held = problem_.clients[client];
  const PersonalPotential& potential = *held;
  const auto shared = position.first(shared_), beta = position.subspan(shared_);
  LocalChain local(settings_, {potential, *problem_.population, shared, beta},
                   {addressed(streams.noise, round, client), addressed(streams.coins, round, client)}, scratch);
  local.start(z);
  std::ranges::fill(message, 0.0);
  const auto by_shared = message.first(shared_), score = message.subspan(shared_);
  for (Index m = 0; m < settings_.local_steps; ++m) {
    local.step(m);
    problem_.population->add_score(beta, local.state().z, score);
    math::add(local.state().by_shared, by_shared);
  }
  math::scale(1 / static_cast<double>(settings_.local_steps), score);
  math::scale(-1 / static_cast<double>(settings_.local_steps), by_shared);
  if (!math::all_finite(local.state().z) || !math::all_finite(message))
    throw NumericError("a latent is not finite; try a smaller sampler.step", static_cast<std::int64_t>(round), client);
  std::ranges::copy(local.state().z, z.begin());
  const Index each = settings_.kernel == LocalKernel::hmc ? settings_.leapfrogs : 1;
  Receipt receipt;
  receipt.bits = static_cast<std::int64_t>(64 * score.size());
  receipt.bits_bound = static_cast<double>(receipt.bits);
  receipt.gradients = (settings_.local_steps * each + 1) * potential.rows();
  receipt.accepted = local.accepted();
  const auto memory = settings_.memory ? own.memory.column(chain) : std::span<double>{};
  if (!by_shared.empty()) compress(memory, addressed(streams.compress, round, client), by_shared, receipt, scratch);
  return receipt;
}

// J becomes C(J), or C(J - h_i), of which h_i takes its share.
void LocalRounds::compress(std::span<double> memory, const Stream& stream, std::span<double> by_shared,
                           Receipt& receipt, Scratch& scratch) {
  if (settings_.memory) math::subtract(by_shared, memory, by_shared);
  const std::int64_t coded = compressor_->encode(by_shared, stream, by_shared, nullptr, scratch);
  if (settings_.memory) math::axpy(settings_.memory_rate, by_shared, memory);
  receipt.bits += coded;
  // Of words their own; NaN where a code has no bound.
  receipt.bits_bound +=
      !settings_.compressor.compresses()
          ? static_cast<double>(coded)
          : compressor_->bits_bound(problem_.shared()).value_or(std::numeric_limits<double>::quiet_NaN());
}

void LocalRounds::archive(Archive& archive, Index first, Index last) {
  for (Index i = first; i < last; ++i) {
    std::unique_ptr<Own>& own = own_[static_cast<std::size_t>(i)];
    bool known = own != nullptr;
    archive.flag(known);
    if (archive.reading()) own = known ? make_own() : nullptr;
    if (!known) continue;
    archive.array(own->z.flat());
    archive.array(own->memory.flat());
    archive.array(std::span(own->visited));
  }
}

}  // namespace pollen
