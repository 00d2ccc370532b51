// Hamiltonian Monte Carlo for models with latents that never leave their clients (docs/exact.md). It samples the joint
// posterior of (φ, β, z_1, ..., z_b), whose potential is
//
//   V = -log p(φ, β) + Σ_i V_i,   V_i = U_i(φ, z_i) - log p(z_i | β).
//
// The server holds (φ, β) and their momenta, and client i holds z_i and its momentum, which it draws itself. A leapfrog
// step is a round (pollen/round.h): the server sends (φ, β), the clients move their own parts and answer with their
// gradients by (φ, β). With the last step of a trajectory they add how much their potential and kinetic energy have
// changed, and the server accepts or rejects. Clients learn the outcome with the next broadcast.
//
//   const ClientWork work = make_joint_work(setup);   // what clients compute
//   auto step = make_joint_step(setup);               // how the server moves
//
// All clients and chains share one step and one jittered length per trajectory, so that chains move in lockstep.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "exact/exact.h"
#include "model/coordinates.h"
#include "personal/personal.h"
#include "round/local_work.h"
#include "round/server_step.h"

namespace pollen::exact {

// The prior of (φ, β). Its potential is that of a normal law plus, for each coordinate λ with a scale s in
// `half_normal`, that of exp(λ) ~ half-normal(s), Jacobian included: ½ exp(2λ)/s² - λ.
struct JointPrior {
  Prior normal = Prior::flat();
  std::vector<double> half_normal = {};  // one scale per coordinate, 0 where there is none; empty: none anywhere

  double value(std::span<const double> at) const;
  void add_gradient(std::span<const double> at, std::span<double> g) const;
};

// Which of two coordinates for a latent a client moves in: z_j itself, or its place in the population (z_j - μ_j)/σ_j.
enum class Centring { automatic, always, never };

struct JointSetup {
  PersonalProblem problem;  // of a normal population; the priors in it are not used
  JointPrior prior;         // the server's
  Settings settings;
  bool learns_length = true;  // whether the warm-up may change settings.trajectory
  Centring centring = Centring::automatic;
  std::int64_t last =
      std::numeric_limits<std::int64_t>::max();  // after so many transitions clients are told the outcome
};

// The potentials and the population must outlive the work.
ClientWork make_joint_work(const JointSetup& setup);

// The server's half. Its state on the wire has more numbers than (φ, β), which joint_message.h lists.
class JointStep : public ServerStep {
 public:
  // Takes the starting positions of (φ, β) and returns what the first broadcast asks.
  virtual Panel start(ConstPanelView position) = 0;
  // Sets the linear map A in whose coordinates the momenta are standard normal until the warm-up finds a better one.
  virtual void set_metric(const Coordinates& metric) = 0;
  virtual ConstPanelView position() const = 0;  // (φ, β) after the last complete iteration
  virtual std::int64_t iteration() const = 0;
  virtual bool emits() const = 0;  // whether an iteration became complete with the last exchange
  virtual std::span<const Transition> transitions() const = 0;  // of that iteration; empty if there is none
};
// Throws ConfigError if a setting is out of range.
std::unique_ptr<JointStep> make_joint_step(const JointSetup& setup);

}  // namespace pollen::exact
