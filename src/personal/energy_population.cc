// p(z | β) ∝ exp(-E(z; β)), E = ½‖z‖²/s² + Σ_h a_h tanh(w_hᵀz + c_h): a small network on top of a bowl that keeps it
// proper. β = (a, c, w_1, w_2, ...).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "personal/personal.h"
#include "pollen/random.h"

namespace pollen {

namespace {

constexpr double kMostBend = 0.7698003589195010;  // of |tanh''|: 4/(3√3)
constexpr double kMost = 20;                      // the box β is kept in

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

  // a = 0: the bowl alone. Directions differ, so that units do.
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

  // -∇_β E alone.
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
  // tanh has a variance of at most 1; what it is for c and w depends on a, which starts at 0.
  void variances(std::span<const double>, std::span<double> out) const override { std::ranges::fill(out, 1.0); }
  // Of the bowl: a place to start from.
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
