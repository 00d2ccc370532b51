// Small problems of every family with data from their own generator, for laws that hold for every potential.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
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

// One row of a case, for its formula: the parameters, the features and the target.
struct PlainRow {
  std::span<const double> theta;
  const double* x;
  Index features;
  long double y;
  long double z(Index k = 0) const;  // the k-th linear predictor
};

// What the laws are told of a family. The list of families in problem.cc has one entry or more for every model in the
// table that is neither mixed nor a network.
struct KnownFamily {
  std::string name, family;
  std::optional<double> noise_sd = {};
  double below = 0;                                    // targets are whole numbers below it; 0: normal numbers
  bool bound = true, hessian = true;                   // whether curvature() is a bound, and whether it is the Hessian
  std::vector<double> refused = {};                    // targets that the family cannot have
  long double (*loss)(const PlainRow& row) = nullptr;  // U_ij, as docs/models.md writes it
  double (*constant)(double y) = [](double) { return 0.0; };  // what U_ij leaves out of -log p(y)
};
inline bool sums_over_rows(const KnownFamily& known) { return known.loss != nullptr; }
const std::vector<KnownFamily>& known_families();
const KnownFamily& known_family(const std::string& name);
// Returns the names in the list: of all, or of those for which the test holds.
std::vector<std::string> kinds(bool (*test)(const KnownFamily&) = [](const KnownFamily&) { return true; });
std::string test_name(const ::testing::TestParamInfo<std::string>& parameter);  // without the hyphen
Case make_case(const std::string& name, Index rows, Index features, double scale = 1.0);

// Returns U_ij of one row in long double by the list's formula. This is the reference for values.
long double plain_loss(const Case& c, std::span<const double> theta, Index row);

std::vector<double> gradient_of(const Potential& u, std::span<const double> theta);
double value_of(const Potential& u, std::span<const double> theta);
std::vector<double> curvature_of(const Potential& u, std::span<const double> at, std::span<const double> v);

// Expects every coordinate of one to be within `tolerance` of the other, relative to the largest one.
void expect_close(std::span<const double> a, std::span<const double> b, double tolerance);

}  // namespace pollen::testing
