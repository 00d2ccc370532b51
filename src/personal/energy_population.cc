// The energy-based population (docs/algorithms.md section 7): p(z | β) ∝ exp(-E(z; β)) with
//   E = ½‖z‖²/s² + Σ_h a_h tanh(w_hᵀz + c_h),   β = (a, c, w_1, w_2, ...).
// The quadratic term keeps the distribution proper; a small network shapes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "personal/personal.h"
#include "pollen/random.h"

namespace pollen {

namespace {

constexpr double kMostBend = 0.7698003589195010;  // the maximum of |tanh''|, 4/(3√3)
constexpr double kMost = 20;                      // bound on |β_j|

double tanh_of(double x) {
  const double e = math::exp(-2 * std::abs(x));
  return std::copysign((1 - e) / (1 + e), x);
}

class Energy final : public Population {
 public:
  Energy(const EnergyPopulation& how, Index latent)
      : latent_(static_cast<std::size_t>(latent)), units_(static_cast<std::size_t>(how.units)), scale_(how.scale) {}

  Index latent() const override { return static_cast<Index>(latent_); }
  Index parameters() const override { return static_cast<Index>(units_ * (2 + latent_)); }
  bool leaves_out_constant() const override { return true; }

  // Starts at a = 0, where only the quadratic term acts. The directions w_h differ, so that the units can learn
  // different things.
  std::vector<double> start() const override {
    std::vector<double> beta(units_ * (2 + latent_));
    normals(make_stream(1, 0, Purpose::init), beta);
    std::fill_n(beta.begin(), units_, 0.0);
    for (std::size_t j = 2 * units_; j < beta.size(); ++j) beta[j] /= scale_;
    return beta;
  }

  std::vector<std::string> labels(const std::vector<std::string>& latents) const override {
    std::vector<std::string> out;
    for (std::size_t h = 0; h < units_; ++h) out.push_back(fmt::format("a[{}]", h + 1));
    for (std::size_t h = 0; h < units_; ++h) out.push_back(fmt::format("c[{}]", h + 1));
    for (std::size_t h = 0; h < units_; ++h)
      for (const std::string& name : latents) out.push_back(fmt::format("w[{},{}]", h + 1, name));
    return out;
  }

  double value(std::span<const double> beta, std::span<const double> z, std::span<double> g) const override {
    double sum = 0.5 * math::squared_norm(z) / (scale_ * scale_);
    math::axpy(1 / (scale_ * scale_), z, g);
    for (std::size_t h = 0; h < units_; ++h) {
      const double t = tanh_of(inner(beta, h, z));
      sum += beta[h] * t;
      math::axpy(beta[h] * (1 - t * t), weights(beta, h), g);
    }
    return sum;
  }

  // Adds -∇_β E only; the server estimates -∇ log Z(β).
  void add_score(std::span<const double> beta, std::span<const double> z, std::span<double> out) const override {
    for (std::size_t h = 0; h < units_; ++h) {
      const double t = tanh_of(inner(beta, h, z)), slope = beta[h] * (1 - t * t);
      out[h] -= t;
      out[units_ + h] -= slope;
      math::axpy(-slope, z, out.subspan(2 * units_ + h * latent_, latent_));
    }
  }

  double curvature(std::span<const double> beta) const override {
    double sum = 1 / (scale_ * scale_);
    for (std::size_t h = 0; h < units_; ++h)
      sum += kMostBend * std::abs(beta[h]) * math::squared_norm(weights(beta, h));
    return sum;
  }
  // The score by a_h is -tanh, whose variance is at most 1. For c and w it depends on a, which starts at 0, so 1 is
  // used for them, too.
  void variances(std::span<const double>, std::span<double> out) const override { std::ranges::fill(out, 1.0); }
  // Draws from the quadratic term alone, which is good enough as a start for chains.
  void draw(std::span<const double>, std::span<double> z) const override { math::scale(scale_, z); }
  void project(std::span<double> beta) const override {
    for (double& x : beta) x = std::clamp(x, -kMost, kMost);
  }

 private:
  std::span<const double> weights(std::span<const double> beta, std::size_t h) const {
    return beta.subspan(2 * units_ + h * latent_, latent_);
  }
  double inner(std::span<const double> beta, std::size_t h, std::span<const double> z) const {
    return math::dot(weights(beta, h), z) + beta[units_ + h];
  }

  std::size_t latent_, units_;
  double scale_;
};

}  // namespace

std::unique_ptr<Population> make_energy_population(const EnergyPopulation& how, Index latent) {
  return std::make_unique<Energy>(how, latent);
}

}  // namespace pollen
