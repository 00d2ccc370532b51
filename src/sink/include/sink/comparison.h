// Draws against a reference: how far apart the two laws are, in units a statistician can judge.
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

// A folder with draws, a CmdStan CSV, or JSON with `mean` and `covariance`.
struct Reference {
  std::optional<DrawSet> draws;    // empty for JSON
  stats::Moments moments;          // JSON only
  std::string name = "reference";  // for messages: its path
  Index dimension() const { return draws ? draws->dimension() : static_cast<Index>(moments.mean.size()); }
};
Reference read_reference(const std::string& path);

struct ComparedParameter {
  std::string label;
  double mean = 0, reference_mean = 0;
  double z = 0;         // difference of means in their common MCSE
  double shift = 0;     // difference of means in the reference's sd
  double sd_ratio = 0;  // sd over the reference's
};

struct ComparedPredictives {
  double agreement = 0, total_variation = 0;
  Index rows = 0;
};

struct HpdError {
  double alpha = 0, error = 0;
};

struct Comparison {
  std::vector<ComparedParameter> parameters;
  double w2 = 0, w2_relative = 0;  // Gaussian; NaN in very high dimension. Relative to √trace of the reference
  std::optional<stats::EmpiricalW2> empirical;  // between thinned draws
  double empirical_floor = 0;                   // the same between two halves of the reference
  std::optional<ComparedPredictives> predictives;
  std::vector<HpdError> hpd;  // empty unless both have lp__
};

// ConfigError where the numbers of parameters differ.
Comparison compare(const DrawSet& draws, const Reference& reference, int threads);
ComparedPredictives compare_predictives(const DrawSet& a, const DrawSet& b, const ModelSpec& model, const Table& test,
                                        int threads);
ComparedPredictives compared(const Predictive& a, const Predictive& b);  // on the same test rows
std::string predictives_line(const ComparedPredictives& predictives);
std::string comparison_report(const Comparison& comparison);

}  // namespace pollen::sink
