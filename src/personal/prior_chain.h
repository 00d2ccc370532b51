// The server's own chains on p(z | β), for populations whose constant Z(β) is not known: -∇ log Z = E ∇_β E(z; β). They
// go on from round to round while β moves slowly.
#pragma once

#include <memory>

#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

class PriorChains {
 public:
  PriorChains(const PersonalProblem& problem, const PersonalSettings& settings);

  // out -= b · the mean over steps and particles of the score at this round's β: what the clients' scores leave out.
  void subtract_mean_score(std::uint64_t round, Index chain, std::span<const double> beta, std::span<double> out,
                           Scratch& scratch);
  void archive(Archive& archive) { archive.array(z_.flat()); }

 private:
  const Population* population_;
  PersonalSettings settings_;
  double clients_;
  Index particles_;
  std::unique_ptr<PersonalPotential> nothing_;  // no rows
  Panel z_;                                     // particle p of chain c is column c·P + p
  std::vector<Stream> noise_, coins_;           // one a chain
};

}  // namespace pollen
