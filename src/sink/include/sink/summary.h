// What a run found, from its spool: a summary of every parameter, their covariance, predictive scores, warnings.
// Memory stays bounded: parameters are read in blocks of about 256 MB.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/scores.h"
#include "pollen/stats.h"
#include "sink/facts.h"
#include "sink/predictive.h"
#include "sink/spool.h"

namespace pollen::sink {

struct ClientScores {
  std::string name;
  Index train_rows = 0, test_rows = 0;
  Scores scores;
};

struct Summary {
  RunFacts facts;
  std::int64_t draws = 0;                           // kept, a chain
  std::vector<stats::ParameterSummary> parameters;  // empty without draws
  std::vector<double> covariance;                   // d × d, up to kCovarianceMost
  Scores metrics;                                   // accuracy, accuracy_mean, ece, brier, nnll; or rmse, nnll
  std::vector<ClientScores> clients;
  Index ood_rows = 0;                              // of data.ood_source
  Scores ood;                                      // entropy_in, entropy_out, auroc, confident_*, density_*; or none
  std::vector<stats::ReliabilityBin> reliability;  // classifiers with test rows
  std::vector<stats::ConfidencePoint> confidence;  // likewise
  std::vector<Index> ood_above;                    // rows of data.ood_source at each of its thresholds
  std::vector<std::string> warnings;               // the experiment's, and what the draws say
  Panel last, average;  // mixed-effects models: (φ, β) at the end and averaged, a column a chain

  static constexpr Index kCovarianceMost = 200;
};

Summary summarize(const RunFacts& facts, const SpoolReader& spool, int threads);
// At most 1000 evenly spaced kept draws in all.
void add_scores(Summary& summary, const SpoolReader& spool, const ModelSpec& model, const Federation& data,
                int threads);

// Of draws: R-hat above 1.01, ESS below 400: one line each, naming the worst parameter.
std::vector<std::string> diagnose(const std::vector<stats::ParameterSummary>& parameters,
                                  const std::vector<std::string>& labels);

// Of estimates: one line where R-hat is above 1.01 for one of `which` and halves of the chains differ by more than a
// hundredth of the mean (log σ: than 0.01); empty otherwise. A path that never moves has settled.
std::string unsettled(const std::vector<stats::ParameterSummary>& parameters, const std::vector<std::string>& labels,
                      const std::vector<std::size_t>& which);

std::string to_json(const Summary& summary);

}  // namespace pollen::sink
