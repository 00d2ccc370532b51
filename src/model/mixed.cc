#include "model/mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "blocks.h"
#include "loss.h"
#include "math/math.h"
#include "mixed_hessian.h"

namespace pollen {

using model::one_column;

Index MixedSpec::shared() const {
  const auto columns = static_cast<Index>(fixed.size());
  return (kind == MixedKind::linear ? columns * latent : columns) + (samples_noise() ? 1 : 0);
}

std::vector<std::string> MixedSpec::shared_labels() const {
  std::vector<std::string> labels;
  if (kind == MixedKind::linear)
    for (Index j = 0; j < latent; ++j)
      for (const std::string& name : fixed) labels.push_back(fmt::format("phi[{},{}]", name, j + 1));
  else
    labels = fixed;
  if (samples_noise()) labels.emplace_back("log_sigma");
  return labels;
}

std::vector<std::string> MixedSpec::latent_labels() const {
  if (kind != MixedKind::linear) return random;
  std::vector<std::string> labels;
  for (Index j = 0; j < latent; ++j) labels.push_back(fmt::format("z{}", j + 1));
  return labels;
}

namespace {

double squared_rows(const RowsView& x) {
  double sum = 0;
  for (Index r = 0; r < x.rows; ++r) sum += math::squared_norm({x.row(r), static_cast<std::size_t>(x.columns)});
  return sum;
}

// Computes η of every row, and in mixed-linear W = XΦ, which the gradient by z needs again.
class Predictor {
 public:
  Predictor(const MixedSpec& spec, const MixedRows& rows, Scratch& scratch)
      : spec_(spec), rows_(rows), eta_(scratch.take<double>(rows.random.rows)) {
    if (spec.kind == MixedKind::linear) image_ = scratch.panel(rows.fixed.rows, spec.latent);
  }

  void set(std::span<const double> shared, std::span<const double> z, Scratch& scratch) {
    const auto columns = static_cast<Index>(spec_.fixed.size());
    if (spec_.kind == MixedKind::linear) {
      math::multiply(rows_.fixed, {shared.data(), columns, spec_.latent, columns}, image_);
      std::ranges::fill(eta_, 0.0);
      for (Index j = 0; j < spec_.latent; ++j) math::axpy(z[static_cast<std::size_t>(j)], image_.column(j), eta_);
      return;
    }
    math::multiply(rows_.random, one_column(z), one_column(eta_));
    if (columns == 0) return;
    Scratch::Frame frame(scratch);
    const auto fixed = scratch.take<double>(rows_.fixed.rows);
    math::multiply(rows_.fixed, one_column(shared.first(static_cast<std::size_t>(columns))), one_column(fixed));
    math::add(fixed, eta_);
  }
  std::span<double> eta() const { return eta_; }
  const PanelView& image() const { return image_; }

 private:
  const MixedSpec& spec_;
  const MixedRows& rows_;
  std::span<double> eta_;
  PanelView image_{};
};

double log_noise(const MixedSpec& spec, std::span<const double> shared) {
  return spec.noise_sd ? math::log(*spec.noise_sd) : shared.back();
}

class Mixed final : public PersonalPotential {
 public:
  Mixed(const MixedSpec& spec, const MixedRows& rows)
      : spec_(&spec),
        rows_(rows),
        fixed_squares_(squared_rows(rows.fixed)),
        random_squares_(squared_rows(rows.random)) {}

  Index latent() const override { return spec_->latent; }
  Index shared() const override { return spec_->shared(); }
  Index rows() const override { return rows_.random.rows; }
  bool learns_noise() const override { return spec_->samples_noise(); }

