#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sink/report.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kLabel = 32;

// Chooses the rows to show: the first ones, with the worst R-hats in place of the last few if not all fit.
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

}  // namespace

StripRange strip_range(const std::vector<stats::ParameterSummary>& parameters) {
  StripRange range;
  for (const stats::ParameterSummary& p : parameters) {
    if (std::isfinite(p.q5)) range.low = std::min(range.low, p.q5);
    if (std::isfinite(p.q95)) range.high = std::max(range.high, p.q95);
  }
  return range;
}

std::vector<std::string> parameter_columns() {
  return {"parameter", "mean", "mcse", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"};
}

std::vector<std::string> parameter_cells(const stats::ParameterSummary& p, const std::string& label) {
  const auto whole = [](double v) { return std::isnan(v) ? std::string("-") : fmt::format("{:.0f}", v); };
  return {shorten(label, kLabel), short_number(p.mean),
          short_number(p.mcse),   short_number(p.sd),
          short_number(p.q5),     short_number(p.q50),
          short_number(p.q95),    whole(p.ess_bulk),
          whole(p.ess_tail),      std::isnan(p.rhat) ? "-" : fmt::format("{:.3f}", p.rhat)};
}

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
  std::vector<stats::ParameterSummary> shown;
  for (const std::size_t j : rows) shown.push_back(parameters[j]);
  const StripRange range = strip_range(shown);
  std::vector<std::string> header = parameter_columns();
  header.emplace_back(kStripName);
  TextTable table(header);
  table.left(10);
  for (const std::size_t j : rows) {
    std::vector<std::string> cells = parameter_cells(parameters[j], labels[j]);
    cells.push_back(interval_strip(parameters[j], range.low, range.high, kStripWidth));
    table.row(std::move(cells));
  }
  std::string text = table.text();
  if (rows.size() < parameters.size())
    text += fmt::format("  … and {} more; the five with the worst R-hat are among those shown\n",
                        parameters.size() - rows.size());
  return text;
}

}  // namespace pollen::sink
