// The Gaussian model of a client that is given by its mean μ and precision Λ and counts as one observation: U(θ) =
// ½(θ-μ)ᵀΛ(θ-μ).
#include <algorithm>
#include <utility>

#include "blocks.h"
#include "math/eigenvalues.h"
#include "math/math.h"
#include "pollen/model.h"

namespace pollen {

namespace {

using model::one_column;

class Gaussian final : public Potential {
 public:
  Gaussian(std::vector<double> mean, const std::vector<double>& precision) : mean_(std::move(mean)) {
    const Index d = dimension(), stride = (d + 23) / 24 * 24;
    precision_.resize(static_cast<std::size_t>(d * stride));
    offset_.resize(static_cast<std::size_t>(stride));
    affine_ = {precision_.data(), offset_.data(), d, stride};
    for (Index i = 0; i < d; ++i) std::copy_n(precision.data() + i * d, d, precision_.data() + i * stride);
    std::vector<double> image(mean_.size());
    apply(one_column(std::span<const double>(mean_)), one_column(std::span<double>(image)));
    std::ranges::copy(image, offset_.begin());
  }

  Index dimension() const override { return static_cast<Index>(mean_.size()); }
  Index rows() const override { return 1; }

  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const PanelView delta = scratch.panel(dimension(), theta.columns);
    const PanelView image = scratch.panel(dimension(), theta.columns);
    for (Index c = 0; c < theta.columns; ++c) math::subtract(theta.column(c), mean_, delta.column(c));
    apply(delta, image);
    for (Index c = 0; c < theta.columns; ++c)
      out[static_cast<std::size_t>(c)] = 0.5 * math::dot(delta.column(c), image.column(c));
  }

  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    (void)scratch;
    math::multiply_symmetric(affine_, theta, out);
  }

  void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                       std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const override {
    difference(one_column(theta), one_column(anchor), one_column(out), scratch);
    math::scale(static_cast<double>(rows.size()), out);
  }

  void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                  Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const PanelView delta = scratch.panel(dimension(), theta.columns);
    for (Index c = 0; c < theta.columns; ++c) math::subtract(theta.column(c), anchor.column(c), delta.column(c));
    apply(delta, out);
  }

  void curvature(std::span<const double>, std::span<const double> v, std::span<double> out, Scratch&) const override {
    apply(one_column(v), one_column(out));
  }
  bool curvature_is_bound() const override { return true; }
  // The client is the only row. Its largest eigenvalue is exact where that is cheap.
  double row_curvature(std::span<const double> at, Scratch& scratch) const override {
    if (dimension() == 0 || dimension() > 256) return Potential::row_curvature(at, scratch);
    return math::symmetric_eigenvalues({precision_.data(), dimension(), dimension(), affine_.stride}).back();
  }

 private:
  void apply(ConstPanelView v, PanelView out) const {
    math::multiply_symmetric({precision_.data(), nullptr, dimension(), affine_.stride}, v, out);
  }

  std::vector<double> mean_;
  AlignedVector<double> precision_, offset_;  // Λ including the scale, padded for the product; Λμ
  math::SymmetricView affine_;                // computes Λθ - Λμ
};

}  // namespace

std::unique_ptr<Potential> make_gaussian(std::vector<double> mean, std::vector<double> precision, double scale) {
  if (scale != 1.0) math::scale(scale, precision);
  return std::make_unique<Gaussian>(std::move(mean), std::move(precision));
}

}  // namespace pollen
