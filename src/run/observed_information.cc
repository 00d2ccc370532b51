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
std::string obstacle(const PersonalParts& parts) {
  if (parts.baseline) return "a baseline has no population";
  if (!parts.problem.clients.front()->has_hessian())
    return parts.may_rotate() ? "phi and the latents are known only up to a rotation"
                              : "second derivatives of the model are not known";
  if (!parts.population->has_hessian()) return "the constant of the population is not known";
  if (parts.dimension() > kMostShared)
    return fmt::format("{} parameters are more than the {} for which it is computed", parts.dimension(), kMostShared);
  return "";
}

// The sum of the clients' information with the priors' precision.
class ObservedInformation {
 public:
  ObservedInformation(const ExperimentParts& parts, std::span<const double> at)
      : parts_(parts), at_(at), d_(std::ssize(at)), sum_(d_, d_) {}

  void ask(Index draws) {
    parts_.link->transport().query({Query::What::observed, {at_.data(), d_, 1, d_}, {}, 0, draws}, sum_);
    parts_.engine->counters().setup_bits += 64 * parts_.problem.clients() * (d_ + d_ * (d_ + 1) / 2);
    const PersonalProblem& problem = parts_.personal->problem;
    const std::size_t k = at_.size() - static_cast<std::size_t>(parts_.personal->population->parameters());
    for (std::size_t j = 0; j < problem.shared_precision.size(); ++j) add(j, problem.shared_precision[j]);
    for (std::size_t j = 0; j < problem.population_precision.size(); ++j) add(k + j, problem.population_precision[j]);
    for (Index j = 0; j < d_; ++j)  // rounding errors differ between the two triangles
      for (Index i = 0; i < j; ++i) own(i, j) = own(j, i) = 0.5 * (own(i, j) + own(j, i));
  }

  // Holds the logarithms of standard deviations about which the data say next to nothing: the information of known
  // latents would be 2b.
  std::vector<std::size_t> hold_lost_spreads() {
    constexpr double kLost = 0.02;
    std::vector<std::size_t> held;
    const std::vector<std::string> labels = parts_.personal->labels();
    for (Index j = 0; j < d_; ++j) {
      if (!labels[static_cast<std::size_t>(j)].starts_with("log_sd")) continue;
      if (own(j, j) > kLost * 2 * static_cast<double>(parts_.problem.clients())) continue;
      held.push_back(static_cast<std::size_t>(j));
      for (Index i = 0; i < d_; ++i) own(i, j) = own(j, i) = 0;
      own(j, j) = 1;
    }
    return held;
  }

  // Writes the inverse, row by row, if the information is positive definite.
  bool invert(std::vector<double>& out) const {
    for (Index j = 0; j < d_; ++j)
      if (!(sum_.column(j)[static_cast<std::size_t>(j)] > 0)) return false;
    const Coordinates root(std::vector<double>(at_.size()), sum_, true);
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

 private:
  void add(std::size_t j, double precision) { sum_.column(static_cast<Index>(j))[j] += precision; }
  double& own(Index i, Index j) { return sum_.column(j)[static_cast<std::size_t>(i)]; }

  const ExperimentParts& parts_;
  std::span<const double> at_;
  Index d_;
  Panel sum_;
};

void find_covariance(const ExperimentParts& parts, std::span<const double> at, Estimates& out) {
  if (!(out.why = obstacle(*parts.personal)).empty()) return;
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
    return;
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
}

}  // namespace

double Estimates::se(std::size_t j) const {
  if (covariance.empty() || std::ranges::count(held, j) > 0) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(covariance[j * value.size() + j]);
}

Estimates PersonalResults::estimates() const {
  const PersonalParts& parts = *parts_.personal;
  const bool averages = parts_.engine->iteration() > *parts_.config.run.burn_in;
  const Panel learnt = copy_of(averages ? own_average() : parts_.engine->position());
  const auto d = learnt.rows();
  Estimates out;
  out.value.assign(static_cast<std::size_t>(d), 0.0);
  for (Index c = 0; c < learnt.columns(); ++c)
    math::axpy(1 / static_cast<double>(learnt.columns()), learnt.column(c), out.value);
  find_covariance(parts_, out.value, out);
  parts.units.to_data(out.value);
  if (out.covariance.empty()) return out;
  Panel covariance(d, d);
  for (Index c = 0; c < d; ++c) std::copy_n(out.covariance.begin() + c * d, d, covariance.column(c).begin());
  parts.units.covariance_to_data(covariance);
  for (Index c = 0; c < d; ++c) std::ranges::copy(covariance.column(c), out.covariance.begin() + c * d);
  return out;
}

}  // namespace pollen
