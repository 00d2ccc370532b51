// The server's half of the sampler in exact/joint.h. It moves in ψ, θ = Aψ, where its momenta are standard normal. The
// file is long because its one class is one state machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact/joint.h"
#include "joint_length.h"
#include "joint_message.h"
#include "joint_metric.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "trajectory.h"

namespace pollen::exact {

namespace {

constexpr double kFirstStep = 0.1;
// Before the first window of the warm-up the step may be tiny, so trajectories have at most so many steps.
constexpr Index kMostEarly = 10;

class Joint final : public JointStep {
 public:
  explicit Joint(const JointSetup& setup)
      : problem_(setup.problem),
        prior_(setup.prior),
        settings_(setup.settings),
        shape_(setup.problem),
        learns_length_(setup.learns_length && !setup.settings.step && setup.settings.leapfrogs == 0),
        may_choose_(setup.centring == Centring::automatic),
        last_(setup.last),
        windows_(learns_mass() ? schedule(settings_.warm_up) : Schedule()),
        averaging_{.target = settings_.target_accept.value_or(0.8)},
        step_(settings_.step.value_or(kFirstStep)),
        length_(settings_.trajectory, shape_.dimension),
        metric_(dimension(), chains()),
        choices_(shape_.choices, setup.centring == Centring::never ? 0.0 : 1.0),
        answer_(static_cast<Index>(shape_.width()), chains()),
        transitions_(static_cast<std::size_t>(chains())) {
    averaging_.restart(step_);
    for (Panel* panel : {&here_, &there_, &here_slope_, &there_slope_, &momentum_})
      *panel = Panel(dimension(), chains());
    for (auto* numbers : {&potential_, &kinetic_, &prior_before_}) numbers->assign(transitions_.size(), 0.0);
    lost_.assign(transitions_.size(), 0);
    accepted_.assign(transitions_.size(), 0);
  }

  Panel start(ConstPanelView position) override {
    copy_into(position, here_);
    for (Index c = 0; c < chains(); ++c) explosion_ = std::max(explosion_, kExplosion * math::max_abs(here_.column(c)));
    doing_ = Doing::looks;
    Panel asked(answer_.rows(), chains());
    ask(here_, asked);
    return asked;
  }
  void set_metric(const Coordinates& metric) override { metric_.set(metric); }

  ConstPanelView position() const override { return here_; }
  std::int64_t iteration() const override { return complete_ - (closing() ? 1 : 0); }
  bool emits() const override { return emits_; }
  std::span<const Transition> transitions() const override {
    return emits_ ? std::span<const Transition>(transitions_) : std::span<const Transition>();
  }

  bool weighs_messages() const override { return false; }
  Weights weigh(std::uint32_t, std::uint32_t, double weight) const override { return {weight, weight}; }
  std::int64_t most_evaluations_per_row(const Broadcast&) const override { return 1; }

  double move(const Chain& in) override {
    std::ranges::copy(in.for_step, answer_.column(in.chain).begin());
    return 0;
  }

  void turn(PanelView position) override {
    emits_ = false;
    if (doing_ == Doing::looks)
      look();
    else if (closing())
      go_beyond();
    else
      travel();
    ask(doing_ == Doing::looks || closing() ? here_.view() : there_.view(), position);
  }

  void archive(Archive& archive) override {
    for (Panel* panel : {&here_, &there_, &here_slope_, &there_slope_, &momentum_}) archive.array(panel->flat());
    for (auto* numbers : {&potential_, &kinetic_, &prior_before_, &choices_}) archive.array(std::span(*numbers));
    for (auto* flags : {&lost_, &accepted_}) archive.array(std::span(*flags));
    for (Transition& t : transitions_) archive.fields(t.accept, t.step, t.energy, t.depth, t.leapfrogs, t.divergent);
    auto doing = static_cast<std::uint8_t>(doing_);
    archive.fields(doing, looked_twice_, may_choose_, emits_, complete_, at_, count_, step_, explosion_);
    doing_ = static_cast<Doing>(doing);
    averaging_.archive(archive);
    length_.archive(archive);
    metric_.archive(archive);
  }

 private:
  Index dimension() const { return static_cast<Index>(shape_.dimension); }
  Index chains() const { return problem_.chains; }
  bool learns_mass() const { return !settings_.step && settings_.adapt_mass; }
  bool closing() const { return doing_ == Doing::closes; }
  std::span<const double> numbers(Index chain) const { return shape_.numbers(std::as_const(answer_).column(chain)); }
  double number(Index chain, std::size_t which) const { return numbers(chain)[which]; }

  // Writes the next broadcast.
  void ask(ConstPanelView at, PanelView out) const {
    const bool last = at_ + 1 == count_ && (doing_ == Doing::begins || doing_ == Doing::moves);
    for (Index c = 0; c < chains(); ++c) {
      const auto message = out.column(c);
      std::ranges::copy(at.column(c), message.begin());
      const auto to = shape_.numbers(message);
      to[down::step] = step_;
      to[down::iteration] = static_cast<double>(complete_);
      to[down::doing] = static_cast<double>(doing_) + (last ? kLastStep : 0);
      to[down::accepted] = accepted_[static_cast<std::size_t>(c)];
      std::ranges::copy(choices_, shape_.of_choices(message).begin());
    }
  }

