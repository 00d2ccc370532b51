// Attacks outside the contract: what a server asks although the study does not need it, or asks again in another way.
// Each once gave rows away exactly, through every limit that a site could set. None may give a row now.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub.h"

namespace pollen::attacks {
namespace {

using ::testing::HasSubstr;

constexpr Index kRows = 200;

// A study of a Langevin sampler with the defaults, and one that asks for nothing but its rounds.
std::string langevin(const std::string& data = "") { return study("name = \"lsd\"", data); }
std::string rounds_alone(int rounds, const std::string& data = "") {
  return study(fmt::format("name = \"lsd\"\nstep = 1e-3\nprecondition = \"none\"\n[run]\ninit = \"zero\"\niterations = "
                           "{}\nburn_in = 0\nchains = 1",
                           rounds),
               data);
}

Vector difference(const ColumnMoments& more, const ColumnMoments& less) {
  Vector row(static_cast<Index>(more.sum.size()));
  for (std::size_t j = 0; j < more.sum.size(); ++j) row(static_cast<Index>(j)) = more.sum[j] - less.sum[j];
  return row;
}

void expect_nothing(const Site& site, const std::vector<Vector>& found, const char* attack) {
  const Index rows = site.recovered(found);
  std::printf("%-72s %3d of %d rows\n", attack, static_cast<int>(rows), static_cast<int>(site.rows().cols()));
  EXPECT_EQ(rows, 0) << attack;
}

// Returns rows by differences of sums in studies with these sections of [data], one after another.
std::vector<Vector> by_differences(const Site& site, Guards guards, const std::vector<std::string>& studies,
                                   bool new_names, std::string& why) {
  std::vector<Vector> found;
  std::optional<ColumnMoments> before;
  for (const std::string& data : studies) {
    Hub hub(site, guards);
    hub.set_up(langevin(data), new_names ? data : "run");
    if (before && hub.moments()) found.push_back(difference(*hub.moments(), *before));
    before = hub.moments();
    why = hub.why;
  }
  return found;
}

// Sums over the first 150, 151, 152 ... rows differ by a row each.
TEST(Outside, RowLimitsThatGrow) {
  const Site site(kRows, 1);
  std::vector<std::string> studies;
  for (int limit = 150; limit <= 155; ++limit) studies.push_back(fmt::format("limit = {}", limit));
  std::string why;
  EXPECT_EQ(site.recovered(by_differences(Site(kRows, 1), Guards::off, studies, true, why)), 5);
  expect_nothing(site, by_differences(site, Guards::on, studies, true, why),
                 "data.limit = 150, 151, 152, ... and differences of sums");
  EXPECT_THAT(why, HasSubstr("--new-run"));
}

TEST(Outside, AnotherStudyOfTheSameData) {
  const Site site(kRows, 2);
  std::string why;
  const std::vector<std::string> studies = {"limit = 198", "limit = 199", "limit = 0"};
  expect_nothing(site, by_differences(site, Guards::on, studies, false, why),
                 "another study under the same name of a run");
  EXPECT_THAT(why, HasSubstr("not the one that this run began with"));
}

// The gradient of one row at zero is the row itself, but for a factor.
std::vector<Vector> by_warm_up(Hub& hub) {
  std::vector<Vector> found;
  if (hub.set_up(langevin() + "[warm_up]\nepochs = 20\nbatch = 1\nrate = 0.01\n"))
    for (std::uint64_t step = 0; step < 2000; ++step)
      if (const auto gradient = hub.warm_up_gradient(Vector::Zero(hub.dimension()), step))
        found.push_back(hub.in_units_of_file(*gradient / (*gradient)(0)));
  return found;
}

TEST(Outside, WarmUpOfSingleRows) {
  const Site site(kRows, 3);
  const Site open(kRows, 3);
  Hub unguarded(open, Guards::off), hub(site);
  EXPECT_GT(site.recovered(by_warm_up(unguarded)), 150) << unguarded.why;
  expect_nothing(site, by_warm_up(hub), "warm_up.batch = 1 at zero");
  EXPECT_THAT(hub.why, HasSubstr("min_batch"));
}

// Two steps with the same rows at two points give the rows of a small batch.
TEST(Outside, WarmUpStepsThatAreRepeated) {
  const Site site(kRows, 4);
  Hub hub(site);
  int repeated = 0;
  ASSERT_TRUE(hub.set_up(langevin() + "[warm_up]\nepochs = 2\nbatch = 10\nrate = 0.01\n")) << hub.why;
  for (std::uint64_t step = 0; step < 20; ++step)
    for (const double place : {0.0, 1e9})
      if (hub.warm_up_gradient(Vector::Constant(hub.dimension(), place), step) && place > 0) ++repeated;
  EXPECT_EQ(repeated, 0);
  expect_nothing(site, {}, "a warm-up's step at several points");
}

// A study whose configuration needs no question besides its rounds gets none.
TEST(Outside, QuestionsThatTheStudyDoesNotNeed) {
  const Site site(kRows, 5);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(rounds_alone(10))) << hub.why;
  const Found found = by_thresholds([&](const Vector& theta) { return hub.gradient(theta); }, hub.dimension());
  std::vector<Vector> rows;
  for (const Vector& row : found.rows) rows.push_back(hub.in_units_of_file(row));
  EXPECT_EQ(found.questions, 0);
  expect_nothing(site, rows, "2,000 gradients at chosen points in set-up");
}

// More rounds than the study has, and the same under the name of another run.
TEST(Outside, RoundsBeyondTheStudyAndAnotherRun) {
  const Site site(kRows, 6);
  int answered = 0;
  std::string why;
  for (const char* run : {"one", "two", "three"}) {
    Hub hub(site);
    if (hub.set_up(rounds_alone(10), run))
      for (std::uint64_t round = 0; round < 500; ++round)
        if (hub.round(round, Vector::Zero(hub.dimension()))) ++answered;
    why = hub.why;
  }
  EXPECT_EQ(answered, 10);
  EXPECT_THAT(why, HasSubstr("--new-run"));
  expect_nothing(site, {}, "rounds beyond the study, and under the names of other runs");
}

// A local segment at two points with the same noise: the noise falls out of the difference.
TEST(Outside, SegmentsThatAreRepeatedElsewhere) {
  const Site site(kRows, 7);
  Hub hub(site);
  ASSERT_TRUE(
      hub.set_up(study("name = \"fa-ld\"\nstep = 1e-3\nlocal_steps = 1\nclip = 5.0\nprecondition = \"none\"\n"
                       "[run]\ninit = \"zero\"\niterations = 2000\nburn_in = 0\nchains = 1")))
      << hub.why;
  int repeated = 0;
  for (std::uint64_t round = 0; round < 200; ++round)
    for (const double place : {0.0, 1e9})
      if (hub.round(round, Vector::Constant(hub.dimension(), place)) && place > 0) ++repeated;
  EXPECT_EQ(repeated, 0);
  expect_nothing(site, {}, "segments repeated at another point with the same noise");
}

// A study that has a section [privacy] and asks for exact answers in set-up all the same.
std::vector<Vector> by_set_up(Hub& hub, const std::string& init, const std::string& data) {
  const std::string sampler = fmt::format(
      "name = \"fa-ld\"\nstep = 1e-5\nlocal_steps = 1\nclip = 5.0\ncorrelation = 0.0\nprecondition = \"none\"\n"
      "[run]\ninit = \"{}\"\niterations = 2000\nburn_in = 0\nchains = 1\n"
      "[privacy]\ndelta = 1e-5\ntarget_epsilon = 8.0",
      init);
  std::vector<Vector> rows;
  if (!hub.set_up(study(sampler, data + "\nlevels = {recovered = [\"no\", \"yes\"]}", "prior = \"flat\""))) return rows;
  const auto ask = [&](const Vector& theta) { return hub.gradient(theta); };
  for (const Vector& row : by_thresholds(ask, hub.dimension(), 1e7).rows) rows.push_back(hub.in_units_of_file(row));
  return rows;
}

TEST(Outside, ExactAnswersInTheNameOfPrivacy) {
  const std::string unscaled = "standardize = false\nconstant = \"keep\"";
  const Site site(kRows, 10, 4, Units::scaled), open(kRows, 10, 4, Units::scaled);
  Hub unguarded(open, Guards::off);
  EXPECT_GT(open.recovered(by_set_up(unguarded, "mode", unscaled)), 150) << unguarded.why;
  {
    Hub hub(site, Guards::without_word);
    expect_nothing(site, by_set_up(hub, "mode", unscaled), "exact questions of set-up in a study with [privacy]");
    EXPECT_THAT(hub.why, HasSubstr("looks at the data without noise (run.init = \"mode\""));
  }
  Hub hub(site, Guards::without_word);
  EXPECT_TRUE(by_set_up(hub, "zero", "standardize = true").empty());
  EXPECT_FALSE(hub.moments());
  EXPECT_THAT(hub.why, HasSubstr("data.standardize = true shows means and deviations"));
}

// A study of ten local steps per message, of which a hub wants a message after every step.
TEST(Outside, MoreMessagesThanTheStudyHas) {
  const Site site(kRows, 11);
  Hub hub(site);
  ASSERT_TRUE(
      hub.set_up(study("name = \"fa-ld\"\nstep = 1e-3\nlocal_steps = 10\nclip = 5.0\nprecondition = \"none\"\n"
                       "[run]\ninit = \"zero\"\niterations = 2000\nburn_in = 0\nchains = 1")))
      << hub.why;
  int answered = 0;
  for (std::uint64_t round = 0; round < 200; ++round)
    if (hub.round(round, Vector::Zero(hub.dimension()))) ++answered;
  EXPECT_EQ(answered, 0);
  EXPECT_THAT(hub.why, HasSubstr("accepted: those of the study's local steps"));
}

// A column of numbers that nobody else has, read as levels, would send every number.
std::size_t values_sent(const Site& site, Guards guards, const std::string& data) {
  Hub hub(site, guards);
  hub.set_up(langevin("categorical = [\"income\"]\n" + data));
  if (!hub.columns()) return 0;
  const std::vector<std::string>& levels = hub.columns()->levels.at("income");
  return levels.size() - static_cast<std::size_t>(std::ranges::count(levels, "other"));
}

TEST(Outside, LevelsOfAnIdentifier) {
  const Site site(kRows, 8);
  EXPECT_GT(values_sent(Site(kRows, 8), Guards::off, ""), 190U);
  EXPECT_EQ(values_sent(site, Guards::on, ""), 0U);
  EXPECT_EQ(values_sent(site, Guards::on, "min_cell = 0"), 0U);
  expect_nothing(site, {}, "data.categorical on a column of identifiers");
}

// One question may have many points. They count as many.
TEST(Outside, ManyPointsInOneQuestion) {
  const Site site(kRows, 9);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(langevin())) << hub.why;
  EXPECT_TRUE(hub.answers_points(100));
  EXPECT_FALSE(hub.answers_points(10'000));
  EXPECT_THAT(hub.why, HasSubstr("gradient"));
}

}  // namespace
}  // namespace pollen::attacks
