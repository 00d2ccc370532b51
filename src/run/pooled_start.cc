#include "pooled_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/math.h"
#include "model/coordinates.h"
#include "pollen/errors.h"
#include "pollen/random.h"
#include "separated.h"

namespace pollen {

namespace {

// The sum over clients of U_i(φ, z) at one common z, with φ's prior.
struct PooledLoss {
  double value = 0;
  Panel gradient, hessian;
};

// Newton's method for the pooled fit. Where σ is learnt it stays at 1 meanwhile, which does not change the fit.
class PooledFit {
 public:
  PooledFit(Transport& clients, const PersonalParts& parts, bool moves_latent)
      : clients_(clients),
        parts_(parts),
        k_(parts.model->shared()),
        d_(parts.model->latent()),
        at_(static_cast<std::size_t>(k_ + d_), 0.0),
        held_(at_.size(), false) {
    const auto z = latent();
    parts.population->draw(parts.population->start(), z);  // all normals are 0, so this is the population's mean
    for (std::size_t j = static_cast<std::size_t>(k_); j < at_.size(); ++j) held_[j] = !moves_latent;
    if (parts.problem.clients.front()->learns_noise()) held_[static_cast<std::size_t>(k_) - 1] = true;
    now_ = ask(at_);
    begin_ = now_.hessian;
  }

  void run() {
    constexpr int kSteps = 30, kHalvings = 10;
    constexpr double kNear = 1e-4;  // of a standard error
    for (int n = 0; n < kSteps; ++n) {
      const Coordinates metric = scaled();
      Panel pulled(k_ + d_, 1), way(k_ + d_, 1);
      metric.pull_back(now_.gradient, pulled);
      if (!(math::squared_norm(pulled.column(0)) > kNear * kNear)) return;
      metric.turn(pulled, way);
      double length = 1;
      for (int h = 0; h < kHalvings; ++h, length /= 2) {
        std::vector<double> next = at_;
        math::axpy(-length, way.column(0), next);
        PooledLoss there = ask(next);
        if (!(there.value <= now_.value) && h + 1 < kHalvings) continue;
        at_ = std::move(next);
        now_ = std::move(there);
        break;
      }
    }
  }

  std::span<double> latent() { return std::span(at_).subspan(static_cast<std::size_t>(k_)); }
  const std::vector<double>& position() const { return at_; }
  const PooledLoss& loss() const { return now_; }
  // A with A Aᵀ the inverse of the Hessian at the fit; coordinates that are held do not move.
  Coordinates scaled() const { return {std::vector<double>(at_.size()), now_.hessian, true}; }
  bool holds(std::size_t j) const { return held_[j]; }
  // The coordinates in which the likelihood has no maximum, whatever the latents are.
  std::vector<std::size_t> separated() const { return lost_coordinates(begin_, now_.hessian); }
  int exchanges() const { return exchanges_; }

 private:
  PooledLoss ask(const std::vector<double>& at) {
    const Index n = k_ + d_;
    Panel sum(n, n + 2);
    clients_.query({Query::What::pooled, {at.data(), n, 1, n}, {}}, sum);
    ++exchanges_;
    PooledLoss loss{sum.column(n + 1)[0], copy_of({sum.column(0).data(), n, 1, sum.stride()}),
                    copy_of({sum.column(1).data(), n, n, sum.stride()})};
    if (parts_.prior) add_prior(at, loss);
    const std::vector<double>& precision = parts_.problem.shared_precision;
    for (std::size_t j = 0; j < precision.size(); ++j) {
      loss.value += 0.5 * precision[j] * at[j] * at[j];
      loss.gradient.column(0)[j] += precision[j] * at[j];
      loss.hessian.column(static_cast<Index>(j))[j] += precision[j];
    }
    hold(loss);
    return loss;
  }

