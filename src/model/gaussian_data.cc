// The Gaussian model of rows, U(θ) = Σ_j ½‖θ-y_j‖², in closed form. With N rows, their sum S and their mean ȳ,
//   U = ½N‖θ-ȳ‖² + ½Σ‖y_j-ȳ‖²,  ∇U = Nθ - S,  ∇²U = N I.
#include <cmath>
#include <utility>

#include "blocks.h"
#include "families.h"
#include "math/math.h"
#include "pollen/model.h"

namespace pollen {

namespace {

class GaussianData final : public Potential {
 public:
  GaussianData(const RowsView& y, double scale)
      : y_(y),
        scale_(scale),
        weight_(scale * static_cast<double>(y.rows)),
        sum_(static_cast<std::size_t>(y.columns), 0.0) {
    for (Index r = 0; r < y.rows; ++r) math::add(row(r), sum_);
    math::scale(scale, sum_);
    mean_ = sum_;
    if (weight_ != 0.0)
      for (double& m : mean_) m /= weight_;
    std::vector<double> delta(mean_.size());
    for (Index r = 0; r < y.rows; ++r) {
      math::subtract(row(r), mean_, delta);
      spread_ += 0.5 * scale * math::squared_norm(delta);
    }
  }

  Index dimension() const override { return y_.columns; }
  Index rows() const override { return y_.rows; }

  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<double> delta = scratch.take<double>(dimension());
    for (Index c = 0; c < theta.columns; ++c) {
      math::subtract(theta.column(c), mean_, delta);
      out[static_cast<std::size_t>(c)] = 0.5 * weight_ * math::squared_norm(delta) + spread_;
    }
  }

  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch&) const override {
    for (Index c = 0; c < theta.columns; ++c) affine(weight_, theta.column(c), sum_, out.column(c));
  }

  void gradient_less(const ConstPanelView& theta, std::span<const double> known, const PanelView& out,
                     Scratch&) const override {
    math::affine_less(weight_, sum_, known, theta, out);
  }

  void gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                     Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<double> sum = scratch.take<double>(dimension());
    std::ranges::fill(sum, 0.0);
    for (const std::uint32_t r : rows) math::add(row(r), sum);
    affine(static_cast<double>(rows.size()), theta, sum, out);
    if (scale_ != 1.0) math::scale(scale_, out);
  }

  void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                       std::span<const std::uint32_t> rows, std::span<double> out, Scratch&) const override {
    math::subtract(theta, anchor, out);
    math::scale(scale_ * static_cast<double>(rows.size()), out);
  }

  void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                  Scratch&) const override {
    for (Index c = 0; c < theta.columns; ++c) {
      math::subtract(theta.column(c), anchor.column(c), out.column(c));
      math::scale(weight_, out.column(c));
    }
  }

  void curvature(std::span<const double>, std::span<const double> v, std::span<double> out, Scratch&) const override {
    for (std::size_t j = 0; j < v.size(); ++j) out[j] = weight_ * v[j];
  }
  bool curvature_is_bound() const override { return true; }
  double row_curvature(std::span<const double>, Scratch&) const override { return scale_; }

 private:
  std::span<const double> row(Index r) const { return {y_.row(r), static_cast<std::size_t>(y_.columns)}; }

  static void affine(double n, std::span<const double> theta, std::span<const double> sum, std::span<double> out) {
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = std::fma(n, theta[j], -sum[j]);
  }

  RowsView y_;
  double scale_;
  double weight_;            // scale · N
  std::vector<double> sum_;  // scale · S
  std::vector<double> mean_;
  double spread_ = 0.0;  // scale · ½Σ‖y_j-ȳ‖²
};

}  // namespace

std::unique_ptr<Potential> make_gaussian_data(const RowsView& y, double scale) {
  return std::make_unique<GaussianData>(y, scale);
}

namespace model {

namespace {

class GaussianFamily final : public ModelFamily {
 public:
  TargetKind target(const ModelSpec&) const override { return TargetKind::none; }
  std::unique_ptr<Potential> make(const ModelSpec&, const Observations& observations, double scale) const override {
    return make_gaussian_data(observations.x, scale);
  }
  std::vector<std::string> labels(const ModelSpec& spec) const override { return feature_labels(spec, "theta."); }
  bool quadratic(const ModelSpec&) const override { return true; }
  std::string not_convex(const ModelSpec&) const override { return {}; }
};

}  // namespace

ModelRow gaussian_row() {
  return {"gaussian", "U_i(θ) = ½(θ-μ_i)ᵀΛ_i(θ-μ_i), or rows of numbers; [[client]] in the config", "d", "",
          std::make_shared<GaussianFamily>()};
}

}  // namespace model

}  // namespace pollen
