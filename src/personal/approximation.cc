// The server of FedSOUL and FedSOUK (docs/algorithms.md section 7): stochastic approximation for (φ, β) with
// projections and an average of the path.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine_parts.h"
#include "math/math.h"
#include "personal/personal.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "prior_chain.h"
#include "round/server_step.h"
#include "server_steps.h"

namespace pollen {

namespace {

class RobbinsMonro final : public Approximation {
 public:
  RobbinsMonro(const PersonalProblem& problem, const PersonalSettings& settings, double memory_rate)
      : problem_(problem),
        settings_(settings),
        memory_rate_(memory_rate),
        shared_(static_cast<std::size_t>(problem.shared())),
        average_(problem.dimension(), problem.chains) {
    if (problem.population->leaves_out_constant()) prior_chains_.emplace(problem, settings);
  }

  void share_work(const Team& team) override { scratch_.resize(static_cast<std::size_t>(team.size)); }

  // A client's memory moves by the share memory_rate of its message, whatever weight the step gives the message.
  Weights weigh(std::uint32_t, std::uint32_t, double weight) const override { return {memory_rate_, weight}; }
  std::int64_t most_evaluations_per_row(const Broadcast&) const override { return settings_.evaluations_per_row(); }

  void close(const Broadcast& broadcast) override {
    if (!steps_) steps_.emplace(problem_, settings_);
    slowing_ = math::exp(-settings_.decay * math::log(1 + static_cast<double>(broadcast.round)));
    averages_ = static_cast<std::int64_t>(broadcast.round) >= settings_.averaged_from;
    if (averages_) weight_ += slowing_;
  }

  double move(const Chain& in) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(in.member)];
    Scratch::Frame frame(scratch);
    const auto sum = scratch.take<double>(std::ssize(in.position));
    add_up(in, sum, scratch);
    const auto position = in.position, shared = position.first(shared_), beta = position.subspan(shared_);
    const auto steps = scratch.take<double>(std::ssize(position));
    steps_->at(shared, beta, steps);
    for (std::size_t j = 0; j < position.size(); ++j) position[j] += slowing_ * steps[j] * sum[j];
    project(shared, beta);
    if (!math::all_finite(position) || noise_ran_away(*problem_.clients.front(), shared))
      throw NumericError("phi or beta has run away; try smaller sampler.shared_step and population_step",
                         static_cast<std::int64_t>(in.broadcast.round), -1);
    if (averages_) add_to_average(in.chain, position);
    return 0;
  }

  ConstPanelView average() const override { return average_; }

  void archive(Archive& archive) override {
    archive.array(average_.flat());
    if (prior_chains_) prior_chains_->archive(archive);
    archive.field(weight_);
  }

 private:
  // Adds up the gradient of the log posterior by (φ, β): what clients sent, their memories, and the priors.
  void add_up(const Chain& in, std::span<double> sum, Scratch& scratch) {
    std::ranges::copy(in.for_step, sum.begin());
    if (!in.memory.empty()) {  // the step uses Σ h_i from before this round; then Σ h_i is updated
      math::add(in.memory, sum.first(shared_));
      math::add(in.for_memory.first(shared_), in.memory);
    }
    const auto shared = in.position.first(shared_), beta = in.position.subspan(shared_);
    if (prior_chains_)
      prior_chains_->subtract_mean_score(in.broadcast.round, in.chain, beta, sum.subspan(shared_), scratch);
    for (std::size_t j = 0; j < problem_.shared_precision.size(); ++j)
      sum[j] -= problem_.shared_precision[j] * shared[j];
    for (std::size_t j = 0; j < problem_.population_precision.size(); ++j)
      sum[shared_ + j] -= problem_.population_precision[j] * (beta[j] - problem_.population_centre[j]);
  }

  void project(std::span<double> shared, std::span<double> beta) const {
    if (settings_.shared_radius > 0) {
      const double norm = std::sqrt(math::squared_norm(shared));
      if (norm > settings_.shared_radius) math::scale(settings_.shared_radius / norm, shared);
    }
    problem_.population->project(beta);
  }

  void add_to_average(Index chain, std::span<const double> position) {
    const double share = slowing_ / weight_;
    math::scale(1 - share, average_.column(chain));
    math::axpy(share, position, average_.column(chain));
  }

  PersonalProblem problem_;
  PersonalSettings settings_;
  double memory_rate_;
  std::size_t shared_;                // coordinates of φ
  std::optional<ServerSteps> steps_;  // made with the first step, because ranks other than 0 take none
  std::optional<PriorChains> prior_chains_;
  Panel average_;
  double weight_ = 0;             // sum of the weights in average_
  double slowing_ = 1;            // η_k/η_0
  bool averages_ = false;         // whether this round's position enters the average
  std::vector<Scratch> scratch_;  // one per member of the thread team
};

}  // namespace

std::unique_ptr<Approximation> make_approximation(const PersonalProblem& problem, const PersonalSettings& settings,
                                                  double memory_rate) {
  return std::make_unique<RobbinsMonro>(problem, settings, memory_rate);
}

}  // namespace pollen