  // Adds the prior of (φ, β) as a function of (φ, z), where z stands for the means that are learnt. Where σ is held at
  // 1 although the prior expects another one, both parts of the posterior are taken times that one's square.
  void add_prior(const std::vector<double>& at, PooledLoss& loss) const {
    const Prior& prior = parts_.prior->normal;
    const std::vector<double> beta = parts_.population->start();
    const auto k = static_cast<std::size_t>(k_);
    const auto place = [&](std::size_t j) {  // in (φ, β), or past its end
      if (j < k) return j;
      const Index mean = parts_.population->place(beta, static_cast<Index>(j - k))->of_mean;
      return mean < 0 ? k + beta.size() : k + static_cast<std::size_t>(mean);
    };
    std::vector<double> theta(at.begin(), at.begin() + k_);
    theta.insert(theta.end(), beta.begin(), beta.end());
    for (std::size_t j = k; j < at.size(); ++j)
      if (!held_[j]) theta[place(j)] = at[j];
    double weight = 1;
    if (parts_.problem.clients.front()->learns_noise() && !prior.mean.empty()) {
      theta[k - 1] = prior.mean[k - 1];
      weight = math::exp(2 * theta[k - 1]);
    }
    std::vector<double> slope(theta.size(), 0.0), unit(theta.size(), 0.0);
    prior.add_gradient(theta, weight, slope);
    loss.value += weight * prior.value(theta);
    for (std::size_t j = 0; j < at.size(); ++j) {
      if (held_[j]) continue;
      loss.gradient.column(0)[j] += slope[place(j)];
      std::vector<double> row(theta.size(), 0.0);
      unit[place(j)] = 1;
      prior.add_curvature(unit, weight, row);
      unit[place(j)] = 0;
      for (std::size_t i = 0; i < at.size(); ++i)
        if (!held_[i]) loss.hessian.column(static_cast<Index>(j))[i] += row[place(i)];
    }
  }

  // Coordinates that do not move get no gradient and the curvature 1. The others get a small ridge.
  void hold(PooledLoss& loss) const {
    const Index n = k_ + d_;
    double trace = 0;
    for (Index j = 0; j < n; ++j)
      if (!held_[static_cast<std::size_t>(j)]) trace += loss.hessian.column(j)[static_cast<std::size_t>(j)];
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (!held_[at]) {
        loss.hessian.column(j)[at] += 1e-10 * trace / static_cast<double>(n) + 1e-300;
        continue;
      }
      loss.gradient.column(0)[at] = 0;
      for (Index i = 0; i < n; ++i)
        loss.hessian.column(i)[at] = loss.hessian.column(j)[static_cast<std::size_t>(i)] = 0;
      loss.hessian.column(j)[at] = 1;
    }
  }

