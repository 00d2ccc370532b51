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
struct OwnSeeds;

// What own_draws() is asked for.
struct OwnQuestion {
  Index draws = 250;      // per chain
  bool training = false;  // predict the client's training rows in place of its test rows
  // Numbers: the upper ends of ranges of the response, rising, for OwnDraws::sums.
  std::vector<double> edges = {};
};

// Sums over a client's rows in data sets that the model makes: how many fall into each class, or into each range of the
// response and what the responses add up to. Their mean and variance at some of the draws, one draw after another.
struct OwnSums {
  std::vector<double> mean, variance;
  Index draws = 0;
};

// Draws of a client's latent from its own posterior. Draws of different clients with the same number belong to the same
// (φ, β).
struct OwnDraws {
  Panel z;                          // the draws, d × (chains · draws), chain after chain
  std::vector<double> mean;         // the predictive mean, outputs() numbers per predicted row of the client
  std::vector<double> log_density;  // logarithm of the averaged density, one per predicted row
  OwnSums sums = {};
  // For mixed-linear: the mean of Φz, one column per chain. It is identified although Φ is known only up to a rotation.
  Panel effects;
};

// What was learnt of (φ, β), in the units of the data: the mean over chains of their averages, moved to the maximum of
// the posterior where it is far from it, and its covariance from the information that the data have, by Louis'
// identity.
struct Estimates {
  std::vector<double> value;
  std::vector<double> covariance;  // D × D; empty if it is unknown
  // The same in the units of the standardised columns. With a column far from 0, such as a time in seconds since 1970,
  // the numbers above have no digits left of the uncertainty where the columns are at their means.
  std::vector<double> own_covariance;
  std::string why;  // why it is unknown, or for which coordinates
  // Coordinates that are treated as known, because the data do not tell a standard deviation from 0. Their rows and
  // columns of the covariance are 0.
  std::vector<std::size_t> held;
  std::vector<double> moved;  // how far the value is from the mean of the averages, by Newton's steps to the maximum
  int moves = 0;              // the number of these steps
  double away = 0;            // how far the maximum still is, in standard errors

  double se(std::size_t j) const;  // NaN if it is unknown
};

// Means of -log p(y | φ, z_i) over rows and chains; NaN if there are no rows.
struct RowLoss {
  double train = 0, test = 0;
};

// (φ, β) as predictions use it: one column per chain or, with the covariance of the estimates, the uncertainty around
// the mean of the columns, in the units of the data. With a sampler of the joint posterior the columns are draws, as
// many per chain, chain after chain.
struct Learnt {
  Panel at;
  std::vector<double> covariance = {};  // Estimates::own_covariance, or empty
  bool draws = false;
};

// What to predict for.
struct ForecastRows {
  const Table& rows;
  std::optional<Index> client;  // a client of the run; if empty, a new client with the rows `own`, which may be none
  const Table& own;
};

// Predictions for rows of one client, averaged over the posterior of its latent, over the noise and, if it is known,
// over the uncertainty of (φ, β).
struct Forecast {
  std::vector<double> mean;          // for mixed-logistic P(1); if outputs() > 1, rows × classes probabilities
  std::vector<double> sd;            // standard deviation of the response
  std::vector<double> lower, upper;  // interval for the response, or for the probabilities of classes
  std::vector<double> mean_lower, mean_upper;  // for numbers: interval for the mean of the response, without noise
  std::vector<double> entropy;                 // if outputs() > 1: one per row, the mean entropy over draws
};

class PersonalResults {
 public:
  explicit PersonalResults(const ExperimentParts& parts) : parts_(parts) {}  // the parts must outlive the object

  std::vector<std::string> latent_labels() const;
  bool predicts_classes() const;
  Index shared() const;         // coordinates of φ
  Index outputs() const;        // numbers per predicted row: 1 (for mixed-logistic P(1)), or a network's classes
  bool learns_average() const;  // whether learnt() is averaged(); else it is the position, as φ may rotate on its path
  bool is_baseline() const;     // a baseline has a point for every client, no posterior
  bool has_posterior() const;   // whether the rows of draws are draws of (φ, β) from their posterior (hmc)
  bool may_judge() const;       // whether its parameters have a meaning each, so that R-hat applies to them
  // The coordinates that the data determine. Φ, which may rotate, and the β of an energy are not among them.
  std::vector<std::size_t> identified() const;
  // These two are in the units of the data. averaged() is the average of the path since burn-in. During burn-in, and
  // of a baseline, it is the last iterate.
  Panel learnt() const;
  Panel averaged() const;
  // Asks all clients; call it once, at the end. The bits are added to the set-up bits of the engine's counters.
  Estimates estimates() const;
  // `learnt` has the uncertainty of (φ, β) where estimates() found it. Without one the draws are at learnt().
  OwnDraws own_draws(Index client, const OwnQuestion& question, const Learnt& learnt = {}) const;
  // What own_draws() makes of `learnt`, in the units of the standardised columns.
  Learnt in_clients_units(const Learnt& learnt) const;
  bool apart() const;        // whether clients are in processes of their own, so that own_draws() is theirs
  RowLoss row_loss() const;  // evaluates the present models of the first 1,000 clients
  // Predicts rows of a client from stored draws of its (φ, z), one column each in the units of the data.
  Forecast forecast(const Table& rows, Index client, ConstPanelView draws, double interval) const;
  // Predicts rows from so many draws per chain, with intervals of this probability.
  Forecast forecast(const ForecastRows& asked, const Learnt& learnt, Index draws, double interval) const;

 private:
  ConstPanelView own_average() const;  // in the units of the standardised columns
  Panel own_learnt() const;
  Panel in_data_units(ConstPanelView own) const;
  Learnt in_own_units(Learnt learnt) const;
  std::uint64_t seed_of(std::optional<Index> client) const;
  OwnSeeds seeds_of(std::optional<Index> client) const;

  const ExperimentParts& parts_;
};

}  // namespace pollen
