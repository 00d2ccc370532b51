// The server's half of local steps (docs/algorithms.md section 6): it schedules segments, makes control variates and
// averages what clients send, which is positions or, if messages are compressed, changes δ_i.
//
//   positions:  x_{r+1} = Σ w_i x_i
//   changes:    x_{r+1} = x_r + n_r + H + Σ w_i δ_i,  H ← H + α Σ w_i δ_i,  n_r the common noise of the round
#pragma once

#include <vector>

#include "pollen/round.h"
#include "round/local_segments.h"
#include "round/server_step.h"

namespace pollen {

class AverageStep final : public ServerStep {
 public:
  AverageStep(const Recipe& recipe, const Server::Setup& setup);

  // Writes the next segment, of at most `most` steps, and its control variates to the broadcast.
  void open(std::int64_t most, const Recipe& recipe, const Panel& position, Broadcast& broadcast);
  double weight_of(std::uint32_t client) const;  // w_i
  bool fresh() const { return fresh_; }          // the next segment starts from the average
  std::uint64_t iteration() const { return iteration_; }
  bool refresh_due() const { return segments_.refresh_due(iteration_); }
  // Both make control variates from Y and Σ ∇U_i(Y). start_control() makes those of the next broadcast; refresh() makes
  // them from this iteration's positions, for the broadcast after the next.
  void start_control(ConstPanelView anchor, ConstPanelView gradient_sum);
  void refresh(ConstPanelView anchor, ConstPanelView gradient_sum);

  Weights weigh(std::uint32_t client, std::uint32_t chain, double weight) const override;
  bool keeps_two_sums(const Roster&, bool memory) const override { return memory && partial_; }
  std::int64_t most_evaluations_per_row(const Broadcast& broadcast) const override;
  void close(const Broadcast& broadcast) override;
  double move(const Chain& chain) override;
  void archive(Archive& archive) override;

 private:
  void make_control(ConstPanelView anchor, ConstPanelView gradient_sum, Bytes& words) const;

  Index dimension_, chains_, clients_;
  std::vector<double> weights_;  // w_i, one per client or one for all
  bool partial_, equal_;         // clients may be absent; the average weighs all clients equally (scheme II)
  SegmentSchedule segments_;
  std::vector<Stream> noise_;
  std::uint64_t iteration_ = 0;
  bool fresh_ = true;
  Panel expected_position_;             // changes: x_r plus the common noise of this round so far
  Bytes ready_control_, next_control_;  // for the next broadcast; for the one after it
  std::uint64_t control_from_ = 0;      // the iteration at which next_control_ was made
};

}  // namespace pollen
