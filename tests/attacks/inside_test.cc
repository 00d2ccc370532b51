// Attacks inside the contract: a hub that chooses the points at which it asks what the study asks anyway. A contract
// cannot prevent them, and the site's word (--trust-server) is about them. What they recover is measured here, and
// docs/security.md must say what was measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/file.h"
#include "hub.h"
#include "support/source_dir.h"

namespace pollen::attacks {
namespace {

// Expects the page on security to have this line of its table of measurements.
void expect_on_the_page(const std::string& line) {
  std::printf("%s\n", line.c_str());
  EXPECT_NE(read_text(source_dir() + "/docs/security.md").find(line), std::string::npos)
      << "docs/security.md should have: " << line;
}

Index recovered(const Site& site, const Hub& hub, const std::vector<Vector>& scaled) {
  std::vector<Vector> rows;
  for (const Vector& row : scaled) rows.push_back(hub.in_units_of_file(row));
  return site.recovered(rows);
}

TEST(Inside, ThresholdsByQuestionsOfSetUp) {
  const Site site(200, 11);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(study("name = \"lsd\""))) << hub.why;
  const Found found = by_thresholds([&](const Vector& theta) { return hub.gradient(theta); }, hub.dimension());
  expect_on_the_page(
      fmt::format("| chosen points, questions of set-up | `trust_server` | {} of 200 rows, d = 5, {} "
                  "questions |",
                  recovered(site, hub, found.rows), found.questions));
}

TEST(Inside, ThresholdsByRounds) {
  const Site site(200, 12);
  Hub hub(site);
  ASSERT_TRUE(
      hub.set_up(study("name = \"lsd\"\nstep = 1e-3\nprecondition = \"none\"\n[run]\ninit = \"zero\"\niterations "
                       "= 2000\nburn_in = 0\nchains = 1")))
      << hub.why;
  std::uint64_t round = 0;
  const Found found = by_thresholds([&](const Vector& theta) { return hub.round(round++, theta); }, hub.dimension());
  expect_on_the_page(fmt::format("| chosen points, rounds | `trust_server` | {} of 200 rows, d = 5, {} rounds |",
                                 recovered(site, hub, found.rows), found.questions));
}

// Rounds at points that an honest sampler visits are enough where a site has few rows.
TEST(Inside, LeastSquaresAtHonestPoints) {
  const Site site(20, 13, 5);
  Hub hub(site);
  ASSERT_TRUE(
      hub.set_up(study("name = \"lsd\"\nstep = 1e-3\nprecondition = \"none\"\n[run]\ninit = \"zero\"\niterations "
                       "= 2000\nburn_in = 0\nchains = 1")))
      << hub.why;
  constexpr Index kRounds = 400;
  Matrix points(hub.dimension(), kRounds), gradients(hub.dimension(), kRounds);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (Index m = 0; m < kRounds; ++m) {
    points.col(m) = Vector::NullaryExpr(hub.dimension(), [&] { return 0.8 * normal(random); });
    const auto gradient = hub.round(static_cast<std::uint64_t>(m), points.col(m));
    ASSERT_TRUE(gradient) << hub.why;
    gradients.col(m) = *gradient;
  }
  Index best = 0;
  for (unsigned start = 0; start < 5 && best < 20; ++start)
    best = std::max(best, recovered(site, hub, by_least_squares(points, gradients, 20, start)));
  expect_on_the_page(fmt::format("| honest points, 400 rounds | `trust_server` | {} of 20 rows, d = 6 |", best));
}

// A study of single local steps, whose answers have noise, and what `model` adds to its section [model].
std::string noisy(const std::string& model, const std::string& privacy) {
  return study(
      "name = \"fa-ld\"\nstep = 1e-4\nlocal_steps = 1\nclip = 5.0\ncorrelation = 0.0\nprecondition = \"none\"\n"
      "[run]\ninit = \"zero\"\niterations = 2000\nburn_in = 0\nchains = 1\n" +
          privacy,
      "standardize = false\nconstant = \"keep\"\nlevels = {recovered = [\"no\", \"yes\"]}",
      "prior = \"flat\"\n" + model);
}

// The attack by which noise is measured finds the rows where there is hardly any.
TEST(Inside, ThresholdsByLocalSteps) {
  const Site site(200, 14, 4, Units::scaled);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(noisy("temperature = 1e-30\n", ""))) << hub.why;
  std::uint64_t round = 0;
  const Found found =
      by_thresholds([&](const Vector& theta) { return hub.round(round++, theta); }, hub.dimension(), 1e5);
  EXPECT_GT(recovered(site, hub, found.rows), 150) << hub.why;
}

// A study with [privacy], which the site answers without its word, and a hub that spends all of ε = 8 on an attack.
class Private : public ::testing::Test {
 protected:
  Private() : site_(200, 14, 4, Units::scaled), hub_(site_, Guards::without_word) {
    begun_ = hub_.set_up(noisy("", "[privacy]\ndelta = 1e-5\ntarget_epsilon = 8.0\naccept = [\"levels\"]"));
  }
  // The gradient at θ with the noise of one round; nothing once the client has stopped.
  std::optional<Vector> gradient(const Vector& theta) { return hub_.round(rounds_++, theta); }

  const Site site_;
  Hub hub_;
  bool begun_ = false;
  std::uint64_t rounds_ = 0;
};

TEST_F(Private, NoiseKeepsRowsApart) {
  ASSERT_TRUE(begun_) << hub_.why;
  const Found found = by_scan([&](const Vector& theta) { return gradient(theta); }, hub_.dimension(), 1e5, 200);
  EXPECT_LT(found.questions, 200) << "it does not stop";
  expect_on_the_page(
      fmt::format("| chosen points, rounds until ε = 8 is spent | `[privacy]` | {} of 200 rows, d = 5, {} rounds |",
                  recovered(site_, hub_, found.rows), found.questions));
}

// The worst that a hub can do to one row: it knows a line on which the row is the last, and spends all rounds on the
// two sums that differ by it. What it finds is farther from the row than a guess that knows nothing of it.
TEST_F(Private, NoiseHidesARowOnWhichAllRoundsAreSpent) {
  ASSERT_TRUE(begun_) << hub_.why;
  Index last = 0, next = 1;
  const auto along = [&](Index i) { return site_.rows()(0, i); };
  if (along(next) > along(last)) std::swap(last, next);
  for (Index i = 2; i < site_.rows().cols(); ++i) {
    if (along(i) > along(last))
      next = std::exchange(last, i);
    else if (along(i) > along(next))
      next = i;
  }
  constexpr double kSteep = 1e5;
  Vector before = Vector::Zero(hub_.dimension()), beyond = before, difference = before;
  before(1) = beyond(1) = kSteep;
  before(0) = -kSteep * (along(last) + along(next)) / 2;
  beyond(0) = -kSteep * (along(last) + 1);
  double pairs = 0;
  for (;; ++pairs) {
    const auto with = gradient(before), without = gradient(beyond);
    if (!with || !without) break;
    difference += *with - *without;
  }
  ASSERT_GT(pairs, 10) << hub_.why;
  const Vector found = difference.tail(hub_.dimension() - 1) / pairs, row = site_.rows().col(last);
  std::printf("off by %.1f, where a guess is off by %.1f, after %.0f pairs of rounds\n", (found - row).norm(),
              row.norm(), pairs);
  EXPECT_GT((found - row).norm(), row.norm());
}

}  // namespace
}  // namespace pollen::attacks
