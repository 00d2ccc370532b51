#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "report.h"
#include "text.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kStrip = 25;
constexpr std::size_t kLabel = 32;

// The first rows, but with the worst R-hats in place of the last few when not all fit.
std::vector<std::size_t> chosen_rows(const std::vector<stats::ParameterSummary>& parameters, std::size_t most) {
  std::vector<std::size_t> rows(parameters.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  const auto worst_last = rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, most));
  const auto badness = [&](std::size_t j) { return std::isnan(parameters[j].rhat) ? -1.0 : parameters[j].rhat; };
  std::partial_sort(rows.begin(), worst_last, rows.end(), [&](std::size_t a, std::size_t b) {
    return badness(a) > badness(b) || (badness(a) == badness(b) && a < b);
  });
  std::sort(worst_last, rows.end());
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

struct Range {
  double low = 0, high = 0;  // zero is always in it
};

Range range_of(const std::vector<stats::ParameterSummary>& parameters, const std::vector<std::size_t>& rows) {
  Range range;
  for (const std::size_t j : rows) {
    if (std::isfinite(parameters[j].q5)) range.low = std::min(range.low, parameters[j].q5);
    if (std::isfinite(parameters[j].q95)) range.high = std::max(range.high, parameters[j].q95);
  }
  return range;
}

}  // namespace

std::string interval_strip(const stats::ParameterSummary& p, double low, double high, std::size_t width) {
  std::vector<const char*> cells(width, " ");
  const auto cell = [&](double value) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width - 1)));
  };
  cells[cell(0)] = "│";
  if (std::isfinite(p.q5) && std::isfinite(p.q50) && std::isfinite(p.q95)) {
    for (std::size_t i = cell(p.q5); i <= cell(p.q95); ++i) cells[i] = i == cell(0) ? "┼" : "─";
    cells[cell(p.q50)] = "●";
  }
  std::string strip;
  for (const char* c : cells) strip += c;
  return strip;
}

std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most) {
  const auto rows = chosen_rows(parameters, most);
  const Range range = range_of(parameters, rows);
  TextTable table(
      {"parameter", "mean", "mcse", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat", "q5 ─ q50 ● q95"});
  table.left(10);
  const auto whole = [](double v) { return std::isnan(v) ? std::string("-") : fmt::format("{:.0f}", v); };
  for (const std::size_t j : rows) {
    const auto& p = parameters[j];
    table.row({shorten(labels[j], kLabel), short_number(p.mean), short_number(p.mcse), short_number(p.sd),
               short_number(p.q5), short_number(p.q50), short_number(p.q95), whole(p.ess_bulk), whole(p.ess_tail),
               std::isnan(p.rhat) ? "-" : fmt::format("{:.3f}", p.rhat),
               interval_strip(p, range.low, range.high, kStrip)});
  }
  std::string text = table.text();
  if (rows.size() < parameters.size())
    text += fmt::format("  … and {} more; the five with the worst R-hat are among those shown\n",
                        parameters.size() - rows.size());
  return text;
}

}  // namespace pollen::sink
