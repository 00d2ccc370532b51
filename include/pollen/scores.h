// Scores of predictive distributions and distances between laws; docs/algorithms.md section 9 has the formulas. All
// functions are pure and thread-safe.
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
double agreement(const Predictions& p, const Predictions& q);        // share of rows with the same most probable class
double total_variation(const Predictions& p, const Predictions& q);  // mean over rows of half the L1 distance
std::vector<double> entropy(const Predictions& p);                   // one per row, with the natural logarithm
// The probability that an out-of-distribution row has a higher score than an in-distribution row, where ties count one
// half. It is the Mann-Whitney statistic, computed in O(n log n).
double auroc(std::span<const double> in, std::span<const double> out);
// Accuracy of the rows whose confidence is at least `threshold`; NaN if there are none.
double accuracy_above(const Predictions& p, std::span<const double> truth, double threshold);
// Accuracy of the rows whose confidence is at least `threshold`, and the number of these rows (count).
struct ConfidencePoint {
  double threshold = 0, accuracy = 0;
  Index count = 0;
};
std::vector<ConfidencePoint> confidence_curve(const Predictions& p, std::span<const double> truth,
                                              std::span<const double> thresholds);
// Returns, per threshold, the number of rows whose confidence is at least that threshold.
std::vector<Index> count_above(const Predictions& p, std::span<const double> thresholds);
// The density rule (QLSD, supplement) calls a row in-distribution where p_in > p_out at its score. Both densities are
// kernel estimates over [0, most] that leave the row itself out. The result holds the shares of in- and
// out-of-distribution rows that the rule labels correctly; NaN if there are none.
struct DensityRule {
  double in = 0, out = 0;
};
DensityRule density_rule(std::span<const double> in, std::span<const double> out, double most);

// Relative error of an HPD level: |η_α/η_α^ref - 1|, where η_α is the (1-α)-quantile of U over the draws.
double hpd_error(std::span<const double> potentials, std::span<const double> reference, double alpha);

// Moments of draws and distances between laws. Matrices are d × d, row-major.
struct Moments {
  std::vector<double> mean;
  std::vector<double> covariance;
};
Moments moments(ConstPanelView draws);  // one draw per column; the divisor is n-1
// W2 between the normal laws with these moments, in closed form (Bures).
double gaussian_w2(const Moments& a, const Moments& b);
// W2 between two samples of equally weighted points, one point per column. It solves the assignment exactly if both
// samples have the same number of points and at most 512; otherwise it is entropic (debiased Sinkhorn) up to 2000
// points, and sliced with fixed directions beyond.
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
// Root of the mean over clients of ‖Φ̂ẑ_i - Φz_i‖², where `effects` holds the products Φ̂ẑ_i (k × clients). Products
// need no alignment.
double aligned_error(std::span<const double> effects, std::span<const double> phi, std::span<const double> z, Index k,
                     Index d, Index clients);
// Root of the mean over clients of ‖WΦ̂ẑ_i - z_i‖², where W has orthonormal rows and maximises Σ z_iᵀWΦ̂ẑ_i. Among the
// rotations of Φ̂'s column space onto that of z, this W gives the smallest error (Procrustes). ẑ is in the units of an
// orthonormal Φ̂, and k ≥ d.
double aligned_latent_distance(std::span<const double> effects, std::span<const double> z, Index k, Index d,
                               Index clients);

}  // namespace pollen::stats
