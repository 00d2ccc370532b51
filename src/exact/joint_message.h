// What an exchange of the sampler in exact/joint.h carries per chain: D = d + 4 + q numbers each way, where d is the
// dimension of (φ, β) and q the number of choices between centred and non-centred latents, one per spread of the
// population or one in all.
//
//   down: (φ, β) | step ε, complete iterations, what to do, accepted | centred or not, for every choice
//   up:   the gradient of V_i by (φ, β) | change of V_i, kinetic energy at the start and at the end, lost | votes
//
// The numbers in the middle of an answer come with the last step of a trajectory, and the votes with a look.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "personal/personal.h"

namespace pollen::exact {

// What a client does with a broadcast. It first learns the outcome of a trajectory that waits for one.
enum class Doing : std::uint8_t {
  looks = 1,   // evaluates V_i where it is, and votes for its coordinates
  begins = 2,  // draws its momenta and makes the first step of a trajectory
  moves = 3,   // makes the next step
  closes = 4,  // nothing more: the run is complete
};

// Numbers behind (φ, β).
namespace down {
inline constexpr std::size_t step = 0, iteration = 1, doing = 2, accepted = 3;  // doing: plus kLastStep with the last
}
namespace up {
inline constexpr std::size_t potential = 0, kinetic_before = 1, kinetic_after = 2, lost = 3;
}
inline constexpr std::size_t kNumbers = 4;
inline constexpr double kLastStep = 16;

struct JointShape {
  explicit JointShape(const PersonalProblem& problem)
      : shared(static_cast<std::size_t>(problem.shared())),
        dimension(static_cast<std::size_t>(problem.dimension())),
        latent(static_cast<std::size_t>(problem.population->latent())),
        choice(latent) {
    const Population& population = *problem.population;
    const std::vector<double> beta = population.start();
    for (std::size_t j = 0; j < latent; ++j) {
      // Spreads are the last coordinates of β, so that the first one's place follows from how many there are.
      const Index at = population.place(beta, static_cast<Index>(j))->of_log_sd;
      const auto from_end = at < 0 ? std::size_t{1} : beta.size() - static_cast<std::size_t>(at);
      choices = std::max(choices, from_end);
      choice[j] = from_end;
    }
    for (std::size_t& one : choice) one = choices - one;
  }

  std::size_t shared, dimension, latent;
  std::size_t choices = 1;
  std::vector<std::size_t> choice;  // which of them decides about a coordinate of the latent
  std::size_t width() const { return dimension + kNumbers + choices; }
  template <class T>
  std::span<T> numbers(std::span<T> message) const {
    return message.subspan(dimension, kNumbers);
  }
  template <class T>
  std::span<T> of_choices(std::span<T> message) const {
    return message.subspan(dimension + kNumbers, choices);
  }
};

}  // namespace pollen::exact
