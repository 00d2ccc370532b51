// The Poisson model with y = 0, 1, 2, ...: loss = exp(z) - y z (log y! is left out), residual = exp(z) - y, second
// derivative exp(z), which has no bound.
#include <math.h>  // for lgamma_r, because std::lgamma writes a global

#include <cmath>

#include "families.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Poisson final : public Loss {
 public:
  void losses(const PanelView& z, const double* y, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<double> mean = scratch.take<double>(z.rows);
    for (Index c = 0; c < z.columns; ++c) {
      math::exp(z.column(c), mean);
      const double* from = z.data + c * z.stride;
      double* to = out.data + c * out.stride;
      for (Index r = 0; r < z.rows; ++r) to[r] = mean[static_cast<std::size_t>(r)] - y[r] * from[r];
    }
  }
  void residuals(const PanelView& z, const double* y, Scratch&) const override {
    math::exp(whole(z), whole(z));
    subtract_from_columns(z, y);
  }
  void bend(const PanelView& z) const override {
    const Index half = z.columns / 2;
    for (Index c = 0; c < half; ++c) {
      math::exp(z.column(half + c), z.column(half + c));
      double* v = z.data + c * z.stride;
      const double* mean = z.data + (half + c) * z.stride;
      for (Index r = 0; r < z.rows; ++r) v[r] *= mean[r];
    }
  }
  bool curvature_is_bound() const override { return false; }
  double steepest(double z) const override { return math::exp(z); }
  bool weigh(const PanelView& z, std::span<double> out, Scratch&) const override {
    math::exp(z.column(0), out);
    return true;
  }

  void add_constants(const double* y, std::span<double> losses) const override {
    int sign = 0;
    for (std::size_t r = 0; r < losses.size(); ++r) losses[r] += lgamma_r(y[r] + 1.0, &sign);
  }
  void respond(std::span<double> mean, std::span<double> sd) const override {
    math::exp(mean, mean);
    for (std::size_t r = 0; r < sd.size(); ++r) sd[r] = std::sqrt(mean[r]);
  }
};

class PoissonFamily final : public GlmFamily {
 public:
  using GlmFamily::GlmFamily;
  PriorScale prior_scale(const ModelSpec&, std::span<const double> target) const override {
    return {.intercept_mean = math::log(target[0])};
  }
};

}  // namespace

ModelRow poisson_row() {
  const auto make = [](const ModelSpec&, std::span<const double>) -> std::unique_ptr<const Loss> {
    return std::make_unique<Poisson>();
  };
  return {"poisson", "counts, y ~ Poisson(exp(xᵀθ))", "p", "",
          std::make_shared<PoissonFamily>(TargetKind::count, make)};
}

}  // namespace pollen::model
