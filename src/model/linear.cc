// The linear model y ~ N(z, σ²) with a given σ: loss = ½(z-y)²/σ² (log σ is a constant), residual = (z-y)/σ², second
// derivative 1/σ².
#include <algorithm>
#include <cmath>
#include <numbers>

#include "families.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Linear final : public Loss {
 public:
  explicit Linear(double noise_sd)
      : sd_(noise_sd),
        precision_(1.0 / (noise_sd * noise_sd)),
        constant_(std::log(noise_sd) + 0.5 * std::log(2.0 * std::numbers::pi)) {}

  void losses(const PanelView& z, const double* y, const PanelView& out, Scratch&) const override {
    for (Index c = 0; c < z.columns; ++c) {
      const double* from = z.data + c * z.stride;
      double* to = out.data + c * out.stride;
      for (Index r = 0; r < z.rows; ++r) to[r] = 0.5 * precision_ * ((from[r] - y[r]) * (from[r] - y[r]));
    }
  }
  void residuals(const PanelView& z, const double* y, Scratch&) const override {
    subtract_from_columns(z, y);
    math::scale(precision_, whole(z));
  }
  void bend(const PanelView& z) const override { math::scale(precision_, whole(z)); }
  bool curvature_is_bound() const override { return true; }
  double steepest(double) const override { return precision_; }

  void add_constants(const double*, std::span<double> losses) const override {
    for (double& loss : losses) loss += constant_;
  }
  void respond(std::span<double>, std::span<double> sd) const override { std::ranges::fill(sd, sd_); }

 private:
  double sd_, precision_, constant_;
};

bool samples_noise(const ModelSpec& spec) { return !spec.noise_sd; }

std::unique_ptr<const Loss> make_linear(const ModelSpec& spec, std::span<const double> theta) {
  return std::make_unique<Linear>(samples_noise(spec) ? math::exp(theta.back()) : *spec.noise_sd);
}

class LinearFamily final : public GlmFamily {
 public:
  LinearFamily() : GlmFamily(TargetKind::real, make_linear) {}

  std::unique_ptr<Potential> make(const ModelSpec& spec, const Observations& observations,
                                  double scale) const override {
    return samples_noise(spec) ? make_linear_sigma(observations, scale) : GlmFamily::make(spec, observations, scale);
  }
  std::vector<std::string> labels(const ModelSpec& spec) const override {
    std::vector<std::string> all = GlmFamily::labels(spec);
    if (samples_noise(spec)) all.emplace_back("log_sigma");
    return all;
  }
  Index log_scales(const ModelSpec& spec) const override { return samples_noise(spec) ? 1 : 0; }
  PriorScale prior_scale(const ModelSpec&, std::span<const double> target) const override {
    const double sd = target[1];
    return {2.5 * sd, target[0], 2.5 * sd, math::log(sd)};
  }
  bool quadratic(const ModelSpec& spec) const override { return !samples_noise(spec); }
  bool has_normal_errors(const ModelSpec& spec) const override { return samples_noise(spec); }
  std::string not_convex(const ModelSpec& spec) const override {
    return samples_noise(spec) ? "a linear model with sampled sigma is not convex (model.noise_sd makes it so)" : "";
  }
};

}  // namespace

ModelRow linear_row() {
  return {"linear", "y ~ N(xᵀβ, σ²); σ given as model.noise_sd, or sampled as log σ", "p or p+1",
          "noise_sd log_sigma_sd", std::make_shared<LinearFamily>()};
}

}  // namespace pollen::model
