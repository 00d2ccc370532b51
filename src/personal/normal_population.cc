#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "personal/personal.h"

namespace pollen {

namespace {

using Shape = NormalPopulation::Shape;

class Normal final : public Population {
 public:
  Normal(const NormalPopulation& how, Index latent)
      : how_(how),
        latent_(latent),
        means_(how.mean == Shape::fixed    ? 0
               : how.mean == Shape::scalar ? 1
                                           : latent),
        spreads_(how.spread == Shape::fixed    ? 0
                 : how.spread == Shape::scalar ? 1
                                               : latent) {}

  Index latent() const override { return latent_; }
  Index parameters() const override { return means_ + spreads_; }

  std::vector<double> start() const override {
    std::vector<double> beta;
    for (Index j = 0; j < means_; ++j) beta.push_back(entry(how_.mean_start, j));
    for (Index j = 0; j < spreads_; ++j) beta.push_back(math::log(entry(how_.sd_start, j)));
    return beta;
  }

  std::vector<std::string> labels(const std::vector<std::string>& latents) const override {
    std::vector<std::string> out;
    const auto add = [&](const char* what, Index count) {
      for (Index j = 0; j < count; ++j)
        out.push_back(count == 1 && latent_ > 1 ? std::string(what)
                                                : fmt::format("{}[{}]", what, latents[static_cast<std::size_t>(j)]));
    };
    add("mu", means_);
    add("log_sd", spreads_);
    return out;
  }

  double value(std::span<const double> beta, std::span<const double> z, std::span<double> g) const override {
    double sum = 0;
    for (Index j = 0; j < latent_; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const double lambda = log_sd(beta, j), weight = math::exp(-2 * lambda), delta = z[i] - mean(beta, j);
      sum += 0.5 * weight * delta * delta + lambda;
      g[i] += weight * delta;
    }
    return sum;
  }

  void add_score(std::span<const double> beta, std::span<const double> z, std::span<double> out) const override {
    for (Index j = 0; j < latent_; ++j) {
      const double weight = math::exp(-2 * log_sd(beta, j));
      const double delta = z[static_cast<std::size_t>(j)] - mean(beta, j);
      if (means_ > 0) out[static_cast<std::size_t>(means_ == 1 ? 0 : j)] += weight * delta;
      if (spreads_ > 0) out[static_cast<std::size_t>(means_ + (spreads_ == 1 ? 0 : j))] += weight * delta * delta - 1;
    }
  }

  double curvature(std::span<const double> beta) const override {
    double least = log_sd(beta, 0);
    for (Index j = 1; j < latent_; ++j) least = std::min(least, log_sd(beta, j));
    return math::exp(-2 * least);
  }

  void add_precision(std::span<const double> beta, PanelView out) const override {
    for (Index j = 0; j < latent_; ++j) out.column(j)[static_cast<std::size_t>(j)] += math::exp(-2 * log_sd(beta, j));
  }

  std::optional<NormalPlace> place(std::span<const double> beta, Index j) const override {
    return NormalPlace{means_ == 0   ? -1
                       : means_ == 1 ? 0
                                     : j,
                       spreads_ == 0   ? -1
                       : spreads_ == 1 ? means_
                                       : means_ + j,
                       mean(beta, j), math::exp(log_sd(beta, j))};
  }

  // The information about a mean is Σ 1/σ_j² over the latents that have this mean. The information about a log σ is
  // twice the number of latents that have it.
  void variances(std::span<const double> beta, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    for (Index j = 0; j < latent_; ++j) {
      if (means_ > 0) out[static_cast<std::size_t>(means_ == 1 ? 0 : j)] += math::exp(-2 * log_sd(beta, j));
      if (spreads_ > 0) out[static_cast<std::size_t>(means_ + (spreads_ == 1 ? 0 : j))] += 2;
    }
    for (double& information : out) information = 1 / information;
  }

  void draw(std::span<const double> beta, std::span<double> z) const override {
    for (Index j = 0; j < latent_; ++j) {
      double& x = z[static_cast<std::size_t>(j)];
      x = mean(beta, j) + math::exp(log_sd(beta, j)) * x;
    }
  }

  void project(std::span<double> beta) const override {
    const auto means = beta.first(static_cast<std::size_t>(means_));
    if (how_.mean_radius > 0) {
      const double norm = std::sqrt(math::squared_norm(means));
      if (norm > how_.mean_radius) math::scale(how_.mean_radius / norm, means);
    }
    const double least = how_.least_sd > 0 ? math::log(how_.least_sd) : -1e300;
    for (double& lambda : beta.subspan(means.size())) lambda = std::clamp(lambda, least, math::log(how_.most_sd));
  }

 private:
  static double entry(const std::vector<double>& values, Index j) {
    return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(j)];
  }
  double mean(std::span<const double> beta, Index j) const {
    if (means_ == 0) return entry(how_.mean_start, j);
    return beta[static_cast<std::size_t>(means_ == 1 ? 0 : j)];
  }
  double log_sd(std::span<const double> beta, Index j) const {
    if (spreads_ == 0) return math::log(entry(how_.sd_start, j));
    return beta[static_cast<std::size_t>(means_ + (spreads_ == 1 ? 0 : j))];
  }

  NormalPopulation how_;
  Index latent_, means_, spreads_;
};

}  // namespace

std::unique_ptr<Population> make_normal_population(const NormalPopulation& how, Index latent) {
  return std::make_unique<Normal>(how, latent);
}

}  // namespace pollen
