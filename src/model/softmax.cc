// The softmax model with y ∈ {0, ..., C-1}: loss = log Σ_k exp(z_k) - z_y, residual = p - e_y, second derivative
// diag(p) - ppᵀ ⪯ ½(I - 11ᵀ/C) (Böhning 1992). Classes are columns, so every step is elementwise over rows. The largest
// z of a row is subtracted first, so that nothing overflows.
#include <algorithm>

#include "blocks.h"
#include "families.h"
#include "math/math.h"

namespace pollen::model {

namespace {

// The classes of one chain, which are C columns of z.
PanelView chain_of(const PanelView& z, Index chain, Index classes) { return columns(z, chain * classes, classes); }

double& at_label(const PanelView& of, Index r, double label) {
  return of.data[static_cast<Index>(label) * of.stride + r];
}

void subtract_largest(const PanelView& of, double* top) {
  std::copy_n(of.data, of.rows, top);
  for (Index k = 1; k < of.columns; ++k) {
    const double* z = of.data + k * of.stride;
    for (Index r = 0; r < of.rows; ++r) top[r] = z[r] > top[r] ? z[r] : top[r];
  }
  subtract_from_columns(of, top);
}

void add_up(const PanelView& of, double* sum) {
  std::copy_n(of.data, of.rows, sum);
  for (Index k = 1; k < of.columns; ++k) {
    const double* z = of.data + k * of.stride;
    for (Index r = 0; r < of.rows; ++r) sum[r] += z[r];
  }
}

void normalise(const PanelView& of, double* sum) {
  add_up(of, sum);
  for (Index r = 0; r < of.rows; ++r) sum[r] = 1.0 / sum[r];
  for (Index k = 0; k < of.columns; ++k) {
    double* z = of.data + k * of.stride;
    for (Index r = 0; r < of.rows; ++r) z[r] *= sum[r];
  }
}

// Replaces each chain's classes, in every row, by probabilities proportional to exp(z).
void softmax(const PanelView& z, Index classes, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  double* row = scratch.take<double>(z.rows).data();
  const Index chains = z.columns / classes;
  for (Index c = 0; c < chains; ++c) subtract_largest(chain_of(z, c, classes), row);
  math::exp(whole(z), whole(z));
  for (Index c = 0; c < chains; ++c) normalise(chain_of(z, c, classes), row);
}

class Softmax final : public Loss {
 public:
  explicit Softmax(Index classes) : classes_(classes) {}
  Index classes() const override { return classes_; }

  void losses(const PanelView& z, const double* y, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    double* top = scratch.take<double>(z.rows).data();
    const std::span<double> logs = scratch.take<double>(z.rows * out.columns);
    for (Index c = 0; c < out.columns; ++c) {
      const PanelView of = chain_of(z, c, classes_);
      subtract_largest(of, top);
      for (Index r = 0; r < z.rows; ++r) out.data[c * out.stride + r] = at_label(of, r, y[r]);
    }
    math::exp(whole(z), whole(z));
    for (Index c = 0; c < out.columns; ++c) add_up(chain_of(z, c, classes_), logs.data() + c * z.rows);
    math::log(logs, logs);
    math::subtract(logs, whole(out), whole(out));
  }
  void residuals(const PanelView& z, const double* y, Scratch& scratch) const override {
    softmax(z, classes_, scratch);
    for (Index c = 0; c < z.columns / classes_; ++c) {
      const PanelView of = chain_of(z, c, classes_);
      for (Index r = 0; r < z.rows; ++r) at_label(of, r, y[r]) -= 1.0;
    }
  }
  void bend(const PanelView& z) const override {
    const double share = 1.0 / static_cast<double>(classes_);
    for (Index r = 0; r < z.rows; ++r) {
      double sum = 0.0;
      for (Index k = 0; k < classes_; ++k) sum += z.data[k * z.stride + r];
      for (Index k = 0; k < classes_; ++k) {
        double& at = z.data[k * z.stride + r];
        at = 0.5 * (at - share * sum);
      }
    }
  }
  bool curvature_is_bound() const override { return true; }
  double steepest(double) const override { return 0.5; }
  bool weigh(const PanelView& z, std::span<double> out, Scratch& scratch) const override {
    softmax(z, classes_, scratch);
    std::ranges::fill(out, 0.0);
    for (Index k = 0; k < classes_; ++k)
      for (Index r = 0; r < z.rows; ++r) {
        const double p = z.data[k * z.stride + r];
        out[static_cast<std::size_t>(r)] += p * (1 - p);
      }
    return true;
  }
  PanelView probabilities(const PanelView& z, Scratch& scratch) const override {
    softmax(z, classes_, scratch);
    return z;
  }

 private:
  Index classes_;
};

}  // namespace

ModelRow softmax_row() {
  const auto make = [](const ModelSpec& spec, std::span<const double>) -> std::unique_ptr<const Loss> {
    return std::make_unique<Softmax>(spec.classes);
  };
  return {"softmax", "C classes, P(c) ∝ exp(xᵀθ_c)", "p·C", "", std::make_shared<GlmFamily>(TargetKind::classes, make)};
}

}  // namespace pollen::model
