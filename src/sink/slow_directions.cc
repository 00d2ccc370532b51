#include "slow_directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/coordinates.h"
#include "sink/limits.h"
#include "sink/text.h"
#include "stats/directions.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kMostDirections = 60;  // beyond, single parameters stand for the directions
constexpr Index kMostDraws = 2000;           // per chain
constexpr double kMuch = 10;                 // a direction is slow if the median one has so many times its ESS
constexpr double kExplored = 100;            // the least median ESS of which directions can be told

// The parameters whose directions count. An intercept in the units of the data is left out: it is where all columns are
// 0, so that a column far from 0, such as a year, is as good as collinear with it.
std::vector<std::size_t> without_intercepts(const Evidence& e) {
  std::vector<std::size_t> which;
  for (std::size_t j = 0; j < e.size(); ++j)
    if (!is_intercept(e.facts.labels[j])) which.push_back(j);
  return which;
}

// Keeps evenly spaced draws, because slow directions need few.
std::vector<std::vector<double>> some_values(const DrawSet& draws, const std::vector<std::size_t>& which) {
  const Index count = std::min(draws.length, kMostDraws);
  std::vector<std::vector<double>> out(which.size());
  for (std::size_t k = 0; k < which.size(); ++k)
    for (Index c = 0; c < draws.chains; ++c)
      for (Index i = 0; i < count; ++i)
        out[k].push_back(draws.values[which[k]][static_cast<std::size_t>(c * draws.length + i * draws.length / count)]);
  return out;
}

std::vector<stats::Direction> directions_of(const Evidence& e, const std::vector<std::size_t>& which) {
  std::vector<stats::Direction> directions = stats::principal_directions(some_values(*e.draws, which), e.draws->chains);
  for (stats::Direction& direction : directions) {
    std::vector<double> loading(e.size());
    for (std::size_t k = 0; k < which.size(); ++k) loading[which[k]] = direction.loading[k];
    direction.loading = std::move(loading);
  }
  return directions;
}

// Names the parameters that make up most of a direction.
std::vector<std::string> parts_of(const stats::Direction& direction, const std::vector<std::string>& labels) {
  const auto size = [](double x) { return std::abs(x); };
  const double most = std::ranges::max(direction.loading, {}, size);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (std::abs(direction.loading[j]) > 0.3 * std::abs(most) && names.size() < 4) names.push_back(labels[j]);
  return names;
}

// How far the draws reach along a direction, squared and in units of the prior: about 1 if the prior alone holds them,
// much less if the data do; 0 if the prior is flat or not known.
double reach_in_prior(const stats::Direction& direction, const Evidence& e) {
  double reach = 0;
  for (std::size_t j = 0; j < std::min(e.size(), e.facts.prior_sd.size()); ++j) {
    const double part = direction.loading[j] * e.parameters[j].sd / e.facts.prior_sd[j];
    reach += direction.variance * part * part;
  }
  return reach;
}

// Appends what helps, if anything is known to.
std::string with(const std::string& advice) { return advice.empty() ? "" : "; " + advice; }

std::string collinear_in(const stats::Direction& direction, const Evidence& e, const char* so = "") {
  const bool few = warned_of(e.facts, "too few rows");  // then others take the place of a column that is left out
  return fmt::format("collinear columns: the data hardly tell {} apart{}; {}",
                     fmt::join(parts_of(direction, e.facts.labels), " and "), so,
                     few ? "the warning of too few rows says what helps" : "leave one of them out");
}

// Whether directions in which the data say nothing are the columns' fault. The coefficients of softmax have such
// directions always, because the likelihood does not change if all classes change alike.
bool columns_tell(const Evidence& e) { return e.facts.model != "softmax"; }

// Returns the direction of several parameters that reaches farthest in the prior; null if none reaches `least`.
const stats::Direction* held_by_prior(const std::vector<stats::Direction>& directions, double least,
                                      const Evidence& e) {
  constexpr double kSeveral = 1.3;  // k equal columns leave k - 1 directions of variance k/(k - 1)
  const stats::Direction* farthest = nullptr;
  if (!columns_tell(e)) return farthest;
  for (const stats::Direction& direction : directions) {
    const double reach = direction.variance > kSeveral ? reach_in_prior(direction, e) : 0;
    if (reach > least) farthest = &direction, least = reach;
  }
  return farthest;
}

