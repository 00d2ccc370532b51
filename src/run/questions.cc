#include "run/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client_link.h"
#include "math/math.h"
#include "mode.h"
#include "pollen/errors.h"

namespace pollen {

Questions::Questions(ClientLink& link, const StatisticalProblem& problem, double tolerance, SetupFindings& found)
    : link_(link), problem_(problem), tolerance_(tolerance), found_(found) {}

Transport& Questions::transport() const { return link_.transport(); }

// Whether the curvature is above 0 along every coordinate. `hessian` is d × d, or its diagonal as d × 1.
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
  ModeProblem mode_problem{transport(), problem_.prior, link_.setup().recipe->prior_on_server, d, tolerance_};
  if (scaled_ == Scaled::not_at_all)
    return find_mode(mode_problem, start_.empty() ? std::vector<double>(static_cast<std::size_t>(d)) : start_);
  const int most = mode_problem.most_exchanges;
  ModeResult result{start_.empty() ? problem_.prior.centre(d) : start_};
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
    found_.warnings.push_back(fmt::format(
        "the mode finder stopped at gradient norm {:.2g}, above mode_tolerance {:.2g}{}", result.gradient_norm,
        tolerance_, link_.setup().recipe->oracle == OracleKind::fixed_point ? ": this costs variance, not bias" : ""));
  return found_.mode = result.position;
}

std::vector<double> Questions::curvature_point() {
  if (problem_.curvature_is_bound) return std::vector<double>(static_cast<std::size_t>(problem_.dimension()));
  return mode();
}

Panel Questions::hessian(std::span<const double> at, bool full) {
  const Index d = problem_.dimension(), numbers = full ? d * (d + 1) / 2 : d;
  Panel half(numbers, 1);
  transport().query({Query::What::hessian, {at.data(), d, 1, d}, {}}, half);
  found_.exchanges.push_back({.down_bits = 64 * d, .up_bits = 32 * numbers, .columns = 2 * d});
  if (!full) {
    problem_.prior.add_diagonal(half.column(0));
    return half;
  }
  Panel hessian(d, d);
  const double* next = half.column(0).data();
  for (Index j = 0; j < d; ++j)
    for (Index i = j; i < d; ++i, ++next)
      hessian.column(j)[static_cast<std::size_t>(i)] = hessian.column(i)[static_cast<std::size_t>(j)] = *next;
  std::vector<double> unit(at.size());
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = 1;
    problem_.prior.add_curvature(unit, 1.0, hessian.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
  return hessian;
}

}  // namespace pollen