  // Takes the gradients at the present positions. If the clients' votes change the coordinates, it asks once more.
  void look() {
    const std::vector<double> before = choices_;
    if (may_choose_ && !looked_twice_) count_votes();
    looked_twice_ = !looked_twice_ && choices_ != before;
    if (looked_twice_) return;
    for (Index c = 0; c < chains(); ++c) {
      if (number(c, up::lost) > 0)
        throw NumericError(
            fmt::format("chain {}: the potential at its start is not finite; try another run.init", c + 1), complete_,
            -1);
      take_gradient(c, here_, here_slope_);
    }
    if (complete_ > 0) may_choose_ = false;
    depart();
  }

  // A latent is centred if in most clients, over all chains, the rows hold it more firmly than the population does.
  void count_votes() {
    const double half = 0.5 * static_cast<double>(chains() * static_cast<Index>(problem_.clients.size()));
    for (std::size_t k = 0; k < choices_.size(); ++k) {
      double votes = 0;
      for (Index c = 0; c < chains(); ++c) votes += shape_.of_choices(std::as_const(answer_).column(c))[k];
      choices_[k] = votes > half ? 1 : 0;
    }
  }

  void take_gradient(Index chain, ConstPanelView at, PanelView slope) const {
    std::ranges::copy(answer_.column(chain).first(shape_.dimension), slope.column(chain).begin());
    prior_.add_gradient(at.column(chain), slope.column(chain));
  }

  Stream stream(Index chain, Purpose purpose) const {
    Stream stream = make_stream(problem_.seed, static_cast<std::uint32_t>(chain), purpose);
    stream.round = static_cast<std::uint64_t>(complete_);
    return stream;
  }

  // Begins a trajectory: draws its length and the momenta, and makes the first half of its first step.
  void depart() {
    doing_ = Doing::begins;
    at_ = 0;
    count_ = choose_count();
    copy_into(here_, there_);
    copy_into(here_slope_, there_slope_);
    for (Index c = 0; c < chains(); ++c) {
      const auto i = static_cast<std::size_t>(c);
      const auto momentum = momentum_.column(c);
      normals(stream(c, Purpose::momentum), momentum);
      kinetic_[i] = 0.5 * math::squared_norm(momentum);
      prior_before_[i] = prior_.value(here_.column(c));
      lost_[i] = 0;
    }
    kick(0.5);
    drift();
  }

  Index choose_count() const {
    double wanted = settings_.leapfrogs > 0 ? static_cast<double>(settings_.leapfrogs) : length_.length() / step_;
    if (settings_.jitter > 0) {
      double u = 0;
      uniforms(stream(0, Purpose::trajectory), {&u, 1});
      wanted *= 1 + settings_.jitter * (2 * u - 1);
    }
    const bool early = !windows_.ends.empty() && complete_ < windows_.first;
    const Index most = early ? std::min(settings_.most_leapfrogs, kMostEarly) : settings_.most_leapfrogs;
    return static_cast<Index>(std::clamp(std::floor(wanted + 0.5), 1.0, static_cast<double>(most)));
  }

  // p ← p - share · ε Aᵀ∇V
  void kick(double share) {
    Panel pulled(dimension(), chains());
    metric_.pull_back(there_slope_, pulled);
    for (Index c = 0; c < chains(); ++c) math::axpy(-share * step_, pulled.column(c), momentum_.column(c));
  }

  // θ ← θ + ε A p. A chain that leaves the finite numbers stays where it was, and its trajectory is rejected.
  void drift() {
    Panel way(dimension(), chains());
    metric_.turn(momentum_, way);
    for (Index c = 0; c < chains(); ++c) {
      auto& lost = lost_[static_cast<std::size_t>(c)];
      const auto position = there_.column(c);
      if (!math::all_finite(way.column(c)) || !(math::max_abs(way.column(c)) < 1e300)) lost = 1;
      if (lost != 0) continue;
      math::axpy(step_, way.column(c), position);
      if (math::max_abs(position) > explosion_) lost = 1;
    }
  }

  // Completes a step with the gradients that were sent, and begins the next one or ends the trajectory.
  void travel() {
    ++at_;
    for (Index c = 0; c < chains(); ++c) {
      if (number(c, up::lost) > 0) lost_[static_cast<std::size_t>(c)] = 1;
      take_gradient(c, there_, there_slope_);
    }
    const bool last = at_ == count_;
    kick(last ? 0.5 : 1);
    if (last) return arrive();
    doing_ = Doing::moves;
    drift();
  }