// Collinear columns leave a direction of several parameters as wide as the prior, or an almost singular covariance.
std::string collinear(const std::vector<stats::Direction>& directions, const Evidence& e) {
  constexpr double kPriorAlone = 0.25, kSingular = 1e-5;
  const stats::Direction* const wide = held_by_prior(directions, kPriorAlone, e);
  if (wide == nullptr && !(directions.front().variance < kSingular && columns_tell(e))) return "";
  return collinear_in(wide != nullptr ? *wide : directions.front(), e) + with(other_coordinates(e.facts));
}

std::string slow(double least, double median, const std::string& what, const Evidence& e) {
  if (!(least < kLeastEss) || !(median > kMuch * least)) return "";
  return fmt::format(
      "{} has ESS {:.0f}, the median one {:.0f}, {:.0f} times as many: the posterior is much longer in some directions "
      "than in others, and the step suits the short ones{}",
      what, std::floor(least), median, median / least, with(other_coordinates(e.facts)));
}

std::string slow_parameter(const Evidence& e) {
  std::vector<double> ess;
  for (const stats::ParameterSummary& p : e.parameters)
    if (std::isfinite(p.ess_bulk)) ess.push_back(p.ess_bulk);
  if (ess.empty()) return "";
  std::ranges::sort(ess);
  return slow(ess.front(), ess[ess.size() / 2], "the slowest parameter", e);
}

}  // namespace

std::string other_coordinates(const RunFacts& facts) {
  const bool adapts = has_trajectories(facts.sampler);
  const bool no_better = facts.precondition == "full" || facts.dimension() > Coordinates::kMostFull;
  if (facts.sampler.empty() || adapts) return "";
  if (facts.reference || no_better) return "sampler.name = \"nuts\" needs fewer iterations";
  return "sampler.precondition = \"full\" with sampler.step = \"auto\" makes all directions alike";
}

std::string prior_between_columns(const Evidence& e) {
  constexpr double kPriorAlone = 0.8, kWide = 0.3;  // a direction of good draws, and one of its coefficients
  std::size_t wide = 0;
  for (std::size_t j = 0; j < std::min(e.size(), e.facts.prior_sd.size()); ++j)
    wide += e.parameters[j].sd > kWide * e.facts.prior_sd[j] ? 1 : 0;
  const std::vector<std::size_t> which = without_intercepts(e);
  if (wide < 2 || which.size() > kMostDirections || e.draws == nullptr) return "";
  const std::vector<stats::Direction> directions = directions_of(e, which);
  const stats::Direction* const found = held_by_prior(directions, kPriorAlone, e);
  return found == nullptr ? "" : collinear_in(*found, e, ", and the prior alone decides between them");
}

std::string slow_directions(const Evidence& e) {
  const std::vector<std::size_t> which = without_intercepts(e);
  if (which.size() < 2) return "";
  const bool suited = e.facts.precondition == "full" || has_trajectories(e.facts.sampler);
  if (which.size() > kMostDirections) return suited ? "" : slow_parameter(e);
  const std::vector<stats::Direction> directions = directions_of(e, which);
  if (directions.empty()) return "";
  std::vector<double> ess;
  for (const stats::Direction& direction : directions) ess.push_back(direction.ess);
  const auto slowest = static_cast<std::size_t>(std::ranges::min_element(ess) - ess.begin());
  std::ranges::sort(ess);
  const double median = ess[ess.size() / 2];
  // If most directions are unexplored, their shape is that of the chains' paths.
  if (!(median >= kExplored)) return "";
  if (const std::string line = collinear(directions, e); !line.empty() || suited) return line;
  const auto parts = parts_of(directions[slowest], e.facts.labels);
  return slow(ess.front(), median, fmt::format("the slowest direction ({})", fmt::join(parts, ", ")), e);
}

}  // namespace pollen::sink
