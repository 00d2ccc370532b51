// A client's half of the sampler in exact/joint.h. Everything that the client keeps is one JointState, which moves when
// the server has counted a reply: until then the same broadcast gets the same answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/joint.h"
#include "joint_state.h"
#include "joint_target.h"
#include "math/math.h"
#include "personal/pooled_answer.h"
#include "pollen/errors.h"
#include "trajectory.h"

namespace pollen::exact {

namespace {

constexpr double kMostIterations = 0x1p53;

// A whole number in a broadcast, which a server that lies may have made anything.
std::uint64_t whole_number(double found, double most, const char* what) {
  if (!(found >= 0 && found <= most))
    throw WireError(fmt::format("broadcast: found {} as {}, accepted: 0 to {}", found, what, most));
  return static_cast<std::uint64_t>(found);
}

// What all clients of a process share.
struct JointRounds {
  explicit JointRounds(const JointSetup& setup)
      : problem(setup.problem),
        shape(setup.problem),
        windows(setup.settings.adapt_mass && !setup.settings.step ? schedule(setup.settings.warm_up) : Schedule()) {
    for (Index c = 0; c < problem.chains; ++c)
      starts.push_back(make_stream(problem.seed, static_cast<std::uint32_t>(c), Purpose::latent_start));
  }
  PersonalProblem problem;
  JointShape shape;
  Schedule windows;
  std::vector<Stream> starts;  // one per chain
};

class JointWork final : public LocalWork {
 public:
  JointWork(std::uint32_t client, std::shared_ptr<const JointRounds> rounds)
      : client_(client), rounds_(std::move(rounds)) {}

  void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) override {
    make_room();
    pending_ = state_;
    const auto held = rounds_->problem.clients[client_];
    Work now{view, reply, out, *held, work.scratch};
    const auto numbers = rounds_->shape.numbers(view.position().column(0));
    const std::uint64_t told = whole_number(numbers[down::doing], 2 * kLastStep - 1, "what to do");
    const std::uint64_t iteration = whole_number(numbers[down::iteration], kMostIterations, "an iteration");
    const bool last = told >= static_cast<std::uint64_t>(kLastStep);
    const auto doing = static_cast<Doing>(told % static_cast<std::uint64_t>(kLastStep));
    fill(out, 0.0);
    reply.gradients = 0;
    if (pending_.awaits) settle(now, static_cast<std::int64_t>(iteration));
    if (doing == Doing::looks) look(now);
    if (doing == Doing::begins) begin(now, iteration);
    if (doing == Doing::begins || doing == Doing::moves) move(now, last);
  }

  void commit(const Reply&) override { std::swap(state_, pending_); }

  // The server's position tells which outcome a trajectory that waits for one has.
  void latents(ConstPanelView position, std::uint64_t, std::span<double> out) const override {
    const JointShape& shape = rounds_->shape;
    Scratch scratch;
    const auto held = rounds_->problem.clients[client_];
    for (Index c = 0; c < position.columns; ++c) {
      const auto z = out.subspan(static_cast<std::size_t>(c) * shape.latent, shape.latent);
      if (state_.empty() || !state_.begun) {
        draw_latent(c, position.column(c), z);
        continue;
      }
      const bool moved = state_.awaits && std::ranges::equal(position.column(c), state_.there.theta.column(c));
      const JointState::Point& at = moved ? state_.there : state_.here;
      target(*held, state_, scratch).to_latent(at.theta.column(c), at.u.column(c), z);
    }
  }

  void look(const LatentQuestion& question, PanelView out, Workspace& work) const override {
    fill(out, 0.0);
    if (question.about != LatentQuestion::About::pooled) return LocalWork::look(question, out, work);
    add_pooled(*rounds_->problem.clients[client_], question.at, out, work.scratch);
  }

  void archive(Archive& archive) override {
    make_room();
    state_.archive(archive);
  }
  void archive_pending(Archive& archive) override {
    make_room();
    if (pending_.empty()) pending_ = state_;
    pending_.archive(archive);
  }

 private:
  // What compute() works on.
  struct Work {
    const ClientView& view;
    Reply& reply;
    const PanelView& out;
    const PersonalPotential& client;
    Scratch& scratch;
    std::span<const double> asked(Index chain) const { return view.position().column(chain); }
  };

  void make_room() {
    if (state_.empty()) state_ = JointState(rounds_->shape, rounds_->problem.chains);
  }
  Index chains() const { return rounds_->problem.chains; }
  JointTarget target(const PersonalPotential& client, const JointState& state, Scratch& scratch) const {
    return {rounds_->shape, client, *rounds_->problem.population, state.centred, scratch};
  }

  void draw_latent(Index chain, std::span<const double> position, std::span<double> z) const {
    Stream stream = rounds_->starts[static_cast<std::size_t>(chain)];
    stream.client = client_;
    normals(stream, z);
    rounds_->problem.population->draw(position.subspan(rounds_->shape.shared), z);
  }

  // Takes the end of the last trajectory in the chains that have accepted it.
  void settle(const Work& now, std::int64_t iteration) {
    for (Index c = 0; c < chains(); ++c)
      if (rounds_->shape.numbers(now.asked(c))[down::accepted] != 0) pending_.here.take(pending_.there, c);
    pending_.awaits = 0;
    pending_.learn(rounds_->windows, iteration - 1);
  }

