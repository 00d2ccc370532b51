#include "separated.h"

#include <fmt/format.h>

#include <algorithm>

#include "math/math.h"
#include "model/coordinates.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// The information about each coordinate if the others are not known, 1/(H⁻¹)_jj, or H_jj if that is all there is. A
// column that is centred is never without curvature along its own axis, because all rows have it.
std::vector<double> information_of(const Panel& hessian) {
  const Index d = hessian.rows();
  std::vector<double> out;
  if (hessian.columns() == 1) return {hessian.column(0).begin(), hessian.column(0).end()};
  for (Index j = 0; j < d; ++j)
    if (!(hessian.column(j)[static_cast<std::size_t>(j)] > 0)) return {};
  const Coordinates root(std::vector<double>(static_cast<std::size_t>(d)), hessian, true);
  Panel unit(d, 1), pulled(d, 1);
  for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j) {
    unit.column(0)[j] = 1;
    root.pull_back(unit, pulled);
    out.push_back(1 / math::squared_norm(pulled.column(0)));
    unit.column(0)[j] = 0;
  }
  return out;
}

}  // namespace

std::vector<std::size_t> lost_coordinates(const Panel& at_start, const Panel& at_end) {
  constexpr double kLost = 1e-6;   // events with a probability above 2.5e-7 leave more
  constexpr double kKnown = 1e-4;  // of the curvature along a coordinate
  const std::vector<double> before = information_of(at_start), after = information_of(at_end);
  std::vector<std::size_t> lost;
  for (std::size_t j = 0; j < std::min(before.size(), after.size()); ++j) {
    const double along = at_start.column(at_start.columns() == 1 ? 0 : static_cast<Index>(j))[j];
    if (before[j] > kKnown * along && after[j] < kLost * before[j]) lost.push_back(j);
  }
  return lost;
}

void refuse_separation(const Config& config, std::vector<std::string> names, const char* accepted) {
  const auto is_intercept = [](const std::string& name) { return name.ends_with("intercept"); };
  // An intercept only follows the columns, so it is named if nothing else is.
  if (!std::ranges::all_of(names, is_intercept)) std::erase_if(names, is_intercept);
  const std::string what = config.model.kind == "poisson" ? "rows whose counts are all 0" : "the classes";
  throw ConfigError(
      config.file + ": model.prior",
      fmt::format(
          "found \"{}\", with which coefficients have no prior and the posterior is improper: the data tell {} "
          "apart without error (separation), so that the likelihood has no maximum in {}; accepted: {}, or data "
          "without such columns",
          config.model.prior, what, fmt::join(names, ", "), accepted));
}

}  // namespace pollen
