#include "run/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "client_link.h"
#include "client_sample.h"
#include "marginal_scale.h"
#include "math/math.h"
#include "mode.h"
#include "pollen/config.h"
#include "pollen/errors.h"

namespace pollen {

Questions::Questions(ClientLink& link, const StatisticalProblem& problem, const Config& config, SetupFindings& found)
    : link_(link), problem_(problem), config_(config), found_(found) {}

Questions::~Questions() = default;

Transport& Questions::transport() const { return link_.transport(); }

bool bends_up(const Panel& hessian) {
  for (Index j = 0; j < hessian.rows(); ++j) {
    const double along = hessian.column(hessian.columns() == 1 ? 0 : j)[static_cast<std::size_t>(j)];
    if (!(along > 0) || !std::isfinite(along)) return false;
  }
  return true;
}

// Curvature far from the mode says little of that near it. So a scaled search that has not ended after some exchanges
// asks for the Hessian where it got to, and goes on in the coordinates that follow from it for twice as many exchanges.
ModeResult Questions::search() {
  const Index d = problem_.dimension();
  ModeProblem mode_problem{transport(), problem_.prior, link_.setup().recipe->prior_on_server, d,
                           config_.sampler.mode_tolerance};
  const ModelFamily* family = problem_.model.family;
  if (scaled_ == Scaled::full && family != nullptr && family->has_normal_errors(problem_.model))
    return search_with_scale(mode_problem, start_.empty() ? problem_.prior.centre(d) : start_);
  ModeResult result{start_.empty() ? problem_.prior.centre(d) : start_};
  if (scaled_ == Scaled::not_at_all) return find_mode(mode_problem, result.position);
  const int most = mode_problem.most_exchanges;
  std::optional<Coordinates> coordinates;
  for (int length = std::max(12, static_cast<int>(d / 4));; length *= 2) {
    const bool full = scaled_ == Scaled::full;
    const Panel bend = hessian(result.position, full);
    if (bends_up(bend)) mode_problem.coordinates = &coordinates.emplace(result.position, bend, full);
    mode_problem.most_exchanges = std::min(length, most - result.exchanges);
    const int before = result.exchanges;
    result = find_mode(mode_problem, result.position);
    const bool stuck = result.exchanges < mode_problem.most_exchanges;
    result.exchanges += before;
    if (result.reached || stuck || result.exchanges >= most) return result;
  }
}

// Given σ, U is quadratic in the coefficients, so that one Hessian serves for all. The search takes σ for known and
// finds the best coefficients, and the best σ for these follows, until σ stays.
ModeResult Questions::search_with_scale(ModeProblem problem, std::vector<double> start) {
  constexpr int kPasses = 30;
  constexpr double kStays = 1e-6, kNoError = 1e-24;
  const Panel bend = hessian(start, true);
  if (!bends_up(bend)) return {std::move(start), std::numeric_limits<double>::infinity()};
  scale_ = std::make_unique<MarginalScale>(problem_.prior, start, bend);
  look_at_scale(start);
  const double squares = scale_->squares();
  ModeResult result{std::move(start), std::numeric_limits<double>::infinity()};
  if (problem_.prior.is_flat() && scale_->singular()) return result;  // the posterior is improper
  problem.held = 1;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Coordinates coordinates(result.position, scale_->of_coefficients(result.position.back()), true);
    problem.coordinates = &coordinates;
    const int before = result.exchanges;
    result = find_mode(problem, std::move(result.position));
    result.exchanges += before;
    look_at_scale(result.position);
    if (!(scale_->squares() > kNoError * squares))
      throw ConfigError(
          config_.file + ": model.kind",
          "found \"linear\" with columns that fit the target without error, so that sigma can be as small "
          "as numbers are; accepted: columns that are not made of the target, or a number for "
          "model.noise_sd");
    const double from = result.position.back();
    result.position.back() = scale_->best();
    if (std::abs(result.position.back() - from) < kStays) break;
  }
  return result;
}

// Asks for the gradients at a position, and there with e times its σ.
void Questions::look_at_scale(const std::vector<double>& position) {
  const Index d = problem_.dimension();
  Panel at(d, 2), slopes(d, 2);
  for (const Index c : {0, 1}) {
    std::ranges::copy(position, at.column(c).begin());
    at.column(c).back() += static_cast<double>(c);
  }
  transport().query({Query::What::gradient, at, {}}, slopes);
  found_.exchanges.push_back({.down_bits = 128 * d, .up_bits = 128 * d, .columns = 2});
  if (!link_.setup().recipe->prior_on_server)  // then the clients' gradients have the prior's
    for (const Index c : {0, 1}) problem_.prior.add_gradient(at.column(c), -1.0, slopes.column(c));
  scale_->look(position, slopes.column(0).back(), slopes.column(1).back());
}

