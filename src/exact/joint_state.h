// What a client of the sampler in exact/joint.h keeps, with one column or number per chain.
#pragma once

#include <cstdint>
#include <vector>

#include "adaptation.h"
#include "joint_message.h"
#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::exact {

struct JointState {
  // A place of every chain: (φ, β), the client's own coordinates u, V_i and its gradient by u.
  struct Point {
    Panel theta, u, slope;
    std::vector<double> potential;
    void take(const Point& other, Index chain);
    void archive(Archive& archive);
  };

  JointState() = default;
  JointState(const JointShape& shape, Index chains);
  bool empty() const { return centred.empty(); }
  // Takes the present u into the window of this iteration, and the mass from a window that closes with it.
  void learn(const Schedule& windows, std::int64_t iteration);
  void archive(Archive& archive);

  Point here, there;  // after the last transition whose outcome is known, and on the way of the present trajectory
  Panel momentum;
  std::vector<double> kinetic;       // at the start of the trajectory
  std::vector<std::uint8_t> lost;    // whether the trajectory has left the density
  std::vector<double> inverse_mass;  // one per coordinate of u
  std::vector<double> centred;       // one per choice, 0 or 1
  std::uint8_t begun = 0;            // whether the latents were drawn
  std::uint8_t awaits = 0;           // whether a trajectory has ended whose outcome is not known here
  // Welford's means and sum of squares of the present window.
  std::int64_t seen = 0;
  Panel mean;
  std::vector<double> squares;
};

}  // namespace pollen::exact
