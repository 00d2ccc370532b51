// Tests mixed-effects potentials: gradients against differences of the value, bounds, and predictions.
#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"

namespace pollen {
namespace {

using testing::make_mixed_tables;
using testing::MixedTables;
using testing::slope;

struct Case {
  const char* name;
  MixedKind kind;
  Index fixed, latent;
  std::optional<double> noise_sd;
};

class MixedModel : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& c = GetParam();
    tables_ = make_mixed_tables(c.kind, 3, c.fixed, c.latent, c.noise_sd);
    Sequence draws(make_stream(9, 0, Purpose::init));
    for (Index j = 0; j < tables_->spec.shared(); ++j) shared_.push_back(0.3 * draws.normal());
    for (Index j = 0; j < c.latent; ++j) z_.push_back(draws.normal());
  }
  double value(std::size_t client) {
    std::vector<double> g(z_.size());
    return tables_->potentials[client]->gradient(shared_, z_, g, {}, scratch_);
  }

  std::unique_ptr<MixedTables> tables_;
  std::vector<double> shared_, z_;
  Scratch scratch_;
};

TEST_P(MixedModel, GradientsAreThoseOfTheValue) {
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> by_z(z_.size(), 7), by_shared(shared_.size(), 7);
    tables_->potentials[i]->gradient(shared_, z_, by_z, by_shared, scratch_);
    const auto at = [&] { return value(i); };
    for (std::size_t j = 0; j < z_.size(); ++j)
      EXPECT_NEAR(by_z[j], slope(z_[j], at, 1e-5), 1e-6 * (1 + std::abs(by_z[j])));
    for (std::size_t j = 0; j < shared_.size(); ++j)
      EXPECT_NEAR(by_shared[j], slope(shared_[j], at, 1e-5), 1e-6 * (1 + std::abs(by_shared[j]))) << j;
  }
}

TEST_P(MixedModel, HessiansAreThoseOfTheGradients) {
  const PersonalPotential& p = *tables_->potentials[1];
  if (!p.has_hessian()) GTEST_SKIP() << "its second derivatives are not known";
  const std::size_t k = shared_.size(), all = k + z_.size();
  Panel whole(static_cast<Index>(all), static_cast<Index>(all));
  Panel own(static_cast<Index>(z_.size()), static_cast<Index>(z_.size()));
  p.add_hessian(shared_, z_, whole, scratch_);
  p.add_latent_hessian(shared_, z_, own, scratch_);
  const auto slopes = [&] {
    std::vector<double> g(all);
    p.gradient(shared_, z_, std::span(g).subspan(k), std::span(g).first(k), scratch_);
    return g;
  };
  constexpr double h = 1e-5;
  for (std::size_t j = 0; j < all; ++j) {
    double& x = j < k ? shared_[j] : z_[j - k];
    const double at = x;
    x = at + h;
    const std::vector<double> above = slopes();
    x = at - h;
    const std::vector<double> below = slopes();
    x = at;
    for (std::size_t i = 0; i < all; ++i) {
      const double expected = (above[i] - below[i]) / (2 * h), found = whole.column(static_cast<Index>(j))[i];
      EXPECT_NEAR(found, expected, 1e-6 * (1 + std::abs(expected))) << i << ", " << j;
      if (i >= k && j >= k) {
        EXPECT_EQ(own.column(static_cast<Index>(j - k))[i - k], found);
      }
    }
  }
}

TEST_P(MixedModel, TheValueIsMinusTheLogLikelihood) {
  std::vector<double> other = z_;
  other[0] += 0.7;
  const auto both = [&](const std::vector<double>& z) {
    std::vector<double> log_p(tables_->y[0].size()), g(z.size());
    mixed_log_likelihood(tables_->spec, shared_, z, tables_->rows(0), log_p, scratch_);
    double sum = 0;
    for (const double l : log_p) sum += l;
    return std::pair{-sum, tables_->potentials[0]->gradient(shared_, z, g, {}, scratch_)};
  };
  EXPECT_NEAR(both(z_).first - both(other).first, both(z_).second - both(other).second, 1e-10);
}

TEST_P(MixedModel, CurvatureBoundsHold) {
  const PersonalPotential& p = *tables_->potentials[2];
  std::vector<double> here(z_.size()), there(z_.size());
  p.gradient(shared_, z_, here, {}, scratch_);
  const double bound = p.latent_curvature(shared_, scratch_);
  for (std::size_t j = 0; j < z_.size(); ++j) {
    std::vector<double> z = z_;
    z[j] += 1e-4;
    p.gradient(shared_, z, there, {}, scratch_);
    EXPECT_LE((there[j] - here[j]) / 1e-4, bound * 1.001);
    EXPECT_GT(there[j] - here[j], 0);
  }
  const std::size_t columns = tables_->spec.fixed.size();
  if (columns == 0) return;
  std::vector<double> by_here(shared_.size()), by_there(shared_.size());
  p.gradient(shared_, z_, here, by_here, scratch_);
  std::vector<double> shared = shared_;
  shared[0] += 1e-4;
  p.gradient(shared, z_, here, by_there, scratch_);
  EXPECT_LE((by_there[0] - by_here[0]) / 1e-4, p.shared_curvature(shared_, z_) * 1.001);
}

TEST_P(MixedModel, LabelsNameEveryCoordinate) {
  EXPECT_EQ(static_cast<Index>(tables_->spec.shared_labels().size()), tables_->spec.shared());
  EXPECT_EQ(static_cast<Index>(tables_->spec.latent_labels().size()), tables_->spec.latent);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MixedModel,
                         ::testing::Values(Case{"linear", MixedKind::linear, 5, 2, 0.7},
                                           Case{"linear_sigma", MixedKind::linear, 4, 3, {}},
                                           Case{"gaussian", MixedKind::gaussian, 2, 2, 0.7},
                                           Case{"gaussian_sigma", MixedKind::gaussian, 3, 1, {}},
                                           Case{"gaussian_no_fixed", MixedKind::gaussian, 0, 2, {}},
                                           Case{"logistic", MixedKind::logistic, 2, 2, {}}),
                         [](const ::testing::TestParamInfo<Case>& c) { return c.param.name; });

}  // namespace
}  // namespace pollen
