// FedSOUK's rounds. Sums over clients are taken in blocks whose size depends on the number of clients alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "personal/local_chain.h"
#include "personal/prior_chain.h"
#include "personal/server_steps.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/participation.h"
#include "pollen/personal.h"

namespace pollen {

namespace {

constexpr std::size_t kBlock = 32;

class Fedsouk final : public PersonalEngine {
 public:
  Fedsouk(const PersonalProblem& problem, const PersonalSettings& settings)
      : problem_(problem),
        settings_(settings),
        shared_(problem.shared()),
        latent_(problem.population->latent()),
        clients_(static_cast<Index>(problem.clients.size())),
        steps_(problem, settings),
        compressor_(make_compressor(settings.compressor, std::max<Index>(1, shared_))),
        participation_(settings.participation, sizes(), problem.chains, settings.coupled, problem.seed, true),
        position_(problem.dimension(), problem.chains),
        average_(problem.dimension(), problem.chains),
        sum_(problem.dimension(), problem.chains),
        block_(problem.dimension(), problem.chains),
        z_(latent_, clients_ * problem.chains),
        visited_(static_cast<std::size_t>(clients_ * problem.chains), 0) {
    if (problem.population->leaves_out_constant()) prior_chains_.emplace(problem, settings);
    if (settings.memory) {
      memory_ = Panel(shared_, clients_ * problem.chains);
      total_memory_ = memory_change_ = Panel(shared_, problem.chains);
    }
    for (Index c = 0; c < problem.chains; ++c) {
      const auto chain = static_cast<std::uint32_t>(c);
      noise_.push_back(make_stream(problem.seed, chain, Purpose::local_noise));
      coins_.push_back(make_stream(problem.seed, chain, Purpose::metropolis));
      starts_.push_back(make_stream(problem.seed, chain, Purpose::latent_start));
      compress_.push_back(make_stream(problem.seed, chain, Purpose::compress_up));
    }
  }

  void start(ConstPanelView position) override {
    for (Index c = 0; c < position.columns; ++c) std::ranges::copy(position.column(c), position_.column(c).begin());
  }

  std::int64_t advance(std::int64_t) override {
    participation_.draw(round_, roster_);
    std::ranges::fill(sum_.flat(), 0.0);
    std::ranges::fill(memory_change_.flat(), 0.0);
    std::uint32_t block = 0;
    for (const Roster::Entry& entry : roster_.clients) {
      if (entry.client / kBlock != block) close_block();
      block = static_cast<std::uint32_t>(entry.client / kBlock);
      for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
        visit(entry.client, roster_.chain[p], roster_.weight[p]);
    }
    close_block();
    for (Index c = 0; c < problem_.chains; ++c) step_server(c);
    if (static_cast<std::int64_t>(round_) >= settings_.averaged_from) add_to_average();
    ++round_;
    counters_.rounds = static_cast<std::int64_t>(round_);
    return 1;
  }

  ConstPanelView position() const override { return position_; }
  std::int64_t iteration() const override { return static_cast<std::int64_t>(round_); }
  Counters& counters() override { return counters_; }
  ConstPanelView average() const override { return average_; }
  double accepted() const override {
    return proposals_ > 0 ? static_cast<double>(accepted_) / static_cast<double>(proposals_) : 1;
  }

  void latent(Index client, Index chain, std::span<double> out) const override {
    if (visited_[slot(client, chain)] != 0) {
      std::ranges::copy(z_.column(static_cast<Index>(slot(client, chain))), out.begin());
      return;
    }
    draw_latent(static_cast<std::uint32_t>(client), static_cast<std::uint32_t>(chain), out);
  }

  void personal_shared(Index, Index chain, std::span<double> out) const override {
    std::ranges::copy(shared_part(chain), out.begin());
  }

  void archive(Archive& archive) override {
    archive.array(position_.flat());
    archive.array(average_.flat());
    archive.array(z_.flat());
    archive.array(std::span(visited_));
    archive.array(memory_.flat());
    archive.array(total_memory_.flat());
    if (prior_chains_) prior_chains_->archive(archive);
    archive.field(round_);
    archive.field(weight_);
    archive.field(accepted_);
    archive.field(proposals_);
    for (std::int64_t* count :
         {&counters_.rounds, &counters_.messages, &counters_.uplink_bits, &counters_.downlink_bits,
          &counters_.broadcast_bits, &counters_.setup_bits, &counters_.gradients})
      archive.field(*count);
    archive.field(counters_.uplink_bits_bound);
  }

