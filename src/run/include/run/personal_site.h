// A client of a federation whose model has latents: what it computes in a round, what may be asked of it, and its own
// results at the end, which stay with it (docs/personal.md). One thread per object.
//
//   const PersonalSite site(config, problem, {part, index, clients, seed});
//   ClientHost host({... .work = &site.work()}, 1, ...);
//   const SiteLatents own = site.results(client, learnt, uncertainty);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "round/local_work.h"
#include "run/personal_results.h"
#include "run/problem.h"

namespace pollen {

// What a client keeps of a run with latents, in the units of the data.
struct SiteLatents {
  std::vector<std::string> shared_labels, latent_labels;
  OwnDraws own;                        // of z, with the estimates' uncertainty; for a baseline the client's own model
  Panel average;                       // what was learnt of (φ, β), one column per chain, moved to the maximum
  std::vector<double> covariance;      // of the estimates; empty if it is unknown
  std::vector<double> own_covariance;  // the same in the units of the standardised columns
  Panel predictive;                    // the same draws with the φ of each; empty without a covariance
};

class PersonalSite {
 public:
  // The client's rows are the part `part` of the problem's; the federation knows it as client `index` of so many. Its
  // draws follow from `seed`. Throws ConfigError if columns do not fit. `problem` must outlive the object.
  struct Place {
    std::size_t part = 0;
    std::uint32_t index = 0;
    Index clients = 1;
    std::uint64_t seed = 1;
  };
  PersonalSite(const Config& config, const StatisticalProblem& problem, const Place& place);
  ~PersonalSite();

  const Recipe& recipe() const;
  const ClientWork& work() const;
  Index shared() const;  // coordinates of φ
  Index latent() const;  // coordinates of z
  std::vector<std::string> labels()
      const;             // of (φ, β) or, for a baseline, of the part of the model that the server has
  Index learnt() const;  // the number of these
  bool is_baseline() const;
  bool has_posterior() const;  // whether what the server tells of (φ, β) at the end are draws of the posterior
  bool classifies() const;
  // The potential of the whole network, for a warm-up; null without one.
  std::shared_ptr<const Potential> whole() const;

  // The client's own draws, and its predictions for its test rows, at what the run has learnt, one column per chain, or
  // with a posterior as many draws of each chain, in the units of the standardised columns. `uncertainty` is the
  // covariance of the estimates, if it is known. `client` has the latents that a baseline keeps.
  SiteLatents results(const Client& client, ConstPanelView learnt, ConstPanelView uncertainty) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
