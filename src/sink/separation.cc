#include "separation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numbers.h"
#include "sink/limits.h"
#include "sink/text.h"
#include "stats/mixtures.h"

namespace pollen::sink {

namespace {

// What the draws of a coefficient, or of a difference of coefficients, look like beside its prior.
struct Shape {
  double mean = 0, sd = 0, q5 = 0, q50 = 0, q95 = 0;
  double prior_sd = 0;
};

std::size_t count_in(const DrawSet& draws) { return static_cast<std::size_t>(draws.chains * draws.length); }

// Some of the draws tell shapes well enough: every so many.
std::size_t apart_in(const DrawSet& draws) {
  constexpr std::size_t kMostDraws = 2000;
  return std::max<std::size_t>(1, count_in(draws) / kMostDraws);
}

// The intercept where the columns are as its prior says, at some of the draws; empty if that is not known.
std::vector<double> centred_intercepts(const Evidence& e, std::size_t apart) {
  const auto& prior = e.facts.prior_intercept;
  if (!prior || e.draws == nullptr || prior->centre.size() + 1 != e.size()) return {};
  std::vector<double> out(count_in(*e.draws) / apart);
  for (std::size_t n = 0; n < out.size(); ++n) {
    out[n] = e.draws->values[0][n * apart];
    for (std::size_t k = 0; k < prior->centre.size(); ++k)
      out[n] += prior->centre[k] * e.draws->values[k + 1][n * apart];
  }
  return out;
}

// A coefficient that grows takes that intercept with it, which has a prior of its own. Along the line a + b (β_j - β̄_j)
// on which the draws move, the two priors together are narrower and have another centre: the shape is moved to that.
void add_prior_of_intercept(const Evidence& e, std::size_t j, const std::vector<double>& intercepts, std::size_t apart,
                            Shape& s) {
  const auto count = static_cast<double>(intercepts.size());
  double a = 0, beta = 0, squares = 0, products = 0;
  for (std::size_t n = 0; n < intercepts.size(); ++n) {
    a += intercepts[n] / count;
    beta += e.draws->values[j][n * apart] / count;
  }
  for (std::size_t n = 0; n < intercepts.size(); ++n) {
    const double from = e.draws->values[j][n * apart] - beta;
    squares += from * from;
    products += from * (intercepts[n] - a);
  }
  if (!(squares > 0) || !std::isfinite(products)) return;
  const InterceptPrior& prior = *e.facts.prior_intercept;
  const double b = products / squares, weight = b / (prior.sd * prior.sd);
  const double precision = 1 / (s.prior_sd * s.prior_sd) + b * weight;
  const double centre = -weight * (a - b * beta - prior.mean) / precision;
  for (double* const place : {&s.mean, &s.q5, &s.q50, &s.q95}) *place -= centre;
  s.prior_sd = 1 / std::sqrt(precision);
}

// Where the likelihood is flat on one side, draws have the shape that the prior has there: of those beyond their median
// a tenth is beyond the 95 % quantile, as of the prior. A likelihood with a maximum, of a single event, say, makes that
// tail shorter (at least 0.17 over levels of 3 to 200 rows, and then the draws are narrower). On the other side the
// draws are cut off. If the data say little instead, the median is near the prior's centre.
bool is_tail_of_prior(const Shape& s) {
  constexpr double kTail = 0.2, kWide = 0.38, kFar = 0.3, kSkewed = 1.25;
  const bool up = s.q50 > 0;
  const double outer = up ? s.q95 - s.q50 : s.q50 - s.q5, inner = up ? s.q50 - s.q5 : s.q95 - s.q50;
  const double middle = std::abs(s.q50);
  const auto beyond = [&](double x) { return stats::normal_cdf(-x, 0, s.prior_sd); };
  return s.sd > kWide * s.prior_sd && middle > kFar * s.prior_sd && outer > kSkewed * inner &&
         beyond(middle + outer) < kTail * beyond(middle);
}

// Whether the likelihood pushes a coefficient outward until the prior stops it. A coefficient that the data determine
// is narrow; one of which they say little is within chance of the centre.
bool stopped_by_prior(const Shape& s) {
  constexpr double kWide = 0.5, kFar = 0.75, kBeyondChance = 3;
  if (!std::isfinite(s.prior_sd) || !(s.prior_sd > 0)) return false;
  const bool pushed = s.sd > kWide * s.prior_sd && std::abs(s.mean) > std::max(kFar * s.prior_sd, kBeyondChance * s.sd);
  return pushed || is_tail_of_prior(s);
}

// How many coefficients each class of a softmax has, whose labels are "class: column" in the order of the classes; 0 if
// the labels do not tell.
std::size_t columns_per_class(const std::vector<std::string>& labels) {
  const auto column = [&](std::size_t j) {
    return labels[j].substr(std::min(labels[j].rfind(": "), labels[j].size()));
  };
  for (std::size_t p = 1; p < labels.size(); ++p) {
    bool repeats = labels.size() % p == 0;
    for (std::size_t j = p; repeats && j < labels.size(); ++j) repeats = column(j) == column(j - p);
    if (repeats) return p;
  }
  return 0;
}

// The coefficients of softmax less their mean over the classes. The likelihood does not change if all classes change
// alike, so that the coefficients themselves are as wide as the prior lets them be.
std::vector<Shape> shapes_of_differences(const Evidence& e) {
  constexpr std::size_t kMostCoefficients = 2000;
  const std::size_t p = columns_per_class(e.facts.labels);
  if (p == 0 || e.draws == nullptr || e.size() > kMostCoefficients || e.facts.prior_sd.size() < e.size()) return {};
  const std::size_t classes = e.size() / p;
  const std::size_t apart = apart_in(*e.draws), count = count_in(*e.draws) / apart;
  std::vector<Shape> shapes;
  std::vector<double> values(count);
  for (std::size_t j = 0; j < e.size(); ++j) {
    Shape shape{.prior_sd = e.facts.prior_sd[j] * std::sqrt(1 - 1 / static_cast<double>(classes))};
    for (std::size_t n = 0; n < count; ++n) {
      values[n] = e.draws->values[j][n * apart];
      for (std::size_t k = 0; k < classes; ++k)
        values[n] -= e.draws->values[k * p + j % p][n * apart] / static_cast<double>(classes);
      shape.mean += values[n] / static_cast<double>(count);
    }
    for (const double v : values) shape.sd += (v - shape.mean) * (v - shape.mean) / static_cast<double>(count);
    shape.sd = std::sqrt(shape.sd);
    shape.q5 = stats::quantile(values, 0.05);
    shape.q50 = stats::quantile(values, 0.5);
    shape.q95 = stats::quantile(values, 0.95);
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<Shape> shapes_of(const Evidence& e) {
  const std::size_t apart = e.draws == nullptr ? 1 : apart_in(*e.draws);
  const std::vector<double> intercepts = centred_intercepts(e, apart);
  std::vector<Shape> shapes;
  for (std::size_t j = 0; j < std::min(e.size(), e.facts.prior_sd.size()); ++j) {
    const stats::ParameterSummary& s = e.parameters[j];
    shapes.push_back({s.mean, s.sd, s.q5, s.q50, s.q95, e.facts.prior_sd[j]});
    if (j > 0 && !intercepts.empty()) add_prior_of_intercept(e, j, intercepts, apart, shapes.back());
  }
  return shapes;
}

}  // namespace

bool may_separate(const RunFacts& facts) {
  return facts.model == "logistic" || facts.model == "softmax" || facts.model == "poisson";
}

// An intercept only follows the columns, so it is named if nothing else is.
std::string separated_by(std::vector<std::string> names, const RunFacts& facts) {
  if (names.empty()) return "";
  if (!std::ranges::all_of(names, is_intercept)) std::erase_if(names, is_intercept);
  return fmt::format(
      "separation: the data seem to tell {} apart without error by {}, so that the likelihood has no maximum and the "
      "prior alone says how large such a coefficient is; give model.prior = \"normal\" with a narrower model.prior_sd, "
      "or leave the column out",
      facts.model == "poisson" ? "rows whose counts are all 0" : "the classes", listed(names));
}

std::string separation(const Evidence& e) {
  if (!may_separate(e.facts)) return "";
  const std::vector<Shape> shapes = e.facts.model == "softmax" ? shapes_of_differences(e) : shapes_of(e);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < shapes.size(); ++j)
    if (stopped_by_prior(shapes[j])) names.push_back(e.facts.labels[j]);
  return separated_by(std::move(names), e.facts);
}

}  // namespace pollen::sink
