// The potential of a generalised linear model. Every result is a sweep over blocks of rows with a step of the loss.
#include <cmath>
#include <utility>

#include "loss.h"
#include "math/math.h"
#include "row_potential.h"

namespace pollen::model {

PanelView interleave(const ConstPanelView& first, const ConstPanelView& second, const Lanes& lanes, Scratch& scratch) {
  const Index width = lanes.out;
  const Index group = lanes.group();
  const PanelView both = scratch.panel(first.rows, lanes.chains * lanes.in);
  for (Index chain = 0; chain < lanes.chains; chain += group) {
    const Index count = std::min(group, lanes.chains - chain) * width;
    for (Index c = 0; c < count; ++c) {
      std::ranges::copy(first.column(chain * width + c), both.column(chain * lanes.in + c).begin());
      std::ranges::copy(second.column(chain * width + c), both.column(chain * lanes.in + count + c).begin());
    }
  }
  return both;
}

namespace {

// Returns the coefficients of a softmax's chains as one panel of p × (chains · classes). It is a view if the memory
// layout allows it, otherwise a copy.
ConstPanelView class_columns(const ConstPanelView& theta, Index features, Index classes, Scratch& scratch) {
  if (classes == 1) return {theta.data, features, theta.columns, theta.stride};
  if (theta.columns == 1) return {theta.data, features, classes, features};
  const PanelView copy = scratch.panel(features, classes * theta.columns);
  for (Index chain = 0; chain < theta.columns; ++chain)
    for (Index k = 0; k < classes; ++k)
      std::copy_n(theta.data + chain * theta.stride + k * features, features, copy.column(chain * classes + k).data());
  return copy;
}

// The memory in which a sweep adds up gradients: the caller's if its columns are evenly spaced, otherwise a copy that
// store() hands back.
class Target {
 public:
  Target(const PanelView& out, Index features, Index classes, Scratch& scratch) : out_(out), classes_(classes) {
    const ConstPanelView same = class_columns(out, features, classes_, scratch);
    copied_ = same.data != out.data;
    g_ = {const_cast<double*>(same.data), same.rows, same.columns, same.stride};
    fill(g_, 0.0);
  }
  const PanelView& g() const { return g_; }

  void store(double scale) const {
    for (Index c = 0; copied_ && c < g_.columns; ++c)
      std::ranges::copy(g_.column(c), out_.data + c / classes_ * out_.stride + c % classes_ * g_.rows);
    if (scale == 1.0) return;
    for (Index c = 0; c < out_.columns; ++c) math::scale(scale, out_.column(c));
  }

 private:
  PanelView out_;
  Index classes_;
  PanelView g_;
  bool copied_ = false;
};

class Glm final : public RowPotential {
 public:
  Glm(std::shared_ptr<const Loss> loss, const Observations& observations, double scale)
      : RowPotential(observations, scale), loss_(std::move(loss)), classes_(loss_->classes()) {}

  Index dimension() const override { return observations_.x.columns * classes_; }

  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    std::ranges::fill(out, 0.0);
    const auto add = [&](const PanelView& z, const double* y, Index chain) { add_losses(z, y, chain, out, scratch); };
    sweep(Rows(observations_), split(theta, scratch), {}, {theta.columns, classes_, 0}, scratch, add);
    for (double& u : out) u *= scale_;
  }

