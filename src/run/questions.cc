#include "run/questions.h"

#include <fmt/format.h>

#include <cmath>

#include "client_link.h"
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

}  // namespace pollen
