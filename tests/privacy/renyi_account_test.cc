// Tests the conversion of Rényi divergences to ε.
#include <gtest/gtest.h>

#include <cmath>

#include "inputs.h"

namespace pollen {
namespace {

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Returns the exact δ of a Gaussian mechanism (Balle and Wang 2018).
double gaussian_delta(double epsilon, double ratio) {
  return normal_cdf(ratio / 2 - epsilon / ratio) - std::exp(epsilon) * normal_cdf(-ratio / 2 - epsilon / ratio);
}

PrivacyInputs full_batch(double ratio) {  // ratio = Δ √(η/2), with one client
  PrivacyInputs in{.step = 2, .sensitivity = ratio};
  in.clients = equal_clients(1, 1);
  return in;
}

// n full-batch steps are one Gaussian mechanism of ratio √n r. Its exact δ at the reported ε must not exceed the δ
// asked for, and the true ε must not be far below.
TEST(RenyiAccount, CoversTheExactGaussian) {
  for (const double ratio : {0.01, 0.1, 1.0})
    for (const Index steps : {1, 10, 100})
      for (const double delta : {1e-3, 1e-6}) {
        const double epsilon = *renyi_account(renyi_curve(full_batch(ratio)), steps, delta).epsilon;
        const double whole = ratio * std::sqrt(static_cast<double>(steps));
        EXPECT_LE(gaussian_delta(epsilon, whole), delta);
        EXPECT_GE(gaussian_delta(0.7 * epsilon - 0.02, whole), delta) << ratio << " " << steps;
      }
}

// By hand, r = 1/2 and order 5 give 5/8 + ln(4/5) - (ln δ + ln 5)/4, below the classic 5/8 + ln(1/δ)/4.
TEST(RenyiEpsilon, ByHand) {
  const double found = renyi_epsilon(5, 0.625, 1e-5);
  EXPECT_NEAR(found, 0.625 + std::log(0.8) - (std::log(1e-5) + std::log(5.0)) / 4, 1e-15);
  EXPECT_NEAR(found, 2.8777282, 1e-6);
  EXPECT_LT(found, 0.625 + std::log(1e5) / 4);
  EXPECT_EQ(renyi_epsilon(5, 0, 0.9), 0);
}

// Checks the bound behind the conversion, δ(ε) <= e^{(α-1)(r-ε)} (1-1/α)^{α-1}/α, on the Gaussian, where δ(ε) is known.
TEST(RenyiEpsilon, CoversTheGaussianAtEveryOrder) {
  for (const double ratio : {0.3, 1.0, 3.0})
    for (const double order : {1.1, 1.5, 2.0, 4.0, 20.0})
      for (const double delta : {1e-1, 1e-3, 1e-8})
        EXPECT_LE(gaussian_delta(renyi_epsilon(order, gaussian_renyi(order, ratio), delta), ratio), delta);
}

TEST(RenyiAccount, ComposesLinearly) {
  PrivacyInputs in = four_clients();
  const RenyiCurve one = renyi_curve(in);
  RenyiCurve thousand = one;
  for (double& x : thousand.step) x *= 1000;
  EXPECT_NEAR(*renyi_account(one, 3000, 1e-5).epsilon, *renyi_account(thousand, 3, 1e-5).epsilon, 1e-12);
  in.chains = 6;
  EXPECT_EQ(*renyi_account(renyi_curve(in), 500, 1e-5).epsilon, *renyi_account(one, 3000, 1e-5).epsilon);
}

TEST(RenyiAccount, TakesTheWorstClient) {
  const Index rows[] = {10, 200, 1000}, batches[] = {10, 10, 10};
  PrivacyInputs in = four_clients();
  in.step = 1e-4;
  in.clients = privacy_clients(rows, batches);
  const RenyiCurve all = renyi_curve(in);
  double worst = 0;
  for (const PrivacyClient& c : in.clients.distinct) {
    PrivacyInputs alone = in;
    alone.clients.distinct = {c};
    const RenyiCurve curve = renyi_curve(alone);
    for (std::size_t i = 0; i < curve.step.size(); ++i) EXPECT_LE(curve.step[i], all.step[i]);
    worst = std::max(worst, *renyi_account(curve, 1000, 1e-5).epsilon);
  }
  EXPECT_GE(*renyi_account(all, 1000, 1e-5).epsilon, worst);
  EXPECT_LE(*renyi_account(all, 1000, 1e-5).epsilon, 1.2 * worst);
}

TEST(RenyiAccount, RisesInStepsAndCare) {
  const RenyiCurve curve = renyi_curve(four_clients());
  EXPECT_EQ(*renyi_account(curve, 0, 1e-5).epsilon, 0);
  double last = 0;
  for (const Index steps : {1, 10, 1000, 100000, 10000000}) {
    const double epsilon = *renyi_account(curve, steps, 1e-5).epsilon;
    EXPECT_GT(epsilon, last);
    EXPECT_GT(*renyi_account(curve, steps, 1e-7).epsilon, epsilon);
    last = epsilon;
  }
}

// This is its purpose: for the same run and δ, with the server as adversary, it gives a much smaller ε.
TEST(RenyiAccount, IsFarBelowTheTheorem) {
  const PrivacyInputs in = four_clients();
  const double renyi = *renyi_account(renyi_curve(in), 100 * 100, *in.delta).epsilon;
  EXPECT_LT(renyi, *theorem_account(in, 100).epsilon / 10);
}

}  // namespace
}  // namespace pollen
