// FedSOUK's server. Clients answer together; their messages are added in client order, in blocks of a fixed size, so
// that sums do not depend on who worked when.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "personal/engine_parts.h"
#include "personal/local_round.h"
#include "personal/prior_chain.h"
#include "personal/server_steps.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/participation.h"
#include "pollen/personal.h"

namespace pollen {

namespace {

constexpr std::size_t kBlock = 32;     // clients whose messages are added up before they go into the sum
constexpr std::size_t kTogether = 64;  // clients whose messages are kept until they are added

class Fedsouk final : public PersonalEngine {
 public:
  Fedsouk(const PersonalProblem& problem, const PersonalSettings& settings)
      : problem_(problem),
        settings_(settings),
        shared_(problem.shared()),
        steps_(problem, settings),
        clients_(problem, settings),
        participation_(settings.participation, client_sizes(problem), problem.chains, settings.coupled, problem.seed,
                       true),
        position_(problem.dimension(), problem.chains),
        average_(problem.dimension(), problem.chains),
        sum_(problem.dimension(), problem.chains),
        block_(problem.dimension(), problem.chains),
        messages_(problem.dimension(),
                  static_cast<Index>(std::min(kTogether, problem.clients.size())) * problem.chains),
        receipts_(static_cast<std::size_t>(messages_.columns())),
        scratch_(1) {
    if (problem.population->leaves_out_constant()) prior_chains_.emplace(problem, settings);
    if (settings.memory) total_memory_ = memory_change_ = Panel(shared_, problem.chains);
  }

  void start(ConstPanelView position) override {
    for (Index c = 0; c < position.columns; ++c) std::ranges::copy(position.column(c), position_.column(c).begin());
  }

  void share_work(const Team& team) override {
    team_ = team;
    scratch_.resize(static_cast<std::size_t>(team_.size));
  }

  std::int64_t advance(std::int64_t) override {
    participation_.draw(round_, roster_);
    loads_.open(roster_.clients);
    std::ranges::fill(sum_.flat(), 0.0);
    std::ranges::fill(memory_change_.flat(), 0.0);
    std::size_t block = 0;
    const std::span<const Roster::Entry> all = roster_.clients;
    for (std::size_t first = 0; first < all.size(); first += kTogether) {
      const auto some = all.subspan(first, std::min(kTogether, all.size() - first));
      ask(some);
      for (const Roster::Entry& entry : some) {
        if (entry.client / kBlock != block) close_block();
        block = entry.client / kBlock;
        add_messages(entry, some.front().first);
      }
    }
    close_block();
    for (Index c = 0; c < problem_.chains; ++c) step_server(c);
    if (static_cast<std::int64_t>(round_) >= settings_.averaged_from) add_to_average();
    loads_.close(true);
    ++round_;
    counters_.rounds = static_cast<std::int64_t>(round_);
    return 1;
  }

  ConstPanelView position() const override { return position_; }
  std::int64_t iteration() const override { return static_cast<std::int64_t>(round_); }
  Counters& counters() override { return counters_; }
  void listen(LoadListener listener) override { loads_.listen(std::move(listener)); }
  ConstPanelView average() const override { return average_; }
  double accepted() const override {
    return proposals_ > 0 ? static_cast<double>(accepted_) / static_cast<double>(proposals_) : 1;
  }

  void latent(Index client, Index chain, std::span<double> out) const override {
    clients_.latent(round_, static_cast<std::uint32_t>(client), static_cast<std::uint32_t>(chain),
                    position_.column(chain), out);
  }

  void personal_shared(Index, Index chain, std::span<double> out) const override {
    std::ranges::copy(position_.column(chain).first(static_cast<std::size_t>(shared_)), out.begin());
  }

  void archive(Archive& archive) override {
    archive.array(position_.flat());
    archive.array(average_.flat());
    clients_.archive(archive);
    archive.array(total_memory_.flat());
    if (prior_chains_) prior_chains_->archive(archive);
    archive.field(round_);
    archive.field(weight_);
    archive.field(accepted_);
    archive.field(proposals_);
    archive_counters(archive, counters_);
  }

 private:
  // The roster's place p goes to column p - first of messages_.
  void ask(std::span<const Roster::Entry> some) {
    const std::uint32_t first = some.front().first;
    team_.run(static_cast<Index>(some.size()), [&](Index item, int member) {
      const Roster::Entry& entry = some[static_cast<std::size_t>(item)];
      for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
        receipts_[p - first] = clients_.answer(
            round_, entry.client, roster_.chain[p], std::as_const(position_).column(roster_.chain[p]),
            messages_.column(static_cast<Index>(p - first)), scratch_[static_cast<std::size_t>(member)]);
    });
  }

  void add_messages(const Roster::Entry& entry, std::uint32_t first) {
    for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p) {
      const auto message = messages_.column(static_cast<Index>(p - first));
      const auto chain = static_cast<Index>(roster_.chain[p]);
      math::axpy(roster_.weight[p], message, block_.column(chain));
      if (settings_.memory)
        math::axpy(settings_.memory_rate, message.first(static_cast<std::size_t>(shared_)),
                   memory_change_.column(chain));
      count(entry.client, receipts_[p - first]);
    }
  }

  void count(std::uint32_t client, const LocalRounds::Receipt& receipt) {
    accepted_ += receipt.accepted;
    proposals_ += settings_.local_steps;
    ++counters_.messages;
    counters_.uplink_bits += receipt.bits;
    counters_.uplink_bits_bound += receipt.bits_bound;
    counters_.downlink_bits += 64 * problem_.dimension();
    counters_.gradients += receipt.gradients;
    loads_.add({client, 64 * problem_.dimension(), receipt.gradients, receipt.bits});
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
    if (prior_chains_) prior_chains_->subtract_mean_score(round_, chain, beta, sum.subspan(shared.size()), scratch_[0]);
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
    if (!math::all_finite(position) || noise_ran_away(*problem_.clients.front(), shared))
      throw NumericError("phi or beta has run away; try smaller sampler.shared_step and population_step",
                         static_cast<std::int64_t>(round_), -1);
  }

  PersonalProblem problem_;
  PersonalSettings settings_;
  Index shared_;
  ServerSteps steps_;
  LocalRounds clients_;
  std::optional<PriorChains> prior_chains_;
  ParticipationDraw participation_;
  Roster roster_;
  Panel position_, average_, sum_, block_;
  Panel messages_;  // (C(J), I)
  std::vector<LocalRounds::Receipt> receipts_;
  Panel total_memory_;   // H = Σ h_i
  Panel memory_change_;  // of H, in this round
  std::uint64_t round_ = 0;
  double weight_ = 0;  // of average_
  std::int64_t accepted_ = 0, proposals_ = 0;
  Counters counters_;
  LoadBook loads_;
  Team team_;
  std::vector<Scratch> scratch_;  // one a member
};

}  // namespace

std::unique_ptr<PersonalEngine> make_fedsouk(const PersonalProblem& problem, const PersonalSettings& settings) {
  return std::make_unique<Fedsouk>(problem, settings);
}

}  // namespace pollen
