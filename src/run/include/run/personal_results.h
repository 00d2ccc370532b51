// The results of a model with latents (docs/personal.md): what was learnt, (φ, β) with one column per chain, and the
// clients' own posteriors there. Const calls for different clients may come from several threads at once, unless the
// sampler is a baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/types.h"

namespace pollen {

struct ExperimentParts;

// Draws of a client's latent from its own posterior at the (φ, β) that every chain has learnt.
struct OwnDraws {
  Panel z;                          // the draws, d × (chains · draws), chain after chain
  std::vector<double> mean;         // the predictive mean, outputs() numbers per test row of the client
  std::vector<double> log_density;  // logarithm of the averaged density, one per test row
  // For mixed-linear: the mean of Φz, one column per chain. It is identified although Φ is known only up to a rotation.
  Panel effects;
};

// Means of -log p(y | φ, z_i) over rows and chains; NaN if there are no rows.
struct RowLoss {
  double train = 0, test = 0;
};

// Predictions for rows of one client, averaged over the posterior of its latent and over the noise.
struct Forecast {
  std::vector<double> mean;          // for mixed-logistic P(1); if outputs() > 1, rows × classes probabilities
  std::vector<double> sd;            // standard deviation of the response
  std::vector<double> lower, upper;  // interval for the response, or for the probabilities of classes
  std::vector<double> entropy;       // if outputs() > 1: one per row, the mean entropy over draws
};

class PersonalResults {
 public:
  explicit PersonalResults(const ExperimentParts& parts) : parts_(parts) {}  // the parts must outlive the object

  std::vector<std::string> latent_labels() const;
  bool predicts_classes() const;
  Index outputs() const;        // numbers per predicted row: 1 (for mixed-logistic P(1)), or a network's classes
  bool learns_average() const;  // whether learnt() is averaged(); else it is the position, as φ may rotate on its path
  bool is_baseline() const;     // a baseline has a point for every client, no posterior
  // The coordinates that the data determine. Φ, which may rotate, and the β of an energy are not among them.
  std::vector<std::size_t> identified() const;
  Panel learnt() const;
  // The average of the path since burn-in, weighted by the steps η. A baseline has no average and gives its last
  // iterate.
  ConstPanelView averaged() const;
  OwnDraws own_draws(Index client, Index draws) const;
  RowLoss row_loss() const;  // evaluates the present models of the first 1,000 clients
  // Predicts `rows` for a client of the run or, if `client` is empty, for a new client with the rows `own`, which may
  // be empty, too. `learnt` is as learnt() returns it.
  Forecast forecast(const Table& rows, std::optional<Index> client, const Table& own, ConstPanelView learnt,
                    Index draws, double interval) const;

 private:
  std::uint64_t seed_of(std::optional<Index> client) const;

  const ExperimentParts& parts_;
};

}  // namespace pollen
