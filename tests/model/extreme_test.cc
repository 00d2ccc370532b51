// Tests states far away: classifiers stay finite and correct where exp would overflow, and values that are not finite
// stay visible.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/math.h"
#include "model/problem.h"
#include "pollen/errors.h"

namespace pollen::testing {
namespace {

// One feature, x = 1, and two rows with labels 0 and 1, so that everything is known in closed form.
struct TwoRows {
  double x[2] = {1.0, 1.0};
  double y[2] = {0.0, 1.0};
  Observations observations{RowsView{x, 2, 1, 1}, y};
  ModelSpec spec(const std::string& kind) const {
    ModelSpec s;
    s.family = &model_family(kind);
    s.features = 1;
    return s;
  }
};

TEST(Extreme, LogisticFarFromZero) {
  const TwoRows data;
  const auto u = make_potential(data.spec("logistic"), data.observations);
  for (const double z : {-1e3, -745.0, -710.0, -40.0, 40.0, 710.0, 745.0, 1e3}) {
    const double theta[] = {z};
    EXPECT_DOUBLE_EQ(value_of(*u, theta), std::abs(z)) << z;
    EXPECT_DOUBLE_EQ(gradient_of(*u, theta)[0], z > 0 ? 1.0 : -1.0) << z;
  }
}

TEST(Extreme, SoftmaxFarFromZero) {
  const TwoRows data;
  const auto u = make_potential(data.spec("softmax"), data.observations);
  for (const double z : {-1e3, -745.0, -710.0, 710.0, 745.0, 1e3}) {
    for (const double shift : {-1e3, 0.0, 1e3}) {
      const double theta[] = {shift, shift + z};
      EXPECT_DOUBLE_EQ(value_of(*u, theta), std::abs(z)) << z;
      const std::vector<double> g = gradient_of(*u, theta);
      EXPECT_DOUBLE_EQ(g[1], z > 0 ? 1.0 : -1.0) << z;
      EXPECT_DOUBLE_EQ(g[0], -g[1]) << z;
    }
  }
}

TEST(Extreme, ClassifiersStayFiniteForLargeStates) {
  for (const std::string name : {"logistic", "softmax"}) {
    const Case c = make_case(name, 200, 6);
    const Panel theta = c.chains(4, 1, 400.0);
    Panel g(c.dimension(), 4);
    std::vector<double> values(4);
    Scratch scratch;
    c.potential->gradient(theta, g, scratch);
    c.potential->value(theta, values, scratch);
    EXPECT_TRUE(math::all_finite(g.flat())) << name;
    EXPECT_TRUE(math::all_finite(values)) << name;
  }
}

TEST(Extreme, NotANumberStaysOneAndStaysInItsChain) {
  for (const std::string& name : kinds()) {
    const Case c = make_case(name, 30, 4);
    Panel theta = c.chains(3, 2);
    theta.column(1)[0] = std::numeric_limits<double>::quiet_NaN();
    Panel g(c.dimension(), 3);
    Scratch scratch;
    c.potential->gradient(theta, g, scratch);
    EXPECT_TRUE(std::isnan(g.column(1)[0])) << name;
    EXPECT_TRUE(math::all_finite(g.column(0)) && math::all_finite(g.column(2))) << name;
  }
}

TEST(Extreme, TargetsThatTheModelCannotHaveAreRefused) {
  for (const KnownFamily& known : known_families())
    for (const double y : known.refused) {
      Case c = make_case(known.name, 3, 1);
      EXPECT_NO_THROW(make_potential(c.spec, c.observations));
      c.y[2] = y;
      EXPECT_THROW(make_potential(c.spec, c.observations), ConfigError) << known.name << ", " << y;
    }
  TwoRows data;
  data.y[1] = -1.0;
  try {
    make_potential(data.spec("poisson"), data.observations);
    FAIL();
  } catch (const ConfigError& error) {
    ASSERT_EQ(error.problems().size(), 1u);
    EXPECT_EQ(error.problems()[0].where, "data: row 2, target");
    EXPECT_EQ(error.problems()[0].what, "found -1, accepted: a count (0, 1, 2, ...)");
  }
}

}  // namespace
}  // namespace pollen::testing
