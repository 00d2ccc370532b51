// The logistic model with y ∈ {0, 1}: loss = log(1 + exp(z)) - y z, residual = 1/(1 + exp(-z)) - y, second derivative
// at most ¼.
#include "family.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Logistic final : public Family {
 public:
  void losses(const PanelView& z, const double* y, const PanelView& out, Scratch&) const override {
    for (Index c = 0; c < z.columns; ++c) {
      const double* from = z.data + c * z.stride;
      double* to = out.data + c * out.stride;
      for (Index r = 0; r < z.rows; ++r) to[r] = y[r] > 0.5 ? -from[r] : from[r];
    }
    math::softplus(whole(out), whole(out));
  }
  void residuals(const PanelView& z, const double* y, Scratch&) const override {
    math::sigmoid(whole(z), whole(z));
    subtract_targets(z, y);
  }
  void bend(const PanelView& z) const override { math::scale(0.25, whole(z)); }
  bool curvature_is_bound() const override { return true; }
  double steepest(double) const override { return 0.25; }
};

}  // namespace

std::unique_ptr<const Family> make_logistic() { return std::make_unique<Logistic>(); }

}  // namespace pollen::model