 private:
  std::vector<Index> sizes() const {
    std::vector<Index> out;
    for (const PersonalPotential* client : problem_.clients) out.push_back(client->rows());
    return out;
  }
  std::size_t slot(Index client, Index chain) const {
    return static_cast<std::size_t>(client * problem_.chains + chain);
  }
  std::span<const double> shared_part(Index chain) const {
    return std::as_const(position_).column(chain).first(static_cast<std::size_t>(shared_));
  }
  std::span<const double> population_part(Index chain) const {
    return std::as_const(position_).column(chain).subspan(static_cast<std::size_t>(shared_));
  }

  void draw_latent(std::uint32_t client, std::uint32_t chain, std::span<double> out) const {
    Stream stream = starts_[chain];
    stream.round = round_;
    stream.client = client;
    normals(stream, out);
    problem_.population->draw(population_part(chain), out);
  }

  // A client's round for one chain: its local steps, then I and C(J), weighted, into the block's sum.
  void visit(std::uint32_t client, std::uint32_t chain, double weight) {
    Scratch::Frame frame(scratch_);
    const std::size_t at = slot(client, chain);
    const auto z = z_.column(static_cast<Index>(at));
    if (visited_[at] == 0 || !settings_.warm_start) draw_latent(client, chain, z);
    visited_[at] = 1;
    LocalStreams streams{noise_[chain], coins_[chain]};
    streams.noise.round = streams.coins.round = round_;
    streams.noise.client = streams.coins.client = client;
    const PersonalPotential& potential = *problem_.clients[client];
    LocalChain local(settings_, {potential, *problem_.population, shared_part(chain), population_part(chain)}, streams,
                     scratch_);
    local.start(z);
    const auto message = scratch_.take<double>(problem_.dimension());
    std::ranges::fill(message, 0.0);
    const auto by_shared = message.first(static_cast<std::size_t>(shared_));
    const auto score = message.subspan(by_shared.size());
    for (Index m = 0; m < settings_.local_steps; ++m) {
      local.step(m);
      problem_.population->add_score(population_part(chain), local.state().z, score);
      math::add(local.state().by_shared, by_shared);
    }
    math::scale(1 / static_cast<double>(settings_.local_steps), score);
    math::scale(-1 / static_cast<double>(settings_.local_steps), by_shared);
    check(local.state(), client, message);
    std::ranges::copy(local.state().z, z.begin());
    accepted_ += local.accepted();
    proposals_ += settings_.local_steps;
    send(client, chain, weight, by_shared, score);
    const Index each = settings_.kernel == LocalKernel::hmc ? settings_.leapfrogs : 1;
    counters_.gradients += (settings_.local_steps * each + 1) * potential.rows();
  }

  void check(const LocalState& state, std::uint32_t client, std::span<const double> message) const {
    if (math::all_finite(state.z) && math::all_finite(message)) return;
    throw NumericError("a latent is not finite; try a smaller sampler.step", static_cast<std::int64_t>(round_), client);
  }

  void send(std::uint32_t client, std::uint32_t chain, double weight, std::span<double> by_shared,
            std::span<const double> score) {
    const auto block = block_.column(chain);
    std::int64_t bits = static_cast<std::int64_t>(64 * score.size());
    double bound = static_cast<double>(bits);
    if (!by_shared.empty()) {
      const bool memory = settings_.memory;
      const auto h = memory ? memory_.column(static_cast<Index>(slot(client, chain))) : std::span<double>{};
      if (memory) math::subtract(by_shared, h, by_shared);
      Stream stream = compress_[chain];
      stream.round = round_;
      stream.client = client;
      const std::int64_t coded = compressor_->encode(by_shared, stream, by_shared, nullptr, scratch_);
      bits += coded;
      bound += nominal_bits(static_cast<double>(coded));
      if (memory) {
        math::axpy(settings_.memory_rate, by_shared, h);
        math::axpy(settings_.memory_rate, by_shared, memory_change_.column(chain));
      }
      math::axpy(weight, by_shared, block.first(by_shared.size()));
    }
    math::axpy(weight, score, block.subspan(by_shared.size()));
    ++counters_.messages;
    counters_.uplink_bits += bits;
    counters_.uplink_bits_bound += bound;
    counters_.downlink_bits += 64 * problem_.dimension();
  }

