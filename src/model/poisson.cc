// The Poisson model with y = 0, 1, 2, ...: loss = exp(z) - y z (log y! is left out), residual = exp(z) - y, second
// derivative exp(z), which has no bound.
#include "family.h"
#include "math/math.h"

namespace pollen::model {

namespace {

class Poisson final : public Family {
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
    subtract_targets(z, y);
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
};

}  // namespace

std::unique_ptr<const Family> make_poisson() { return std::make_unique<Poisson>(); }

}  // namespace pollen::model
