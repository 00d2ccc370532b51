// Tests dimensions and the names of coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "model/models.h"
#include "model/problem.h"
#include "pollen/errors.h"

namespace pollen {
namespace {

ModelSpec named(const std::string& kind) {
  ModelSpec spec;
  spec.family = &model_family(kind);
  spec.features = 2;
  spec.feature_names = {"intercept", "age"};
  return spec;
}

TEST(ModelSpec, LabelsAreTheFeaturesNames) {
  for (const char* kind : {"logistic", "poisson"}) {
    EXPECT_EQ(named(kind).dimension(), 2);
    EXPECT_EQ(named(kind).labels(), (std::vector<std::string>{"intercept", "age"}));
  }
}

TEST(ModelSpec, SoftmaxHasCoefficientsForEveryClass) {
  ModelSpec spec = named("softmax");
  spec.classes = 2;
  spec.class_names = {"setosa", "virginica"};
  EXPECT_EQ(spec.dimension(), 4);
  EXPECT_EQ(spec.labels(),
            (std::vector<std::string>{"setosa: intercept", "setosa: age", "virginica: intercept", "virginica: age"}));
  spec.class_names.clear();
  EXPECT_EQ(spec.labels()[3], "class 1: age");
}

TEST(ModelSpec, LinearSamplesItsNoiseUnlessItIsGiven) {
  ModelSpec spec = named("linear");
  EXPECT_EQ(spec.dimension(), 3);
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"intercept", "age", "log_sigma"}));
  spec.noise_sd = 1.0;
  EXPECT_EQ(spec.dimension(), 2);
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"intercept", "age"}));
}

constexpr const char* kAdded = "exponential";  // the name of the family that CanBeAdded registers

// A model in the table that is in no list of the laws would not be tested.
TEST(Models, EveryFamilyIsAmongTheKnownOnes) {
  for (const ModelRow& row : models()) {
    if (row.name == kAdded) continue;
    const bool known = std::ranges::count(testing::known_families(), row.name, &testing::KnownFamily::family) > 0;
    EXPECT_EQ(known, row.group == ModelRow::Group::plain) << row.name;
  }
  EXPECT_THROW(model_family("logistik"), ConfigError);
}

// A family of a program's own, with one coefficient per feature and targets above 0.
class Exponential final : public ModelFamily {
 public:
  TargetKind target(const ModelSpec&) const override { return TargetKind::real; }
  std::size_t wrong_target(const ModelSpec&, std::span<const double> y, std::size_t from) const override {
    return static_cast<std::size_t>(
        std::find_if(y.begin() + static_cast<std::ptrdiff_t>(from), y.end(), [](double each) { return !(each > 0); }) -
        y.begin());
  }
  std::string accepted_target(const ModelSpec&) const override { return "a number above 0"; }
  std::unique_ptr<Potential> make(const ModelSpec&, const Observations& observations, double scale) const override {
    return make_gaussian_data(observations.x, scale);
  }
};

// Registers the family once, because the table is the process's and a test may run twice.
const ModelFamily& added() {
  if (models().find(kAdded) == nullptr)
    register_model({kAdded, "waiting times", "p", "", std::make_shared<Exponential>()});
  return model_family(kAdded);
}

TEST(Models, CanBeAdded) {
  const ModelFamily& family = added();
  EXPECT_EQ(models().names().back(), kAdded);
  EXPECT_THROW(register_model({kAdded, "", "", "", std::make_shared<Exponential>()}), std::invalid_argument);
  EXPECT_THROW(register_model({"poisson", "", "", "", std::make_shared<Exponential>()}), std::invalid_argument);
  ModelSpec spec;
  spec.family = &family;
  spec.features = 1;
  const double x[] = {1, 2}, good[] = {3, 4}, bad[] = {3, 0};
  EXPECT_EQ(make_potential(spec, {{x, 2, 1, 1}, good})->rows(), 2);
  EXPECT_FALSE(spec.predicts() || spec.classifies() || spec.quadratic());
  EXPECT_NE(family.not_convex(spec), "");
  try {
    make_potential(spec, {{x, 2, 1, 1}, bad});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems()[0].what, "found 0, accepted: a number above 0");
  }
}

TEST(Models, OnlyConvexFamiliesSaySo) {
  for (const char* kind : {"gaussian", "logistic", "softmax", "poisson"})
    EXPECT_EQ(model_family(kind).not_convex(named(kind)), "") << kind;
  ModelSpec linear = named("linear");
  EXPECT_NE(linear.family->not_convex(linear), "");
  linear.noise_sd = 1.0;
  EXPECT_EQ(linear.family->not_convex(linear), "");
  for (const char* kind : {"mlp", "lenet5"}) EXPECT_NE(model_family(kind).not_convex({}), "") << kind;
}

TEST(ModelSpec, GaussianCoordinatesAreNumbered) {
  ModelSpec spec;
  spec.family = &model_family("gaussian");
  spec.features = 2;
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"theta.1", "theta.2"}));
}

}  // namespace
}  // namespace pollen
