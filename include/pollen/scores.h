// Scores of predictive distributions, and distances between laws. Pure functions.
//
//   const stats::Predictions p{probabilities, classes};   // rows × classes, row-major
//   const double error = stats::ece(p, truth);
#pragma once

#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen::stats {

// Class probabilities, rows × classes, row-major. The `truth` argument of the scores holds class indices.
struct Predictions {
  std::span<const double> probabilities;
  Index classes = 2;
  Index rows() const { return static_cast<Index>(probabilities.size()) / classes; }
};

// Share of rows whose most probable class is right; ties go to the lower class.
double accuracy(const Predictions& p, std::span<const double> truth);
double brier(const Predictions& p, std::span<const double> truth);  // summed over classes, averaged over rows
double nnll(const Predictions& p, std::span<const double> truth);   // mean of -log p(truth); +inf where p(truth) = 0
// Expected calibration error: compares the confidence in the predicted class with its accuracy, over bins of equal
// width whose upper edge is closed.
double ece(const Predictions& p, std::span<const double> truth, int bins = 15);
struct ReliabilityBin {
  double lower = 0, upper = 0, confidence = 0, accuracy = 0;
  Index count = 0;
};
std::vector<ReliabilityBin> reliability(const Predictions& p, std::span<const double> truth, int bins = 15);
double agreement(const Predictions& p, const Predictions& q);        // share of rows with the same argmax
double total_variation(const Predictions& p, const Predictions& q);  // mean over rows of half the L1 distance
std::vector<double> entropy(const Predictions& p);                   // one per row, natural logarithm
// P(score of an out-of-distribution row > score of an in-distribution row), ties half: Mann-Whitney in O(n log n).
double auroc(std::span<const double> in, std::span<const double> out);
// How well probabilities of an event order rows with it above rows without it: the area under the ROC curve with a
// 90 % interval (DeLong's variance, on the logit scale). The interval is NaN if all pairs are in order, or none.
// `truth` is 1 where the event happened; everything is NaN if it always did or never.
struct AucEstimate {
  double value = 0, lower = 0, upper = 0;
  Index rows = 0, events = 0;
};
AucEstimate auc(std::span<const double> probabilities, std::span<const double> truth);
// Compares probabilities of an event with how often it happened, in at most `bins` groups of about as many rows, in the
// order of their probabilities. Equal probabilities share a group. The 90 % interval of the share is Wilson's.
struct CalibrationGroup {
  double predicted = 0, observed = 0, lower = 0, upper = 0;
  Index rows = 0;
};
std::vector<CalibrationGroup> calibration(std::span<const double> probabilities, std::span<const double> truth,
                                          int bins = 10);
// Accuracy of the rows whose confidence is at least `threshold`; NaN if there are none.
double accuracy_above(const Predictions& p, std::span<const double> truth, double threshold);
struct ConfidencePoint {
  double threshold = 0;
  double accuracy = 0;  // of the rows whose confidence is at least the threshold
  Index count = 0;      // the number of these rows
};
std::vector<ConfidencePoint> confidence_curve(const Predictions& p, std::span<const double> truth,
                                              std::span<const double> thresholds);
// Counts, for each threshold, the rows whose confidence reaches it.
std::vector<Index> count_above(const Predictions& p, std::span<const double> thresholds);
// The density rule (QLSD, supplement): a row is in distribution where p_in > p_out at its score, with kernel estimates
// of the two densities over [0, most], the row itself left out. Returns the shares of rows in and out of distribution
// that the rule labels correctly; NaN if there are no such rows.
struct DensityRule {
  double in = 0, out = 0;
};
DensityRule density_rule(std::span<const double> in, std::span<const double> out, double most);

// Relative error of an HPD level: |η_α/η_α^ref - 1|, where η_α is the (1-α)-quantile of U over the draws.
double hpd_error(std::span<const double> potentials, std::span<const double> reference, double alpha);

// Moments and laws. Matrices are d × d, row-major.
struct Moments {
  std::vector<double> mean;
  std::vector<double> covariance;
};
Moments moments(ConstPanelView draws);                   // one column per draw; the divisor is n-1
double gaussian_w2(const Moments& a, const Moments& b);  // W2 of N(a), N(b), closed form (Bures)
// W2 between two samples (one column per point) of equal weight: exact assignment where both have the same number of
// points and at most 512 of them, else entropic (Sinkhorn, debiased) up to 2000 points, else sliced with fixed
// directions.
struct EmpiricalW2 {
  double value = 0;
  const char* method = "";
};
EmpiricalW2 empirical_w2(ConstPanelView a, ConstPanelView b);

// Scores of mixed models. Φ is k × d, stored column by column; z is clients × d, stored client by client. The data
// determine only the products Φz_i.
//
// principal_angle_distance is the sine of the largest principal angle, ‖(I - A A⁺) Q_b‖₂, between the column spaces of
// a and b (both rows × columns). It is 0 for equal spaces and 1 if b has a direction that is orthogonal to all of a.
double principal_angle_distance(std::span<const double> a, std::span<const double> b, Index rows, Index columns);
// The root mean square over clients of ‖Φ̂ẑ_i - Φz_i‖. `effects` has the products Φ̂ẑ_i, k × clients, which need no
// alignment.
double aligned_error(std::span<const double> effects, std::span<const double> phi, std::span<const double> z, Index k,
                     Index d, Index clients);
// The root mean square over clients of ‖WΦ̂ẑ_i - z_i‖. W has orthonormal rows and is the best such alignment, the one
// for which Σ z_iᵀWΦ̂ẑ_i is largest (Procrustes). ẑ is in the units of an orthonormal Φ̂, and k ≥ d.
double aligned_latent_distance(std::span<const double> effects, std::span<const double> z, Index k, Index d,
                               Index clients);

}  // namespace pollen::stats
