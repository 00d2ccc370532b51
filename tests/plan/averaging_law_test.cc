// Bounds must bound. The exact stationary laws of FALD, VR-FALD* and FA-LD for scalar quadratic clients U^i = a_i (x -
// y_i)²/2 are written out here as random affine recursions in two phases: the local steps, then the average.
#include <gtest/gtest.h>

#include "quadratic.h"

namespace pollen::plan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using stats::AffineOutcome;
using stats::Law;
using stats::Phase;

const VectorXd kCurvature = (VectorXd(3) << 2, 3, 2.5).finished();
const VectorXd kCentre = (VectorXd(3) << -1, 0.5, 2).finished();

Law target() {
  const double precision = kCurvature.sum();
  return {VectorXd::Constant(1, kCurvature.dot(kCentre) / precision), MatrixXd::Constant(1, 1, 1 / precision)};
}

Constants constants() {
  Constants c;
  c.convexity = c.smoothness = kCurvature.sum();
  const double mode = target().mean(0);
  c.start = 1;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double gradient = kCurvature(i) * (mode - kCentre(i));
    c.clients.push_back({.smoothness = kCurvature(i),
                         .convexity = kCurvature(i),
                         .row_smoothness = kCurvature(i),
                         .gradient = gradient * gradient});
  }
  return c;
}

// Returns the error of the law of the mean of the first three coordinates, at its worst over the cycle.
double worst_error(const std::vector<Phase>& cycle) {
  double worst = 0;
  for (const Law& law : stats::stationary(cycle)) {
    VectorXd pick = VectorXd::Zero(law.mean.size());
    pick.head(3).setConstant(1.0 / 3);
    const Law mean{VectorXd::Constant(1, pick.dot(law.mean)),
                   MatrixXd::Constant(1, 1, pick.dot(law.covariance * pick))};
    worst = std::max(worst, moment_w2_square(mean, target()));
  }
  return worst;
}

// Returns Langevin noise of variance 2γ with a common part and a part per client.
MatrixXd noise(double step, double shared, double own, Eigen::Index size) {
  MatrixXd n = MatrixXd::Zero(size, size);
  n.topLeftCorner(3, 3) = 2 * step * (MatrixXd::Constant(3, 3, shared) + own * MatrixXd::Identity(3, 3));
  return n;
}

MatrixXd averaging(Eigen::Index size) {
  MatrixXd a = MatrixXd::Identity(size, size);
  a.topLeftCorner(3, 3).setConstant(1.0 / 3);
  return a;
}

Phase coin(double p, Eigen::Index size) {
  Phase phase{{{p, averaging(size), VectorXd::Zero(size)}}, MatrixXd::Zero(size, size)};
  if (p < 1) phase.outcomes.push_back({1 - p, MatrixXd::Identity(size, size), VectorXd::Zero(size)});
  return phase;
}

TEST(AveragingLaw, Fald) {
  for (const double p : {1.0, 0.5, 0.1})
    for (const double tau : {1.0, 0.5, 0.0}) {
      const Method method = [&] {
        Method m;
        m.averaging = Averaging{.communicate = p, .common = tau};
        return m;
      }();
      const Guarantee g = guarantee(Theorem::fald, constants(), method);
      for (const double part : {1.0, 0.1}) {
        const double step = part * g.step();
        const MatrixXd a = MatrixXd::Identity(3, 3) - step * MatrixXd(kCurvature.asDiagonal());
        const Phase local{{{1, a, step * kCurvature.cwiseProduct(kCentre)}}, noise(step, tau / 3, 1 - tau, 3)};
        EXPECT_GE(g.limit(step), worst_error({local, coin(p, 3)})) << p << " " << tau;
      }
    }
}

TEST(AveragingLaw, VrFald) {
  const Method method = [] {
    Method m;
    m.averaging = Averaging{.communicate = 0.3, .control_variate = true, .refresh = 0.2, .common = 0.5};
    return m;
  }();
  const Guarantee g = guarantee(Theorem::vr_fald, constants(), method);
  for (const double part : {1.0, 0.1}) {
    const double step = part * g.step(), mean = kCurvature.mean();
    // The step is x^i - γ(a_i (x^i - y) + mean_j a_j (y - c_j)); y stays or becomes the mean of x before the step.
    MatrixXd stay = MatrixXd::Identity(4, 4);
    stay.topLeftCorner(3, 3) -= step * MatrixXd(kCurvature.asDiagonal());
    for (Eigen::Index i = 0; i < 3; ++i) stay(i, 3) = step * (kCurvature(i) - mean);
    MatrixXd move = stay;
    move.row(3) << 1.0 / 3, 1.0 / 3, 1.0 / 3, 0;
    VectorXd shift = VectorXd::Constant(4, step * kCurvature.dot(kCentre) / 3);
    shift(3) = 0;
    const Phase local{{{0.8, stay, shift}, {0.2, move, shift}}, noise(step, 0.5 / 3, 0.5, 4)};
    EXPECT_GE(g.limit(step), worst_error({local, coin(0.3, 4)}));
  }
}

TEST(AveragingLaw, FaLd) {
  for (const double k : {1.0, 2.0, 8.0})
    for (const double rho2 : {1.0, 0.25, 0.0})
      for (const Index size : {Index{3}, Index{2}, Index{1}}) {
        Method m;
        m.averaging = Averaging{.random = false, .steps = k, .common = rho2, .by_size = true};
        if (size < 3) m.participation = {.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = size};
        const Guarantee g = guarantee(Theorem::fa_ld, constants(), m);
        const double step = g.step() / 2;
        // Here ∇f^c = 3∇U^c, and the client's own noise has variance 2η(1-ρ²)/p_c.
        const MatrixXd a = MatrixXd::Identity(3, 3) - 3 * step * MatrixXd(kCurvature.asDiagonal());
        const Phase local{{{1, a, 3 * step * kCurvature.cwiseProduct(kCentre)}}, noise(step, rho2, 3 * (1 - rho2), 3)};
        Phase average{{}, MatrixXd::Zero(3, 3)};
        for (int set = 1; set < 8; ++set) {
          if (__builtin_popcount(static_cast<unsigned>(set)) != size) continue;
          MatrixXd pick = MatrixXd::Zero(3, 3);
          for (int i = 0; i < 3; ++i)
            if (set >> i & 1) pick.col(i).setConstant(1 / static_cast<double>(size));
          average.outcomes.push_back({size == 3 ? 1.0 : 1.0 / 3, pick, VectorXd::Zero(3)});
        }
        std::vector<Phase> cycle(static_cast<std::size_t>(k), local);
        cycle.push_back(average);
        const Law law = stats::stationary(cycle).back();  // at the averages, where draws are kept
        const Law mean{law.mean.head(1), law.covariance.topLeftCorner(1, 1)};
        EXPECT_GE(g.limit(step), moment_w2_square(mean, target())) << k << " " << rho2 << " " << size;
      }
}

}  // namespace
}  // namespace pollen::plan
