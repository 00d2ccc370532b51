// The linear model y ~ N(z, σ²) with a given σ: loss = ½(z-y)²/σ² (log σ is a constant), residual = (z-y)/σ², second
// derivative 1/σ².
#include "family.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Linear final : public Family {
 public:
  explicit Linear(double noise_sd) : precision_(1.0 / (noise_sd * noise_sd)) {}

  void losses(const PanelView& z, const double* y, const PanelView& out, Scratch&) const override {
    for (Index c = 0; c < z.columns; ++c) {
      const double* from = z.data + c * z.stride;
      double* to = out.data + c * out.stride;
      for (Index r = 0; r < z.rows; ++r) to[r] = 0.5 * precision_ * ((from[r] - y[r]) * (from[r] - y[r]));
    }
  }
  void residuals(const PanelView& z, const double* y, Scratch&) const override {
    subtract_targets(z, y);
    math::scale(precision_, whole(z));
  }
  void bend(const PanelView& z) const override { math::scale(precision_, whole(z)); }
  bool curvature_is_bound() const override { return true; }
  double steepest(double) const override { return precision_; }

 private:
  double precision_;
};

}  // namespace

std::unique_ptr<const Family> make_linear(double noise_sd) { return std::make_unique<Linear>(noise_sd); }

std::unique_ptr<const Family> make_family(const ModelSpec& spec) {
  if (spec.kind == ModelKind::linear) return make_linear(*spec.noise_sd);
  if (spec.kind == ModelKind::softmax) return make_softmax(spec.classes);
  if (spec.kind == ModelKind::poisson) return make_poisson();
  return make_logistic();
}

}  // namespace pollen::model
