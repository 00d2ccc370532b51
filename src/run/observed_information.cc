// The uncertainty of (φ, β): the observed information, which the clients compute at the estimate and the server adds
// up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment_parts.h"
#include "math/math.h"

namespace pollen {

namespace {

// Effective draws in the first attempt: so many per client and, because errors cancel over clients, so many in all.
// With these, a coefficient of which nine tenths of the information are missing has a standard error within a few
// hundredths.
constexpr Index kDrawsPerClient = 1000, kDrawsInAll = 100'000, kMostDraws = 5'000;
constexpr int kAttempts = 3;        // each with twice the draws of the one before
constexpr Index kMostShared = 500;  // coordinates of (φ, β); clients' work grows with the square

// Why the information cannot be found, or nothing.
std::string obstacle(const ExperimentParts& all) {
  const PersonalParts& parts = *all.personal;
  if (!all.problem.shows_curvature) return "a client does not show its curvature";
  if (parts.baseline) return "a baseline has no population";
  if (!parts.problem.clients.front()->has_hessian())
    return parts.may_rotate() ? "phi and the latents are known only up to a rotation"
                              : "second derivatives of the model are not known";
  if (!parts.population->place(parts.population->start(), 0)) return "the constant of the population is not known";
  if (parts.dimension() > kMostShared)
    return fmt::format("{} parameters are more than the {} for which it is computed", parts.dimension(), kMostShared);
  return "";
}

// The sum of the clients' information, and of their gradients in the last column, with the priors'.
class ObservedInformation {
 public:
  ObservedInformation(const ExperimentParts& parts, std::span<const double> at)
      : parts_(parts), at_(at), d_(std::ssize(at)), sum_(d_, d_ + 1) {}

  void ask(Index draws) {
    parts_.link->transport().query({Query::What::observed, {at_.data(), d_, 1, d_}, {}, 0, draws}, sum_);
    parts_.engine->counters().setup_bits += 64 * parts_.problem.clients() * (2 * d_ + d_ * (d_ + 1) / 2);
    const PersonalProblem& problem = parts_.personal->problem;
    const std::size_t k = at_.size() - static_cast<std::size_t>(parts_.personal->population->parameters());
    for (std::size_t j = 0; j < problem.shared_precision.size(); ++j) add(j, problem.shared_precision[j], 0);
    for (std::size_t j = 0; j < problem.population_precision.size(); ++j)
      add(k + j, problem.population_precision[j], problem.population_centre[j]);
    for (Index j = 0; j < d_; ++j)  // rounding errors differ between the two triangles
      for (Index i = 0; i < j; ++i) own(i, j) = own(j, i) = 0.5 * (own(i, j) + own(j, i));
  }

  // Holds the logarithms of standard deviations about which the data say next to nothing: the information of known
  // latents would be 2b.
  std::vector<std::size_t> hold_lost_spreads() {
    constexpr double kLost = 0.02;
    std::vector<std::size_t> held;
    const std::vector<std::string> labels = parts_.personal->labels();
    for (Index j = parts_.personal->model->shared(); j < d_; ++j) {  // a fixed column may have any name
      if (!labels[static_cast<std::size_t>(j)].starts_with("log_sd")) continue;
      if (own(j, j) > kLost * 2 * static_cast<double>(parts_.problem.clients())) continue;
      held.push_back(static_cast<std::size_t>(j));
      for (Index i = 0; i < d_; ++i) own(i, j) = own(j, i) = 0;
      own(j, j) = 1;
      own(j, d_) = 0;
    }
    return held;
  }

  // Writes the inverse, row by row, if the information is positive definite.
  bool invert(std::vector<double>& out) const {
    for (Index j = 0; j < d_; ++j)
      if (!(sum_.column(j)[static_cast<std::size_t>(j)] > 0)) return false;
    const Coordinates root(std::vector<double>(at_.size()), {sum_.column(0).data(), d_, d_, sum_.stride()}, true);
    if (!root.raised().empty()) return false;
    Panel unit(d_, 1), pulled(d_, 1), column(d_, 1);
    out.clear();
    for (std::size_t j = 0; j < at_.size(); ++j) {
      unit.column(0)[j] = 1;
      root.pull_back(unit, pulled);
      root.turn(pulled, column);
      out.insert(out.end(), column.column(0).begin(), column.column(0).end());
      unit.column(0)[j] = 0;
    }
    return math::all_finite(out);
  }

  std::span<const double> gradient() const { return sum_.column(d_); }

 private:
  void add(std::size_t j, double precision, double centre) {
    sum_.column(static_cast<Index>(j))[j] += precision;
    sum_.column(d_)[j] -= precision * (at_[j] - centre);
  }
  double& own(Index i, Index j) { return sum_.column(j)[static_cast<std::size_t>(i)]; }

