#include "sink/row_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/math.h"
#include "model/models.h"
#include "model/units.h"
#include "numbers.h"
#include "pollen/errors.h"
#include "sink/parallel.h"

namespace pollen::sink {

namespace {

constexpr Index kPiece = 128;  // rows per piece of work; fixed, so that nothing depends on the number of threads

// Returns the entropy -Σ p log p; the logarithms are given.
double entropy(std::span<const double> p, std::span<const double> log) {
  double sum = 0;
  for (std::size_t c = 0; c < p.size(); ++c) sum -= p[c] > 0 ? p[c] * log[c] : 0;
  return std::isnan(p.front()) ? p.front() : sum;
}

// Returns a quantile (R's type 7) by selection without a full sort. It reorders the values.
double take_quantile(std::span<double> values, double p) {
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  const auto at_below = values.begin() + below;
  std::nth_element(values.begin(), at_below, values.end());
  if (at_below + 1 == values.end()) return *at_below;
  return *at_below + (place - static_cast<double>(below)) * (*std::min_element(at_below + 1, values.end()) - *at_below);
}

void for_each_piece(Index rows, int threads, const std::function<void(Index first, Index count)>& work) {
  for_each_index((rows + kPiece - 1) / kPiece, threads,
                 [&](Index piece) { work(piece * kPiece, std::min(kPiece, rows - piece * kPiece)); });
}

// Returns the name of a model in the table, in quotes, or words for a model that is not there.
std::string model_name(const ModelSpec& model) {
  for (const ModelRow& row : models())
    if (row.family.get() == model.family && model.family != nullptr) return fmt::format("\"{}\"", row.name);
  return "a model that has no name";
}

}  // namespace

// Holds one series of numbers, one per draw, for each class probability, or for each row's mean and then its sd.
struct Forecaster::Series {
  Series(Index rows, Index series, Index states)
      : draws(states), each(series), values(at(rows * series * states)), entropy(at(rows)) {}
  std::span<double> of(Index row, Index which) {
    return std::span(values).subspan(at((row * each + which) * draws), at(draws));
  }

