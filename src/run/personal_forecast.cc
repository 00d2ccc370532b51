// Predictions for rows of one client.
#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "own_draws.h"
#include "pollen/stats.h"

namespace pollen {

namespace {

// Collects what is predicted at every draw.
class ForecastSums {
 public:
  ForecastSums(const PersonalModel& model, const PersonalRows& where, std::uint64_t seed)
      : model_(model),
        where_(where),
        outputs_(static_cast<std::size_t>(model.outputs())),
        size_(static_cast<std::size_t>(where.rows()) * outputs_),
        mean_(size_),
        noise_(size_),
        sum_(size_),
        squares_(size_),
        entropy_(outputs_ > 1 ? size_ / outputs_ : 0),
        means_(size_),
        responses_(model.classifies() ? 0 : size_),
        stream_(make_stream(seed, 0, Purpose::reference_noise)) {}

  void add(std::span<const double> shared, std::span<const double> z) {
    where_.predict(shared, z, mean_, scratch_);
    const double sd = model_.classifies() ? 0 : model_.noise_sd(shared);
    stream_.round = count_++;
    normals(stream_, noise_);
    for (std::size_t r = 0; r < size_; ++r) {
      sum_[r] += mean_[r];
      squares_[r] += mean_[r] * mean_[r] + sd * sd;
      means_[r].push_back(mean_[r]);
      if (!responses_.empty()) responses_[r].push_back(mean_[r] + sd * noise_[r]);
      if (!entropy_.empty() && mean_[r] > 0) entropy_[r / outputs_] -= mean_[r] * std::log(mean_[r]);
    }
  }

  Forecast forecast(double interval) const {
    Forecast out;
    const auto all = static_cast<double>(count_);
    const auto bound = [&](const std::vector<double>& values, double side) {
      return stats::quantile(values, 0.5 + side * interval / 2);
    };
    for (std::size_t r = 0; r < size_; ++r) {
      const double mean = sum_[r] / all;
      const double variance = model_.classifies() ? mean * (1 - mean) : squares_[r] / all - mean * mean;
      const std::vector<double>& values = responses_.empty() ? means_[r] : responses_[r];
      out.mean.push_back(mean);
      out.sd.push_back(std::sqrt(std::max(0.0, variance)));
      out.lower.push_back(bound(values, -1));
      out.upper.push_back(bound(values, 1));
      if (responses_.empty()) continue;
      out.mean_lower.push_back(bound(means_[r], -1));
      out.mean_upper.push_back(bound(means_[r], 1));
    }
    for (const double entropy : entropy_) out.entropy.push_back(entropy / all);
    return out;
  }

 private:
  const PersonalModel& model_;
  const PersonalRows& where_;
  std::size_t outputs_, size_;
  std::vector<double> mean_, noise_, sum_, squares_, entropy_;
  std::vector<std::vector<double>> means_, responses_;  // one list per number predicted; no responses for classes
  Stream stream_;
  std::uint64_t count_ = 0;
  Scratch scratch_;
};

}  // namespace

Forecast PersonalResults::forecast(const ForecastRows& asked, const Learnt& learnt, Index draws,
                                   double interval) const {
  const PersonalParts& parts = *parts_.personal;
  const auto where = parts.model->rows(asked.rows.view(), nullptr);
  const auto known = parts.model->rows(asked.own.view(), asked.own.y.data());
  const PersonalRows& observed = asked.client ? parts.train[static_cast<std::size_t>(*asked.client)] : *known;
  const OwnSeeds seeds = seeds_of(asked.client);
  ForecastSums sums(*parts.model, *where, seeds.latents);
  const auto add = [&](Index, Index, std::span<const double> shared, std::span<const double> z) {
    sums.add(shared, z);
  };
  const Learnt own = in_own_units(learnt);
  if (own.draws)
    for_each_posterior_draw(parts, observed, own.at, seeds.latents, add);
  else if (own.covariance.empty())
    for_each_own_draw(parts, observed, own.at, draws, seeds.latents, add);
  else
    for_each_uncertain_draw(parts, observed, own, draws * own.at.columns(), seeds, add);
  return sums.forecast(interval);
}

Forecast PersonalResults::forecast(const Table& rows, Index client, ConstPanelView draws, double interval) const {
  const PersonalParts& parts = *parts_.personal;
  const auto where = parts.model->rows(rows.view(), nullptr);
  ForecastSums sums(*parts.model, *where, seed_of(client));
  const auto k = static_cast<std::size_t>(parts.model->shared());
  std::vector<double> model(static_cast<std::size_t>(draws.rows));
  for (Index n = 0; n < draws.columns; ++n) {
    std::ranges::copy(draws.column(n), model.begin());
    parts.model_units.from_data(model);
    sums.add(std::span(model).first(k), std::span(model).subspan(k));
  }
  return sums.forecast(interval);
}

}  // namespace pollen
