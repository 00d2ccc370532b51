// The server's step of the gradient family (docs/algorithms.md section 4). The last term of g belongs to the
// fixed-point oracle:
//   g = η + Σ w_i δ_i + ∇U_0(θ) (+ Σ ∇U_i(θ̂)),  η ← η + α Σ δ_i,  θ ← θ - γ g + √(2γT) Z
// With coded messages their errors are a part of the noise, and Z has the rest (docs/coded-langevin.md).
#pragma once

#include <vector>

#include "pollen/round.h"
#include "round/server_step.h"

namespace pollen {

class LangevinStep final : public ServerStep {
 public:
  LangevinStep(const Prior& prior, const Server::Setup& setup);

  void set_anchor_gradient(std::span<const double> sum) { anchor_gradient_.assign(sum.begin(), sum.end()); }
  void draw_noise(std::uint64_t round);  // draws the noise of move() in advance, while a transport waits

  void share_work(const Team& team) override;
  bool weighs_messages() const override { return false; }
  Weights weigh(std::uint32_t, std::uint32_t, double weight) const override { return {1, weight}; }
  bool keeps_two_sums(const Roster& roster, bool memory) const override { return memory && !roster.uniform; }
  std::int64_t most_evaluations_per_row(const Broadcast&) const override {
    return 4;
  }  // no oracle needs more than three
  double move(const Chain& chain) override;
  void archive(Archive& archive) override;

 private:
  void add_up(const Chain& chain, std::span<double> g) const;
  static double missing_spread(const Chain& chain);
  void draw_normals(Index chain, std::uint64_t round, std::span<double> out) const;

  struct Room {
    AlignedVector<double> direction, normals;
  };
  Prior prior_;
  Index dimension_, chains_;
  std::vector<Stream> noise_;
  std::vector<double> anchor_gradient_;  // fixed point: Σ ∇U_i(θ̂)
  Team team_;
  std::vector<Room> rooms_;        // one per member
  Panel noise_drawn_;              // filled by draw_noise()
  std::uint64_t noise_round_ = 0;  // 1 + the round that noise_drawn_ is for
};

}  // namespace pollen