  Transport& clients_;
  const PersonalParts& parts_;
  Index k_, d_;
  std::vector<double> at_;  // (φ, z)
  std::vector<bool> held_;
  PooledLoss now_;
  Panel begin_;  // the Hessian at the start
  int exchanges_ = 0;
};

// What the pooled fit says about standard deviations: the residual's, and for every latent the one at which it alone
// would explain the residual. For classes they are 1.
struct PooledSpread {
  double noise = 1;
  double standard_error = 1;  // the factor of the roots of the inverse Hessian, where another σ was assumed
  std::vector<double> latents;
};

PooledSpread spread_of(const PooledFit& fit, const PersonalParts& parts) {
  const auto k = static_cast<std::size_t>(parts.model->shared()), d = static_cast<std::size_t>(parts.model->latent());
  PooledSpread spread{1, 1, std::vector<double>(d, 1.0)};
  if (parts.model->classifies()) return spread;
  const double n = std::accumulate(parts.sizes.begin(), parts.sizes.end(), 0.0);
  const double assumed = parts.mixed->noise_sd.value_or(1);
  const double misfit = 2 * (fit.loss().value - n * math::log(assumed)) / n;
  spread.noise = assumed * std::sqrt(std::max(misfit, 1e-12));
  spread.standard_error = spread.noise / assumed;
  for (std::size_t j = 0; j < d; ++j) {
    const double curvature = fit.loss().hessian.column(static_cast<Index>(k + j))[k + j];
    const double squares = fit.holds(k + j) ? 1 : assumed * assumed * curvature / n;  // the mean of b²
    spread.latents[j] = spread.noise / std::sqrt(std::max(squares, 1e-300));
  }
  return spread;
}

// Throws if the data tell the classes apart without error and the coefficients have no prior.
void check_pooled_separation(const PooledFit& fit, const PersonalParts& parts, const Config& config) {
  if (!parts.model->classifies() || (parts.prior && config.model.prior != "flat")) return;
  const auto k = static_cast<std::size_t>(parts.model->shared());
  std::vector<std::string> names;
  const std::vector<std::string> labels = parts.labels(), latents = parts.model->latent_labels();
  for (const std::size_t j : fit.separated())
    if (j < k || !config.population.mean_prior_sd) names.push_back(j < k ? labels[j] : latents[j - k]);
  if (!names.empty()) refuse_separation(config, names, "model.prior_sd (population.mean_prior_sd for a random column)");
}

// The map that start_pooled() returns. A mean's variance is that of the pooled fit and σ_z²/b, as if latents were
// known.
Coordinates scales_around(const PooledFit& fit, const PooledSpread& spread, const PersonalParts& parts, bool moves) {
  const auto k = static_cast<std::size_t>(parts.model->shared());
  const Index d = parts.problem.dimension();
  const double clients = static_cast<double>(parts.sizes.size());
  const double rows = std::accumulate(parts.sizes.begin(), parts.sizes.end(), 0.0);
  const ConstPanelView pooled = fit.loss().hessian;
  const double unit = 1 / (spread.standard_error * spread.standard_error);
  Panel information(d, d);
  for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j)
    information.column(static_cast<Index>(j))[j] = 2 * clients;
  const std::size_t common = k + (moves ? spread.latents.size() : 0);
  std::vector<double> share(common, 1.0);
  for (std::size_t j = k; j < common; ++j) {
    const double own = unit * pooled.column(static_cast<Index>(j))[j], sd = spread.latents[j - k];
    share[j] = 1 / std::sqrt(1 + own * sd * sd / clients);
  }
  for (std::size_t j = 0; j < common; ++j)
    for (std::size_t i = 0; i < common; ++i)
      information.column(static_cast<Index>(j))[i] =
          unit * share[i] * share[j] * pooled.column(static_cast<Index>(j))[i];
  if (parts.problem.clients.front()->learns_noise()) information.column(static_cast<Index>(k - 1))[k - 1] = 2 * rows;
  return {std::vector<double>(static_cast<std::size_t>(d)), information, true};
}

bool is_default(const std::vector<double>& values, double usual) {
  return values.empty() || values == std::vector<double>{usual};
}

}  // namespace

Coordinates start_pooled(Transport& clients, const PersonalParts& parts, const Config& config, SetupFindings& found,
                         PanelView start) {
  const PopulationConfig& p = config.population;
  const bool normal = p.prior == "normal";
  const bool moves = normal && p.mean == "vector" && is_default(p.mean_start, 0);
  const bool spreads = normal && !parts.prior && p.spread == "vector" && is_default(p.sd_start, 1);
  PooledFit fit(clients, parts, moves);
  fit.run();
  check_pooled_separation(fit, parts, config);
  const PooledSpread spread = spread_of(fit, parts);
  const auto k = static_cast<std::size_t>(parts.model->shared()), d = static_cast<std::size_t>(parts.model->latent());
  const Coordinates around = fit.scaled();
  Panel normal_draw(static_cast<Index>(k + d), 1), way(static_cast<Index>(k + d), 1);
  for (Index c = 0; c < start.columns; ++c) {
    normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), normal_draw.column(0));
    for (std::size_t j = 0; j < k + d; ++j)
      if (fit.holds(j)) normal_draw.column(0)[j] = 0;
    around.turn(normal_draw, way);
    const auto column = start.column(c);
    for (std::size_t j = 0; j < k + (moves ? d : 0); ++j)
      column[j] = fit.position()[j] + 2 * spread.standard_error * way.column(0)[j];
    if (parts.problem.clients.front()->learns_noise()) column[k - 1] = math::log(spread.noise);
    if (spreads)
      for (std::size_t j = 0; j < d; ++j) column[column.size() - d + j] = math::log(spread.latents[j]);
  }
  const auto words = static_cast<std::int64_t>(64 * (k + d));
  found.exchanges.push_back({.down_bits = words,
                             .up_bits = words + 32 * static_cast<std::int64_t>((k + d) * (k + d + 1)) + 64,
                             .times = fit.exchanges(),
                             .columns = 1});
  found.notes.push_back(
      fmt::format("chains start around the fit without latents, found in {} exchanges", fit.exchanges()));
  return scales_around(fit, spread, parts, moves);
}

}  // namespace pollen
