// The likelihood of a client's rows together with its latent, log p(D_i, z | φ, β), of which Louis' identity needs the
// derivatives by (φ, β) (latent_answers.h).
//
// A latent of which the client's rows say less than the population does is not held at z_j but at its place v in the
// population, z_j = μ + σ v. Both give the same information in the mean. But with a small σ the information about μ is
// the difference of two numbers near 1/σ² if z_j is held, while it is what the rows say if v is. One thread per object.
#pragma once

#include <span>
#include <vector>

#include "local_chain.h"

namespace pollen {

class CompleteData {
 public:
  // `z` is a typical latent, by which the choice is made. Memory comes from the current frame of `scratch`.
  CompleteData(const LocalTarget& target, std::span<const double> z, Scratch& scratch);

  // Adds the gradient by (φ, β) to `score` and the negative second derivatives to `hessian`.
  void add(std::span<const double> z, std::span<double> score, PanelView hessian);

 private:
  void add_held(std::size_t j, double delta, std::span<double> score, PanelView hessian) const;
  void add_moving(std::size_t j, std::span<const double> z, std::span<double> score, PanelView hessian) const;
  // How much z_j moves with β[place].
  struct Move {
    Index place;
    double by;
  };
  std::vector<Move> moves_of(std::size_t j, std::span<const double> z) const;

  const LocalTarget& target_;
  Scratch& scratch_;
  Index shared_;
  std::vector<NormalPlace> places_;
  std::vector<bool> moves_;  // whether z_j moves with β
  PanelView rows_;           // the Hessian of U_i by (φ, z)
  std::span<double> by_z_, by_shared_;
};

}  // namespace pollen