Panel Questions::curvature_at_mode(bool full) {
  const std::vector<double>& at = mode();
  return scale_ != nullptr && full ? scale_->hessian(at.back()) : hessian(at, full);
}

const std::vector<double>& Questions::mode() {
  if (!found_.mode.empty()) return found_.mode;
  const Index d = problem_.dimension();
  const ModeResult result = search();
  for (const double x : result.position)
    if (!std::isfinite(x))
      throw NumericError("the mode finder left the finite numbers; is the posterior proper?", 0, -1);
  found_.exchanges.push_back({.down_bits = 64 * d, .up_bits = 64 * d + 64, .times = result.exchanges, .columns = 1});
  found_.notes.push_back(
      fmt::format("mode found in {} exchanges, gradient norm {:.2g}", result.exchanges, result.gradient_norm));
  if (!result.reached)
    found_.warnings.push_back(
        fmt::format("the mode finder stopped at gradient norm {:.2g}, above mode_tolerance {:.2g}{}",
                    result.gradient_norm, config_.sampler.mode_tolerance,
                    link_.setup().recipe->oracle == OracleKind::fixed_point ? ": this costs variance, not bias" : ""));
  return found_.mode = result.position;
}

std::vector<double> Questions::curvature_point() {
  if (problem_.curvature_is_bound) return std::vector<double>(static_cast<std::size_t>(problem_.dimension()));
  return mode();
}

void Questions::ask_only(Index clients) {
  sample_ = std::make_unique<ClientSample>(draw_clients(config_.seed, 0, problem_.rows, clients));
}

Panel Questions::ask_hessian(std::span<const double> at, Index numbers, const ClientSample& sample) {
  const Index d = problem_.dimension();
  Panel answer(numbers, 1);
  transport().query({.what = Query::What::hessian, .at = {at.data(), d, 1, d}, .direction = {}, .who = sample.who},
                    answer);
  found_.exchanges.push_back({.down_bits = sample.mean_bits(64 * d),
                              .up_bits = sample.mean_bits(32 * numbers),
                              .columns = sample.mean_bits(2 * d)});
  return answer;
}

// Makes a whole matrix from the lower half of what clients answered, and adds the prior's curvature.
Panel Questions::with_prior(const Panel& half) const {
  const Index d = problem_.dimension();
  Panel hessian(d, d);
  const double* next = half.column(0).data();
  for (Index j = 0; j < d; ++j)
    for (Index i = j; i < d; ++i, ++next)
      hessian.column(j)[static_cast<std::size_t>(i)] = hessian.column(i)[static_cast<std::size_t>(j)] = *next;
  std::vector<double> unit(static_cast<std::size_t>(d));
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    problem_.prior.add_curvature(unit, 1.0, hessian.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
  return hessian;
}

Panel Questions::hessian(std::span<const double> at, bool full) {
  const Index d = problem_.dimension();
  const bool sampled = full && d > 1 && sample_ != nullptr && !sample_->all();
  Panel answer = ask_hessian(at, full ? d * (d + 1) / 2 : d, sampled ? *sample_ : ClientSample());
  if (sampled) {
    const Panel all = ask_hessian(at, d, {});
    std::vector<double> root(at.size());  // a column that the sample knows nothing of is correlated with no other
    const double* diagonal = answer.column(0).data();
    for (std::size_t j = 0; j < root.size(); diagonal += root.size() - j, ++j)
      root[j] = *diagonal > 0 && all.column(0)[j] > 0 ? std::sqrt(all.column(0)[j] / *diagonal) : 0;
    double* next = answer.column(0).data();
    for (std::size_t j = 0; j < root.size(); ++j)
      for (std::size_t i = j; i < root.size(); ++i, ++next)
        *next = i == j ? all.column(0)[j] : *next * root[i] * root[j];
  }
  if (full) return with_prior(answer);
  problem_.prior.add_diagonal(answer.column(0));
  return answer;
}

Panel Questions::hessian(std::span<const double> at, const ClientSample& sample) {
  const Index d = problem_.dimension();
  Panel half = ask_hessian(at, d * (d + 1) / 2, sample);
  math::scale(sample.by_rows, half.column(0));
  return with_prior(half);
}

}  // namespace pollen
