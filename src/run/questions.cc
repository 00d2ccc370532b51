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

const std::vector<double>& Questions::mode() {
  if (!found_.mode.empty()) return found_.mode;
  const Recipe& recipe = *link_.setup().recipe;
  const Index d = problem_.dimension();
  const ModeProblem mode_problem{transport(), problem_.prior, recipe.prior_on_server, d, tolerance_};
  const ModeResult result = find_mode(mode_problem, std::vector<double>(static_cast<std::size_t>(d)));
  for (const double x : result.position)
    if (!std::isfinite(x))
      throw NumericError("the mode finder left the finite numbers; is the posterior proper?", 0, -1);
  found_.exchanges.push_back({.down_bits = 64 * d, .up_bits = 64 * d + 64, .times = result.exchanges, .columns = 1});
  found_.notes.push_back(
      fmt::format("mode found in {} exchanges, gradient norm {:.2g}", result.exchanges, result.gradient_norm));
  if (!result.reached)
    found_.warnings.push_back(fmt::format(
        "the mode finder stopped at gradient norm {:.2g}, above mode_tolerance {:.2g}{}", result.gradient_norm,
        tolerance_, recipe.oracle == OracleKind::fixed_point ? ": this costs variance, not bias" : ""));
  return found_.mode = result.position;
}

std::vector<double> Questions::curvature_point() {
  if (problem_.curvature_is_bound) return std::vector<double>(static_cast<std::size_t>(problem_.dimension()));
  return mode();
}

// The clients' curvature along each coordinate sets the distance at which gradients are compared: a ten-thousandth of
// the standard deviation that this curvature stands for, so that the result does not depend on the columns' units.
Panel Questions::hessian() {
  const std::vector<double>& at = mode();
  const Index d = problem_.dimension();
  const ConstPanelView where{at.data(), d, 1, d};
  const bool prior_on_server = link_.setup().recipe->prior_on_server;
  Panel hessian(d, d), unit(d, 1), bend(d, 1), ends(d, 2), slopes(d, 2);
  for (std::size_t j = 0; j < at.size(); ++j) {
    unit.column(0)[j] = 1;
    transport().query({Query::What::curvature, where, unit}, bend);
    problem_.prior.add_curvature(unit.column(0), 1.0, bend.column(0));
    const double along = bend.column(0)[j];
    const double step = along > 0 && std::isfinite(along) ? 1e-4 / std::sqrt(along) : 1e-5 * (1 + std::abs(at[j]));
    for (Index c = 0; c < 2; ++c) {
      std::ranges::copy(at, ends.column(c).begin());
      ends.column(c)[j] += c == 0 ? step : -step;
    }
    transport().query({Query::What::gradient, ends, {}}, slopes);
    const std::span<double> column = hessian.column(static_cast<Index>(j));
    math::subtract(slopes.column(0), slopes.column(1), column);
    math::scale(1 / (ends.column(0)[j] - ends.column(1)[j]), column);
    if (prior_on_server) problem_.prior.add_curvature(unit.column(0), 1.0, column);
    unit.column(0)[j] = 0;
  }
  for (Index j = 0; j < d; ++j)  // rounding errors differ between the two triangles
    for (Index i = 0; i < j; ++i) {
      double &above = hessian.column(j)[static_cast<std::size_t>(i)],
             &below = hessian.column(i)[static_cast<std::size_t>(j)];
      above = below = 0.5 * (above + below);
    }
  found_.exchanges.push_back({.down_bits = 128 * d, .up_bits = 64 * d, .times = d, .columns = 1});
  found_.exchanges.push_back({.down_bits = 128 * d, .up_bits = 128 * d, .times = d, .columns = 2});
  return hessian;
}

}  // namespace pollen