  double gradient(std::span<const double> shared, std::span<const double> z, std::span<double> by_latent,
                  std::span<double> by_shared, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    Predictor predictor(*spec_, rows_, scratch);
    predictor.set(shared, z, scratch);
    const std::span<double> residual = predictor.eta();
    const double value = spec_->kind == MixedKind::logistic ? logistic_residuals(residual, scratch)
                                                            : gaussian_residuals(residual, shared, by_shared);
    if (spec_->kind == MixedKind::linear) {
      for (Index j = 0; j < spec_->latent; ++j)
        by_latent[static_cast<std::size_t>(j)] = math::dot(predictor.image().column(j), residual);
    } else {
      std::ranges::fill(by_latent, 0.0);
      math::multiply_transposed_add(rows_.random, one_column(std::span<const double>(residual)), one_column(by_latent));
    }
    if (!by_shared.empty()) add_shared(residual, z, by_shared, scratch);
    return value;
  }

  double latent_curvature(std::span<const double> shared, Scratch& scratch) const override {
    if (spec_->kind != MixedKind::linear) return steepest(shared) * random_squares_;
    Scratch::Frame frame(scratch);
    const auto k = static_cast<Index>(spec_->fixed.size());
    const PanelView image = scratch.panel(rows(), spec_->latent);
    math::multiply(rows_.fixed, {shared.data(), k, spec_->latent, k}, image);
    double sum = 0;
    for (Index j = 0; j < spec_->latent; ++j) sum += math::squared_norm(image.column(j));
    return steepest(shared) * sum;
  }
  bool has_hessian() const override { return spec_->kind != MixedKind::linear; }
  bool quadratic_in_latent() const override { return spec_->kind != MixedKind::logistic; }
  void add_hessian(std::span<const double> shared, std::span<const double> z, PanelView out,
                   Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const auto k = static_cast<Index>(spec_->fixed.size());
    model::add_weighted_squares({rows_.fixed, 0}, {rows_.random, shared_size()}, bend(shared, z, scratch), out,
                                scratch);
    if (!learns_noise()) return;
    // With e = y - η: ∂²U/∂λ² = 2 Σ e²/σ², and ∂²U/∂λ∂θ = -2 ∂U/∂θ for every coefficient θ.
    const auto by_latent = scratch.take<double>(latent()), by_shared = scratch.take<double>(shared_size());
    gradient(shared, z, by_latent, by_shared, scratch);
    const auto noise = out.column(k);
    const auto cross = [&](Index place, double slope) {
      noise[static_cast<std::size_t>(place)] -= 2 * slope;
      out.column(place)[static_cast<std::size_t>(k)] -= 2 * slope;
    };
    for (Index j = 0; j < k; ++j) cross(j, by_shared[static_cast<std::size_t>(j)]);
    for (Index j = 0; j < latent(); ++j) cross(k + 1 + j, by_latent[static_cast<std::size_t>(j)]);
    noise[static_cast<std::size_t>(k)] += 2 * (static_cast<double>(rows()) - by_shared.back());
  }
  void add_latent_hessian(std::span<const double> shared, std::span<const double> z, PanelView out,
                          Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    model::add_weighted_squares({}, {rows_.random, 0}, bend(shared, z, scratch), out, scratch);
  }
  double shared_curvature(std::span<const double> shared, std::span<const double> z) const override {
    const double factor = spec_->kind == MixedKind::linear ? math::squared_norm(z) : 1;
    return steepest(shared) * fixed_squares_ * factor;
  }

 private:
  Index shared_size() const { return spec_->shared(); }

  // Returns the second derivative of every row's loss in η.
  std::span<const double> bend(std::span<const double> shared, std::span<const double> z, Scratch& scratch) const {
    const auto bend = scratch.take<double>(rows());
    if (spec_->kind != MixedKind::logistic) {
      std::ranges::fill(bend, steepest(shared));
      return bend;
    }
    Scratch::Frame frame(scratch);
    Predictor predictor(*spec_, rows_, scratch);
    predictor.set(shared, z, scratch);
    math::sigmoid(predictor.eta(), bend);
    for (double& p : bend) p *= 1 - p;
    return bend;
  }

