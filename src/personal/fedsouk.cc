// FedSOUK's server. Clients answer together; their messages are added in client order, in blocks of a fixed size, so
// that sums do not depend on who worked when.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine_parts.h"
#include "local_round.h"
#include "math/math.h"
#include "personal/personal.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "prior_chain.h"
#include "round/participation.h"
#include "round/traffic.h"
#include "server_steps.h"

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
        clients_(problem_, settings_),
        participation_(settings.participation, problem.clients.sizes(), problem.chains, settings.coupled, problem.seed,
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
    traffic_.open(roster_.clients);
    std::ranges::fill(sum_.flat(), 0.0);
    std::ranges::fill(memory_change_.flat(), 0.0);
    std::size_t block = 0;
    Elsewhere elsewhere(*this);
    const std::span<const Roster::Entry> all = roster_.clients;
    for (std::size_t first = 0; first < all.size(); first += kTogether) {
      const auto some = all.subspan(first, std::min(kTogether, all.size() - first));
      const std::size_t mine = others_.ask ? own_of(some).size() : some.size();  // the server's process has the first
      ask(some.first(mine));
      elsewhere.take(some, mine);
      for (const Roster::Entry& entry : some) {
        if (entry.client / kBlock != block) close_block();
        block = entry.client / kBlock;
        add_messages(entry, some.front().first);
      }
    }
    close_block();
    for (Index c = 0; c < problem_.chains; ++c) step_server(c);
    if (static_cast<std::int64_t>(round_) >= settings_.averaged_from) add_to_average();
    traffic_.close(true);
    ++round_;
    counters_.rounds = static_cast<std::int64_t>(round_);
    return 1;
  }

  ConstPanelView position() const override { return position_; }
  std::int64_t iteration() const override { return static_cast<std::int64_t>(round_); }
  Counters& counters() override { return counters_; }
  void listen(TrafficListener listener) override { traffic_.listen(std::move(listener)); }
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

  void share_clients(const OtherClients& others) override { others_ = others; }

  // Every message and what it cost, in the order of the roster.
  Bytes answer(ByteView question) override {
    Archive asked(question);
    archive_question(asked);
    asked.finish();
    participation_.draw(round_, roster_);
    const auto mine = own_of(roster_.clients);
    Archive out;
    for (std::size_t first = 0; first < mine.size(); first += kTogether) {
      const auto some = mine.subspan(first, std::min(kTogether, mine.size() - first));
      ask(some);
      for (const Roster::Entry& entry : some) archive_messages(out, entry, some.front().first);
    }
    return out.take();
  }

  void archive_clients(Archive& archive, Index first, Index last) override { clients_.archive(archive, first, last); }

  void archive(Archive& archive) override {
    archive.array(position_.flat());
    archive.array(average_.flat());
    clients_.archive(archive, 0, static_cast<Index>(problem_.clients.size()));
    archive.array(total_memory_.flat());
    if (prior_chains_) prior_chains_->archive(archive);
    archive.field(round_);
    archive.field(weight_);
    archive.field(accepted_);
    archive.field(proposals_);
    archive_counters(archive, counters_);
  }

 private:
  // Of a round, at the server: other processes are asked when it begins, and heard when their clients' turn comes or,
  // if something goes wrong here, before it is told.
  class Elsewhere {
   public:
    explicit Elsewhere(Fedsouk& engine) : engine_(engine) {
      if (!engine_.others_.ask) return;
      Archive question;
      engine_.archive_question(question);
      engine_.others_.ask(question.take());
      waiting_ = true;
    }
    ~Elsewhere() {
      try {
        collect();
      } catch (...) {  // the error under way is told first
      }
    }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;

    // The messages of some[mine], some[mine + 1], ...
    void take(std::span<const Roster::Entry> some, std::size_t mine) {
      if (mine == some.size()) return;
      collect();
      for (const Roster::Entry& entry : some.subspan(mine)) {
        while (answer_.left() == 0) answer_ = Archive(engine_.answers_.at(next_++));
        engine_.archive_messages(answer_, entry, some.front().first);
      }
    }

   private:
    void collect() {
      if (!std::exchange(waiting_, false)) return;
      engine_.others_.collect(engine_.answers_);
    }

    Fedsouk& engine_;
    bool waiting_ = false;
    std::size_t next_ = 0;
    Archive answer_{ByteView{}};
  };

  void archive_question(Archive& archive) {
    archive.field(round_);
    archive.array(position_.flat());
  }

  void archive_messages(Archive& archive, const Roster::Entry& entry, std::uint32_t first) {
    for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p) {
      archive.numbers(messages_.column(static_cast<Index>(p - first)));
      LocalRounds::Receipt& receipt = receipts_[p - first];
      archive.field(receipt.bits);
      archive.field(receipt.gradients);
      archive.field(receipt.bits_bound);
      archive.field(receipt.accepted);
    }
  }

  std::span<const Roster::Entry> own_of(std::span<const Roster::Entry> entries) const {
    const auto place = [&](Index client) {
      return std::ranges::lower_bound(entries, client, {},
                                      [](const Roster::Entry& e) { return static_cast<Index>(e.client); });
    };
    return {place(others_.first), place(others_.last)};
  }

  // The roster's place p goes to column p - first of messages_.
  void ask(std::span<const Roster::Entry> some) {
    if (some.empty()) return;
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
    traffic_.add({client, 64 * problem_.dimension(), receipt.gradients, receipt.bits});
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
  TrafficLog traffic_;
  Team team_;
  OtherClients others_;
  std::vector<Bytes> answers_;    // of the other processes, in this round
  std::vector<Scratch> scratch_;  // one a member
};

}  // namespace

std::unique_ptr<PersonalEngine> make_fedsouk(const PersonalProblem& problem, const PersonalSettings& settings) {
  return std::make_unique<Fedsouk>(problem, settings);
}

}  // namespace pollen
