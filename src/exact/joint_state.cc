#include "joint_state.h"

#include <algorithm>

namespace pollen::exact {

JointState::JointState(const JointShape& shape, Index chains)
    : momentum(static_cast<Index>(shape.latent), chains),
      kinetic(static_cast<std::size_t>(chains)),
      lost(kinetic.size()),
      inverse_mass(shape.latent, 1.0),
      centred(shape.choices, 1.0),
      mean(momentum.rows(), chains),
      squares(shape.latent) {
  for (Point* point : {&here, &there}) {
    point->theta = Panel(static_cast<Index>(shape.dimension), chains);
    point->u = point->slope = Panel(momentum.rows(), chains);
    point->potential.assign(kinetic.size(), 0.0);
  }
}

void JointState::Point::take(const Point& other, Index chain) {
  std::ranges::copy(other.theta.column(chain), theta.column(chain).begin());
  std::ranges::copy(other.u.column(chain), u.column(chain).begin());
  std::ranges::copy(other.slope.column(chain), slope.column(chain).begin());
  potential[static_cast<std::size_t>(chain)] = other.potential[static_cast<std::size_t>(chain)];
}

// Variances are taken within chains and pooled. The last ones stay in with the weight of a hundredth of an observation,
// so that a window in which nothing moved leaves no mass infinite.
void JointState::learn(const Schedule& windows, std::int64_t iteration) {
  if (!windows.has(iteration)) return;
  ++seen;
  for (Index c = 0; c < mean.columns(); ++c)
    for (std::size_t j = 0; j < squares.size(); ++j) {
      double& centre = mean.column(c)[j];
      const double before = here.u.column(c)[j] - centre;
      centre += before / static_cast<double>(seen);
      squares[j] += before * (here.u.column(c)[j] - centre);
    }
  if (!windows.closes(iteration)) return;
  constexpr double kKept = 0.01;
  const auto n = static_cast<double>((seen - 1) * mean.columns());
  for (std::size_t j = 0; j < squares.size(); ++j)
    inverse_mass[j] = (squares[j] + kKept * inverse_mass[j]) / (n + kKept);
  seen = 0;
  std::ranges::fill(squares, 0.0);
  fill(mean, 0.0);
}

void JointState::Point::archive(Archive& archive) {
  for (Panel* panel : {&theta, &u, &slope}) archive.array(panel->flat());
  archive.array(std::span(potential));
}

void JointState::archive(Archive& archive) {
  here.archive(archive);
  there.archive(archive);
  archive.array(momentum.flat());
  archive.array(mean.flat());
  for (auto* numbers : {&kinetic, &inverse_mass, &centred, &squares}) archive.array(std::span(*numbers));
  archive.array(std::span(lost));
  archive.fields(begun, awaits, seen);
}

}  // namespace pollen::exact