  // Both need z = Xθ, so that one pass over the rows serves them.
  void value_and_gradient(const ConstPanelView& theta, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    std::ranges::fill(values, 0.0);
    const Target target(out, features(), classes_, scratch);
    const auto turn = [&](const PanelView& z, const double* y, Index chain) {
      Scratch::Frame inner(scratch);
      const PanelView same{scratch.take<double>(z.rows * z.columns).data(), z.rows, z.columns, z.rows};
      std::ranges::copy(whole(z), same.data);
      add_losses(same, y, chain, values, scratch);
      loss_->residuals(z, y, scratch);
    };
    sweep(Rows(observations_), split(theta, scratch), target.g(), {theta.columns, classes_, classes_}, scratch, turn);
    for (double& u : values) u *= scale_;
    target.store(scale_);
  }

  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Target target(one_column(out), features(), classes_, scratch);
    const Lanes lanes{1, loss_->curvature_is_bound() ? classes_ : 2 * classes_, classes_, classes_};
    ConstPanelView theta = split(one_column(v), scratch);
    if (!loss_->curvature_is_bound()) theta = interleave(theta, split(one_column(at), scratch), lanes, scratch);
    sweep(Rows(observations_), theta, target.g(), lanes, scratch,
          [&](const PanelView& z, const double*, Index) { loss_->bend(z); });
    target.store(scale_);
  }
  bool curvature_is_bound() const override { return loss_->curvature_is_bound(); }
  // Σ_r w_r x_r², where w_r is the second derivative of the row's loss by z, a difference of residuals.
  bool hessian_diagonal(std::span<const double> at, std::span<double> out, Scratch& scratch) const override {
    constexpr double kStep = 1e-4;
    Scratch::Frame frame(scratch);
    std::ranges::fill(out, 0.0);
    const auto p = static_cast<std::size_t>(features());
    Index row = 0;
    sweep(Rows(observations_), split(one_column(at), scratch), {}, {1, classes_, 0}, scratch,
          [&](const PanelView& z, const double* y, Index) {
            Scratch::Frame inner(scratch);
            const auto count = static_cast<std::size_t>(z.rows);
            const PanelView ends{scratch.take<double>(z.rows * classes_).data(), z.rows, classes_, z.rows};
            const std::span<double> weights = scratch.take<double>(z.rows);
            for (Index k = 0; k < classes_; ++k) {
              std::ranges::fill(weights, 0.0);
              for (const double step : {kStep, -kStep}) {
                copy_into(z, ends);
                for (double& end : ends.column(k)) end += step;
                loss_->residuals(ends, y, scratch);
                math::axpy(scale_ / (2 * step), ends.column(k), weights);
              }
              add_squares(row, weights.first(count), out.subspan(static_cast<std::size_t>(k) * p, p));
            }
            row += z.rows;
          });
    return true;
  }
  std::optional<double> effective_rows(std::span<const double> theta, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<double> weights = scratch.take<double>(rows());
    Index row = 0;
    bool differ = false;
    sweep(Rows(observations_), split(one_column(theta), scratch), {}, {1, classes_, 0}, scratch,
          [&](const PanelView& z, const double*, Index) {
            const auto of_block = weights.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(z.rows));
            differ = loss_->weigh(z, of_block, scratch);
            row += z.rows;
          });
    if (!differ) return std::nullopt;
    const double largest = math::max_abs(weights);
    if (!(largest > 0) || !std::isfinite(largest)) return 0;
    math::scale(1 / largest, weights);
    const double sum = math::sum(weights);
    return sum * sum / math::squared_norm(weights);
  }
  double row_curvature(std::span<const double> at, Scratch&) const override {
    double largest = 0;
    for (Index r = 0; r < rows(); ++r) {
      const std::span<const double> x{observations_.x.row(r), static_cast<std::size_t>(features())};
      const double z = loss_->curvature_is_bound() ? 0 : math::dot(x, at.first(x.size())) + offset(r);
      largest = std::max(largest, loss_->steepest(z) * math::squared_norm(x));
    }
    return scale_ * largest;
  }
  std::unique_ptr<const Potential> over(const Observations& observations) const override {
    return std::make_unique<Glm>(loss_, observations, scale_);
  }
  bool has_one_predictor() const override { return classes_ == 1; }

 private:
  // Adds the losses of a block of rows to the chains' sums, from `chain` on. It overwrites z.
  void add_losses(const PanelView& z, const double* y, Index chain, std::span<double> sums, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const Index chains = z.columns / classes_;
    const PanelView losses =
        classes_ == 1 ? z : PanelView{scratch.take<double>(z.rows * chains).data(), z.rows, chains, z.rows};
    loss_->losses(z, y, losses, scratch);
    for (Index c = 0; c < chains; ++c) sums[static_cast<std::size_t>(chain + c)] += math::sum(losses.column(c));
  }

  ConstPanelView split(const ConstPanelView& theta, Scratch& scratch) const {
    return class_columns(theta, features(), classes_, scratch);
  }

  void slope(const Rows& rows, const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Target target(out, features(), classes_, scratch);
    const auto turn = [&](const PanelView& z, const double* y, Index) { loss_->residuals(z, y, scratch); };
    sweep(rows, split(theta, scratch), target.g(), {theta.columns, classes_, classes_}, scratch, turn);
    target.store(scale_);
  }

  // The gradient is linear in the residuals, so one product with Xᵀ serves both terms.
  void change(const Rows& rows, const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
              Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Target target(out, features(), classes_, scratch);
    const Lanes lanes{theta.columns, 2 * classes_, classes_};
    const PanelView both = interleave(split(theta, scratch), split(anchor, scratch), lanes, scratch);
    const auto turn = [&](const PanelView& z, const double* y, Index) {
      loss_->residuals(z, y, scratch);
      const Index half = z.columns / 2;
      math::subtract(whole(columns(z, 0, half)), whole(columns(z, half, half)), whole(columns(z, 0, half)));
    };
    sweep(rows, both, target.g(), lanes, scratch, turn);
    target.store(scale_);
  }

  std::shared_ptr<const Loss> loss_;
  Index classes_;  // columns of Z per chain
};

}  // namespace

std::unique_ptr<Potential> make_glm(std::unique_ptr<const Loss> loss, const Observations& observations, double scale) {
  return std::make_unique<Glm>(std::move(loss), observations, scale);
}

}  // namespace pollen::model
