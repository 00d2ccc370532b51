// The logistic model with y ∈ {0, 1}: loss = log(1 + exp(z)) - y z, residual = 1/(1 + exp(-z)) - y, second derivative
// at most ¼.
#include "families.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Logistic final : public Loss {
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
    subtract_from_columns(z, y);
  }
  void bend(const PanelView& z) const override { math::scale(0.25, whole(z)); }
  bool curvature_is_bound() const override { return true; }
  double steepest(double) const override { return 0.25; }
  // p(1-p), of which both factors keep their digits where they are small.
  bool weigh(const PanelView& z, std::span<double> out, Scratch&) const override {
    for (Index r = 0; r < z.rows; ++r) out[static_cast<std::size_t>(r)] = -z.data[r];
    math::sigmoid(out, out);
    math::sigmoid(z.column(0), z.column(0));
    for (Index r = 0; r < z.rows; ++r) out[static_cast<std::size_t>(r)] *= z.data[r];
    return true;
  }

  // P(0) is computed from -z so that small probabilities keep their digits.
  PanelView probabilities(const PanelView& z, Scratch& scratch) const override {
    const PanelView both = scratch.panel(z.rows, 2);
    for (Index r = 0; r < z.rows; ++r) both.data[r] = -z.data[r];
    math::sigmoid(both.column(0), both.column(0));
    math::sigmoid(z.column(0), both.column(1));
    return both;
  }
};

}  // namespace

std::unique_ptr<const Loss> make_logistic() { return std::make_unique<Logistic>(); }

ModelRow logistic_row() {
  return {"logistic", "two classes, P(1) = 1/(1+exp(-xᵀθ))", "p", "",
          std::make_shared<GlmFamily>(TargetKind::binary,
                                      [](const ModelSpec&, std::span<const double>) { return make_logistic(); })};
}

}  // namespace pollen::model
