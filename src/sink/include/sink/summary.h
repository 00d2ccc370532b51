// The results of a run, computed from its spool: a summary of every parameter, their covariance, predictive scores and
// warnings. Parameters are read in blocks of about 256 MB, so memory is bounded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/scores.h"
#include "pollen/stats.h"
#include "sink/facts.h"
#include "sink/predictive.h"
#include "sink/predictive_check.h"
#include "sink/spool.h"

namespace pollen {
class Experiment;
}

namespace pollen::sink {

struct ClientScores {
  std::string name;
  Index train_rows = 0, test_rows = 0;
  Scores scores;
};

// What mixed-effects models learn about each client: its coefficients of the random columns, given the estimates.
struct ClientEffects {
  struct Interval {
    double estimate = 0, lower = 0, upper = 0;  // mean, 5 % and 95 % quantile
  };
  std::vector<std::string> labels;         // of the random columns
  std::vector<std::string> pooled;         // the population's mean of each, a label of a parameter; or empty
  std::vector<std::string> clients;        // names
  std::vector<std::vector<Interval>> own;  // per client, one per column
};

// The rows that scores are of.
struct ScoredFacts {
  bool training = false;
  Index rows = 0, in_all = 0;
};

struct Summary {
  RunFacts facts;
  std::int64_t draws = 0;                           // kept draws per chain
  std::vector<stats::ParameterSummary> parameters;  // empty without draws
  std::vector<double> covariance;                   // d × d, for d up to kCovarianceMost
  Scores metrics;                                   // accuracy, accuracy_mean, ece, brier, nnll; or rmse, nnll
  std::vector<ClientScores> clients;
  Index ood_rows = 0;                              // rows of data.ood_source
  Scores ood;                                      // entropy_in, entropy_out, auroc, confident_*, density_*; or empty
  std::vector<stats::ReliabilityBin> reliability;  // for classifiers with test rows
  std::vector<stats::ConfidencePoint> confidence;  // for classifiers with test rows
  ScoredFacts scored;                              // what `metrics` and the three below are of
  std::optional<stats::AucEstimate> auc;           // models of two classes
  std::vector<stats::CalibrationGroup> calibration;
  PredictiveCheck check;
  ClientEffects effects;
  std::vector<Index> ood_above;       // rows of data.ood_source at each threshold of `confidence`
  std::vector<std::string> warnings;  // the experiment's warnings, and the verdict's reasons
  Verdict verdict;
  // Mixed-effects models: (φ, β) at the end and averaged, one column per chain. If the states are estimates,
  // `parameters` has estimates and standard errors as mean and sd, `covariance` is that of the estimates, and `why`
  // says why some of it is unknown. `own_covariance` is the covariance in the units of the standardised columns.
  Panel last, average;
  std::vector<double> own_covariance;
  std::string why;

  static constexpr Index kCovarianceMost = 200;
};

Summary summarize(const RunFacts& facts, const SpoolReader& spool, int threads, const NumbersDone& done = {});
// Computes the scores and the predictive check from at most 1000 and 200 evenly spaced kept draws in all. They are of
// the test rows or, without any, of training rows if `training` allows it.
void add_scores(Summary& summary, const SpoolReader& spool, const ModelSpec& model, const Federation& data,
                bool training, int threads);
// The same in a federation, whose clients have the test rows and answer with sums over them: the scores that follow
// from sums, without those of single clients, the order of probabilities and the predictive check.
void add_site_scores(Summary& summary, const SpoolReader& spool, const Experiment& experiment, RunStatus status);
// Adds what is known of the probability of the second of two classes: its ability to order rows, and its calibration.
void add_event_scores(Summary& summary, std::span<const double> probabilities, std::span<const double> truth);

// Adds a classifier's accuracy at the posterior mean, behind its accuracy.
void add_accuracy_mean(const ModelSpec& model, const Table& rows,
                       const std::vector<stats::ParameterSummary>& parameters, Scores& scores);

// Chooses at most `most` parameters to show and returns them in their order. If not all fit, the last `worst` places go
// to those with the worst R-hat of the rest, where an unknown R-hat counts as `unknown`.
std::vector<std::size_t> shown_parameters(const std::vector<stats::ParameterSummary>& parameters, std::size_t most,
                                          std::size_t worst, double unknown);

std::string to_json(const Summary& summary);

}  // namespace pollen::sink
