#include "own_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "exact/exact.h"
#include "math/math.h"
#include "stats/mixtures.h"

namespace pollen {

namespace {

constexpr Index kWarmUp = 300;
constexpr Index kSummedDraws = 50;  // of every chain

// The potential U_i(φ, z) - log p(z | β) as a function of z. Functions that only minibatches and plans need are never
// called.
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
  void value_and_gradient(const ConstPanelView& z, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    for (Index c = 0; c < z.columns; ++c) values[static_cast<std::size_t>(c)] = at(z.column(c), out.column(c), scratch);
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

// Computes column ← column + share · Φz.
void add_effects(const PersonalParts& parts, std::span<const double> shared, std::span<const double> z, double share,
                 std::span<double> column) {
  const std::size_t k = parts.mixed->fixed.size();
  for (std::size_t j = 0; j < z.size(); ++j) math::axpy(share * z[j], shared.subspan(j * k, k), column);
}

// Writes z in the units of the data.
void write_latent(const PersonalParts& parts, std::span<const double> shared, std::span<const double> z,
                  std::span<double> out) {
  std::vector<double> model(shared.begin(), shared.end());
  model.insert(model.end(), z.begin(), z.end());
  parts.model_units.to_data(model);
  std::ranges::copy(std::span(model).subspan(shared.size()), out.begin());
}

OwnDraws make_room(const PersonalParts& parts, Index chains, Index draws) {
  OwnDraws out;
  out.z = Panel(parts.model->latent(), chains * draws);
  if (parts.may_rotate()) out.effects = Panel(static_cast<Index>(parts.mixed->fixed.size()), chains);
  return out;
}

// Averages predictions over draws. Densities are averaged by log-sum-exp.
class Averager {
 public:
  Averager(const PersonalModel& model, const PersonalRows& rows, const OwnQuestion& question, OwnDraws& out)
      : model_(model),
        question_(question),
        rows_(&rows),
        out_(out),
        density_(static_cast<std::size_t>(rows.rows())),
        row_(density_.size() * static_cast<std::size_t>(model.outputs())),
        sum_(model.classifies() ? std::max<std::size_t>(2, static_cast<std::size_t>(model.outputs()))
                                : question.edges.size() + 2),
        noise_(sum_.size()),
        every_(std::max<Index>(1, question.draws / kSummedDraws)) {
    out.mean.assign(row_.size(), 0.0);
    out.log_density.assign(density_.size(), -std::numeric_limits<double>::infinity());
  }

  void add(std::span<const double> shared, std::span<const double> z) {
    if (density_.empty()) return;
    ++count_;
    const PersonalRows& rows = at(shared);
    rows.predict(shared, z, row_, scratch_);
    for (std::size_t r = 0; r < row_.size(); ++r) out_.mean[r] += row_[r];
    if (count_ % every_ == 0) add_sums(shared);
    rows.log_likelihood(shared, z, density_, scratch_);
    for (std::size_t r = 0; r < density_.size(); ++r) {
      const double most = std::max(out_.log_density[r], density_[r]),
                   least = std::min(out_.log_density[r], density_[r]);
      out_.log_density[r] = most + std::log1p(std::exp(least - most));
    }
  }
  void finish() {
    for (double& mean : out_.mean) mean /= static_cast<double>(count_);
    for (double& density : out_.log_density) density -= std::log(static_cast<double>(count_));
  }

 private:
  // Returns the rows at this φ. What depends on it alone is computed once for all draws there.
  const PersonalRows& at(std::span<const double> shared) {
    if (!std::ranges::equal(shared, at_) || at_.empty()) {
      at_.assign(shared.begin(), shared.end());
      fixed_ = rows_->at(shared);
    }
    return fixed_ ? *fixed_ : *rows_;
  }
  void event(std::size_t group, double p) { sum_[group] += p, noise_[group] += std::max(0.0, p * (1 - p)); }

  void add_sums(std::span<const double> shared) {
    std::ranges::fill(sum_, 0.0);
    std::ranges::fill(noise_, 0.0);
    if (model_.classifies()) {
      const bool one = model_.outputs() == 1;
      for (std::size_t r = 0; r < row_.size(); ++r) {
        if (one) event(0, 1 - row_[r]);
        event(one ? 1 : r % sum_.size(), row_[r]);
      }
    } else {
      const double sd = model_.noise_sd(shared);
      for (const double mean : row_) add_number(mean, sd);
    }
    ++out_.sums.draws;
    out_.sums.mean.insert(out_.sums.mean.end(), sum_.begin(), sum_.end());
    out_.sums.variance.insert(out_.sums.variance.end(), noise_.begin(), noise_.end());
  }
  void add_number(double mean, double sd) {
    double below = 0;
    for (std::size_t g = 0; g <= question_.edges.size(); ++g) {
      const double up_to = g < question_.edges.size() ? stats::normal_cdf(question_.edges[g], mean, sd) : 1;
      event(g, up_to - below);
      below = up_to;
    }
    sum_.back() += mean;
    noise_.back() += sd * sd;
  }

  const PersonalModel& model_;
  const OwnQuestion& question_;
  const PersonalRows* rows_;
  std::vector<double> at_;  // φ
  std::unique_ptr<PersonalRows> fixed_;
  OwnDraws& out_;
  std::vector<double> density_, row_;
  std::vector<double> sum_, noise_;  // at one draw
  Index every_;                      // how many draws apart those are that are summed
  Scratch scratch_;
  Index count_ = 0;
};

const PersonalRows& predicted_rows(const PersonalParts& parts, Index client, const OwnQuestion& question) {
  const auto i = static_cast<std::size_t>(client);
  return question.training ? parts.train[i] : parts.test[i];
}

}  // namespace

void for_each_own_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit) {
  const Index d = parts.model->latent();
  const auto k = static_cast<std::size_t>(parts.model->shared());
  const Prior flat = Prior::flat();
  for (Index c = 0; c < learnt.columns; ++c) {
    const auto shared = learnt.column(c).first(k), beta = learnt.column(c).subspan(k);
    const auto fixed = rows.at(shared);
    const auto client = (fixed ? *fixed : rows).potential();
    const LatentPotential potential(*client, *parts.population, shared, beta);
    const exact::Setup setup{
        .dimension = d, .seed = seed + static_cast<std::uint64_t>(c), .settings = {.warm_up = kWarmUp}};
    const auto engine =
        exact::make_engine(setup, std::make_unique<exact::HeldPosterior>(std::vector<const Potential*>{&potential},
                                                                         exact::PriorPart{&flat}, 1.0));
    Panel start(d, 1);
    parts.population->draw(beta, start.column(0));  // `start` is zero, so this is the population's mean
    engine->start(start);
    while (engine->iteration() < kWarmUp) engine->advance(1);
    for (Index n = 0; n < draws; ++n) {
      engine->advance(1);
      visit(c, n, shared, engine->position().column(0));
    }
  }
}

OwnDraws draw_own(const PersonalParts& parts, Index client, const OwnQuestion& question, const Learnt& learnt,
                  OwnSeeds seeds) {
  const Index chains = learnt.draws ? parts.problem.chains : learnt.at.columns();
  const Index draws = learnt.draws ? learnt.at.columns() / chains : question.draws;
  const PersonalRows& own = parts.train[static_cast<std::size_t>(client)];
  OwnDraws out = make_room(parts, chains, draws);
  Averager averager(*parts.model, predicted_rows(parts, client, question), question, out);
  const auto visit = [&](Index chain, Index n, std::span<const double> shared, std::span<const double> z) {
    write_latent(parts, shared, z, out.z.column(chain * draws + n));
    averager.add(shared, z);
    if (!out.effects.empty()) add_effects(parts, shared, z, 1 / static_cast<double>(draws), out.effects.column(chain));
  };
  if (learnt.draws)
    for_each_posterior_draw(parts, own, learnt.at, seeds.latents, visit);
  else if (learnt.covariance.empty())
    for_each_own_draw(parts, own, learnt.at, draws, seeds.latents, visit);
  else
    for_each_uncertain_draw(parts, own, learnt, draws * chains, seeds, visit);
  averager.finish();
  return out;
}

OwnDraws point_of(const PersonalParts& parts, Index client, const OwnQuestion& question, ConstPanelView position,
                  std::span<const double> latents) {
  OwnDraws out = make_room(parts, position.columns, 1);
  Averager averager(*parts.model, predicted_rows(parts, client, question), question, out);
  const auto each = static_cast<std::size_t>(parts.work.latents);
  std::vector<double> model(static_cast<std::size_t>(position.rows));
  const auto shared = std::span(model).first(static_cast<std::size_t>(parts.model->shared()));
  for (Index c = 0; c < position.columns; ++c) {
    parts.point(client, position.column(c), latents.subspan(static_cast<std::size_t>(c) * each, each), model);
    const std::span<const double> own = std::span(model).subspan(shared.size());
    write_latent(parts, shared, own, out.z.column(c));
    averager.add(shared, own);
    if (!out.effects.empty()) add_effects(parts, shared, own, 1, out.effects.column(c));
  }
  averager.finish();
  return out;
}

}  // namespace pollen
