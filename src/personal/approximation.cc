// The server of FedSOUL and FedSOUK (docs/algorithms.md section 7): stochastic approximation for (φ, β) with
// projections and an average of the path.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine_parts.h"
#include "information_steps.h"
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
    if (InformationSteps::fit(problem, settings)) information_.emplace(problem, settings);
    if (problem.population->leaves_out_constant()) prior_chains_.emplace(problem, settings);
  }

  void share_work(const Team& team) override { scratch_.resize(static_cast<std::size_t>(team.size)); }

  // A client's memory moves by the share memory_rate of its message, whatever weight the step gives the message.
  Weights weigh(std::uint32_t, std::uint32_t, double weight) const override { return {memory_rate_, weight}; }
  std::int64_t most_evaluations_per_row(const Broadcast&) const override { return settings_.evaluations_per_row(); }

  void close(const Broadcast& broadcast) override {
    if (!information_ && !steps_) steps_.emplace(problem_, settings_);
    const auto round = static_cast<std::int64_t>(broadcast.round);
    averages_ = round >= settings_.averaged_from;
    slowing_ = slowing(round);
    // Averages of steps that settle need no weights: they are as good as the best sequence of steps would give
    // (Polyak and Juditsky 1992).
    share_ = information_ ? 1 : slowing_;
    if (averages_) weight_ += share_;
  }

  bool needs_information(std::uint64_t round) const override { return information_ && information_->needs(round); }
  void take_information(std::span<const double> at, ConstPanelView sum) override { information_->take(at, sum); }

  double move(const Chain& in) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(in.member)];
    Scratch::Frame frame(scratch);
    const auto sum = scratch.take<double>(std::ssize(in.position));
    add_up(in, sum, scratch);
    const auto position = in.position, shared = position.first(shared_), beta = position.subspan(shared_);
    if (information_) {
      information_->turn(position, sum, scratch);
      math::axpy(slowing_, sum, position);
    } else {
      const auto steps = scratch.take<double>(std::ssize(position));
      steps_->at(shared, beta, steps);
      for (std::size_t j = 0; j < position.size(); ++j) position[j] += slowing_ * steps[j] * sum[j];
    }
    project(shared, beta);
    if (!math::all_finite(position) || noise_ran_away(*problem_.clients.front(), shared))
      throw NumericError(information_ ? "phi or beta has run away; where a column tells the classes apart without "
                                        "error, its coefficient has no maximum, and model.prior_sd gives it one"
                                      : "phi or beta has run away; try smaller sampler.shared_step and population_step",
                         static_cast<std::int64_t>(in.broadcast.round), -1);
    if (averages_) add_to_average(in.chain, position);
    return 0;
  }

  ConstPanelView average() const override { return average_; }

  void archive(Archive& archive) override {
    archive.array(average_.flat());
    if (prior_chains_) prior_chains_->archive(archive);
    archive.field(weight_);
    if (information_) information_->archive(archive);
  }

 private:
  // Returns the factor of this round's step.
  double slowing(std::int64_t round) const {
    constexpr double kSettling = 0.6;
    const auto power = [](double a, double time) { return math::exp(-a * math::log(1 + time)); };
    if (!information_) return power(settings_.decay.value_or(0), static_cast<double>(round));
    if (settings_.decay) return settings_.factor * power(*settings_.decay, static_cast<double>(round));
    const auto since = static_cast<double>(std::max<std::int64_t>(0, round - settings_.averaged_from));
    return settings_.factor * power(kSettling, since);
  }

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
    const double share = share_ / weight_;
    math::scale(1 - share, average_.column(chain));
    math::axpy(share, position, average_.column(chain));
  }

  PersonalProblem problem_;
  PersonalSettings settings_;
  double memory_rate_;
  std::size_t shared_;                           // coordinates of φ
  std::optional<InformationSteps> information_;  // without given steps, where the model allows it; otherwise:
  std::optional<ServerSteps> steps_;             // made with the first step, because ranks other than 0 take none
  std::optional<PriorChains> prior_chains_;
  Panel average_;
  double weight_ = 0;             // sum of the weights in average_
  double slowing_ = 1;            // η_k/η_0
  double share_ = 1;              // the weight of this round's position in average_
  bool averages_ = false;         // whether this round's position enters the average
  std::vector<Scratch> scratch_;  // one per member of the thread team
};

}  // namespace

std::unique_ptr<Approximation> make_approximation(const PersonalProblem& problem, const PersonalSettings& settings,
                                                  double memory_rate) {
  return std::make_unique<RobbinsMonro>(problem, settings, memory_rate);
}

}  // namespace pollen
