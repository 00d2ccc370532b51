// The server of the personalised baselines. It moves its part of the model by server_step times the mean of the
// participants' moves, weighted by N_i.
//
// scaffold's messages have a second half, the moves of the controls, of which N_i/N enter the sum. For l2gd an
// aggregation takes two exchanges: the participants send their models, and the server sends their mean, to which they
// move. No other iteration of l2gd sends anything.
#include <algorithm>

#include "baseline_rules.h"
#include "math/math.h"
#include "pollen/round.h"
#include "round/server_step.h"

namespace pollen::baselines {

namespace {

class MeanStep final : public ServerStep {
 public:
  explicit MeanStep(std::shared_ptr<const Rounds> rounds)
      : rounds_(std::move(rounds)),
        active_rows_(static_cast<std::size_t>(rounds_->problem.chains)),
        aggregates_(active_rows_.size()),
        sends_(active_rows_.size(), rounds_->message > 0 ? 1 : 0) {
    for (const Index n : rounds_->problem.clients.sizes()) all_rows_ += static_cast<double>(n);
  }

  void plan(Broadcast& broadcast) override {
    if (!rounds_->tosses()) return;
    bool any = false;
    for (std::uint32_t c = 0; c < sends_.size(); ++c) any = any || rounds_->aggregates(c, broadcast.round);
    const bool collects = any && !collected_;
    broadcast.segment = {.first = 0, .steps = collects ? 0U : 1U, .starts = collected_, .ends = collects};
  }

  void begin(const Broadcast& broadcast) override {
    const Roster& roster = broadcast.roster;
    std::ranges::fill(active_rows_, 0.0);
    for (const Roster::Entry& entry : roster.clients)
      for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
        active_rows_[roster.chain[p]] += rounds_->rows(entry.client) * roster.weight[p];
    for (std::uint32_t c = 0; rounds_->tosses() && c < sends_.size(); ++c) {
      aggregates_[c] = rounds_->aggregates(c, broadcast.round) ? 1 : 0;
      sends_[c] = aggregates_[c] != 0 && !knows_mean(c, broadcast.round) ? 1 : 0;
    }
  }

  // The factor of the step is N_i over the rows of all participants. The roster's weights correct for unequal chances
  // of taking part; if all clients have the same chance, they cancel.
  Weights weigh(std::uint32_t client, std::uint32_t chain, double weight) const override {
    const double rows = rounds_->rows(client), all = active_rows_[chain];
    return {rows / all_rows_, all > 0 ? rows * weight / all : 0};
  }
  bool keeps_two_sums(const Roster&, bool) const override { return rounds_->control(); }
  bool always_sends() const override { return false; }
  bool sends(std::uint32_t chain) const override { return sends_[chain] != 0; }
  // No baseline evaluates a row more than four times per local step. l2gd does so once.
  std::int64_t most_evaluations_per_row(const Broadcast&) const override {
    return 1 + 4 * rounds_->settings.local_steps + rounds_->settings.head_steps;
  }

  void close(const Broadcast& broadcast) override { collected_ = !ends_round(broadcast); }
  bool ends_round(const Broadcast& broadcast) const override {
    return !rounds_->tosses() || broadcast.segment.steps > 0;
  }

  double move(const Chain& in) override {
    const std::size_t n = rounds_->sent.count;
    if (rounds_->tosses()) {
      if (aggregates_[static_cast<std::size_t>(in.chain)] != 0) std::ranges::copy(in.for_step, in.position.begin());
      return 0;
    }
    math::axpy(rounds_->settings.server_step, in.for_step.first(n), in.position.first(n));
    if (rounds_->control()) math::add(in.for_memory.subspan(n), in.position.subspan(n));
    rounds_->check(in.position.first(n), rounds_->sent.first == 0 && n > 0, in.broadcast.round, -1);
    return 0;
  }

 private:
  // An aggregation does not move the mean of all clients' models, so that a second one in a row needs no messages.
  // Models are collected again, because the mean's last bits may differ, but this is not counted.
  bool knows_mean(std::uint32_t chain, std::uint64_t round) const {
    return rounds_->settings.participation.policy == ParticipationPolicy::full && round > 0 &&
           rounds_->aggregates(chain, round - 1);
  }

  std::shared_ptr<const Rounds> rounds_;
  double all_rows_ = 0;                           // N
  std::vector<double> active_rows_;               // one per chain: the rows of the participants, with their weights
  std::vector<std::uint8_t> aggregates_, sends_;  // one per chain: this round's coin; whether anything is sent
  bool collected_ = false;                        // l2gd: this round's models have been collected
};

}  // namespace

std::unique_ptr<ServerStep> make_step(const std::shared_ptr<const Rounds>& rounds) {
  return std::make_unique<MeanStep>(rounds);
}

}  // namespace pollen::baselines
