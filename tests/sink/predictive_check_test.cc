// The predictive check against data sets that are really drawn, and on models that fit and that do not.
#include "sink/predictive_check.h"

#include <algorithm>
#include <random>

#include "fixtures.h"

namespace pollen::sink {
namespace {

struct Problem {
  ModelSpec model;
  Federation data;
  Panel states;
  PredictiveCheck check(int threads = 1) const {
    return check_predictions(model, scored_rows(data, true, kCheckedRows), data.client_names, states, threads);
  }
};

double x_of(Index r) { return std::sin(2.3 * static_cast<double>(r)); }

// Two clients' rows with one feature, and 100 draws of its coefficient around `theta`.
template <class Draw>
Problem problem(const std::string& kind, Index rows, double theta, Draw draw) {
  Problem p;
  p.model = spec(kind);
  std::mt19937_64 engine(7);
  std::vector<double> x, y;
  for (Index r = 0; r < rows; ++r) {
    x.push_back(x_of(r));
    y.push_back(draw(engine, x.back()));
  }
  p.data.test = table_of(x, y);
  p.data.test_begin = {0, rows / 4, rows};
  p.data.train_begin = {0, 0, 0};
  p.data.client_names = ClientNames({"north", "south"});
  p.states = Panel(1, 100);
  for (Index s = 0; s < 100; ++s) p.states.column(s)[0] = theta + 0.05 * std::sin(static_cast<double>(s));
  return p;
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

Problem fitting_classes() {
  return problem("logistic", 400, 1.5, [](auto& engine, double x) {
    return std::bernoulli_distribution(sigmoid(1.5 * x))(engine) ? 1.0 : 0.0;
  });
}

TEST(PredictiveCheck, IntervalsAreThoseOfDrawnDataSets) {
  const Problem p = fitting_classes();
  const PredictiveCheck check = p.check();
  ASSERT_EQ(check.groups.size(), 2u);
  ASSERT_EQ(check.clients.size(), 2u);
  EXPECT_EQ(check.clients[0].client, "north");
  EXPECT_EQ(check.clients[0].rows, 100);
  std::mt19937_64 engine(1);
  std::vector<double> share, north;
  for (int set = 0; set < 4000; ++set) {
    const double theta = p.states.column(set % 100)[0];
    double events = 0, there = 0;
    for (Index r = 0; r < 400; ++r) {
      const bool event = std::bernoulli_distribution(sigmoid(theta * x_of(r)))(engine);
      events += event, there += event && r < 100;
    }
    share.push_back(events / 400);
    north.push_back(there / 100);
  }
  // A share of 400 rows is a multiple of 0.0025 and has an sd of 0.02, so that its quantiles are known to about 0.003.
  EXPECT_NEAR(check.groups[1].lower, stats::quantile(share, 0.05), 0.005);
  EXPECT_NEAR(check.groups[1].upper, stats::quantile(share, 0.95), 0.005);
  EXPECT_NEAR(check.clients[0].lower, stats::quantile(north, 0.05), 0.015);
  EXPECT_NEAR(check.clients[0].upper, stats::quantile(north, 0.95), 0.015);
  EXPECT_NEAR(check.groups[0].observed + check.groups[1].observed, 1, 1e-12);
  EXPECT_NE(check.words.find("where chance leaves about one in ten. "), std::string::npos) << check.words;
  EXPECT_EQ(check.words.find("than chance allows"), std::string::npos) << check.words;
}

TEST(PredictiveCheck, AnyNumberOfThreadsIsTheSame) {
  const Problem p = fitting_classes();
  const PredictiveCheck one = p.check(1), three = p.check(3);
  for (std::size_t g = 0; g < one.groups.size(); ++g) {
    EXPECT_EQ(one.groups[g].lower, three.groups[g].lower);
    EXPECT_EQ(one.groups[g].predicted, three.groups[g].predicted);
  }
}

TEST(PredictiveCheck, AModelThatFitsNumbersPasses) {
  const Problem p = problem("linear", 1000, 2,
                            [](auto& engine, double x) { return 2 * x + std::normal_distribution<double>()(engine); });
  const PredictiveCheck check = p.check();
  EXPECT_GT(check.groups.size(), 8u);
  EXPECT_TRUE(std::isinf(check.groups.front().above));
  double observed = 0, predicted = 0;
  for (const Replicated& r : check.groups) observed += r.observed, predicted += r.predicted;
  EXPECT_NEAR(observed, 1, 1e-12);
  EXPECT_NEAR(predicted, 1, 1e-12);
  EXPECT_NE(check.words.find("where chance leaves about one in ten, seldom more than"), std::string::npos)
      << check.words;
  EXPECT_EQ(check.words.find("than chance allows"), std::string::npos) << check.words;
}

TEST(PredictiveCheck, SkewedErrorsAreSeen) {
  const Problem p = problem("linear", 1000, 2, [](auto& engine, double x) {
    return 2 * x + std::exponential_distribution<double>()(engine) - 1;  // sd 1, as the model says
  });
  EXPECT_NE(p.check().words.find("urther off than chance allows, worst"), std::string::npos) << p.check().words;
}

TEST(PredictiveCheck, TooManyZerosAreSeen) {
  const auto counts = [](double zeros) {
    return problem("poisson", 600, 1, [zeros](auto& engine, double x) {
      if (std::bernoulli_distribution(zeros)(engine)) return 0.0;
      return static_cast<double>(std::poisson_distribution<int>(std::exp(x))(engine));
    });
  };
  const PredictiveCheck fits = counts(0).check(), inflated = counts(0.4).check();
  EXPECT_EQ(fits.groups.front().up_to, 0);
  EXPECT_EQ(fits.groups.front().label, "0");
  EXPECT_EQ(fits.groups[1].label, "1");
  EXPECT_EQ(fits.of, "counts");
  EXPECT_NE(fits.words.find("Zeros make up"), std::string::npos) << fits.words;
  EXPECT_EQ(fits.words.find("Further off"), std::string::npos) << fits.words;
  EXPECT_GT(inflated.groups.front().observed, inflated.groups.front().upper);
  EXPECT_NE(inflated.words.find("urther off than chance allows, worst 0:"), std::string::npos) << inflated.words;
}

TEST(PredictiveCheck, AClientThatIsDifferentIsNamed) {
  Problem p = fitting_classes();
  for (Index r = 0; r < 100; ++r) p.data.test.y[static_cast<std::size_t>(r)] = r % 20 == 0 ? 0 : 1;
  EXPECT_NE(p.check().words.find("worst client north"), std::string::npos) << p.check().words;
}

// Clients whose means are `off` sds from what the model says, and as many others as make up 24.
PredictiveCheck clients_off(int many, double off) {
  constexpr int kClients = 24;
  ScoredRows rows;
  ReplicatedSums sums{{12, 12}, {6, 6}};
  std::vector<std::string> names;
  std::vector<double> y;
  for (int i = 0; i < kClients; ++i) {
    names.push_back(std::to_string(i));
    rows.client.push_back(i);
    y.push_back(i % 2 == 0 ? 0.5 : 1.5);
    sums.mean.push_back(y.back() + (i < many ? off : 0));
    sums.variance.push_back(1);
  }
  rows.rows = table_of(y, y);
  return compare_with_data(TargetGroups::of_numbers(std::vector<double>{1}, false), rows, ClientNames(names), sums, 1);
}

// Of 24 comparisons more than 6 are outside of 90 % intervals with a chance of 0.7 %.
TEST(PredictiveCheck, MoreOutsideThanChanceAllowsAreSeenAlsoWhereNoneIsFarOff) {
  const std::string few = clients_off(6, 1.8).words, many = clients_off(7, 1.8).words, far = clients_off(1, 5).words;
  EXPECT_NE(few.find("6 of 24 clients' means are outside the 90 % interval of data sets that the model makes, where "
                     "chance leaves about one in ten, seldom more than 6."),
            std::string::npos)
      << few;
  EXPECT_EQ(few.find("than chance allows"), std::string::npos) << few;
  EXPECT_NE(many.find("7 of 24"), std::string::npos) << many;
  EXPECT_NE(many.find(". More than chance allows, worst client 0: observed 0.5"), std::string::npos) << many;
  EXPECT_NE(far.find(". Further off than chance allows, worst client 0"), std::string::npos) << far;
  EXPECT_NE(clients_off(7, 5).words.find(". More and further off than chance allows"), std::string::npos);
}

TEST(TargetGroups, HaveRoundEndsAndEveryRowHasOne) {
  std::vector<double> y;
  for (int r = 0; r < 500; ++r) y.push_back(1000 + 37.3 * std::sin(r));
  const TargetGroups groups = TargetGroups::of_numbers(y, false);
  EXPECT_GE(groups.size(), 8u);
  EXPECT_LE(groups.size(), 25u);
  for (const double edge : groups.edges()) EXPECT_EQ(edge, std::round(edge));
  EXPECT_EQ(groups.group_of(-1e9), 0u);
  EXPECT_EQ(groups.group_of(1e9), groups.size() - 1);
  EXPECT_EQ(groups.group_of(groups.edges()[2]), 2u);  // the upper end belongs to its group
}

TEST(TargetGroups, OfCountsKeepZerosApart) {
  const TargetGroups few = TargetGroups::of_numbers(std::vector<double>{0, 1, 0, 2, 5, 3, 0}, true);
  EXPECT_EQ(few.edges().front(), 0);
  EXPECT_EQ(few.edges()[1], 1);
  std::vector<double> y;
  for (int r = 0; r < 1000; ++r) y.push_back(r);
  const TargetGroups many = TargetGroups::of_numbers(y, true);
  EXPECT_EQ(many.edges().front(), 0);
  EXPECT_LE(many.size(), 25u);
  EXPECT_EQ(many.group_of(0), 0u);
  EXPECT_EQ(many.group_of(1), 1u);
  EXPECT_EQ(many.describe(0).label, "0");
  EXPECT_EQ(many.describe(1).label, "1 to 100");
  EXPECT_EQ(TargetGroups::of_numbers(std::vector<double>{4, 4, 4}, false).size(), 2u);
  EXPECT_EQ(TargetGroups::of_numbers(std::vector<double>{0, 0}, true).size(), 2u);
}

TEST(ScoredRows, AreTestRowsOrElseTrainingRowsThatAreHere) {
  Federation data;
  data.train = table_of({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6});
  data.train_begin = {0, 2, 6};
  data.test_begin = {0, 0, 0};
  data.client_names = ClientNames(2);
  EXPECT_FALSE(scored_rows(data, false, 10).any());
  const ScoredRows all = scored_rows(data, true, 10), some = scored_rows(data, true, 3);
  EXPECT_TRUE(all.training);
  EXPECT_EQ(all.client, (std::vector<Index>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(some.rows.rows, 3);
  EXPECT_EQ(some.in_all, 6);
  EXPECT_EQ(some.client, (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(some.rows.y[1], 3);
  EXPECT_EQ(some.rows.x[8], 3);
  data.test = table_of({7, 8}, {7, 8});
  data.test_begin = {0, 0, 1};
  const ScoredRows test = scored_rows(data, true, 10);
  EXPECT_FALSE(test.training);
  EXPECT_EQ(test.client, (std::vector<Index>{1, -1}));  // the second row is no client's
  data.test = {};
  data.train_begin = {0, 2, 60};  // the other rows are in other processes
  EXPECT_FALSE(scored_rows(data, true, 10).any());
}

}  // namespace
}  // namespace pollen::sink
