#include "hamiltonian.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen::reference {

void draw_momentum(const Stream& stream, std::span<const double> inverse_mass, std::span<double> momentum) {
  normals(stream, momentum);
  for (std::size_t j = 0; j < momentum.size(); ++j) momentum[j] /= std::sqrt(inverse_mass[j]);
}

double kinetic(std::span<const double> momentum, std::span<const double> inverse_mass) {
  double sum = 0;
  for (std::size_t j = 0; j < momentum.size(); ++j) sum += inverse_mass[j] * (momentum[j] * momentum[j]);
  return 0.5 * sum;
}

void drift(double step, std::span<const double> inverse_mass, std::span<const double> momentum,
           std::span<double> position) {
  for (std::size_t j = 0; j < position.size(); ++j) position[j] += step * (inverse_mass[j] * momentum[j]);
}

HamiltonianKernel::HamiltonianKernel(const Chains& chains, const ReferenceSettings& settings, Target target,
                                     double default_accept)
    : target_(std::move(target)),
      adaptation_({settings.warm_up, settings.target_accept.value_or(default_accept), !settings.step,
                   !settings.step && settings.adapt_mass},
                  chains.problem.dimension, chains.count()),
      value_(static_cast<std::size_t>(chains.count())),
      gradient_(chains.problem.dimension, chains.count()),
      transitions_(value_.size()),
      fixed_step_(settings.step.value_or(0)),
      silent_(settings.step ? 0 : settings.warm_up),
      accept_(value_.size()) {}

void HamiltonianKernel::start(Chains& chains) {
  target_.value(chains.position, value_, chains.work.scratch);
  target_.gradient(chains.position, gradient_, chains.work.scratch);
  chains.counters.gradients += target_.rows() * chains.count();
  if (adaptation_.learns_step()) return find_steps(chains);
  for (Index c = 0; c < chains.count(); ++c) adaptation_.restart(c, fixed_step_);
}

void HamiltonianKernel::learn(Chains& chains) {
  if (!adaptation_.warming(chains.iteration)) return;
  for (std::size_t c = 0; c < accept_.size(); ++c) accept_[c] = transitions_[c].accept;
  if (adaptation_.learn(chains.iteration, accept_, chains.position)) find_steps(chains);
}

void HamiltonianKernel::find_steps(Chains& chains) {
  for (Index c = 0; c < chains.count(); ++c) adaptation_.restart(c, find_step(chains, c, 1));
}

double HamiltonianKernel::find_step(Chains& chains, Index chain, std::uint32_t use) {
  const double wanted = math::log(0.8);
  double step = adaptation_.step(chain);
  const auto accepts = [&] {
    const double found = log_accept(chains, chain, step, chains.stream(chain, Purpose::momentum, use++));
    return found > wanted;  // false if it is not a number
  };
  const bool grow = accepts();
  do {
    step *= grow ? 2 : 0.5;
    if (step > 1e7 || step < 1e-300)
      throw NumericError(
          "no leapfrog step from 1e-300 to 1e7 suits the start; is the posterior proper, and finite there?",
          chains.iteration, -1);
  } while (accepts() == grow);
  return step;
}

double HamiltonianKernel::log_accept(Chains& chains, Index chain, double step, const Stream& stream) {
  const Index d = chains.problem.dimension;
  Scratch& scratch = chains.work.scratch;
  Scratch::Frame frame(scratch);
  const PanelView q = scratch.panel(d, 1), p = scratch.panel(d, 1), g = scratch.panel(d, 1);
  const auto mass = adaptation_.inverse_mass(chain);
  std::ranges::copy(chains.position.column(chain), q.column(0).begin());
  draw_momentum(stream, mass, p.column(0));
  const double before = value_[static_cast<std::size_t>(chain)] + kinetic(p.column(0), mass);
  math::axpy(-0.5 * step, gradient_.column(chain), p.column(0));
  drift(step, mass, p.column(0), q.column(0));
  target_.gradient(q, g, scratch);
  chains.counters.gradients += target_.rows();
  math::axpy(-0.5 * step, g.column(0), p.column(0));
  double after = 0;
  target_.value(q, {&after, 1}, scratch);
  return before - (after + kinetic(p.column(0), mass));
}

void HamiltonianKernel::archive(Archive& archive) {
  adaptation_.archive(archive);
  archive.array(std::span(value_));
  archive.array(gradient_.flat());
  for (Transition& t : transitions_) {
    for (double* x : {&t.accept, &t.step, &t.energy}) archive.field(*x);
    for (int* n : {&t.depth, &t.leapfrogs}) archive.field(*n);
    archive.flag(t.divergent);
  }
}

}  // namespace pollen::reference