  const ExperimentParts& parts_;
  std::span<const double> at_;
  Index d_;
  Panel sum_;
};

// Returns Newton's step from `at` towards the maximum, or nothing if the covariance is not found.
std::vector<double> find_covariance(const ExperimentParts& parts, std::span<const double> at, Estimates& out) {
  if (!(out.why = obstacle(parts)).empty()) return {};
  ObservedInformation information(parts, at);
  const Index draws = std::clamp(kDrawsInAll / parts.problem.clients(), kDrawsPerClient, kMostDraws);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    information.ask(draws << attempt);
    out.held = information.hold_lost_spreads();
    if (information.invert(out.covariance)) break;
    out.covariance.clear();
  }
  const std::vector<std::string> labels = parts.personal->labels();
  if (out.covariance.empty()) {
    out.why = fmt::format(
        "the observed information is not positive definite, also with {} draws per client; rows and "
        "clients may be too few for this model",
        draws << (kAttempts - 1));
    out.held.clear();
    return {};
  }
  std::vector<std::string> names;
  for (const std::size_t j : out.held) names.push_back(labels[j]);
  if (!names.empty())
    out.why = fmt::format(
        "the data do not tell the standard deviation of {} from 0, and other errors are those with it "
        "known",
        fmt::join(names, ", "));
  const std::size_t d = at.size();
  for (const std::size_t j : out.held)
    for (std::size_t i = 0; i < d; ++i) out.covariance[i * d + j] = out.covariance[j * d + i] = 0;
  std::vector<double> step(d);
  for (std::size_t i = 0; i < d; ++i)
    step[i] = math::dot(std::span(out.covariance).subspan(i * d, d), information.gradient());
  return step;
}

// Whether projections leave a point where it is.
bool is_allowed(const ExperimentParts& parts, const std::vector<double>& at) {
  std::vector<double> projected = at;
  const std::size_t k = at.size() - static_cast<std::size_t>(parts.personal->population->parameters());
  parts.personal->population->project(std::span(projected).subspan(k));
  const double radius = parts.config.sampler.shared_radius.value_or(0);
  return projected == at && (radius == 0 || math::squared_norm(std::span(at).first(k)) < radius * radius);
}

// Finds the covariance. In directions in which nearly all information is missing the algorithm is slow, and its average
// may be far from the maximum. Then the estimate moves by Newton's steps, for which all is known, as far as no bound of
// the configuration is in the way.
void find_maximum(const ExperimentParts& parts, Estimates& out) {
  constexpr double kNear = 0.05, kFar = 3;  // in standard errors
  constexpr int kMoves = 4;
  for (Estimates before = out;; ++out.moves) {
    const std::vector<double> step = find_covariance(parts, out.value, out);
    if (step.empty() && out.moves > 0) out = before;
    if (step.empty()) return;
    out.away = 0;
    for (std::size_t j = 0; j < step.size(); ++j)
      if (step[j] != 0) out.away = std::max(out.away, std::abs(step[j]) / out.se(j));
    std::vector<double> next = out.value;
    math::axpy(std::min(1.0, kFar / std::max(out.away, kNear)), step, next);
    if (!is_allowed(parts, next)) out.away = 0;
    if (!(out.away > kNear) || out.moves == kMoves) return;
    before = out;
    out.value = std::move(next);
  }
}

}  // namespace

double Estimates::se(std::size_t j) const {
  if (covariance.empty() || std::ranges::count(held, j) > 0) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(covariance[j * value.size() + j]);
}

Estimates PersonalResults::estimates() const {
  const PersonalParts& parts = *parts_.personal;
  const Panel learnt = copy_of(own_average());
  const auto d = learnt.rows();
  Estimates out;
  out.value.assign(static_cast<std::size_t>(d), 0.0);
  for (Index c = 0; c < learnt.columns(); ++c)
    math::axpy(1 / static_cast<double>(learnt.columns()), learnt.column(c), out.value);
  std::vector<double> from = out.value;
  find_maximum(parts_, out);
  parts.units.to_data(out.value);
  parts.units.to_data(from);
  math::subtract(out.value, from, from);
  out.moved = std::move(from);
  if (out.covariance.empty()) return out;
  out.own_covariance = out.covariance;
  Panel covariance(d, d);
  for (Index c = 0; c < d; ++c) std::copy_n(out.covariance.begin() + c * d, d, covariance.column(c).begin());
  parts.units.covariance_to_data(covariance);
  for (Index c = 0; c < d; ++c) std::ranges::copy(covariance.column(c), out.covariance.begin() + c * d);
  return out;
}

}  // namespace pollen
