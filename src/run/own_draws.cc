#include "run/own_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pollen/math.h"
#include "pollen/reference.h"

namespace pollen {

namespace {

constexpr Index kWarmUp = 300;

// U_i(φ, z) - log p(z | β) as a function of z. What minibatches and plans would ask is never asked.
class LatentPotential final : public Potential {
 public:
  LatentPotential(const PersonalPotential& client, const Population& population, std::span<const double> shared,
                  std::span<const double> beta)
      : client_(client), population_(population), shared_(shared), beta_(beta) {}

  Index dimension() const override { return population_.latent(); }
  Index rows() const override { return std::max<Index>(1, client_.rows()); }

  void value(const ConstPanelView& z, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const auto ignored = scratch.take<double>(dimension());
    for (Index c = 0; c < z.columns; ++c) out[static_cast<std::size_t>(c)] = at(z.column(c), ignored, scratch);
  }
  void gradient(const ConstPanelView& z, const PanelView& out, Scratch& scratch) const override {
    for (Index c = 0; c < z.columns; ++c) at(z.column(c), out.column(c), scratch);
  }
  void gradient_rows(std::span<const double>, std::span<const std::uint32_t>, std::span<double>,
                     Scratch&) const override {
    throw std::logic_error("a latent's potential has no minibatches");
  }
  void curvature(std::span<const double>, std::span<const double>, std::span<double>, Scratch&) const override {
    throw std::logic_error("a latent's potential has no curvature");
  }
  bool curvature_is_bound() const override { return false; }
  double row_curvature(std::span<const double>, Scratch&) const override { return 0; }

 private:
  double at(std::span<const double> z, std::span<double> g, Scratch& scratch) const {
    const double value = client_.gradient(shared_, z, g, {}, scratch);
    return value + population_.value(beta_, z, g);
  }

  const PersonalPotential& client_;
  const Population& population_;
  std::span<const double> shared_, beta_;
};

// column ← column + share Φz.
void add_effects(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z, double share,
                 std::span<double> column) {
  const std::size_t k = spec.fixed.size();
  for (std::size_t j = 0; j < z.size(); ++j) math::axpy(share * z[j], shared.subspan(j * k, k), column);
}

Panel make_effects(const MixedSpec& spec, Index chains) {
  return spec.kind == MixedKind::linear ? Panel(static_cast<Index>(spec.fixed.size()), chains) : Panel();
}

// Averages predictions over draws; densities as log-sum-exp.
class Averager {
 public:
  Averager(const MixedSpec& spec, const MixedRows& test, OwnDraws& out)
      : spec_(spec), test_(test), out_(out), row_(static_cast<std::size_t>(test.random.rows)) {
    out.mean.assign(row_.size(), 0.0);
    out.log_density.assign(row_.size(), -std::numeric_limits<double>::infinity());
  }

  void add(std::span<const double> shared, std::span<const double> z) {
    if (row_.empty()) return;
    ++count_;
    mixed_response(spec_, shared, z, test_, row_, scratch_);
    for (std::size_t r = 0; r < row_.size(); ++r) out_.mean[r] += row_[r];
    mixed_log_likelihood(spec_, shared, z, test_, row_, scratch_);
    for (std::size_t r = 0; r < row_.size(); ++r) {
      const double most = std::max(out_.log_density[r], row_[r]), least = std::min(out_.log_density[r], row_[r]);
      out_.log_density[r] = most + std::log1p(std::exp(least - most));
    }
  }
  void finish() {
    for (double& mean : out_.mean) mean /= static_cast<double>(count_);
    for (double& density : out_.log_density) density -= std::log(static_cast<double>(count_));
  }

 private:
  const MixedSpec& spec_;
  const MixedRows& test_;
  OwnDraws& out_;
  std::vector<double> row_;
  Scratch scratch_;
  Index count_ = 0;
};

}  // namespace

void for_each_own_draw(const PersonalParts& parts, const PersonalPotential& client, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit) {
  const Index d = parts.spec.latent;
  const auto k = static_cast<std::size_t>(parts.spec.shared());
  const Prior flat = Prior::flat();
  for (Index c = 0; c < learnt.columns; ++c) {
    const auto shared = learnt.column(c).first(k), beta = learnt.column(c).subspan(k);
    const LatentPotential potential(client, *parts.population, shared, beta);
    ReferenceProblem problem{{&potential}, &flat, d, 1, 1, seed + static_cast<std::uint64_t>(c)};
    const auto engine = make_reference("nuts", problem, {.warm_up = kWarmUp});
    Panel start(d, 1);
    parts.population->draw(beta, start.column(0));  // of zeros: the population's mean
    engine->start(start);
    while (engine->iteration() < kWarmUp) engine->advance(1);
    for (Index n = 0; n < draws; ++n) {
      engine->advance(1);
      visit(c, n, shared, engine->position().column(0));
    }
  }
}

OwnDraws draw_own(const PersonalParts& parts, const PersonalPotential& client, ConstPanelView learnt,
                  const MixedRows& test, Index draws, std::uint64_t seed) {
  OwnDraws out;
  out.z = Panel(parts.spec.latent, learnt.columns * draws);
  out.effects = make_effects(parts.spec, learnt.columns);
  Averager averager(parts.spec, test, out);
  for_each_own_draw(parts, client, learnt, draws, seed,
                    [&](Index chain, Index n, std::span<const double> shared, std::span<const double> z) {
                      std::ranges::copy(z, out.z.column(chain * draws + n).begin());
                      averager.add(shared, z);
                      if (!out.effects.empty())
                        add_effects(parts.spec, shared, z, 1 / static_cast<double>(draws), out.effects.column(chain));
                    });
  averager.finish();
  return out;
}

OwnDraws point_of(const PersonalParts& parts, const PersonalEngine& engine, Index client, const MixedRows& test) {
  const Index chains = engine.position().columns;
  OwnDraws out;
  out.z = Panel(parts.spec.latent, chains);
  out.effects = make_effects(parts.spec, chains);
  Averager averager(parts.spec, test, out);
  std::vector<double> shared(static_cast<std::size_t>(parts.spec.shared()));
  for (Index c = 0; c < chains; ++c) {
    engine.personal_shared(client, c, shared);
    engine.latent(client, c, out.z.column(c));
    averager.add(shared, out.z.column(c));
    if (!out.effects.empty()) add_effects(parts.spec, shared, out.z.column(c), 1, out.effects.column(c));
  }
  averager.finish();
  return out;
}

}  // namespace pollen
