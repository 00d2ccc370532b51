// The server's own chains on p(z | β), for populations whose constant Z(β) is not known. They estimate
// -∇ log Z = E[∇_β E(z; β)] (docs/algorithms.md section 7) and continue from round to round while β moves slowly.
// Different threads may work on different chains at the same time.
#pragma once

#include <memory>

#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

class PriorChains {
 public:
  PriorChains(const PersonalProblem& problem, const PersonalSettings& settings);

  // Computes out -= b · (mean of the score at this round's β over steps and particles), the term that the clients'
  // scores leave out.
  void subtract_mean_score(std::uint64_t round, Index chain, std::span<const double> beta, std::span<double> out,
                           Scratch& scratch);
  void archive(Archive& archive) { archive.array(z_.flat()); }

 private:
  const Population* population_;
  PersonalSettings settings_;
  double clients_;
  Index particles_;
  std::unique_ptr<PersonalPotential> nothing_;  // a potential without rows
  Panel z_;                                     // particle p of chain c is column c·P + p
  std::vector<Stream> noise_, coins_;           // one per chain
};

}  // namespace pollen