  // Evaluates where the client is, at the coordinates that the server has chosen, and votes for the next ones.
  void look(const Work& now) {
    const JointShape& shape = rounds_->shape;
    Scratch::Frame frame(now.scratch);
    const PanelView z = now.scratch.panel(static_cast<Index>(shape.latent), chains());
    const bool first = pending_.begun == 0;
    for (Index c = 0; c < chains(); ++c)
      if (first)
        draw_latent(c, now.asked(c).first(shape.dimension), z.column(c));
      else
        target(now.client, pending_, now.scratch)
            .to_latent(pending_.here.theta.column(c), pending_.here.u.column(c), z.column(c));
    const auto chosen = shape.of_choices(now.asked(0));
    const bool changed = first || !std::ranges::equal(chosen, pending_.centred);
    std::ranges::copy(chosen, pending_.centred.begin());
    if (changed) std::ranges::fill(pending_.inverse_mass, 0.0);
    const JointTarget at = target(now.client, pending_, now.scratch);
    for (Index c = 0; c < chains(); ++c) look_at(now, at, c, z.column(c), changed);
    pending_.begun = 1;
    now.reply.gradients += now.client.rows() * chains();
  }

  void look_at(const Work& now, const JointTarget& at, Index chain, std::span<const double> z, bool new_mass) {
    const JointShape& shape = rounds_->shape;
    Scratch::Frame frame(now.scratch);
    JointState::Point& here = pending_.here;
    const auto theta = now.asked(chain).first(shape.dimension);
    const auto message = now.out.column(chain);
    std::ranges::copy(theta, here.theta.column(chain).begin());
    at.from_latent(theta, z, here.u.column(chain));
    evaluate(at, here, chain, message);
    const auto relative = now.scratch.take<double>(std::ssize(z));
    at.relative_curvature(theta, z, relative);
    const auto votes = shape.of_choices(message), count = now.scratch.take<double>(std::ssize(votes));
    std::ranges::fill(count, 0.0);
    for (std::size_t j = 0; j < z.size(); ++j) {
      const std::size_t choice = shape.choice[j];
      votes[choice] += relative[j];
      count[choice] += 1;
      if (new_mass) pending_.inverse_mass[j] += at.variance(theta, j, relative[j]) / static_cast<double>(chains());
    }
    for (std::size_t k = 0; k < votes.size(); ++k) votes[k] = votes[k] > count[k] ? 1 : 0;
    if (!std::isfinite(here.potential[static_cast<std::size_t>(chain)]) || !math::all_finite(message)) lose(message);
  }

  // Evaluates V_i at a point and writes its gradient by (φ, β).
  void evaluate(const JointTarget& at, JointState::Point& point, Index chain, std::span<double> message) const {
    point.potential[static_cast<std::size_t>(chain)] =
        at.evaluate(point.theta.column(chain), point.u.column(chain), point.slope.column(chain),
                    message.first(rounds_->shape.dimension));
  }

  // Says that there is no density here. Nothing that is not finite is sent.
  void lose(std::span<double> message) const {
    std::ranges::fill(message, 0.0);
    rounds_->shape.numbers(message)[up::lost] = 1;
  }

  void begin(const Work& now, std::uint64_t iteration) {
    for (Index c = 0; c < chains(); ++c) {
      Stream stream = now.view.local_streams()[static_cast<std::size_t>(c)];
      stream.round = iteration;
      stream.client = client_;
      const auto momentum = pending_.momentum.column(c);
      draw_momentum(stream, pending_.inverse_mass, momentum);
      pending_.kinetic[static_cast<std::size_t>(c)] = kinetic(momentum, pending_.inverse_mass);
      pending_.there.take(pending_.here, c);
      pending_.lost[static_cast<std::size_t>(c)] = 0;
      math::axpy(-0.5 * step_of(now, c), pending_.there.slope.column(c), momentum);
    }
  }

  double step_of(const Work& now, Index chain) const { return rounds_->shape.numbers(now.asked(chain))[down::step]; }

  void move(const Work& now, bool last) {
    const JointTarget at = target(now.client, pending_, now.scratch);
    for (Index c = 0; c < chains(); ++c) move(now, at, c, last);
    pending_.awaits = last ? 1 : 0;
  }

  void move(const Work& now, const JointTarget& at, Index chain, bool last) {
    const auto c = static_cast<std::size_t>(chain);
    JointState::Point& there = pending_.there;
    const auto message = now.out.column(chain), momentum = pending_.momentum.column(chain);
    const double step = step_of(now, chain);
    std::ranges::copy(now.asked(chain).first(rounds_->shape.dimension), there.theta.column(chain).begin());
    drift(step, pending_.inverse_mass, momentum, there.u.column(chain));
    if (pending_.lost[c] == 0 && math::all_finite(there.u.column(chain))) {
      evaluate(at, there, chain, message);
      now.reply.gradients += now.client.rows();
      math::axpy(last ? -0.5 * step : -step, there.slope.column(chain), momentum);
    }
    const auto numbers = rounds_->shape.numbers(message);
    numbers[up::potential] = last ? there.potential[c] - pending_.here.potential[c] : 0;
    numbers[up::kinetic_before] = last ? pending_.kinetic[c] : 0;
    numbers[up::kinetic_after] = last ? kinetic(momentum, pending_.inverse_mass) : 0;
    const bool whole = math::all_finite(there.u.column(chain)) && math::all_finite(message) &&
                       math::all_finite(momentum) && std::isfinite(there.potential[c]);
    if (pending_.lost[c] != 0 || !whole) {
      pending_.lost[c] = 1;
      lose(message);
    }
  }

  std::uint32_t client_;
  std::shared_ptr<const JointRounds> rounds_;
  JointState state_, pending_;  // after the last counted reply, and after the next one if it is counted
};

}  // namespace

ClientWork make_joint_work(const JointSetup& setup) {
  auto rounds = std::make_shared<const JointRounds>(setup);
  const auto width = static_cast<Index>(rounds->shape.width()), latent = static_cast<Index>(rounds->shape.latent);
  return {width, [rounds](std::uint32_t client) { return std::make_unique<JointWork>(client, rounds); }, latent};
}

}  // namespace pollen::exact
