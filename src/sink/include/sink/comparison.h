// Compares draws with a reference: how far apart the two laws are, in units that a statistician can judge. The
// functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"
#include "pollen/scores.h"
#include "sink/draws.h"
#include "sink/predictive.h"

namespace pollen::sink {

// A reference: a folder with draws, a CmdStan CSV, or JSON with `mean` and `covariance`.
struct Reference {
  std::optional<DrawSet> draws;    // empty for JSON
  stats::Moments moments;          // JSON only
  std::string name = "reference";  // its path, for messages
  Index dimension() const { return draws ? draws->dimension() : static_cast<Index>(moments.mean.size()); }
};
Reference read_reference(const std::string& path);

struct ComparedParameter {
  std::string label;
  double mean = 0, reference_mean = 0;
  double z = 0;         // difference of means divided by their common MCSE
  double shift = 0;     // difference of means divided by the reference's sd
  double sd_ratio = 0;  // sd divided by the reference's sd
};

// Compares the parameters that two runs have by the same label.
std::vector<ComparedParameter> matched(const std::vector<std::string>& labels,
                                       const std::vector<stats::ParameterSummary>& ours,
                                       const std::vector<std::string>& reference_labels,
                                       const std::vector<stats::ParameterSummary>& theirs);
// Says in a sentence whether two posteriors agree: beyond chance, and by how much.
std::string agreement(const std::vector<ComparedParameter>& parameters);

struct ComparedPredictives {
  double agreement = 0, total_variation = 0;
  Index rows = 0;
};

struct HpdError {
  double alpha = 0, error = 0;
};

struct Comparison {
  std::vector<ComparedParameter> parameters;
  // Gaussian W2, which is NaN in very high dimension, and the same divided by √trace of the reference's covariance.
  double w2 = 0, w2_relative = 0;
  std::optional<stats::EmpiricalW2> empirical;  // between thinned draws
  double empirical_floor = 0;                   // empirical W2 between two halves of the reference
  std::optional<ComparedPredictives> predictives;
  std::vector<HpdError> hpd;  // empty unless both have lp__
};

// Throws ConfigError if the numbers of parameters differ.
Comparison compare(const DrawSet& draws, const Reference& reference, int threads);
ComparedPredictives compare_predictives(const DrawSet& a, const DrawSet& b, const ModelSpec& model, const Table& test,
                                        int threads);
ComparedPredictives compared(const Predictive& a, const Predictive& b);  // both on the same test rows
std::string predictives_line(const ComparedPredictives& predictives);
std::string comparison_report(const Comparison& comparison);

// Two runs of a network are compared by what they predict. Weights are not compared, because a network's units can
// swap.
struct ComparedNetworks {
  Scores ours, theirs;  // accuracy, ece, brier, nnll of each averaged predictive
  Index draws = 0, reference_draws = 0;
  ComparedPredictives predictives;
};

ComparedNetworks compare_networks(const ChosenDraws& draws, const ChosenDraws& reference, const ModelSpec& model,
                                  const Table& test, int ece_bins, int threads);
std::string network_report(const ComparedNetworks& comparison);

}  // namespace pollen::sink
