// Small problems of every kind with data from their own generator, for laws that hold for every potential.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pollen/model.h"

namespace pollen::testing {

// Random numbers by splitmix64 and Box-Muller, independent of the library's generator.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double uniform();
  double normal();
  std::vector<double> normals(Index count, double sd = 1.0);

 private:
  std::uint64_t state_;
};

// A potential with its data. The feature columns are an intercept, then normals; rows are further apart than they are
// wide.
struct Case {
  std::string name;
  ModelSpec spec;
  AlignedVector<double> x;
  std::vector<double> y;
  Observations observations;
  std::unique_ptr<Potential> potential;

  Index dimension() const { return potential->dimension(); }
  // Returns random states, one column per chain.
  Panel chains(Index count, std::uint64_t seed, double sd = 0.3) const;
};

// Returns "gaussian" (mean and precision), "gaussian-data", "linear", "linear-sigma", "logistic", "softmax", "poisson".
std::vector<std::string> kinds(const std::vector<std::string>& without = {});
std::string test_name(const ::testing::TestParamInfo<std::string>& parameter);  // without the hyphen
Case make_case(const std::string& name, Index rows, Index features, double scale = 1.0);

// Returns -log p of one row in long double, as docs/models.md writes it. This is the reference for values.
long double plain_loss(const Case& c, std::span<const double> theta, Index row);

std::vector<double> gradient_of(const Potential& u, std::span<const double> theta);
double value_of(const Potential& u, std::span<const double> theta);
std::vector<double> curvature_of(const Potential& u, std::span<const double> at, std::span<const double> v);

// Expects every coordinate of one to be within `tolerance` of the other, relative to the largest one.
void expect_close(std::span<const double> a, std::span<const double> b, double tolerance);

}  // namespace pollen::testing
