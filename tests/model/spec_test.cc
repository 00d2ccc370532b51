// Tests dimensions and the names of coordinates.
#include <gtest/gtest.h>

#include "pollen/model.h"

namespace pollen {
namespace {

ModelSpec named(ModelKind kind) {
  ModelSpec spec;
  spec.kind = kind;
  spec.features = 2;
  spec.feature_names = {"intercept", "age"};
  return spec;
}

TEST(ModelSpec, LabelsAreTheFeaturesNames) {
  for (const ModelKind kind : {ModelKind::logistic, ModelKind::poisson}) {
    EXPECT_EQ(named(kind).dimension(), 2);
    EXPECT_EQ(named(kind).labels(), (std::vector<std::string>{"intercept", "age"}));
  }
}

TEST(ModelSpec, SoftmaxHasCoefficientsForEveryClass) {
  ModelSpec spec = named(ModelKind::softmax);
  spec.classes = 2;
  spec.class_names = {"setosa", "virginica"};
  EXPECT_EQ(spec.dimension(), 4);
  EXPECT_EQ(spec.labels(),
            (std::vector<std::string>{"setosa: intercept", "setosa: age", "virginica: intercept", "virginica: age"}));
  spec.class_names.clear();
  EXPECT_EQ(spec.labels()[3], "class 1: age");
}

TEST(ModelSpec, LinearSamplesItsNoiseUnlessItIsGiven) {
  ModelSpec spec = named(ModelKind::linear);
  EXPECT_EQ(spec.dimension(), 3);
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"intercept", "age", "log_sigma"}));
  spec.noise_sd = 1.0;
  EXPECT_EQ(spec.dimension(), 2);
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"intercept", "age"}));
}

TEST(ModelSpec, GaussianCoordinatesAreNumbered) {
  ModelSpec spec;
  spec.kind = ModelKind::gaussian;
  spec.features = 2;
  EXPECT_EQ(spec.labels(), (std::vector<std::string>{"theta.1", "theta.2"}));
}

}  // namespace
}  // namespace pollen