  // Returns a bound on the second derivative of the loss in η.
  double steepest(std::span<const double> shared) const {
    return spec_->kind == MixedKind::logistic ? 0.25 : math::exp(-2 * log_noise(*spec_, shared));
  }

  double logistic_residuals(std::span<double> eta, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const auto losses = scratch.take<double>(rows());
    std::ranges::copy(eta, losses.begin());
    static const std::unique_ptr<const model::Loss> loss = model::make_logistic();
    loss->losses(one_column(losses), rows_.y, one_column(losses), scratch);
    loss->residuals(one_column(eta), rows_.y, scratch);
    return math::sum(losses);
  }

  // Replaces η by e/σ². If log σ is part of φ, by_shared.back() becomes ∂U/∂log σ.
  double gaussian_residuals(std::span<double> eta, std::span<const double> shared, std::span<double> by_shared) const {
    const double lambda = log_noise(*spec_, shared), weight = math::exp(-2 * lambda);
    math::subtract(eta, {rows_.y, eta.size()}, eta);
    const double misfit = weight * math::squared_norm(eta);
    math::scale(weight, eta);
    const auto n = static_cast<double>(eta.size());
    if (!by_shared.empty() && spec_->samples_noise()) by_shared.back() = n - misfit;
    return 0.5 * misfit + n * lambda;
  }

  void add_shared(std::span<const double> residual, std::span<const double> z, std::span<double> by_shared,
                  Scratch& scratch) const {
    const std::size_t k = spec_->fixed.size();
    if (k == 0) return;
    if (spec_->kind != MixedKind::linear) {
      std::ranges::fill(by_shared.first(k), 0.0);
      return math::multiply_transposed_add(rows_.fixed, one_column(residual), one_column(by_shared.first(k)));
    }
    // The vector Xᵀ residual; column j of Φ gets z_j times it.
    const auto slope = scratch.take<double>(static_cast<Index>(k));
    std::ranges::fill(slope, 0.0);
    math::multiply_transposed_add(rows_.fixed, one_column(residual), one_column(slope));
    for (std::size_t j = 0; j < z.size(); ++j) {
      std::ranges::fill(by_shared.subspan(j * k, k), 0.0);
      math::axpy(z[j], slope, by_shared.subspan(j * k, k));
    }
  }

  const MixedSpec* spec_;
  MixedRows rows_;
  double fixed_squares_, random_squares_;
};

}  // namespace

std::unique_ptr<PersonalPotential> make_mixed(const MixedSpec& spec, const MixedRows& rows) {
  return std::make_unique<Mixed>(spec, rows);
}

namespace {

void predict(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z, const MixedRows& rows,
             std::span<double> eta, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  Predictor predictor(spec, rows, scratch);
  predictor.set(shared, z, scratch);
  std::ranges::copy(predictor.eta(), eta.begin());
}

}  // namespace

void mixed_response(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                    const MixedRows& rows, std::span<double> out, Scratch& scratch) {
  predict(spec, shared, z, rows, out, scratch);
  if (spec.kind == MixedKind::logistic) math::sigmoid(out, out);
}

void mixed_log_likelihood(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                          const MixedRows& rows, std::span<double> out, Scratch& scratch) {
  predict(spec, shared, z, rows, out, scratch);
  if (spec.kind == MixedKind::logistic) {  // log p is -log(1 + exp(∓η))
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = rows.y[r] > 0.5 ? -out[r] : out[r];
    math::softplus(out, out);
    return math::scale(-1, out);
  }
  const double lambda = log_noise(spec, shared), weight = math::exp(-2 * lambda);
  for (std::size_t r = 0; r < out.size(); ++r) {
    const double e = out[r] - rows.y[r];
    out[r] = -0.5 * weight * e * e - lambda - 0.5 * math::log(2 * std::numbers::pi);
  }
}

}  // namespace pollen
