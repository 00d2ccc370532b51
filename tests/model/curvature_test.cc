// Laws of curvature(): it is a Hessian-vector product, or an upper bound if it claims to be one.
#include <gtest/gtest.h>

#include <cmath>

#include "model/problem.h"

namespace pollen::testing {
namespace {

class CurvatureLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CurvatureLaw, ::testing::ValuesIn(kinds()), test_name);

// Returns ∇²U(at) v from gradients on both sides.
std::vector<double> numeric_hessian(const Potential& u, std::span<const double> at, std::span<const double> v) {
  const double h = 1e-5;
  std::vector<double> above(at.begin(), at.end()), below(above);
  for (std::size_t j = 0; j < v.size(); ++j) {
    above[j] += h * v[j];
    below[j] -= h * v[j];
  }
  std::vector<double> result = gradient_of(u, above);
  const std::vector<double> other = gradient_of(u, below);
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = (result[j] - other[j]) / (2 * h);
  return result;
}

double inner(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

class HessianLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, HessianLaw, ::testing::ValuesIn(kinds([](const KnownFamily& f) { return f.hessian; })),
                         test_name);

TEST_P(HessianLaw, IsTheDerivativeOfTheGradient) {
  const Case c = make_case(GetParam(), 120, 7);
  const Panel points = c.chains(2, 1);
  for (const std::uint64_t seed : {2u, 3u, 4u}) {
    const Panel at = c.chains(1, seed);
    expect_close(curvature_of(*c.potential, at.column(0), points.column(1)),
                 numeric_hessian(*c.potential, at.column(0), points.column(1)), 1e-7);
  }
}

class DiagonalLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, DiagonalLaw, ::testing::ValuesIn(kinds([](const KnownFamily& f) {
                           return sums_over_rows(f) && f.name != "gaussian-data";
                         })),
                         test_name);

// Over several blocks of rows, and with a scale.
TEST_P(DiagonalLaw, IsThatOfTheHessian) {
  const Case c = make_case(GetParam(), 2500, 6, 0.25);
  const Panel at = c.chains(1, 5);
  std::vector<double> diagonal(static_cast<std::size_t>(c.potential->dimension())), expected(diagonal), unit(diagonal);
  Scratch scratch;
  ASSERT_TRUE(c.potential->hessian_diagonal(at.column(0), diagonal, scratch));
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    expected[j] = numeric_hessian(*c.potential, at.column(0), unit)[j];
    unit[j] = 0;
  }
  expect_close(diagonal, expected, 1e-6);
}

class BoundLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, BoundLaw, ::testing::ValuesIn(kinds([](const KnownFamily& f) { return f.bound; })),
                         test_name);

TEST_P(BoundLaw, IsAboveTheHessianEverywhere) {
  const Case c = make_case(GetParam(), 120, 7);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Panel at = c.chains(1, seed, 0.1 * static_cast<double>(seed)), direction = c.chains(1, 100 + seed, 1.0);
    const std::span<const double> v = direction.column(0);
    const double bound = inner(v, curvature_of(*c.potential, at.column(0), v));
    EXPECT_GE(bound * (1 + 1e-7), inner(v, numeric_hessian(*c.potential, at.column(0), v)));
  }
}

double largest_eigenvalue(const Potential& u, std::span<const double> at) {
  std::vector<double> v = Dice(3).normals(u.dimension());
  double norm = 0;
  for (int n = 0; n < 400; ++n) {
    norm = std::sqrt(inner(v, v));
    for (double& x : v) x /= norm;
    v = curvature_of(u, at, v);
  }
  return std::sqrt(inner(v, v));
}

TEST_P(CurvatureLaw, OfTheLargestRow) {
  Scratch scratch;
  const Case one = make_case(GetParam(), 1, 4, 2.0), many = make_case(GetParam(), 30, 4);
  const Panel at = one.chains(1, 5), there = many.chains(1, 6);
  const double largest = largest_eigenvalue(*one.potential, at.column(0));
  EXPECT_NEAR(one.potential->row_curvature(at.column(0), scratch), largest, 1e-6 * largest);
  EXPECT_GE(many.potential->row_curvature(there.column(0), scratch) * static_cast<double>(many.potential->rows()) *
                (1 + 1e-9),
            largest_eigenvalue(*many.potential, there.column(0)));
}

// At θ = 0 both classes are equally likely, and the logistic bound is the Hessian itself. The softmax bound with two
// classes is ½(I - 11ᵀ/2)⊗XᵀX and its Hessian at 0 is (½I - ¼11ᵀ)⊗XᵀX, which are equal, too.
TEST(Curvature, BoundsAreTight) {
  const Case logistic = make_case("logistic", 60, 5);
  const std::vector<double> zero(5, 0.0), v = Dice(1).normals(5);
  expect_close(curvature_of(*logistic.potential, zero, v), numeric_hessian(*logistic.potential, zero, v), 1e-7);

  ModelSpec spec = logistic.spec;
  spec.family = &model_family("softmax");
  spec.classes = 2;
  const auto softmax = make_potential(spec, logistic.observations);
  const std::vector<double> origin(10, 0.0), w = Dice(2).normals(10);
  expect_close(curvature_of(*softmax, origin, w), numeric_hessian(*softmax, origin, w), 1e-7);
}

TEST_P(CurvatureLaw, IsSymmetricAndLinear) {
  const Case c = make_case(GetParam(), 64, 6);
  const Panel p = c.chains(3, 5);
  const std::span<const double> at = p.column(0), v = p.column(1), w = p.column(2);
  const std::vector<double> bv = curvature_of(*c.potential, at, v), bw = curvature_of(*c.potential, at, w);
  EXPECT_NEAR(inner(w, bv), inner(v, bw), 1e-12 * std::sqrt(inner(bv, bv) * inner(w, w)));
  std::vector<double> sum(v.size()), image(v.size());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    sum[j] = v[j] - 2.0 * w[j];
    image[j] = bv[j] - 2.0 * bw[j];
  }
  expect_close(curvature_of(*c.potential, at, sum), image, 1e-12);
}

TEST(Curvature, SaysWhereItIsABound) {
  for (const std::string& name : kinds())
    EXPECT_EQ(make_case(name, 5, 3).potential->curvature_is_bound(), known_family(name).bound) << name;
}

}  // namespace
}  // namespace pollen::testing