  Index draws, each;
  std::vector<double> values;
  std::vector<double> entropy;      // classifiers: summed over draws
  std::vector<double> log_density;  // numbers with targets: log of the summed densities
};

Index RowForecast::predicted(Index row) const {
  const auto begin = mean.begin() + row * classes;
  return std::max_element(begin, begin + classes) - begin;
}

Forecaster::Forecaster(const ModelSpec& model, const ChosenDraws& draws, const ForecastOptions& options)
    : model_(&model), draws_(&draws), options_(options) {
  if (!model.predicts())
    throw ConfigError(
        "model", fmt::format("found {}, which predicts nothing of rows, accepted: a model that predicts its target",
                             model_name(model)));
  if (draws.dimension() != model.dimension())
    throw ConfigError("draws", fmt::format("found {} parameters, accepted: {}, as the model has", draws.dimension(),
                                           model.dimension()));
  classes_ = model.outcomes();
  block_ = std::max<Index>(1, options.buffer / (draws.count() * std::max<Index>(2, classes_)));
}

void Forecaster::collect_classes(const RowsView& x, Series& series) const {
  const PredictedRows rows(*model_, x);
  draws_->visit([&](ConstPanelView reported, Index first_state) {
    const Panel states = internal_coefficients(*model_, reported);
    for_each_piece(x.rows, options_.threads, [&](Index first, Index count) {
      Scratch scratch;
      std::vector<double> now(at(count * classes_)), log(now.size());
      for (Index s = 0; s < states.columns(); ++s) {
        rows.class_probabilities(states.column(s), first, count, now, scratch);
        math::log(now, log);
        for (Index r = 0; r < count; ++r) {
          const auto row = [&](std::span<const double> all) { return all.subspan(at(r * classes_), at(classes_)); };
          const auto p = row(now);
          series.entropy[at(first + r)] += entropy(p, row(log));
          for (Index c = 0; c < classes_; ++c) series.of(first + r, c)[at(first_state + s)] = p[at(c)];
        }
      }
    });
  });
}

void Forecaster::collect_numbers(const RowsView& x, const double* y, Series& series) const {
  if (y != nullptr) series.log_density.assign(at(x.rows), -std::numeric_limits<double>::infinity());
  draws_->visit([&](ConstPanelView reported, Index first_state) {
    const Panel states = internal_coefficients(*model_, reported);
    for_each_piece(x.rows, options_.threads, [&](Index first, Index count) {
      Scratch scratch;
      std::vector<double> mean(at(count)), sd(at(count)), density(at(count));
      const RowsView piece = x.slice(first, count);
      for (Index s = 0; s < states.columns(); ++s) {
        model_->family->response(*model_, states.column(s), piece, mean, sd, scratch);
        if (y != nullptr)
          model_->family->log_likelihood(*model_, states.column(s), {piece, y + first}, density, scratch);
        for (Index r = 0; r < count; ++r) {
          series.of(first + r, 0)[at(first_state + s)] = mean[at(r)];
          series.of(first + r, 1)[at(first_state + s)] = sd[at(r)];
          if (y != nullptr) {
            double& sum = series.log_density[at(first + r)];
            sum = log_add(sum, density[at(r)]);
          }
        }
      }
    });
  });
}

void Forecaster::finish_class_row(Series& series, Index row, RowForecast& out) const {
  const auto draws = static_cast<double>(series.draws);
  for (Index c = 0; c < classes_; ++c) {
    const auto p = series.of(row, c);
    const std::size_t place = at(row * classes_ + c);
    double sum = 0;
    for (const double value : p) sum += value;
    out.mean[place] = out.lower[place] = out.upper[place] = sum / draws;
    if (std::isnan(sum)) continue;  // a draw is not finite, and NaN cannot be ordered
    out.lower[place] = take_quantile(p, share(false));
    out.upper[place] = take_quantile(p, share(true));
  }
  const auto mean = std::span<const double>(out.mean).subspan(at(row * classes_), at(classes_));
  std::vector<double> log(mean.size());
  math::log(mean, log);
  out.total[at(row)] = entropy(mean, log);
  // The aleatoric part can exceed the total only by rounding.
  out.aleatoric[at(row)] = std::min(series.entropy[at(row)] / draws, out.total[at(row)]);
  out.epistemic[at(row)] = out.total[at(row)] - out.aleatoric[at(row)];
}

void Forecaster::finish_number_row(Series& series, Index row, RowForecast& out) const {
  const auto mean = series.of(row, 0), sd = series.of(row, 1);
  const auto draws = static_cast<double>(series.draws);
  double sum = 0, noise = 0, spread = 0;
  for (const double m : mean) sum += m;
  const double centre = sum / draws;
  for (std::size_t s = 0; s < mean.size(); ++s) {
    noise += sd[s] * sd[s];
    spread += (mean[s] - centre) * (mean[s] - centre);
  }
  out.mean[at(row)] = centre;
  out.aleatoric[at(row)] = noise / draws;
  out.epistemic[at(row)] = spread / draws;
  out.total[at(row)] = out.aleatoric[at(row)] + out.epistemic[at(row)];
  const auto quantile = [&](double p) { return model_->family->quantile(*model_, mean, sd, p); };
  out.lower[at(row)] = quantile(share(false));
  out.upper[at(row)] = quantile(share(true));
  if (!series.log_density.empty()) out.log_density[at(row)] = series.log_density[at(row)] - std::log(draws);
}

RowForecast Forecaster::forecast(const Table& table, Index first, Index count) const {
  const RowsView x = table.view().slice(first, count);
  const double* const y = table.y.empty() ? nullptr : table.y.data() + first;
  Series series(count, classes_ > 0 ? classes_ : 2, draws_->count());
  if (classes_ > 0)
    collect_classes(x, series);
  else
    collect_numbers(x, y, series);
  RowForecast out;
  out.rows = count;
  out.classes = classes_;
  out.mean = out.lower = out.upper = std::vector<double>(at(count * std::max<Index>(1, classes_)));
  out.total = out.aleatoric = out.epistemic = std::vector<double>(at(count));
  if (!series.log_density.empty()) out.log_density.resize(at(count));
  for_each_piece(count, options_.threads, [&](Index begin, Index rows) {
    for (Index row = begin; row < begin + rows; ++row)
      classes_ > 0 ? finish_class_row(series, row, out) : finish_number_row(series, row, out);
  });
  return out;
}

void ForecastScores::add(const RowForecast& forecast, std::span<const double> targets) {
  if (classes_ > 0) {
    probabilities_.insert(probabilities_.end(), forecast.mean.begin(), forecast.mean.end());
    truth_.insert(truth_.end(), targets.begin(), targets.end());
    return;
  }
  for (std::size_t r = 0; r < targets.size(); ++r) {
    sums_.add(forecast.mean[r] - targets[r], forecast.log_density[r]);
    covered_ += targets[r] >= forecast.lower[r] && targets[r] <= forecast.upper[r] ? 1 : 0;
  }
}

Scores ForecastScores::scores(int ece_bins) const {
  if (classes_ > 0) return class_scores({probabilities_, classes_}, truth_, ece_bins);
  Scores scores = sums_.scores();
  scores.push_back({"coverage", covered_ / static_cast<double>(sums_.rows)});
  return scores;
}

}  // namespace pollen::sink