  // Of a coded J: its own for words, NaN where a code has none.
  double nominal_bits(double coded) const {
    if (settings_.compressor.kind == CompressorKind::identity) return coded;
    return compressor_->bits_bound(shared_).value_or(std::numeric_limits<double>::quiet_NaN());
  }

  // η_k/η_0.
  double slowing() const { return math::exp(-settings_.decay * math::log(1 + static_cast<double>(round_))); }

  void add_to_average() {
    weight_ += slowing();
    const double share = slowing() / weight_;
    for (Index c = 0; c < problem_.chains; ++c) {
      math::scale(1 - share, average_.column(c));
      math::axpy(share, position_.column(c), average_.column(c));
    }
  }

  void close_block() {
    for (Index c = 0; c < problem_.chains; ++c) {
      math::add(block_.column(c), sum_.column(c));
      std::ranges::fill(block_.column(c), 0.0);
    }
  }

  void step_server(Index chain) {
    counters_.broadcast_bits += 64 * problem_.dimension();
    const auto position = position_.column(chain), sum = sum_.column(chain);
    const auto shared = position.first(static_cast<std::size_t>(shared_));
    const auto beta = position.subspan(shared.size());
    if (settings_.memory) {  // Σ h_i before this round, then after it
      math::add(total_memory_.column(chain), sum.first(shared.size()));
      math::add(memory_change_.column(chain), total_memory_.column(chain));
    }
    if (prior_chains_) prior_chains_->subtract_mean_score(round_, chain, beta, sum.subspan(shared.size()), scratch_);
    for (std::size_t j = 0; j < problem_.shared_precision.size(); ++j)
      sum[j] -= problem_.shared_precision[j] * shared[j];
    for (std::size_t j = 0; j < problem_.population_precision.size(); ++j)
      sum[shared.size() + j] -= problem_.population_precision[j] * (beta[j] - problem_.population_centre[j]);
    const std::span<const double> steps = steps_.at(shared, beta);
    const double slower = slowing();
    for (std::size_t j = 0; j < position.size(); ++j) position[j] += slower * steps[j] * sum[j];
    if (settings_.shared_radius > 0) {
      const double norm = std::sqrt(math::squared_norm(shared));
      if (norm > settings_.shared_radius) math::scale(settings_.shared_radius / norm, shared);
    }
    problem_.population->project(beta);
    if (!math::all_finite(position))
      throw NumericError("phi or beta is not finite; try smaller sampler.shared_step and population_step",
                         static_cast<std::int64_t>(round_), -1);
  }

  PersonalProblem problem_;
  PersonalSettings settings_;
  Index shared_, latent_, clients_;
  ServerSteps steps_;
  std::optional<PriorChains> prior_chains_;
  std::unique_ptr<const Compressor> compressor_;
  ParticipationDraw participation_;
  Panel position_, average_, sum_, block_;
  Panel z_;  // client i's chain c is column i·R + c
  std::vector<std::uint8_t> visited_;
  Panel memory_, total_memory_;  // h_i, and H = Σ h_i
  Panel memory_change_;          // of H, in this round
  std::vector<Stream> noise_, coins_, starts_, compress_;
  Roster roster_;
  std::uint64_t round_ = 0;
  double weight_ = 0;  // of average_
  std::int64_t accepted_ = 0, proposals_ = 0;
  Counters counters_;
  mutable Scratch scratch_;
};

}  // namespace

std::unique_ptr<PersonalEngine> make_fedsouk(const PersonalProblem& problem, const PersonalSettings& settings) {
  return std::make_unique<Fedsouk>(problem, settings);
}

}  // namespace pollen
