// The linear model y ~ N(xᵀβ, σ²) with θ = (β, λ), λ = log σ. With e = Xβ - y, w = exp(-2λ) and v = (b, s):
//   U = ½w‖e‖² + Nλ,  ∇_β = w Xᵀe,  ∂_λ = N - w‖e‖²,
//   ∇²U v = (w Xᵀ(Xb - 2s e),  -2w eᵀ(Xb - s e)).
// U is not convex and its curvature has no bound, so curvature() is the Hessian at the given point.
#include <cmath>

#include "loss.h"
#include "math/math.h"
#include "row_potential.h"

namespace pollen::model {

namespace {

class LinearSigma final : public RowPotential {
 public:
  using RowPotential::RowPotential;

  Index dimension() const override { return features() + 1; }

  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<double> weight = weights(theta, scratch);
    std::ranges::fill(out, 0.0);
    errors(Rows(observations_), coefficients(theta), {}, {theta.columns, 1, 0}, weight, out, scratch);
    values_from_misfit(theta, out);
  }

  void value_and_gradient(const ConstPanelView& theta, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    slope_and_misfit(Rows(observations_), theta, values, out, scratch);
    values_from_misfit(theta, values);
  }

  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Lanes lanes{1, 2, 1, 1};
    const PanelView both = interleave(coefficients(one_column(v)), coefficients(one_column(at)), lanes, scratch);
    const PanelView g = coefficients(one_column(out));
    const double s = v.back();
    const double weight = math::exp(-2.0 * at.back());
    double inner = 0.0;
    fill(g, 0.0);
    sweep(Rows(observations_), both, g, lanes, scratch, [&](const PanelView& z, const double* y, Index) {
      const std::span<double> image = z.column(0), e = z.column(1);
      math::subtract(e, {y, e.size()}, e);
      inner += math::dot(e, image) - s * math::squared_norm(e);
      math::axpy(-2.0 * s, e, image);
      math::scale(weight, image);
    });
    out.back() = -2.0 * weight * inner;
    math::scale(scale_, out);
  }
  bool curvature_is_bound() const override { return false; }
  bool hessian_diagonal(std::span<const double> at, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    std::ranges::fill(out, 0.0);
    const double weight = scale_ * math::exp(-2.0 * at.back());
    Index row = 0;
    sweep(Rows(observations_), coefficients(one_column(at)), {}, {1, 1, 0}, scratch,
          [&](const PanelView& z, const double* y, Index) {
            const std::span<double> e = z.column(0);
            math::subtract(e, {y, e.size()}, e);
            out.back() += 2 * weight * math::squared_norm(e);
            std::ranges::fill(e, weight);
            add_squares(row, e, out.first(out.size() - 1));
            row += z.rows;
          });
    return true;
  }
  // A row's Hessian has rank two: it is w (x, -2e)(x, -2e)ᵀ less 2we² in the corner, so a 2 × 2 matrix has its
  // eigenvalues.
  double row_curvature(std::span<const double> at, Scratch&) const override {
    const double w = math::exp(-2.0 * at.back());
    double largest = 0;
    for (Index r = 0; r < rows(); ++r) {
      const std::span<const double> x{observations_.x.row(r), static_cast<std::size_t>(features())};
      const double e = math::dot(x, at.first(x.size())) + offset(r) - observations_.y[r];
      const double a = math::squared_norm(x), c = 2 * e * e;
      largest = std::max(largest, 0.5 * w * (a + c + std::sqrt((a - c) * (a - c) + 16 * e * e * a)));
    }
    return scale_ * largest;
  }
  std::unique_ptr<const Potential> over(const Observations& observations) const override {
    return std::make_unique<LinearSigma>(observations, scale_);
  }

 private:
  ConstPanelView coefficients(const ConstPanelView& theta) const {
    return {theta.data, features(), theta.columns, theta.stride};
  }
  PanelView coefficients(const PanelView& theta) const { return {theta.data, features(), theta.columns, theta.stride}; }
  double lambda(const ConstPanelView& theta, Index c) const { return theta.data[c * theta.stride + features()]; }

  std::span<double> weights(const ConstPanelView& theta, Scratch& scratch) const {
    const std::span<double> weight = scratch.take<double>(theta.columns);
    for (Index c = 0; c < theta.columns; ++c) weight[static_cast<std::size_t>(c)] = math::exp(-2.0 * lambda(theta, c));
    return weight;
  }

  // Adds misfit[c] += w_c‖e_c‖² for every column c of Θ, and G += Xᵀ(w e), or Xᵀ(w e - w' e') with two columns per
  // chain.
  void errors(const Rows& rows, const ConstPanelView& theta, const PanelView& g, const Lanes& lanes,
              std::span<const double> weight, std::span<double> misfit, Scratch& scratch) const {
    sweep(rows, theta, g, lanes, scratch, [&](const PanelView& z, const double* y, Index chain) {
      for (Index c = 0; c < z.columns; ++c) {
        const auto lane = static_cast<std::size_t>(chain * lanes.in + c);
        const std::span<double> e = z.column(c);
        math::subtract(e, {y, e.size()}, e);
        misfit[lane] += weight[lane] * math::squared_norm(e);
        math::scale(weight[lane], e);
      }
      const Index half = z.columns / 2;
      for (Index c = 0; lanes.in == 2 && c < half; ++c) math::subtract(z.column(c), z.column(half + c), z.column(c));
    });
  }

  // Turns the misfits w‖e‖² of all rows into potentials.
  void values_from_misfit(const ConstPanelView& theta, std::span<double> values) const {
    for (Index c = 0; c < theta.columns; ++c) {
      double& u = values[static_cast<std::size_t>(c)];
      u = scale_ * (0.5 * u + static_cast<double>(rows()) * lambda(theta, c));
    }
  }

  void slope(const Rows& rows, const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    slope_and_misfit(rows, theta, scratch.take<double>(theta.columns), out, scratch);
  }

  void slope_and_misfit(const Rows& rows, const ConstPanelView& theta, std::span<double> misfit, const PanelView& out,
                        Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const std::span<double> weight = weights(theta, scratch);
    std::ranges::fill(misfit, 0.0);
    fill(out, 0.0);
    errors(rows, coefficients(theta), coefficients(out), {theta.columns, 1, 1}, weight, misfit, scratch);
    for (Index c = 0; c < out.columns; ++c) {
      out.column(c).back() = static_cast<double>(rows.count()) - misfit[static_cast<std::size_t>(c)];
      math::scale(scale_, out.column(c));
    }
  }

  void change(const Rows& rows, const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
              Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Lanes lanes{theta.columns, 2, 1};
    const PanelView both = interleave(theta, anchor, lanes, scratch);
    const std::span<double> weight = weights(both, scratch);
    const std::span<double> misfit = scratch.take<double>(both.columns);
    std::ranges::fill(misfit, 0.0);
    fill(out, 0.0);
    errors(rows, coefficients(both), coefficients(out), lanes, weight, misfit, scratch);
    for (Index chain = 0; chain < out.columns; ++chain) {
      const Index group = lanes.group(), start = chain / group * group;
      const Index count = std::min(group, out.columns - start);
      const auto at_theta = static_cast<std::size_t>(start + chain);
      out.column(chain).back() = misfit[at_theta + static_cast<std::size_t>(count)] - misfit[at_theta];
      math::scale(scale_, out.column(chain));
    }
  }
};

}  // namespace

std::unique_ptr<Potential> make_linear_sigma(const Observations& observations, double scale) {
  return std::make_unique<LinearSigma>(observations, scale);
}

}  // namespace pollen::model
