#include "chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen::exact {

namespace {

bool is_mala(const Setup& setup) { return setup.kernel == "mala"; }

// The ε of the leapfrog for the step that the configuration gives. For mala that is γ, and ε² = 2γT.
double leapfrog_step(const Setup& setup, double temperature) {
  const double given = setup.settings.step.value_or(0);
  return is_mala(setup) ? std::sqrt(2 * given * temperature) : given;
}

Adaptation::Options adaptation_of(const Setup& setup) {
  const Settings& s = setup.settings;
  return {.warm_up = s.warm_up,
          .target = s.target_accept.value_or(is_mala(setup) ? 0.574 : 0.8),
          .step = !s.step,
          .mass = !s.step && s.adapt_mass && !is_mala(setup)};
}

}  // namespace

Chain::Chain(const Setup& setup, std::uint32_t number, double temperature)
    : seed_(setup.seed),
      number_(number),
      client_(setup.client),
      warm_up_(setup.settings.warm_up),
      any_fall_(setup.any_fall),
      position_(static_cast<std::size_t>(setup.dimension)),
      gradient_(position_.size()),
      adaptation_(adaptation_of(setup), setup.dimension),
      search_(setup.dimension),
      trajectory_(make_trajectory(setup, temperature)) {
  if (!adaptation_.learns_step()) adaptation_.restart(leapfrog_step(setup, temperature));
}

void Chain::start(std::span<const double> position) { std::ranges::copy(position, position_.begin()); }

std::span<const double> Chain::asks() const {
  switch (doing_) {
    case Doing::looking:
      return position_;
    case Doing::searching:
      return search_.asks();
    case Doing::travelling:
      break;
  }
  return trajectory_->asks();
}

bool Chain::hear(double potential, std::span<const double> gradient) {
  switch (doing_) {
    case Doing::looking:
      look(potential, gradient);
      break;
    case Doing::searching:
      if (!search_.hear(potential, gradient)) return false;
      adaptation_.restart(search_.step());
      break;
    case Doing::travelling:
      if (!trajectory_->hear(potential, gradient)) return false;
      complete();
      go_on();
      return true;
  }
  go_on();
  return false;
}

void Chain::look(double potential, std::span<const double> gradient) {
  if (!std::isfinite(potential) || !math::all_finite(gradient))
    throw NumericError(fmt::format("chain {}: the potential at its start is {}; try another run.init", number_ + 1,
                                   std::isfinite(potential) ? "finite, but its gradient is not" : "not finite"),
                       0, -1);
  potential_ = potential;
  std::ranges::copy(gradient, gradient_.begin());
  looked_ = true;
}

void Chain::complete() {
  if (!any_fall_ && iteration_ >= warm_up_ && trajectory_->fall() > kAbsurdFall)
    throw AbsurdFall(
        fmt::format("chain {}: the energy fell by {:.3g} within a trajectory after the burn-in, which answers of one "
                    "potential do with a probability below exp(-{:.0f}); a client has answered with wrong numbers, or "
                    "run.burn_in is far too short",
                    number_ + 1, trajectory_->fall(), kAbsurdFall),
        iteration_, -1);
  const Place end = trajectory_->place();
  if (end.position.data() != position_.data()) {  // not where the trajectory was rejected
    std::ranges::copy(end.position, position_.begin());
    std::ranges::copy(end.gradient, gradient_.begin());
  }
  potential_ = end.potential;
  transition_ = trajectory_->result();
  adaptation_.learn(iteration_, transition_.accept, position_);
  ++iteration_;
}

// Begins what comes after the last complete transition: a search for the step or the next trajectory. Searches take
// their random numbers from the address of the transition before them.
void Chain::go_on() {
  if (adaptation_.needs_step()) {
    const std::int64_t before = std::max<std::int64_t>(0, iteration_ - 1);
    search_.begin({place(), adaptation_.inverse_mass(), adaptation_.step()}, stream(Purpose::momentum, before));
    doing_ = Doing::searching;
    return;
  }
  trajectory_->begin({place(), adaptation_.inverse_mass(), adaptation_.step()},
                     {.momentum = stream(Purpose::momentum, iteration_),
                      .trajectory = stream(Purpose::trajectory, iteration_),
                      .metropolis = stream(Purpose::metropolis, iteration_)});
  doing_ = Doing::travelling;
}

Stream Chain::stream(Purpose purpose, std::int64_t iteration) const {
  Stream stream = make_stream(seed_, number_, purpose);
  stream.round = static_cast<std::uint64_t>(iteration);
  stream.client = client_;
  return stream;
}

void Chain::archive(Archive& archive) {
  archive.array(std::span(position_));
  archive.array(std::span(gradient_));
  archive.fields(potential_, looked_, iteration_);
  if (iteration_ < 0) throw WireError(fmt::format("saved state: found iteration {}, accepted: 0 or more", iteration_));
  adaptation_.archive(archive);
  if (!archive.reading()) return;
  doing_ = Doing::looking;
  if (looked_) go_on();
}

}  // namespace pollen::exact
