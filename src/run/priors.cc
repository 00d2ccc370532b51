#include "priors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/units.h"
#include "network_model.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// Returns one number per coordinate from a list that has one for all coefficients, one per coefficient or one per
// coordinate. Logarithms of scales, which come last, have `scale` unless the list is as long as θ.
std::vector<double> spread_out(const std::vector<double>& given, const ModelSpec& model, double scale,
                               const char* key) {
  const auto d = static_cast<std::size_t>(model.dimension());
  const auto coefficients = d - static_cast<std::size_t>(model.family->log_scales(model));
  std::vector<double> numbers = given;
  if (numbers.size() == 1) numbers.assign(coefficients, numbers[0]);
  if (numbers.size() == coefficients) numbers.resize(d, scale);
  if (numbers.size() != d)
    throw ConfigError(key, fmt::format("found {} numbers, accepted: one, or one per coefficient ({}: {})", given.size(),
                                       d, fmt::join(model.labels(), ", ")));
  return numbers;
}

bool all_zero(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return x == 0; });
}

// Returns the prior in the units of the configuration's numbers.
Prior given_prior(const PriorNumbers& numbers, const Config& config, const ModelSpec& model) {
  const std::string key = config.file + ": model.";
  Prior prior = Prior::normal(spread_out(numbers.sd, model, config.model.log_sigma_sd, (key + "prior_sd").c_str()));
  if (!all_zero(numbers.mean)) prior.mean = spread_out(numbers.mean, model, 0, (key + "prior_mean").c_str());
  return prior;
}

// The means and standard deviations of columns and target that the automatic prior goes by.
ColumnScaling observed(const Config& config, const StatisticalProblem& problem) {
  const auto columns = static_cast<std::size_t>(problem.model.features) - (problem.data.intercept ? 1U : 0U);
  ColumnScaling seen = problem.data.scaling;
  if (seen.mean.empty()) {
    seen.mean = seen.raw_mean;
    seen.sd = seen.raw_sd;
  }
  if (seen.sd.size() != columns || seen.target.size() != (config.data.target_moments ? 2U : 0U))
    throw ConfigError(config.file + ": model.prior",
                      "found \"auto\" with data of which no means and standard deviations are known; accepted: "
                      "\"normal\" or \"flat\"");
  if (!config.data.target_moments) return seen;
  const std::string& target = problem.data.layout.target;
  const std::string where = target.empty() ? config.file + ": data.target" : "column " + target;
  const bool counts = model_family(config.model.kind).target({}) == TargetKind::count;
  if (counts && !(seen.target[0] > 0))
    throw ConfigError(where, "found counts that are all 0, from which no rate can be learnt; accepted: some above 0");
  if (!counts && !(seen.target[1] > 0))
    throw ConfigError(where,
                      fmt::format("found the same target, {:.6g}, in all rows, from which nothing can be learnt; "
                                  "accepted: at least two different values",
                                  seen.target[0]));
  return seen;
}

// Returns the numbers of the automatic prior in the data's units.
PriorNumbers automatic_numbers(const Config& config, const StatisticalProblem& problem) {
  const ModelSpec& model = problem.model;
  const ColumnScaling columns = observed(config, problem);
  const ModelFamily::PriorScale scale = model.family->prior_scale(model, columns.target);
  const Index log_scales = model.family->log_scales(model);
  const Index blocks = (model.dimension() - log_scales) / std::max<Index>(1, model.features);
  PriorNumbers numbers;
  for (Index block = 0; block < blocks; ++block) {
    if (problem.data.intercept) {
      numbers.sd.push_back(scale.intercept_sd);
      numbers.mean.push_back(scale.intercept_mean);
    }
    for (const double sd : columns.sd) {
      numbers.sd.push_back(scale.slope / sd);
      numbers.mean.push_back(0);
    }
  }
  for (Index k = 0; k < log_scales; ++k) {
    numbers.sd.push_back(config.model.log_sigma_sd);
    numbers.mean.push_back(scale.log_scale_mean);
  }
  if (problem.data.intercept) numbers.centre = columns.mean;
  return numbers;
}

// With fewer rows for a coefficient chains are slow under the automatic prior, and so is sigma's.
constexpr Index kRowsPerCoefficient = 2;