  void arrive() {
    std::vector<double> accept;
    for (Index c = 0; c < chains(); ++c) accept.push_back(judge(c));
    if (learns_length_ && warming() && !metric_.variances().empty()) learn_length(accept);
    for (Index c = 0; c < chains(); ++c) {
      if (accepted_[static_cast<std::size_t>(c)] == 0) continue;
      std::ranges::copy(there_.column(c), here_.column(c).begin());
      std::ranges::copy(there_slope_.column(c), here_slope_.column(c).begin());
    }
    adapt(std::accumulate(accept.begin(), accept.end(), 0.0) / static_cast<double>(chains()));
    ++complete_;
    emits_ = complete_ != last_;
    doing_ = Doing::closes;
    if (emits_) go_on();
  }

  // The clients know the last outcome, so that the last iteration is complete.
  void go_beyond() {
    depart();
    emits_ = true;
  }

  void go_on() {
    doing_ = Doing::looks;
    if (may_choose_ && !windows_.ends.empty() && complete_ == windows_.ends.front()) return;
    depart();
  }

  // Accepts or rejects where a chain's trajectory has ended. Returns the probability with which it is accepted.
  double judge(Index chain) {
    const auto c = static_cast<std::size_t>(chain);
    const double after = 0.5 * math::squared_norm(momentum_.column(chain));
    const double change = number(chain, up::potential) + prior_.value(there_.column(chain)) - prior_before_[c];
    const double kinetic = kinetic_[c] + number(chain, up::kinetic_before);
    const double gained = after + number(chain, up::kinetic_after) - kinetic;
    const double before = potential_[c] + kinetic;
    double loss = change + gained;
    if (lost_[c] != 0 || !std::isfinite(loss)) loss = std::numeric_limits<double>::infinity();
    if (complete_ >= settings_.warm_up && -loss > kAbsurdFall)
      throw NumericError(
          fmt::format("chain {}: the energy fell by {:.3g} within a trajectory after the burn-in; a client "
                      "has answered with wrong numbers, or run.burn_in is far too short",
                      chain + 1, -loss),
          complete_, -1);
    const double accept = loss <= 0 ? 1 : math::exp(-loss);
    double u = 0;
    uniforms(stream(chain, Purpose::metropolis), {&u, 1});
    accepted_[c] = u < accept ? 1 : 0;
    if (accepted_[c] != 0) potential_[c] += change;
    transitions_[c] = {
        accept, step_, 0, static_cast<int>(count_), !(loss <= kDivergence), accepted_[c] != 0 ? before + loss : before};
    return accept;
  }

  bool warming() const { return complete_ < settings_.warm_up; }

  // Jumps count by the probability with which they are made.
  void learn_length(std::span<const double> accept) {
    const double all = std::accumulate(accept.begin(), accept.end(), 0.0);
    if (!(all > 0)) return;
    std::vector<double> jumps(shape_.dimension, 0.0);
    for (Index c = 0; c < chains(); ++c) {
      const double weight = accept[static_cast<std::size_t>(c)] / all;
      for (std::size_t j = 0; weight > 0 && j < jumps.size(); ++j) {
        const double jump = there_.column(c)[j] - here_.column(c)[j];
        jumps[j] += weight * jump * jump / (2 * metric_.variances()[j]);
      }
    }
    length_.learn(jumps);
  }

  void adapt(double accept) {
    if (!warming() || settings_.step) return;
    const bool last = complete_ + 1 == settings_.warm_up;
    step_ = averaging_.learn(accept);
    metric_.learn(windows_, complete_, here_);
    if (windows_.closes(complete_)) averaging_.restart(step_);
    if (!last) return;
    step_ = averaging_.final_step();
    if (learns_length_) length_.finish();
  }

  PersonalProblem problem_;
  JointPrior prior_;
  Settings settings_;
  JointShape shape_;
  bool learns_length_, may_choose_;  // may_choose_: until the first window of the warm-up has closed
  std::int64_t last_;
  Schedule windows_;
  DualAveraging averaging_;
  double step_;  // ε
  JointLength length_;
  JointMetric metric_;
  std::vector<double> choices_;  // 1 for centred
  // Positions (φ, β), one column per chain, after the last transition and on the way. Slopes are ∇V.
  Panel here_, there_, here_slope_, there_slope_, momentum_;
  Panel answer_;                                // the sums over clients
  std::vector<double> potential_;               // V after the last transition, less V at the start
  std::vector<double> kinetic_, prior_before_;  // at the start of the trajectory, of the server's part
  std::vector<std::uint8_t> lost_, accepted_;
  std::vector<Transition> transitions_;
  Doing doing_ = Doing::looks;
  bool looked_twice_ = false, emits_ = false;
  std::int64_t complete_ = 0;      // transitions
  Index at_ = 0, count_ = 1;       // leapfrog steps done, and those of the whole trajectory
  double explosion_ = kExplosion;  // a chain that moves so far from 0 is rejected there
};

}  // namespace

std::unique_ptr<JointStep> make_joint_step(const JointSetup& setup) {
  Problems problems;
  check_settings(setup.settings, "warm_up target_accept leapfrogs trajectory jitter most_leapfrogs", problems);
  problems.raise();
  return std::make_unique<Joint>(setup);
}

}  // namespace pollen::exact
