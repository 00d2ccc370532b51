// Tests distances between estimates of a mixed model and its truth on cases worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "pollen/scores.h"

namespace pollen::stats {
namespace {

using Numbers = std::vector<double>;

// Returns R z_i of every client, where R is the rotation by `angle`.
Numbers turned(const Numbers& z, double angle) {
  Numbers out;
  const double c = std::cos(angle), s = std::sin(angle);
  for (std::size_t i = 0; i + 1 < z.size(); i += 2) {
    out.push_back(c * z[i] - s * z[i + 1]);
    out.push_back(s * z[i] + c * z[i + 1]);
  }
  return out;
}

// Returns Φ Rᵀ for a 3 x 2 Φ, so that Φ Rᵀ (R z) = Φ z.
Numbers turned_columns(const Numbers& phi, double angle) {
  Numbers out(6);
  const double c = std::cos(angle), s = std::sin(angle);
  for (std::size_t f = 0; f < 3; ++f) {
    out[f] = c * phi[f] - s * phi[3 + f];
    out[3 + f] = s * phi[f] + c * phi[3 + f];
  }
  return out;
}

TEST(PrincipalAngle, SameSpaceIsZeroAndOrthogonalIsOne) {
  const Numbers e12 = {1, 0, 0, 0, 0, 1, 0, 0}, e34 = {0, 0, 1, 0, 0, 0, 0, 1};
  const Numbers mixed = {3, 1, 0, 0, -2, 5, 0, 0};  // another basis of the same plane
  EXPECT_NEAR(principal_angle_distance(e12, e12, 4, 2), 0, 1e-15);
  EXPECT_NEAR(principal_angle_distance(e12, mixed, 4, 2), 0, 1e-15);
  EXPECT_NEAR(principal_angle_distance(mixed, e12, 4, 2), 0, 1e-15);
  EXPECT_NEAR(principal_angle_distance(e12, e34, 4, 2), 1, 1e-15);
  const Numbers shared = {1, 0, 0, 0, 0, 0, 1, 0};  // one common direction, the other orthogonal
  EXPECT_NEAR(principal_angle_distance(e12, shared, 4, 2), 1, 1e-15);
}

TEST(PrincipalAngle, KnownAngles) {
  for (const double angle : {1e-12, 1e-8, 0.1, 1.0, 1.5}) {
    const Numbers x = {2, 0}, line = {-7 * std::cos(angle), -7 * std::sin(angle)};
    EXPECT_NEAR(principal_angle_distance(x, line, 2, 1), std::sin(angle), 1e-15);
    // Two planes in four dimensions have the angles 0.05 and `angle`; the larger counts.
    const Numbers e12 = {1, 0, 0, 0, 0, 1, 0, 0};
    const Numbers plane = {std::cos(0.05), 0, std::sin(0.05), 0, 0, std::cos(angle), 0, std::sin(angle)};
    EXPECT_NEAR(principal_angle_distance(e12, plane, 4, 2), std::sin(std::max(0.05, angle)), 1e-15);
  }
  const Numbers x = {1, 0, 0}, diagonal = {1, 1, 1};  // cos² = 1/3
  EXPECT_NEAR(principal_angle_distance(x, diagonal, 3, 1), std::sqrt(2.0 / 3.0), 1e-15);
}

TEST(PrincipalAngle, LostRanksAndBadNumbers) {
  const Numbers e12 = {1, 0, 0, 0, 1, 0}, e1 = {1, 0, 0, 2, 0, 0}, zero(6, 0.0);
  EXPECT_NEAR(principal_angle_distance(e12, e1, 3, 2), 0, 1e-15);  // a line within the plane
  EXPECT_NEAR(principal_angle_distance(e1, e12, 3, 2), 1, 1e-15);  // the plane has a direction that the line lacks
  EXPECT_EQ(principal_angle_distance(zero, e12, 3, 2), 1);
  EXPECT_EQ(principal_angle_distance(e12, zero, 3, 2), 0);
  const Numbers bad = {1, 0, 0, std::numeric_limits<double>::quiet_NaN(), 1, 0};
  EXPECT_TRUE(std::isnan(principal_angle_distance(bad, e12, 3, 2)));
  EXPECT_TRUE(std::isnan(principal_angle_distance(e12, bad, 3, 2)));
  EXPECT_THROW(principal_angle_distance(e12, e12, 2, 2), std::invalid_argument);
}

const Numbers kPhi = {1, 0, 0, 0, 1, 0};
const Numbers kZ = {1, 2, -3, 1, 0.5, -1};  // three clients

// Returns Φz_i of three clients, for a 3 x 2 Φ.
Numbers effects(const Numbers& phi, const Numbers& z) {
  Numbers out(9, 0.0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t r = 0; r < 3; ++r) out[3 * i + r] += phi[3 * j + r] * z[2 * i + j];
  return out;
}

// By hand, Φ̂ẑ_i - Φz_i is (1, 0, 0), (0, 2, 0), (0, 0, 0), which gives √(5/3).
TEST(AlignedError, ByHand) {
  const Numbers z = {2, 2, -3, 3, 0.5, -1};
  EXPECT_NEAR(aligned_error(effects(kPhi, z), kPhi, kZ, 3, 2, 3), std::sqrt(5.0 / 3.0), 1e-15);
  const Numbers twice = {2, 0, 0, 0, 2, 0}, half = {0.5, 1, -1.5, 0.5, 0.25, -0.5};
  EXPECT_EQ(aligned_error(effects(twice, half), kPhi, kZ, 3, 2, 3), 0);
  // With Φ̂ = (e1, e3) the second coordinates, 2, 1, -1, are missing in e2 and appear in e3.
  const Numbers other = {1, 0, 0, 0, 0, 1};
  EXPECT_NEAR(aligned_error(effects(other, kZ), kPhi, kZ, 3, 2, 3), std::sqrt(2.0 * 6.0 / 3.0), 1e-15);
}

TEST(AlignedError, KnowsNoRotation) {
  const Numbers z = {2, 2, -3, 3, 0.5, -1};
  for (const double angle : {0.3, 1.0, 3.0})
    EXPECT_NEAR(aligned_error(effects(turned_columns(kPhi, angle), turned(z, angle)), kPhi, kZ, 3, 2, 3),
                std::sqrt(5.0 / 3.0), 1e-14);
}

TEST(AlignedLatents, RotationsAndReflectionsAreUndone) {
  const Numbers mirrored = {1, -2, -3, -1, 0.5, 1};
  EXPECT_NEAR(aligned_latent_distance(kZ, kZ, 2, 2, 3), 0, 1e-14);
  EXPECT_NEAR(aligned_latent_distance(mirrored, kZ, 2, 2, 3), 0, 1e-14);
  for (const double angle : {0.3, 1.0, 3.0})
    EXPECT_NEAR(aligned_latent_distance(turned(kZ, angle), kZ, 2, 2, 3), 0, 1e-14);
}

// For ẑ = 2z, R = I is best, and ‖z‖ is left. In one dimension R is a sign.
TEST(AlignedLatents, ByHand) {
  Numbers twice;
  for (const double z : kZ) twice.push_back(2 * z);
  const double norm = std::sqrt((1 + 4 + 9 + 1 + 0.25 + 1) / 3.0);
  EXPECT_NEAR(aligned_latent_distance(twice, kZ, 2, 2, 3), norm, 1e-14);
  EXPECT_NEAR(aligned_latent_distance(turned(twice, 2.0), kZ, 2, 2, 3), norm, 1e-14);
  const Numbers a = {1, -2}, b = {-1, 3};
  EXPECT_NEAR(aligned_latent_distance(a, b, 1, 1, 2), std::sqrt(0.5), 1e-15);
  // For z = e1, e2 and ẑ = e1, e1 the best R sends e1 half-way, and each has a squared error of 2 - √2.
  const Numbers basis = {1, 0, 0, 1}, same = {1, 0, 1, 0};
  EXPECT_NEAR(aligned_latent_distance(same, basis, 2, 2, 2), std::sqrt(2 - std::sqrt(2.0)), 1e-15);
}

// In three dimensions, Φ̂ = QT with ẑ is equivalent to Q with Tẑ.
TEST(AlignedLatents, ScaleAndSpaceOfPhiDoNotMatter) {
  const Numbers other = {0, 2, 0, 0, 0, 0.5};  // columns 2 e2, e3/2
  Numbers z = kZ;
  for (std::size_t i = 0; i < 3; ++i) z[2 * i] /= 2, z[2 * i + 1] *= 2;
  EXPECT_NEAR(aligned_latent_distance(effects(other, z), kZ, 3, 2, 3), 0, 1e-14);
  EXPECT_GT(aligned_latent_distance(effects(other, kZ), kZ, 3, 2, 3), 0.5);
}

TEST(AlignedLatents, Edges) {
  EXPECT_TRUE(std::isnan(aligned_latent_distance({}, {}, 2, 2, 0)));
  EXPECT_TRUE(std::isnan(aligned_error({}, kPhi, {}, 3, 2, 0)));
  EXPECT_THROW(aligned_latent_distance(kZ, kZ, 2, 2, 4), std::invalid_argument);
  EXPECT_THROW(aligned_error(kZ, kPhi, kZ, 3, 2, 4), std::invalid_argument);
  const Numbers bad(6, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(aligned_latent_distance(bad, kZ, 2, 2, 3)));
}

}  // namespace
}  // namespace pollen::stats