// How far columns move the linear predictor under the prior: each alone, on average, and all together. Nothing if the
// columns have no common scale or the prior is flat.
std::optional<std::pair<double, double>> reach_of(const StatisticalProblem& problem, Index columns) {
  if (problem.prior.is_flat() || problem.data.scaling.mean.empty()) return std::nullopt;
  const auto first = static_cast<std::size_t>(problem.model.features - columns);
  double sum = 0;
  for (std::size_t j = first; j < static_cast<std::size_t>(problem.model.features); ++j)
    sum += 1 / problem.prior.precision[j];
  return std::pair(std::sqrt(sum / static_cast<double>(columns)), std::sqrt(sum));
}

// What the linear predictor is of.
std::string predicted(const StatisticalProblem& problem) {
  const std::string& target = problem.data.layout.target;
  const std::string name = target.empty() ? "the target" : target;
  switch (problem.model.family->target(problem.model)) {
    case TargetKind::real:
      return name;
    case TargetKind::count:
      return "the logarithm of the mean of " + name;
    default:
      return "the log odds of " + name;
  }
}

}  // namespace

std::string few_rows(const StatisticalProblem& problem) {
  const ModelSpec& model = problem.model;
  if (model.family == nullptr || model.is_network() || model.family->target(model) == TargetKind::none) return {};
  const Index rows = std::accumulate(problem.rows.begin(), problem.rows.end(), Index{0}), p = model.features;
  const Index columns = p - (problem.data.intercept ? 1 : 0);
  if (rows >= kRowsPerCoefficient * p || columns < 2) return {};
  std::string text = fmt::format(fmt::runtime(p >= rows ? "too few rows: {0} coefficients fit {1} rows without error"
                                                        : "too few rows: {1} rows hardly tell {0} coefficients apart"),
                                 p, rows) +
                     fmt::format(
                         ", so that the prior decides much, whichever one column is left out; what helps is to leave "
                         "out {} columns or "
                         "more (data.features), which gives every coefficient {} rows, or a narrower prior",
                         std::min(p - rows / kRowsPerCoefficient, columns), kRowsPerCoefficient);
  const auto reach = reach_of(problem, columns);
  if (!reach) return text;
  const bool known = problem.automatic_prior && problem.data.scaling.target.size() == 2 &&
                     model.family->target(model) == TargetKind::real;
  const double goal = known ? problem.data.scaling.target[1] : reach->first;
  return text + fmt::format(
                    ": now one column moves {} by {:.2g} and all {} together by {:.2g} (prior sds), and with the "
                    "columns' model.prior_sd in DIR/config.toml times {:.2g} all together move it by {:.2g}{}",
                    predicted(problem), reach->first, columns, reach->second, goal / reach->second, goal,
                    known ? ", which is its sd" : "");
}

void set_prior(const Config& config, StatisticalProblem& problem) {
  const ModelConfig& given = config.model;
  const ModelSpec& model = problem.model;
  const bool has_columns = model.family->target(model) != TargetKind::none && !model.is_network();
  const Units units(model, problem.data.intercept, problem.data.scaling);
  if (has_columns && config.output.scale == "data" && !problem.data.scaling.mean.empty())
    problem.model.units = std::make_shared<const Units>(units);
  if (given.prior == "flat") {
    problem.prior = Prior::flat();
  } else if (model.is_network()) {
    problem.prior = network_prior(config, model.network.network->tensors());
  } else {
    const bool automatic = given.prior == "auto" && has_columns;
    PriorNumbers numbers{given.prior_sd, given.prior_mean, given.prior_centre};
    if (automatic) problem.automatic_prior = numbers = automatic_numbers(config, problem);
    const auto columns = static_cast<std::size_t>(model.features) - (problem.data.intercept ? 1U : 0U);
    if (!numbers.centre.empty() && numbers.centre.size() != columns)
      throw ConfigError(config.file + ": model.prior_centre",
                        fmt::format("found {} numbers, accepted: {}, one per column besides the intercept",
                                    numbers.centre.size(), columns));
    problem.prior = given_prior(numbers, config, model);
    if (has_columns && (automatic || given.prior_scale == "data"))
      problem.prior = units.internal(problem.prior, numbers.centre);
    if (all_zero(problem.prior.mean)) problem.prior.mean.clear();
  }
}

}  // namespace pollen
